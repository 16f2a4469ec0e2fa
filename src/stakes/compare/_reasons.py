"""Reasons of a decision, in money: what each column adds to the advantage of acting."""

from itertools import combinations
from math import comb

import numpy as np
import polars as pl

EXACT = 8  # columns up to which all subsets are computed
_ROWS = 200_000  # predicted at a time


class Reasons:
    r"""Shapley values of the advantage of acting, for each column of a table.

    Acting is worth :math:`A(x) = p(x)(fn - tp) - (1 - p(x))(fp - tn)`, the expected cost of the
    negative decision minus that of the positive one, at the costs of the row. The value of a column
    is what it adds to it, compared with the rows of a background, averaged over all orders in which
    the columns can be replaced by those of a background row. The values of a row add up to
    :math:`A(x)` minus its mean over the background, at the same costs.

    With at most eight columns the values are exact, and for any number of columns if `exact`
    computes them, as for trees, forests and linear models. Beyond, orders are drawn in pairs, an
    order and its reverse, as often for each background row, so the sum stays exact; effects of
    single columns and of pairs of columns have no error, only those of three and more are sampled.

    Parameters
    ----------
    probability : callable
        Rows -> probability of the positive class.
    background : polars.DataFrame
        Typical rows.
    columns : list of str
        The columns to explain; others are taken from the row itself.
    n_orders : int, default=2
        Number of pairs of orders for each background row.
    random_state : int, default=0
        Seed of the orders.
    exact : callable, default=None
        Rows -> exact values of the probability, see :func:`exact_values`.

    Examples
    --------
    >>> background = pl.DataFrame({"a": [0.0, 0.0], "b": [0.0, 1.0]})
    >>> reasons = Reasons(lambda X: 0.5 * X["a"].to_numpy() + 0.1, background, ["a", "b"])
    >>> reasons.of_probability(pl.DataFrame({"a": [1.0], "b": [3.0]})).round(3)
    array([[0.5, 0. ]])
    """

    def __init__(self, probability, background, columns, *, n_orders=2, random_state=0, exact=None):
        self.probability = probability
        self.background = background
        self.columns = list(columns)
        self.n_orders = n_orders
        self.random_state = random_state
        self.exact = exact

    def of(self, X, costs):
        """Values in money, one row per example and one column per column of the table.

        Parameters
        ----------
        X : polars.DataFrame
            The rows.
        costs : Costs
            Their costs.

        Returns
        -------
        ndarray of shape (n, n_columns)
        """
        at_stake = costs.positive_regret + costs.negative_regret
        return at_stake[:, None] * self.of_probability(X)

    def of_probability(self, X):
        """Values of the probability of the positive class."""
        if self.exact is not None and len(self.columns) > EXACT and X.height:
            values = self.exact(X)
            if values is not None:
                return values
        each = max(1, _ROWS // (self._calls_per_row()))
        parts = [self._some(part) for part in X.iter_slices(each)]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.columns)))

    def base(self, costs):
        """Mean advantage of acting over the background, at the costs of each row."""
        p = np.mean(self.probability(self.background))
        return p * costs.positive_regret - (1 - p) * costs.negative_regret

    def _calls_per_row(self):
        d = len(self.columns)
        per_row = 2**d if d <= EXACT else 2 * self.n_orders * (d + 1)
        return per_row * self.background.height

    def _some(self, X):
        masks, weights = self.masks()
        n, m = X.height, len(masks)
        at = np.arange(n * m)
        rows, which = at // m, at % m
        mixed = X[rows]
        for j, name in enumerate(self.columns):
            typical = self.background[name].gather(self._row_of_mask[which])
            own = pl.Series(masks[which, j])
            mixed = mixed.with_columns(mixed[name].zip_with(own, typical).alias(name))
        value = np.asarray(self.probability(mixed), dtype=np.float64).reshape(n, m)
        return value @ weights

    def masks(self):
        """Which columns are the row's own, and the weight of the outcome in each value."""
        if not hasattr(self, "_built"):
            make = self._all_subsets if len(self.columns) <= EXACT else self._some_orders
            self._built = make()
        return self._built

    def _all_subsets(self):
        d, b = len(self.columns), self.background.height
        subsets = [set(s) for size in range(d + 1) for s in combinations(range(d), size)]
        masks = np.array([[j in s for j in range(d)] for s in subsets]).reshape(len(subsets), d)
        weights = np.zeros(masks.shape)
        for i, s in enumerate(subsets):
            for j in range(d):
                if j in s:
                    weights[i, j] = 1 / (d * comb(d - 1, len(s) - 1))
                else:
                    weights[i, j] = -1 / (d * comb(d - 1, len(s)))
        self._row_of_mask = np.repeat(np.arange(b), len(subsets))
        return np.tile(masks, (b, 1)), np.tile(weights, (b, 1)) / b

    def _some_orders(self):
        d, b = len(self.columns), self.background.height
        rng = np.random.default_rng(self.random_state)
        masks, weights, rows = [], [], []
        for row in range(b):
            for _ in range(self.n_orders):
                order = rng.permutation(d)
                for one in (order, order[::-1]):
                    mask, weight = np.zeros((d + 1, d), bool), np.zeros((d + 1, d))
                    for step, j in enumerate(one):
                        mask[step + 1 :, j] = True
                        weight[step + 1, j] += 1
                        weight[step, j] -= 1
                    masks.append(mask)
                    weights.append(weight)
                    rows += [row] * (d + 1)
        self._row_of_mask = np.array(rows)
        return np.concatenate(masks), np.concatenate(weights) / (2 * self.n_orders * b)


