"""The winner of a comparison in use: trained on all rows, saved, deciding about new rows."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import polars.selectors as cs
from scipy import sparse

from stakes._core.model_file import save_model
from stakes.compare._fit import fit_on_all
from stakes.compare._model_card import write_card
from stakes.compare._priced_pipeline import PricedPipeline
from stakes.compare._reasons import typical_rows
from stakes.errors import InputError
from stakes.tables import ClassData, CostTable, as_frame, kind_of


def winner_of(folder, learner=None):
    """The learner to deploy after a comparison.

    Parameters
    ----------
    folder : Path
        Results of a comparison.
    learner : str, default=None
        A contestant, refused if it lost to a constant policy; None: the best one.
    """
    report = read_report(folder)
    lost = {found["learner"] for found in report["learners"] if found["below_trivial"]}
    if learner in lost:
        raise InputError(
            f"{learner} cost more in {folder} than the best constant policy; name another learner, "
            "or train it without {parameter}.",
            "from",
        )
    return learner or report["best"]


def read_report(folder):
    """What a comparison found about its data set: `best`, and the `learners` by their costs."""
    path = Path(folder) / "report.json"
    try:
        report = json.loads(path.read_text())["datasets"][0]
        if {"best", "learners"} <= set(report):
            return report
    except (OSError, ValueError, LookupError, TypeError):
        pass
    raise InputError(f"{str(path)!r} does not say which learner won; run stakes compare again.")


def train_to_file(
    path,
    learner,
    settings,
    data,
    *,
    random_state=0,
    tune=True,
    time_budget=None,
    key=None,
    run=None,
):
    """Fit a contestant on all rows and save it with all that :class:`BatchDecider` needs.

    Parameters
    ----------
    path : str or Path
        The model file.
    learner : str
        Name of a contestant.
    settings : TableSettings
        Where the data came from.
    data : PricedData
        What `settings` loaded.
    random_state : int, default=0
        Seed for all random choices.
    tune : bool, default=True
        Whether the contestant's grid is searched.
    time_budget : float, default=None
        Seconds of the timed blend; None: 60.
    key : private key, default=None
        What to sign the file with; None: it is not signed.
    run : path, default=None
        Folder of the comparison that the learner won, for the model card.

    Returns
    -------
    Path
        The model card, a Markdown file next to the model file.
    """
    if sparse.issparse(data.X):
        raise InputError(f"{data.name} is sparse; train models for sparse data in Python.")
    if data.kinds is None:  # an array: new rows are matched by column names
        data = replace(data, X=as_frame(data.X))
    how = dict(random_state=random_state, tune=tune, time_budget=time_budget)
    model, chosen = fit_on_all(learner, data, **how)
    return store_trained(path, learner, model, chosen, settings, data, key=key, run=run)


def store_trained(path, learner, model, chosen, settings, data, *, key=None, run=None, parts=None):
    """Save a fitted pipeline with all that :class:`BatchDecider` needs, and write its card.

    Parameters
    ----------
    path, learner, settings, key, run
        As in :func:`train_to_file`.
    model : Pipeline
        The fitted model.
    chosen : dict
        Settings that tuning chose.
    data : PricedData
        The training rows; of a table in parts, a sample of them.
    parts : dict, default=None
        Of a table in parts: the number of `rows` and `positives`, the `columns` with their kinds,
        and `facts` for the card.

    Returns
    -------
    Path
        The card.
    """
    costs = settings.expressions(data)
    kinds = {name: kind_of(dtype) for name, dtype in data.X.schema.items()}
    kinds = data.cost_kinds | kinds if parts is None else parts["columns"]
    matrix = _matrix(settings, data)
    save_model(
        # new rows are cast to these kinds, features or not
        PricedPipeline(model.steps, costs=costs, kinds=kinds, cost_matrix=matrix),
        path,
        learner=learner,
        params=chosen,
        target=settings.target,
        positive=data.positive,
        costs=costs,
        cost_matrix=matrix,
        kinds=kinds,
        missing=list(settings.missing),
        background=typical_rows(data.X.select(list(data.kinds))),
        ranges=_ranges(data.X.select(list(data.kinds))),
        promised=run and _promised(run, learner),
        words=[settings.positive_means or "", settings.negative_means or ""],
        currency=settings.currency,
        replicates=data.replicates,
        rows=len(data) if parts is None else parts["rows"],
        data=data.name,
        key=key,
    )
    return write_card(path, learner, chosen, settings, data, run=run, parts=parts)


def _matrix(settings, data):
    """The costs of many classes as text; None with two classes."""
    if not isinstance(data, ClassData):
        return None
    if settings.cost_matrix is not None:
        return settings.cost_table().to_dict()
    # a named data set: the same costs for all rows
    return CostTable.of(data.classes, data.actions, data.cost_matrix[0].tolist()).to_dict()


def _ranges(X):
    """Column -> smallest and largest number."""
    found = {}
    for column in X.select(cs.numeric()).iter_columns():
        column = column.cast(pl.Float64).drop_nulls()
        column = column.filter(column.is_finite())
        if len(column):
            found[column.name] = [column.min(), column.max()]
    return found


def _promised(folder, learner):
    """Interval of the cost of a row that a comparison reported for a learner."""
    report = json.loads((Path(folder) / "report.json").read_text())["datasets"][0]
    learners = {found["learner"]: found for found in report["learners"]}
    return [bound / 1000 for bound in learners[learner]["cost_interval"]]
