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
            help="A learner, a family of learners, or all; repeatable. Default: all.",
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(min=100, help="Maximum number of rows; larger sets are sampled.")
    ] = 6_000,
    repeats: Annotated[
        int,
        typer.Option(min=1, help="Repeats of the cross-validation; can be raised later."),
    ] = 3,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 3,
    jobs: options.Jobs = -1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the fits.")] = Path(
        "stakes-study"
    ),
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page, its figures and its rows. Default: the folder of the fits.",
        ),
    ] = None,
    resume: options.Resume = True,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Compare all learners, default and tuned, on real data with costs.

    Takes hours. Finished fits are saved: after an interruption, run the same command again to
    resume.

    \b
    Examples:
      stakes study
      stakes study german spambase --learners tree --rows 2000
    """
    if page is not None and not page.is_dir():
        raise InputError(f"There is no folder {str(page)!r} to write to; create it first.")
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
    # what was computed, not where: a command that anybody can run
    words = ["stakes", "study", *(names or [])]
    words += [word for name in learners or [] for word in ("--learners", name)]
    for option, value in dict(rows=rows, repeats=repeats, folds=folds, seed=seed).items():
        words += [f"--{option}", str(value)]
    record = make_record(results, shlex.join(words))
    typer.echo(f"Page: {write_page(results, record, page or out)}")
