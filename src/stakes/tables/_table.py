"""A user's table with a label and prices, as :class:`PricedData`."""

from pathlib import Path

import numpy as np

from stakes.costs import Costs
from stakes.errors import InputError, near_matches
from stakes.tables._expression import CostExpression
from stakes.tables._kinds import as_frame
from stakes.tables._labels import LabelReader
from stakes.tables._priced import PricedData
from stakes.tables._reading import read_table


def load_table(
    table,
    target,
    positive=None,
    *,
    fp_cost=1.0,
    fn_cost=1.0,
    tp_cost=0.0,
    tn_cost=0.0,
    drop=(),
    name=None,
):
    """Read a table, its label and its costs; whatever is wrong ends in one sentence.

    Parameters
    ----------
    table : str, Path, polars or pandas data frame
        A .csv, .tsv (either also gzipped) or .parquet file, or a frame. Dates are parsed; empty
        fields, NA, N/A, NaN, null and ? are missing values.
    target : str
        The column with the label. Rows without a label are refused.
    positive : str, default=None
        The label of the class that an alarm is raised for; all other labels are negative. It may
        be left out where the two labels are 0/1, -1/1, no/yes, n/y, false/true or f/t.
    fp_cost, fn_cost, tp_cost, tn_cost : float, str or array-like of shape (n,)
        What the four outcomes cost: a number, an expression over the columns (see
        :class:`~stakes.tables.CostExpression`), or one value per row. A column that a cost uses
        stays a feature unless it is dropped.
    drop : str or sequence of str, default=()
        Columns that are not features.
    name : str, default=None
        What reports call the data; the file's name if left out.

    Returns
    -------
    PricedData
        With `X` a polars frame and `y` 0 or 1.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"amount": [10.0, 80.0, 40.0], "fraud": ["no", "yes", "no"]})
    >>> data = load_table(table, "fraud", fp_cost=5, fn_cost="0.75*amount")
    >>> data.y.tolist(), data.fn_cost.tolist(), data.positive
    ([0, 1, 0], [7.5, 60.0, 30.0], 'yes')
    """
    if isinstance(table, str | Path):
        frame, source = read_table(table), str(table)
        name = name or Path(table).name.split(".")[0]
    else:
        frame, source = as_frame(table), "a data frame"
    if not frame.height:
        raise InputError(f"The table from {source} has no rows; nothing can be learnt from it.")
    drop = [drop] if isinstance(drop, str) else drop
    _check_columns(frame, [target], "target")
    _check_columns(frame, drop, "dropped")
    y, positive = LabelReader(target, positive).read_column(frame[target])
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = read_costs(frame, given, target)
    X = frame.drop([target, *drop])
    if not X.width:
        raise InputError(
            f"No column is left beside the target {target!r}; at least one feature is needed."
        )
    told = ", ".join(f"{key} = {value}" for key, value in given.items() if np.ndim(value) == 0)
    return PricedData(
        name or "table",
        X,
        y,
        positive=positive,
        description=f"From {source}, column {target!r}; {told}.",
        **costs,
    )


def read_costs(frame, given, target=None, *, first_row=1):
    """The four costs of a frame's rows, from numbers, expressions or arrays; checked.

    Parameters
    ----------
    frame : polars.DataFrame
        The rows.
    given : dict
        Name -> number, expression or array.
    target : str, default=None
        The label's column, which no cost may use.
    first_row : int, default=1
        The number of the first row, for messages.

    Returns
    -------
    dict
        Name -> float or ndarray of shape (n,).
    """
    costs = {}
    for name, value in given.items():
        costs[name] = value
        if isinstance(value, str | CostExpression):
            cost = value if isinstance(value, CostExpression) else CostExpression(value)
            if target is not None and target in cost.columns:
                raise InputError(
                    f"{name} = {cost.text!r} uses the target {target!r}, which is not known when "
                    "a decision is made; fp_cost and fn_cost already differ by the true class."
                )
            costs[name] = cost.evaluate(frame)
            _check_finite(name, cost, costs[name], first_row)
        elif np.ndim(value):
            costs[name] = np.asarray(value)
    _check_regret("fn_cost", "tp_cost", costs, first_row)
    _check_regret("fp_cost", "tn_cost", costs, first_row)
    try:
        Costs.of(frame.height, **costs)
    except ValueError as error:
        raise InputError(str(error)) from None
    return costs


def _check_regret(wrong, right, costs, first_row):
    """As :class:`Costs` does, with rows counted as in the file."""
    try:
        pair = [np.asarray(costs.get(name, np.nan), dtype=np.float64) for name in (wrong, right)]
        bad = np.less(*pair)
    except (TypeError, ValueError):  # no numbers, or of different length: Costs says which
        return
    if bad.any():
        where = ""
        if bad.ndim:
            where = f" in {bad.sum()} row(s), the first in row {bad.argmax() + first_row}"
        raise InputError(
            f"{wrong} is smaller than {right}{where}: the mistake would pay; "
            "swap the labels or mend the costs."
        )


def _check_finite(name, cost, values, first_row):
    bad = np.flatnonzero(~np.isfinite(np.atleast_1d(values)))
    if not len(bad):
        return
    if not cost.columns:
        raise InputError(f"{name} = {cost.text!r} is not a finite number; give another.")
    raise InputError(
        f"{name} = {cost.text!r} is missing or infinite in {len(bad)} row(s), the first in row "
        f"{bad[0] + first_row}; fill in {' and '.join(map(repr, cost.columns))} or drop these rows."
    )


def _check_columns(frame, names, what):
    for name in names:
        if name not in frame.columns:
            raise InputError(
                f"The {what} column {name!r} is not in the table: "
                + near_matches(name, frame.columns)
            )
