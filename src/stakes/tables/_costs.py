"""The four costs of a table's rows, from numbers, expressions or arrays."""

import numpy as np

from stakes.costs import Costs
from stakes.errors import InputError
from stakes.tables._expression import CostExpression


def read_costs(frame, given, target=None, *, first_row=1):
    """Costs of each row, from numbers, expressions or arrays.

    Parameters
    ----------
    frame : polars.DataFrame
        Table that the expressions refer to.
    given : dict
        Any of fp_cost, fn_cost, tp_cost, tn_cost and review_cost -> number, array,
        :class:`CostExpression` or its text.
    target : str, default=None
        Label column, which no cost may use.
    first_row : int, default=1
        Number of the first row, for messages.

    Returns
    -------
    dict
        Name -> float or ndarray of shape (n,).

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"amount": [10.0, 80.0]})
    >>> read_costs(frame, {"fp_cost": 5, "fn_cost": "0.75*amount"})
    {'fp_cost': 5, 'fn_cost': array([ 7.5, 60. ])}
    """
    costs = {}
    for name, value in given.items():
        if isinstance(value, str | CostExpression):
            costs[name] = evaluated(name, value, frame, target, first_row)
        else:
            costs[name] = np.asarray(value) if np.ndim(value) else value
    if np.any(np.less(costs.get("review_cost", 0), 0)):
        raise InputError("{parameter} must not be negative.", "review_cost")
    _check_regret("fn_cost", "tp_cost", costs, first_row)
    _check_regret("fp_cost", "tn_cost", costs, first_row)
    try:
        Costs.of(frame.height, **{k: cost for k, cost in costs.items() if k != "review_cost"})
    except ValueError as error:
        raise InputError(str(error)) from None
    return costs


def evaluated(name, value, frame, target=None, first_row=1):
    """A cost of each row from an expression, which may not use the target; all must be finite."""
    try:
        cost = value if isinstance(value, CostExpression) else CostExpression(value)
        if target is not None and target in cost.columns:
            raise InputError(
                f"{{parameter}} = {cost.text!r} uses the target {target!r}, which is unknown when "
                "the decision is made; false positives and false negatives already have their "
                "own costs."
            )
        values = cost.evaluate(frame)
    except InputError as error:
        raise InputError(error.message, name) from None
    bad = np.flatnonzero(~np.isfinite(np.atleast_1d(values)))
    if not len(bad):
        return values
    if not cost.columns:
        raise InputError(f"{{parameter}} = {cost.text!r} is not a finite number.", name)
    raise InputError(
        f"{{parameter}} = {cost.text!r} is missing or infinite in {len(bad)} row(s), first in row "
        f"{bad[0] + first_row}; fill in {' and '.join(map(repr, cost.columns))}, remove these "
        "rows, or write coalesce(x, 0) instead of x for 0 where x is missing.",
        name,
    )


def _check_regret(wrong, right, costs, first_row):
    """The check of :class:`Costs`, with row numbers of the file."""
    try:
        pair = [np.asarray(costs.get(name, np.nan), dtype=np.float64) for name in (wrong, right)]
        bad = np.less(*pair)
    except (TypeError, ValueError):  # not numbers, or of different lengths: left to Costs
        return
    if bad.any():
        where = ""
        if bad.ndim:
            where = f" in {bad.sum()} row(s), first in row {bad.argmax() + first_row}"
        raise InputError(
            f"{{{wrong}}} is smaller than {{{right}}}{where}: a mistake would be cheaper than the "
            "correct decision; swap the labels or fix the costs.",
            (wrong, right),
        )
