"""A user's table with a label and costs, as :class:`PricedData`."""

from pathlib import Path

import numpy as np
import polars as pl

from stakes.errors import InputError, near_matches
from stakes.tables._alarms import row_alarms
from stakes.tables._class_data import ClassData
from stakes.tables._column_facts import find_kinds
from stakes.tables._cost_table import CostTable
from stakes.tables._costs import read_costs
from stakes.tables._errors import check_errors, join_replicates, read_errors, replicate_correlation
from stakes.tables._expression import CostExpression
from stakes.tables._kinds import as_frame, blank_out, kind_of
from stakes.tables._labels import ClassReader, LabelReader
from stakes.tables._priced import PricedData
from stakes.tables._reading import read_table
from stakes.tables._row_origin import RowOrigin
from stakes.tables._time_group_split import read_times


def load_table(
    table,
    target,
    positive=None,
    *,
    fp_cost=1.0,
    fn_cost=1.0,
    tp_cost=0.0,
    tn_cost=0.0,
    cost_matrix=None,
    drop=(),
    missing=(),
    cost_features=True,
    errors=(),
    replicates=None,
    time=None,
    group=None,
    window=None,
    label_delay=None,
    name=None,
):
    """Read a table with its labels and costs.

    Parameters
    ----------
    table : str, Path, polars or pandas data frame
        A .csv, .tsv (either may be gzipped) or .parquet file, or a data frame. In a text file,
        dates and numbers are parsed, and empty fields, NA, N/A, NaN, null and ? are missing values;
        a data frame keeps its types, like a Parquet file.
    target : str
        Label column. Every row must have a label.
    positive : str, default=None
        Label of the positive class; all other labels are negative. May be omitted if the labels
        are 0/1, -1/1, no/yes, n/y, false/true or f/t.
    fp_cost, fn_cost, tp_cost, tn_cost : float, str or array-like of shape (n,)
        Costs of the four outcomes: a number, an expression over the columns (see
        :class:`~stakes.tables.CostExpression`), or one value per row.
    cost_matrix : str, Path or CostTable, default=None
        Costs of more than two classes, or of decisions that are not the classes; a CSV whose first
        column holds the true classes and whose first row the decisions, see
        :class:`~stakes.tables.CostTable`. Then `positive` and the four costs are not used.
    drop : str or sequence of str, default=()
        Columns that are not features.
    missing : str or sequence of str, default=()
        Texts that are missing values as well; a text column that is all numbers or dates without
        them becomes one.
    cost_features : bool, default=True
        Whether columns used in the costs are features as well.
    errors : sequence of str, default=()
        Error bars of the measurements: ``mass=mass_se``, ``mass=mass_lo..mass_hi`` or ``*=*_se``.
        Their columns are no features; learners that use error bars see them.
    replicates : str, default=None
        Id column: rows with the same id are replicates of one example, which becomes one row of
        means with standard errors.
    time, group : str, default=None
        Columns of the time of each row and of whom it belongs to (a customer, a device), for folds
        that go forward in time and that keep groups together; neither is a feature. Missing values
        of the group are one group each.
    window, label_delay : str or float, default=None
        Length of the training window, and how long labels take to arrive ("90d", "7d"); see
        :class:`~stakes.tables.TimeGroupSplit`.
    name : str, default=None
        Name of the data in reports; None: the file name.

    Returns
    -------
    PricedData
        With `X` a polars frame and `y` 0 or 1; with a `cost_matrix`, :class:`ClassData`.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"amount": [10.0, 80.0, 40.0], "fraud": ["no", "yes", "no"]})
    >>> data = load_table(table, "fraud", fp_cost=5, fn_cost="0.75*amount")
    >>> data.y.tolist(), data.fn_cost.tolist(), data.positive
    ([0, 1, 0], [7.5, 60.0, 30.0], 'yes')
    """
    if isinstance(table, str | Path):
        frame, source = read_table(table, missing=missing), str(table)
        name = name or Path(table).name.split(".")[0]
    else:
        frame, source = blank_out(as_frame(table), missing, cast=True), "a data frame"
    if not frame.height:
        raise InputError(f"The table from {source} has no rows.", "table")
    drop = [drop] if isinstance(drop, str) else list(drop)
    _check_columns(frame, [target], "target", "target")
    _check_columns(frame, drop, "dropped", "drop")
    bars, joined, correlation = {}, {}, {}
    if replicates is not None:
        raw, (frame, bars, pooled) = frame, join_replicates(frame, replicates, target)
        frame, joined = frame.drop(replicates), dict(column=replicates, pooled=pooled)
        correlation = replicate_correlation(raw, replicates, list(bars))
        drop = [name for name in drop if name != replicates]
    if errors:
        bars |= read_errors(errors, [c for c in frame.columns if c not in (target, *drop)])
        check_errors(frame, bars)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    if cost_matrix is None:
        kind = PricedData
        y, positive = LabelReader(target, positive).read_column(frame[target])
        costs, used = read_costs(frame, given, target), _columns_of(given)
        shown = ", ".join(f"{name} = {cost}" for name, cost in given.items() if np.ndim(cost) == 0)
    else:
        kind, table = ClassData, cost_matrix
        if isinstance(table, str | Path):
            table = CostTable.read(table)
        y, positive = ClassReader(target, table.classes).read_column(frame[target]), ""
        costs = dict(classes=table.classes, actions=table.actions)
        costs["cost_matrix"] = table.evaluate(frame, target)
        used, shown = list(table.columns), f"{len(table.classes)} classes"
    origin = _origin(frame, time, group, window, label_delay)
    out = [target, *drop, *(name for name in (time, group) if name)]
    X = frame.drop(out + ([] if cost_features else used), strict=False)
    if not X.width:
        raise InputError(f"No column is left next to the target {target!r} as a feature.", "drop")
    return kind(
        name or "table",
        X,
        y,
        positive=positive,
        dropped_alarms=tuple(
            row_alarms(frame.select(drop), find_kinds(frame.select(drop))[0], origin)
        ),
        cost_kinds={name: kind_of(frame.schema[name]) for name in used},
        origin=origin,
        description=f"From {source}, column {target!r}; {shown}.",
        errors=bars,
        replicates=joined,
        error_correlation=correlation,
        **costs,
    )


def _columns_of(costs):
    """Columns that cost expressions use."""
    texts = [cost for cost in costs.values() if isinstance(cost, str | CostExpression)]
    costs = [cost if isinstance(cost, CostExpression) else CostExpression(cost) for cost in texts]
    return list(dict.fromkeys(name for cost in costs for name in cost.columns))


def _origin(frame, time, group, window, label_delay):
    given = dict(time=time, group=group)
    _check_columns(frame, [group] if group else [], "group", "group")
    found = {name: None for name in given}
    if time:
        found["time"] = read_times(frame, time)
    if group:
        column = frame[group]
        codes = column.rank("dense").cast(pl.Int64)
        alone = pl.int_range(-1, -frame.height - 1, -1, eager=True)
        found["group"] = codes.zip_with(column.is_not_null(), alone).to_numpy()
    if not (time or group or window or label_delay):
        return None
    names = dict(time_name=time, group_name=group)
    return RowOrigin(**found, window=window, label_delay=label_delay, **names)


def _check_columns(frame, names, what, parameter):
    for name in names:
        if name not in frame.columns:
            raise InputError(
                f"The {what} column {name!r} is not in the table: "
                + near_matches(name, frame.columns),
                parameter,
            )
