"""`stakes train`: fit one learner on all rows and save it."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._table_settings import TableSettings
from stakes.errors import InputError

DEFAULT_LEARNER = "hist gradient boosting, Bayes decision"


@guarded
def train(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="A file or the name of a data set, as for stakes compare; may be left out with "
            "--from, which then trains on the rows of that run.",
            show_default=False,
        ),
    ] = None,
    target: options.Target = None,
    positive: options.Positive = None,
    fp_cost: options.cost_option("fp", "that of --from, else 1") = None,
    fn_cost: options.cost_option("fn", "that of --from, else 1") = None,
    tp_cost: options.cost_option("tp", "that of --from, else 0") = None,
    tn_cost: options.cost_option("tn", "that of --from, else 0") = None,
    drop: options.Drop = None,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Name of a learner in a report of stakes compare. Default: {DEFAULT_LEARNER}.",
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="DIR",
            help="Folder of a run of stakes compare: its winner, its table and its costs are "
            "taken, where no other option says otherwise.",
        ),
    ] = None,
    tune: Annotated[
        bool, typer.Option("--tune/--no-tune", help="Search settings on cost, in inner folds.")
    ] = True,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The model file.")] = Path(
        "model.skops"
    ),
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Fit a learner on all rows and save it as a file that cannot run code.

    The file also keeps the label, the columns and the cost expressions, so that stakes predict
    needs nothing but new rows.

    \b
    Examples:
      stakes train --from stakes-report --out model.skops
      stakes train payments.csv --target fraud --fp-cost 5 --fn-cost amount --out model.skops
    """
    costs = (fp_cost, fn_cost, tp_cost, tn_cost)
    settings = _settings(run, data, (target, positive, *costs, drop))
    from stakes._core.files import check_can_write

    check_can_write(out)
    from stakes.compare import find_contestant, fit_on_all

    learner = learner and find_contestant(learner).name
    name = (learner or DEFAULT_LEARNER) if run is None else _chosen(run, learner)
    priced = _as_table(settings.load())

    from stakes._core.model_file import save_model

    if not quiet:
        typer.echo(settings.opening(priced), err=True)
    model, chosen = fit_on_all(name, priced, random_state=seed, tune=tune)
    save_model(
        model,
        out,
        learner=name,
        params=chosen,
        target=settings.target,
        positive=priced.positive,
        costs=settings.expressions(priced),
        kinds=_kinds(priced.X),
        rows=len(priced),
        data=priced.name,
    )
    typer.echo(f"Trained {name} on {len(priced):,} rows: {out}")
    if not quiet:
        typer.echo(
            f"To decide: stakes predict {shlex.quote(str(out))} new.csv --out decisions.csv",
            err=True,
        )


def _settings(run, data, given):
    """The options, on top of those of a run."""
    if run is None and data is None:
        raise InputError("Say what to train on: a file, the name of a data set, or --from DIR.")
    new = TableSettings.of(data, *given)
    if run is None:
        return new
    old = TableSettings.kept(run)
    return replace(
        old,
        data=new.data or old.data,
        target=new.target or old.target,
        positive=new.positive or old.positive,
        costs=old.costs | new.costs,
        drop=[*old.drop, *new.drop],
    )


def _chosen(run, learner):
    """The winner of a run, or who was named, unless it lost to a trivial policy there."""
    path = run / "report.json"
    try:
        told = json.loads(path.read_text())["datasets"][0]
        best, lost = told["best"], {f["learner"] for f in told["learners"] if f["below_trivial"]}
    except (OSError, ValueError, LookupError):
        raise InputError(
            f"{str(path)!r} does not say which learner won; run stakes compare again."
        ) from None
    if learner in lost:
        raise InputError(
            f"{learner} cost more in {run} than one answer for all rows; name another learner, or "
            "train it without --from."
        )
    return learner or best


def _as_table(data):
    """The same data with X as a frame, so that new rows are found by the names of columns."""
    from scipy import sparse

    from stakes.tables import as_frame

    if sparse.issparse(data.X):
        raise InputError(f"{data.name} is sparse; models for sparse data are trained in Python.")
    return replace(data, X=as_frame(data.X))


def _kinds(X):
    """What each column that the model or a cost may read held in training."""
    from stakes.tables import kind_of

    return {name: kind_of(dtype) for name, dtype in X.schema.items()}
