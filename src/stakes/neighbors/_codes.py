"""Integer codes of numbers and categories."""

import numpy as np

from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Listed


def cut_points(x, n_bins, weight):
    """Upper edges of the bins except the last: quantiles, or all values if there are few.

    Parameters
    ----------
    x : ndarray of shape (n,)
        One column.
    n_bins : int
        Maximum number of bins.
    weight : ndarray of shape (n,)
        Weights; a row of weight two counts as two.

    Returns
    -------
    ndarray
        A value is in bin j if it is above j of the edges.

    Examples
    --------
    >>> cut_points(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]), 3, np.ones(7)).tolist()
    [0.0, 1.0]
    """
    values, at = np.unique(x, return_inverse=True)
    if len(values) <= n_bins:
        return values[:-1]
    below = np.cumsum(np.bincount(at, weights=weight))
    found = np.searchsorted(below, below[-1] * np.arange(1, n_bins) / n_bins)
    return values[np.unique(np.minimum(found, len(values) - 2))]


class Coder:
    """Encoder of all columns; unseen categories get the code after the last.

    Examples
    --------
    >>> X = np.array([[0.1, 7.0], [0.2, 9.0], [0.3, 9.0]])
    >>> coder = Coder(X, 2, np.array([False, True]), np.ones(3))
    >>> coder.arity.tolist(), coder.codes(np.array([[5.0, 8.0]])).tolist()
    ([2, 2], [[1, 2]])
    """

    _file_state = {
        "categorical": Array("b", ("d",)),
        "points": Listed(Array("f8", (None,), increasing=True), "d"),
        "arity": Array("i8", ("d",), low=0),
    }

    @staticmethod
    def _check_file_state(state, scope):
        for points, is_category, arity in zip(
            *(state[n] for n in ("points", "categorical", "arity")), strict=True
        ):
            if arity != len(points) + (not is_category) or arity < 1:
                raise Damaged("the codes of a column do not add up")

    def __init__(self, X, n_bins, categorical, weight):
        self.categorical = categorical
        self.points = [
            np.unique(x) if is_category else cut_points(x, n_bins, weight)
            for x, is_category in zip(X.T, categorical, strict=True)
        ]
        self.arity = np.array(
            [len(p) + (not c) for p, c in zip(self.points, categorical, strict=True)], np.int64
        )

    def codes(self, X):
        """Codes of the rows of X, shape (n, d)."""
        out = np.empty(X.shape, dtype=np.int64)
        for i, (points, is_category) in enumerate(zip(self.points, self.categorical, strict=True)):
            at = np.searchsorted(points, X[:, i])
            if is_category:
                known = points[np.minimum(at, len(points) - 1)] == X[:, i]
                at = np.where(known, at, len(points))
            out[:, i] = at
        return out
