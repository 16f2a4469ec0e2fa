"""`stakes train`: fit one learner on all rows and save it."""

import shlex
from pathlib import Path

import typer

from stakes._core.durations import seconds
from stakes.cli import _error_options as bars
from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError


@guarded
def train(
    data: argument(
        str | None,
        "A file, a folder or quoted glob of files, or the name of a data set. Default with "
        "--from: the table of that run.",
        metavar="DATA",
        show_default=False,
    ) = None,
    target: options.Target = None,
    positive: options.Positive = None,
    fp_cost: options.cost_option("fp", "as in --from, else 1") = None,
    fn_cost: options.cost_option("fn", "as in --from, else 1") = None,
    tp_cost: options.cost_option("tp", "as in --from, else 0") = None,
    tn_cost: options.cost_option("tn", "as in --from, else 0") = None,
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
    positive_means: options.PositiveMeans = None,
    negative_means: options.NegativeMeans = None,
    currency: options.Currency = None,
    learner: option(
        str | None,
        "A learner, by class name or by its name in a report. Default: the winner of --from, else "
        "the one that stakes advise recommends.",
        metavar="NAME",
    ) = None,
    run: option(
        Path | None,
        "Folder of a run of stakes compare; its winner, table and costs are used unless other "
        "options are given.",
        "--from",
        metavar="DIR",
    ) = None,
    time_budget: option(
        str | None,
        "Train a blend for this time (60s, 10m): boosters, forests and linear models, stacked, "
        "quick ones first. Ctrl-C ends it with what is finished.",
        metavar="TIME",
    ) = None,
    tune: option(bool, "Choose settings by cost in inner folds.", "--tune/--no-tune") = True,
    out: option(Path, "The model file.", metavar="FILE") = Path("model.skops"),
    sign: option(
        Path | None,
        "An ed25519 private key to sign the model with, made by openssl or ssh-keygen; see stakes "
        "predict --verify.",
        metavar="KEY",
    ) = None,
    jobs: option(
        int, "Files read in parallel if DATA is a folder; -1: one per core.", "--jobs", "-j"
    ) = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Fit a learner on all rows and save it as a file that cannot run code.

    The file also holds the label, the columns and the cost expressions, so that stakes predict
    needs only new rows. A model card (data, costs, folds, money, versions) is written next to it.

    A folder of .parquet or .csv files is read in parts and need not fit into memory. It can be
    learned by calibrated XGBoost (the default if installed), logistic regression with the Bayes
    decision, QuadraticMean, ConfidenceForest and the linear online learners.

    \b
    Examples:
      stakes train --from stakes-report --out model.skops
      stakes train payments.csv --target fraud --fp-cost 5 --fn-cost amount --out model.skops
      stakes train payments.csv --target fraud --time-budget 5m
      stakes train payments/ --target fraud --fn-cost amount --learner xgboost --jobs 8
      stakes train payments.csv --target fraud --sign private.pem
    """
    if run is None and data is None:
        raise InputError("Nothing to train on: give a file, the name of a data set or --from DIR.")
    from stakes._core.files import check_can_write
    from stakes._core.signing import read_private_key
    from stakes.compare import (
        TIMED,
        TableSettings,
        find_contestant,
        train_to_file,
        trainable,
        winner_of,
    )
    from stakes.study import advise
    from stakes.tables import ClassData

    costs = (fp_cost, fn_cost, tp_cost, tn_cost)
    more = dict(time=time, group=group, window=window, label_delay=label_delay)
    more |= dict(positive_means=positive_means, negative_means=negative_means, currency=currency)
    more |= dict(cost_features=cost_features)
    more |= dict(errors=list(error or []), replicates=replicates, cost_matrix=cost_matrix)
    settings = options.table_settings(data, target, positive, *costs, drop, missing=missing, **more)
    if run is not None:
        settings = settings.over(TableSettings.load_from(run))
    check_can_write(out)
    with_bars = bool(settings.errors or settings.replicates)
    key = read_private_key(sign) if sign else None  # now, not after the training
    budget = None if time_budget is None else seconds(time_budget)
    if budget and learner is None:
        learner = TIMED
    name = learner and learner.replace("-", " ").casefold()
    if settings.data is not None and settings.is_folder:
        how = dict(random_state=seed, tune=tune, n_jobs=jobs, key=key, run=run)
        _train_folder(out, learner, settings, run, budget, how, quiet)
        return
    if name != TIMED:
        name = learner and find_contestant(learner, error_bars=with_bars).name
        if budget:
            raise InputError("{time_budget} is for the timed blend; remove it.", "time_budget")
    if run is not None:
        name = winner_of(run, name)
    priced = settings.load()
    if name is None and isinstance(priced, ClassData):
        name = "ConfidenceForestClassifier"
    name = name or advise(priced, error_bars=with_bars).learner
    trainable(name, priced)
    if not quiet:
        typer.echo(options.opening(priced, settings.wording()), err=True)
    how = dict(random_state=seed, tune=tune, run=run, key=key, time_budget=budget)
    card = train_to_file(out, name, settings, priced, **how)
    typer.echo(f"Trained {name} on {len(priced):,} rows: {out}")
    if not quiet:
        command = f"stakes predict {shlex.quote(str(out))} new.csv --out decisions.csv"
        typer.echo(f"Model card: {card}\nNext: {command}", err=True)


def _train_folder(out, learner, settings, run, budget, how, quiet):
    from stakes.compare import train_parts_to_file, winner_in_parts, winner_of

    if budget:
        raise InputError("{time_budget} is for one file; remove it.", "time_budget")
    name = winner_of(run, learner) if run is not None else learner
    if run is not None and learner is None:
        name = winner_in_parts(run)
        if name != winner_of(run) and not quiet:
            typer.echo(
                f"{winner_of(run)} won, but cannot be trained on a folder; {name} is the cheapest "
                "one that can.",
                err=True,
            )
    found = train_parts_to_file(out, name, settings, **how)
    typer.echo(f"Trained {found.learner} on {found.rows:,} rows: {out}")
    if not quiet:
        typer.echo(found.paid.sentence(), err=True)
        command = f"stakes predict {shlex.quote(str(out))} new/ --out decisions"
        typer.echo(f"Model card: {found.card}\nNext: {command}", err=True)
