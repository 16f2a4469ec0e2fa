"""`stakes reproduce`: a paper's tables, re-run beside the printed numbers."""

from pathlib import Path
from typing import Annotated

import typer

from stakes.cli._guard import guarded
from stakes.errors import InputError, near_matches


@guarded
def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A paper; without it they are listed."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Repeats; default: as many as the paper's.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the data files. Default: STAKES_DATA."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write NAME.md and NAME.json here.")
    ] = None,
):
    r"""Run a paper's experiments again and print its tables beside ours.

    \b
    Examples:
      stakes reproduce
      stakes reproduce chance-constrained --repeats 1 --out results
    """
    import importlib

    from stakes.reproduce import DATA_PAGE, PAPERS

    if name is None:
        for one in sorted(PAPERS):
            about = (importlib.import_module(PAPERS[one]).__doc__ or "").strip().splitlines()
            typer.echo(f"{one}  {about[0] if about else ''}")
        typer.echo(
            "chance-constrained needs no data, games and cw-cvar run in part without; the files of "
            f"the others are listed in {DATA_PAGE}.",
            err=True,
        )
        return
    if name not in PAPERS:
        raise InputError(f"No paper is called {name!r}: {near_matches(name, sorted(PAPERS))}")
    if data is not None and not data.is_dir():
        raise InputError(f"There is no folder {str(data)!r}; give the folder of the data files.")
    if out is not None:
        if out.exists() and not out.is_dir():
            raise InputError(f"{str(out)!r} is a file; --out is the folder to write to.")
        out.mkdir(parents=True, exist_ok=True)
    progress = _Line()
    try:
        result = importlib.import_module(PAPERS[name]).run(
            repeats=repeats, data=data, progress=progress
        )
    except FileNotFoundError as error:
        raise InputError(
            f"A data file is not in the folder of --data or STAKES_DATA: {error}; {DATA_PAGE} says "
            "where each comes from."
        ) from None
    if out is not None:
        from stakes._core.files import appearing

        for suffix, text in [("md", result.to_markdown()), ("json", result.to_json())]:
            with appearing(out / f"{name}.{suffix}") as partial:
                partial.write_text(text)
    typer.echo(result.to_markdown())


class _Line:
    """Whatever a reproduction reports, one line each on stderr."""

    def __call__(self, *what):
        typer.echo(" ".join(map(str, what)), err=True)
