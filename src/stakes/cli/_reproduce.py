"""`stakes reproduce`: a paper's tables, re-run next to the printed numbers."""

from pathlib import Path

import typer

from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError, near_matches


@guarded
def reproduce(
    name: argument(str | None, "A paper. Default: list them.", metavar="NAME") = None,
    repeats: option(int | None, "Repeats. Default: as in the paper.", min=1) = None,
    data: option(
        Path | None, "Folder of the data files. Default: STAKES_DATA.", metavar="DIR"
    ) = None,
    out: option(
        Path | None,
        "Folder for NAME.md, NAME.json and figures; long runs also keep their rows there, so that "
        "the same command resumes them.",
        metavar="DIR",
    ) = None,
):
    r"""Re-run the experiments of a paper and print its tables next to ours.

    \b
    Examples:
      stakes reproduce
      stakes reproduce chance-constrained --repeats 1 --out results
    """
    import importlib
    import inspect

    from stakes.reproduce import DATA_PAGE, PAPERS, draw

    if name is None:
        for one in sorted(PAPERS):
            about = (importlib.import_module(PAPERS[one]).__doc__ or "").strip().splitlines()
            typer.echo(f"{one}  {about[0] if about else ''}")
        typer.echo(
            "chance-constrained needs no data files, games and cw-cvar run in part without them; "
            f"{DATA_PAGE} lists the files of the others.",
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
    run, more = importlib.import_module(PAPERS[name]).run, {}
    if out is not None and "rows" in inspect.signature(run).parameters:
        more["rows"] = out / f"{name}_rows.jsonl"
    try:
        result = run(repeats=repeats, data=data, progress=_echo, **more)
    except FileNotFoundError as error:
        raise InputError(
            f"A data file is missing in the folder of --data or STAKES_DATA: {error}; {DATA_PAGE} "
            "lists the sources."
        ) from None
    if out is not None:
        from stakes._core.files import appearing

        for suffix, text in [("md", result.to_markdown()), ("json", result.to_json())]:
            with appearing(out / f"{name}.{suffix}") as partial:
                partial.write_text(text)
        if result.figures:
            draw(name, out / "figures", data)
    typer.echo(result.to_markdown(pictures=False))


def _echo(*words):
    typer.echo(" ".join(map(str, words)), err=True)
