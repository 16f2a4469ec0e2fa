"""`stakes compare`: which learner and decision rule loses least money."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from stakes.cli import _options as options
from stakes.cli._duration import seconds
from stakes.cli._guard import guarded
from stakes.cli._table_settings import TableSettings
from stakes.errors import InputError


@guarded
def compare(
    data: options.Data = None,
    target: options.Target = None,
    positive: options.Positive = None,
    fp_cost: options.FpCost = None,
    fn_cost: options.FnCost = None,
    tp_cost: options.TpCost = None,
    tn_cost: options.TnCost = None,
    drop: options.Drop = None,
    today: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A column with today's decisions, to compare against; not a feature. Default: the "
            "cheaper of always negative and always positive.",
        ),
    ] = None,
    learners: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A learner, a family of learners, or all; may be given repeatedly. The trivial "
            "policies and the usual baselines always take part. Default: one or two of each "
            "family.",
        ),
    ] = None,
    time_budget: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Start no fit after this long: 90s, 10m, 1h30m."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of the cross-validation.")] = 1,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune/--no-tune",
            help="Search settings on cost in inner folds, and leave the decision to a trivial "
            "policy where it wins there.",
        ),
    ] = True,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Fits side by side; -1 is one per core.")
    ] = -1,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results and the report.")
    ] = Path("stakes-report"),
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Go on from what DIR holds, or start over."),
    ] = True,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Say which learner and decision rule loses least money on a table.

    Every learner sees the same folds; the report says what to deploy, what it saves, and how sure
    that is. Finished fits are kept: after an interruption the same command goes on.

    \b
    Examples:
      stakes compare german
      stakes compare payments.csv --target fraud --fp-cost 5 --fn-cost amount
      stakes compare loans.parquet --target status --positive default \
          --fp-cost "max(50, 0.05*amount)" --fn-cost "0.75*amount" --time-budget 10m
    """
    budget = None if time_budget is None else seconds(time_budget)
    dropped = [*(drop or []), *([today] if today else [])]
    costs = (fp_cost, fn_cost, tp_cost, tn_cost)
    data = options.named_or_german(data, quiet)
    settings = TableSettings.of(data, target, positive, *costs, dropped)
    if today is not None and not settings.is_file:
        raise InputError(f"--today names a column of a file; the data set {data!r} has none.")
    priced = settings.load()
    decided = None if today is None else _todays(settings, today, priced.positive)

    from stakes.cli._progress import Progress
    from stakes.compare import CONSTANT_POLICIES
    from stakes.compare import compare as run

    with Progress(settings.opening(priced), quiet, kept_in=out) as progress:
        results = run(
            priced,
            learners=learners or None,
            repeats=repeats,
            folds=folds,
            tune=tune,
            today=decided,
            time_budget=budget,
            out=out,
            n_jobs=jobs,
            random_state=seed,
            fresh=not resume,
            progress=progress,
        )
    settings.keep(out)
    page = results.report(command=shlex.join(["stakes", *sys.argv[1:]]))
    found = results.summary()["datasets"]
    for part in found:
        typer.echo(part["sentence"])
        for sentence in part["lost"]:
            _echo(sentence, quiet)
    for sentence in results.refused:
        _echo(sentence, quiet)
    if results.unfinished:
        _echo(
            f"The time budget left {results.unfinished} fits undone; the same command goes on.",
            quiet,
        )
    typer.echo(f"Report: {page}")
    if any(part["best"] not in CONSTANT_POLICIES for part in found):
        folder = shlex.quote(str(out))
        _echo(f"To deploy it: stakes train --from {folder} --out model.skops", quiet)


def _todays(settings, column, positive):
    """Today's decisions as 0 and 1: a column of yes and no, or of the target's labels."""
    from stakes.tables import AFFIRMATIVE, read_labels, read_table

    decisions = read_table(settings.data)[column]
    answer = str(decisions[0]).strip().casefold()
    if decisions.n_unique() == 1:  # "never act" is a rule, too
        for no, yes in AFFIRMATIVE:
            if answer in (no, yes):
                return [int(answer == yes)] * len(decisions)
    try:
        return read_labels(decisions)[0]
    except InputError:
        return read_labels(decisions, positive)[0]


def _echo(text, quiet):
    if not quiet:
        typer.echo(text, err=True)
