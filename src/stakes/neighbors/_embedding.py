"""From a table with categories and gaps to the points between which distances are measured."""

import numpy as np

from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Listed
from stakes.neighbors._embedding_jit import column_facts

SCALES = ("standard", "range", "none")


class Embedding:
    """Numbers on a common scale, categories as one column each.

    A missing number is put at the mean, a missing category at the same distance from all others.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Training rows with codes of categories and NaN.
    categorical : ndarray of bool of shape (d,)
        Which columns are codes.
    scale : {"standard", "range", "none"}
        "standard": standard deviation one, and two categories as far from each other as two
        numbers are on average (root mean square); "range": from 0 to 1, and two categories at
        distance one, as in Weka; "none": as they are, and two categories at distance one.
    metric : {"l1", "l2", "linf"}
        The distance.
    weight : ndarray of shape (n,), default=None
        Weights of the rows; None: one each.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 1.0]])
    >>> Embedding(X, np.array([False, True]), "range", "linf")(X).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.5, 0.0, 1.0]]
    """

    _file_state = {
        "numbers": Array("i8", ("numbers",), low=0),
        "codes": Array("i8", ("codes",), low=0),
        **dict.fromkeys(("fill", "shift"), Array("f8", ("numbers",))),
        "scale": Array("f8", ("numbers",), low=0),
        "levels": Listed(Array("f8", (None,), increasing=True), "codes"),
        "height": Array("f8", (1,), low=0),
        "low": Array("f8", ("points",)),
        "high": Array("f8", ("points",)),
    }

    @staticmethod
    def _check_file_state(state, scope):
        width = len(state["numbers"]) + sum(len(levels) for levels in state["levels"])
        if width != len(state["low"]) or not (state["scale"] > 0).all():
            raise Damaged("the points of the neighbors have a wrong size")

    def __init__(self, X, categorical, scale, metric, weight=None):
        self.numbers, self.codes = np.flatnonzero(~categorical), np.flatnonzero(categorical)
        weight = np.ones(len(X)) if weight is None else weight
        mean, deviation, low, high = column_facts(X, weight)
        take = self.numbers
        self.fill, self.shift, self.scale = mean[take], np.zeros(len(take)), np.ones(len(take))
        far = 1.0
        if scale == "standard":
            self.shift, self.scale = mean[take], deviation[take]
            far = np.sqrt(2.0)
        elif scale == "range":
            self.shift, self.scale = low[take], (high - low)[take]
        # as in StandardScaler: a column that is constant up to rounding is not blown up
        tiny = self.scale <= 10 * np.finfo(float).eps * np.abs(self.fill)
        self.scale = np.where(tiny | (self.scale == 0), 1.0, self.scale)
        self.height = np.array([far * {"l1": 0.5, "l2": np.sqrt(0.5), "linf": 1.0}[metric]])
        self.levels = [np.unique(x[~np.isnan(x)]) for x in X.T[categorical]]
        heights = np.full(sum(len(levels) for levels in self.levels), self.height[0])
        self.low, self.high = (
            np.concatenate([(end[take] - self.shift) / self.scale, rest])
            for end, rest in ((low, np.zeros(len(heights))), (high, heights))
        )

    def __call__(self, X):
        """The points of rows."""
        numbers = X if len(self.numbers) == X.shape[1] else X[:, self.numbers]
        gap = np.isnan(numbers)
        if gap.any():
            numbers = np.where(gap, self.fill, numbers)
        numbers = (numbers - self.shift) / self.scale
        if not len(self.codes):
            return numbers
        ones = [
            self.height[0] * (X[:, j, None] == levels)
            for j, levels in zip(self.codes, self.levels, strict=True)
        ]
        return np.ascontiguousarray(np.column_stack([numbers, *ones]))

    def filled(self, X):
        """Rows without gaps, for models of confidence: a missing category is one of its own."""
        if not np.isnan(X.sum()):  # numbers are bounded, so that only a gap can do this
            return X
        fill = np.full(X.shape[1], -1.0)
        fill[self.numbers] = self.fill
        return np.where(np.isnan(X), fill, X)

    @property
    def is_affine(self):
        """Whether a point is (row - shift) / scale, after gaps have been filled."""
        return not len(self.codes)