def largest(values, k, sign=None):
    """Columns of the k largest values of each row, the largest first.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Values of the columns.
    k : int
        How many.
    sign : ndarray of shape (n,), default=None
        1 where the largest positive values are wanted, -1 for the most negative ones; None: the
        largest absolute values.

    Returns
    -------
    ndarray of shape (n, k)

    Examples
    --------
    >>> largest(np.array([[1.0, -5.0, 2.0]]), 2).tolist()
    [[1, 2]]
    >>> largest(np.array([[1.0, -5.0, 2.0]]), 2, sign=np.array([1])).tolist()
    [[2, 0]]
    """
    size = np.abs(values) if sign is None else values * np.asarray(sign)[:, None]
    return np.argsort(-size, axis=1, kind="stable")[:, :k]


def adverse_action(word, reasons):
    """The wording of a letter: the decision and its main reasons.

    Parameters
    ----------
    word : str
        The decision in words, such as "refuse".
    reasons : list of (str, value, value)
        Column, its value, and the typical value.

    Returns
    -------
    str

    Examples
    --------
    >>> print(adverse_action("refuse", [("duration", 48.0, 18.0), ("job", "none", "skilled")]))
    The decision is to refuse. The main reasons, in order of weight: (1) duration is 48
    (typical: 18); (2) job is none (typical: skilled).
    """
    listed = "; ".join(
        f"({i}) {name} is {shown(value)}"
        + (f" (typical: {shown(typical)})" if shown(typical) != shown(value) else "")
        for i, (name, value, typical) in enumerate(reasons, start=1)
    )
    return f"The decision is to {word}. The main reasons, in order of weight: {listed}."


def shown(value):
    """A value of a table, as a person writes it."""
    if value is None or value != value:
        return "missing"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def typical_rows(X, rows=16, random_state=0):
    """Rows of a table as lists of plain values by column, to be stored with a model.

    Examples
    --------
    >>> typical_rows(pl.DataFrame({"a": [1, 2]}), rows=5)
    {'a': [1, 2]}
    """
    drawn = np.random.default_rng(random_state).permutation(X.height)[:rows]
    table = X[np.sort(drawn)]
    texts = [c.name for c in table if not (c.dtype.is_numeric() or c.dtype == pl.Boolean)]
    return table.with_columns(pl.col(texts).cast(pl.String)).to_dict(as_series=False)


def typical_value(column):
    """The median of numbers, else the most frequent value; None of an empty column."""
    column = column.drop_nulls()
    if not len(column):
        return None
    if column.dtype.is_float():
        column = column.drop_nans()
    return float(column.median()) if column.dtype.is_numeric() else column.mode().sort()[0]
