"""`stakes compare`: which learner and decision rule loses the least money."""

import shlex
import sys
from pathlib import Path

import typer

from stakes._core.durations import seconds
from stakes.cli import _error_options as bars
from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import option


@guarded
def compare(
    data: options.Data = None,
    target: options.Target = None,
    positive: options.Positive = None,
    fp_cost: options.FpCost = None,
    fn_cost: options.FnCost = None,
    tp_cost: options.TpCost = None,
    tn_cost: options.TnCost = None,
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    missing: options.Missing = None,
    cost_features: options.CostFeatures = True,
    error: bars.Error = None,
    replicates: bars.Replicates = None,
    time: options.Time = None,
    group: options.Group = None,
    window: options.Window = None,
    label_delay: options.LabelDelay = None,
    max_alerts: options.MaxAlerts = None,
    review_cost: options.ReviewCost = None,
    max_reviews: options.MaxReviews = None,
    positive_means: options.PositiveMeans = None,
    negative_means: options.NegativeMeans = None,
    currency: options.Currency = None,
    today: option(
        str | None,
        "Column of today's decisions, the baseline of the comparison; not a feature. Default: the "
        "cheaper of always negative and always positive.",
        metavar="COLUMN",
    ) = None,
    sample: option(int, "Rows to draw at random if DATA is a folder of files.", min=100) = 100_000,
    learners: option(
        list[str] | None,
        "A learner, a family of learners, or all; repeatable. The constant policies and the usual "
        "baselines are always included. Default: one or two of each family.",
        metavar="NAME",
    ) = None,
    adversary: option(
        Path | None,
        "TOML file of moves, as for stakes attack: compare by what learners cost after the best "
        "moves against them.",
        metavar="FILE",
    ) = None,
    time_budget: option(
        str | None,
        "Finish within this time: 90s, 10m, 1h30m. Part of it goes to the timed blend, a blend "
        "that uses the time it has, unless --learners are named.",
        metavar="TIME",
    ) = None,
    repeats: option(int, "Repeats of the cross-validation.", min=1) = 1,
    folds: option(int, "Folds of the cross-validation.", min=2) = 5,
    tune: option(
        bool,
        "Choose settings by cost in inner folds, and use a constant policy instead if it is "
        "cheaper there.",
        "--tune/--no-tune",
    ) = True,
    jobs: options.Jobs = -1,
    out: option(Path, "Folder for the results and the report.", metavar="DIR") = Path(
        "stakes-report"
    ),
    resume: options.Resume = True,
    fit: option(
        bool, "Run the fits, or write the report from the finished ones only.", "--fit/--no-fit"
    ) = True,
    mlflow: option(
        bool,
        "Log the money, its intervals and the report as a run of MLflow; where it goes is up to "
        "MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT_NAME.",
        "--mlflow",
    ) = False,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Find the learner and decision rule that lose the least money on a table.

    All learners are cross-validated on the same folds; the report says what to deploy, how much
    it saves and how certain that is. Finished fits are saved: after an interruption, run the same
    command again to resume.

    \b
    Examples:
      stakes compare german
      stakes compare payments.csv --target fraud --fp-cost 5 --fn-cost amount
      stakes compare loans.parquet --target status --positive default \
          --fp-cost "max(50, 0.05*amount)" --fn-cost "0.75*amount" --time-budget 10m
      stakes compare lab.csv --target kind --positive B --error "*=*_se" --fn-cost 10
      stakes compare payments.csv --target fraud --fp-cost 5 --fn-cost amount \
          --time date --label-delay 7d --group customer
      stakes compare alarms.csv --target kind --cost-matrix costs.csv
      stakes compare payments/ --target fraud --fn-cost amount --sample 100000
    """
    budget = None if time_budget is None else seconds(time_budget)
    log = _logger() if mlflow else None  # raises now, not after the fits
    costs = (fp_cost, fn_cost, tp_cost, tn_cost)
    data = options.named_or_german(data, quiet)
    more = dict(time=time, group=group, window=window, label_delay=label_delay)
    more |= dict(positive_means=positive_means, negative_means=negative_means)
    more |= dict(cost_features=cost_features, currency=currency)
    more |= dict(errors=list(error or []), replicates=replicates, cost_matrix=cost_matrix)
    more |= dict(sample=sample)
    settings = options.table_settings(data, target, positive, *costs, drop, today, missing, **more)
    priced = settings.load()
    decided = settings.read_decisions(priced.positive)
    capacity = options.capacity(
        max_alerts, settings.read_review_cost(priced, review_cost), max_reviews
    )

    from stakes.cli._progress import Progress
    from stakes.compare import compare as run
    from stakes.compare import sampled_learners
    from stakes.game import read_moves

    moves = None if adversary is None else read_moves(adversary)
    words = settings.wording()
    opening = options.opening(priced, words)
    with Progress(opening, quiet, kept_in=out, wording=words) as progress:
        results = run(
            priced,
            learners=sampled_learners(learners) if settings.is_folder else learners or None,
            repeats=repeats,
            folds=folds,
            tune=tune,
            today=decided,
            capacity=capacity,
            time_budget=budget if fit else 0,
            adversary=moves,
            out=out,
            n_jobs=jobs,
            random_state=seed,
            fresh=not resume,
            wording=words,
            progress=progress,
            first_table=progress.first_table,
        )
    settings.save(out)
    page = results.report(command=shlex.join(["stakes", *sys.argv[1:]]))
    found = results.summary()["datasets"]
    for part in results.shown()["datasets"]:
        typer.echo(part["sentence"])
        if part["capacity"]:
            typer.echo(part["capacity"]["sentence"])
        if part["promise"]:
            typer.echo(part["promise"]["sentence"])
        for sentence in part["lost"]:
            _echo(sentence, quiet)
        for one in part["failed"]:
            _echo(f"{one['learner']} failed: {one['error']}", quiet)
    for sentence in results.refused:
        _echo(sentence, quiet)
    if results.unfinished and fit:
        _echo(
            f"The time budget ended with {results.unfinished} fits left; run the same command "
            "again to resume.",
            quiet,
        )
    typer.echo(f"Report: {page}")
    if log is not None:
        typer.echo(f"MLflow run: {log(out)}")
    if any(part["learners"][0]["family"] != "constant" and not _is_worse(part) for part in found):
        proven = any(part["sentence"].startswith(f"Deploy {part['best']}") for part in found)
        aim = "To deploy it" if proven else "To train it all the same"
        folder = shlex.quote(str(out))
        _echo(f"{aim}: stakes train --from {folder} --out model.skops", quiet)


def _logger():
    from stakes.mlflow import log_comparison
    from stakes.mlflow import need_mlflow as check

    check()
    return log_comparison


def _is_worse(part):
    """Whether even the best one costs more than today's decisions."""
    return part["learners"][0]["saves_interval"][1] < 0


def _echo(text, quiet):
    if not quiet:
        typer.echo(text, err=True)
