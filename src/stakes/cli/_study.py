"""`stakes study`: every learner of the library on real data with prices."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.errors import InputError


@guarded
def study(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Data sets (see stakes datasets). Default: the eight of the study.",
        ),
    ] = None,
    learners: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A learner, a family of learners, or all; may be given repeatedly. Default: all.",
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(min=100, help="Larger sets are sampled down to so many rows.")
    ] = 6_000,
    repeats: Annotated[
        int, typer.Option(min=1, help="Repeats of the cross-validation; more go on from fewer.")
    ] = 3,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 3,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Fits side by side; -1 is one per core.")
    ] = -1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder in which fits are kept.")] = Path(
        "stakes-study"
    ),
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page, its figures and its rows. Default: that of the fits.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Go on from what DIR holds, or start over."),
    ] = True,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Compare every learner, default and tuned, on real data with prices.

    Takes hours. Finished fits are kept: after an interruption the same command goes on.

    \b
    Examples:
      stakes study
      stakes study german spambase --learners tree --rows 2000
    """
    if page is not None and not page.is_dir():
        raise InputError(f"There is no folder {str(page)!r} to write to; make it first.")
    from stakes.cli._progress import Progress
    from stakes.study import SETS, make_record, run_study, write_page

    chosen = names or SETS
    with Progress(f"The money study on {', '.join(chosen)}.", quiet, kept_in=out) as progress:
        results = run_study(
            chosen,
            learners=learners or ("all",),
            rows=rows,
            repeats=repeats,
            folds=folds,
            out=out,
            n_jobs=jobs,
            random_state=seed,
            fresh=not resume,
            progress=progress,
        )
    # what is made, and not where: the command of a page that anybody can run
    words = ["stakes", "study", *(names or [])]
    words += [word for name in learners or [] for word in ("--learners", name)]
    for option, value in dict(rows=rows, repeats=repeats, folds=folds, seed=seed).items():
        words += [f"--{option}", str(value)]
    record = make_record(results, shlex.join(words))
    typer.echo(f"Page: {write_page(results, record, page or out)}")
