"""`stakes study`: every learner of the library on real data with prices."""

import shlex
from pathlib import Path

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError


@guarded
def study(
    names: argument(
        list[str] | None,
        "Data sets (see stakes datasets). Default: the eight sets of the study.",
        metavar="[NAME]...",
    ) = None,
    learners: option(
        list[str] | None,
        "A learner, a family of learners, or all; repeatable. Default: all.",
        metavar="NAME",
    ) = None,
    rows: option(int, "Maximum number of rows; larger sets are sampled.", min=100) = 6_000,
    repeats: option(int, "Repeats of the cross-validation; can be raised later.", min=1) = 3,
    folds: option(int, "Folds of the cross-validation.", min=2) = 3,
    jobs: options.Jobs = -1,
    out: option(Path, "Folder for the fits.", metavar="DIR") = Path("stakes-study"),
    page: option(
        Path | None,
        "Folder for the page, its figures and its rows; fits whose rows it has are not run again. "
        "Default: the folder of the fits.",
        metavar="DIR",
    ) = None,
    resume: options.Resume = True,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Compare all learners, default and tuned, on real data with costs.

    Takes hours. Finished fits are saved: after an interruption, run the same command again to
    resume. With --learners, rows are added to the page, on the same folds; with --fresh they
    replace those of these learners.

    \b
    Examples:
      stakes study
      stakes study german spambase --learners tree --rows 2000
      stakes study --page docs/study --learners streamforest
    """
    if page is not None and not page.is_dir():
        raise InputError(f"There is no folder {str(page)!r} to write to; create it first.")
    from stakes.cli._progress import Progress
    from stakes.study import SETS, make_record, run_study, stored_rows, study_field, write_page

    chosen, stored = names or SETS, stored_rows(page or out)
    with Progress(f"The money study on {', '.join(chosen)}.", quiet, kept_in=out) as progress:
        found = run_study(
            chosen,
            learners=learners or ("all",),
            rows=rows,
            repeats=repeats,
            folds=folds,
            out=out,
            n_jobs=jobs,
            random_state=seed,
            fresh=not resume,
            stored=stored,
            progress=progress,
        )
    # not where, nor for whom: a command that anybody can run for all rows
    ran = {row["learner"] for row in found.rows}
    some = learners if learners and ran <= {c.name for c in study_field(learners)} else []
    words = ["stakes", "study", *(names or [])]
    words += [word for name in some for word in ("--learners", name)]
    for name, value in dict(rows=rows, repeats=repeats, folds=folds, seed=seed).items():
        words += [f"--{name}", str(value)]
    record = make_record(found, shlex.join(words))
    typer.echo(f"Page: {write_page(found, record, page or out)}")
