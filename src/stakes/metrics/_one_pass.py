"""Metrics with intervals, and curves, in one pass over any number of rows: sums that merge."""

import copy
import math

import numpy as np

from stakes._core.row_hash import hash_rows
from stakes._core.words import shown
from stakes.costs import Costs
from stakes.metrics._bootstrap import SUMS, BootstrapInterval, ends_of
from stakes.metrics._intake import read_scores
from stakes.metrics._poisson_jit import add_resamples
from stakes.metrics._savings_curve import SavingsCurveDisplay

# distribution function of the Poisson distribution of mean one, in units of 2^-32; beyond the last
# one is less than one row in four billion
_BELOW = np.array(
    [2**32 * math.exp(-1) * sum(1 / math.factorial(j) for j in range(k + 1)) for k in range(12)]
).astype(np.uint64)


class MetricSums:
    """A metric with its bootstrap interval, from rows that are read once, in any number of parts.

    Every row is in each resample a Poisson number of times (of mean one), which depends only on the
    number of the row and the seed. So the interval does not depend on how the rows are cut into
    parts, and needs no more memory than the sums of each resample.

    Parameters
    ----------
    metric : callable
        :func:`cost_loss`, :func:`expected_cost_loss`, :func:`savings_score`, :func:`risk_loss` or
        :func:`weighted_sum_score`, which are functions of sums over rows.
    n_boot : int, default=200
        Number of resamples; the time of a row grows with it.
    random_state : int, default=0
        Seed of the resamples.
    **options : numbers
        Passed to the metric; labels are 0 and 1 unless `pos_label` is given.

    Examples
    --------
    >>> from stakes.metrics import cost_loss
    >>> y, d, fn = [0, 1] * 50, [0, 1, 1, 0] * 25, np.array([1.0, 2.0, 3.0, 4.0] * 25)
    >>> first = MetricSums(cost_loss).add(range(60), y[:60], d[:60], fn_cost=fn[:60])
    >>> other = MetricSums(cost_loss).add(range(60, 100), y[60:], d[60:], fn_cost=fn[60:])
    >>> print(first.merge(other).interval())
    1.25 [0.9094, 1.603]
    """

    def __init__(self, metric, *, n_boot=200, random_state=0, **options):
        if metric not in SUMS:
            raise ValueError(
                f"{getattr(metric, '__name__', metric)} is not a function of sums over rows; one "
                "pass can compute " + ", ".join(known.__name__ for known in SUMS) + "."
            )
        if n_boot < 1:
            raise ValueError(f"n_boot must be at least 1. Got {shown(n_boot)} instead.")
        self.metric, self.n_boot, self.random_state = metric, n_boot, random_state
        self.options = {"pos_label": 1} | options
        self._totals, self._sums = None, None

    def add(self, numbers, y_true, y_pred, **options):
        """Add rows.

        Parameters
        ----------
        numbers : array-like of int of shape (n,)
            Number of each row in the whole table: no two rows may share one.
        y_true, y_pred : array-like of shape (n,)
            Labels, and what the metric takes: decisions or probabilities.
        **options : float or array-like of shape (n,)
            Costs of these rows.

        Returns
        -------
        self
        """
        columns = SUMS[self.metric](
            np.asarray(y_true), np.asarray(y_pred), **self.options, **options
        )
        columns = np.ascontiguousarray(columns[0], dtype=np.float64)
        if self._totals is None:
            self._totals = np.zeros(columns.shape[1])
            self._sums = np.zeros((self.n_boot, columns.shape[1]))
        self._totals += columns.sum(axis=0)
        with np.errstate(over="ignore"):  # where the loop is not compiled, hashes overflow aloud
            add_resamples(hash_rows(numbers, self.random_state), columns, _BELOW, self._sums)
        return self

    def merge(self, other):
        """The sums over the rows of both, which must be different ones."""
        mine, others = (
            (one.metric, one.n_boot, one.random_state, one.options) for one in (self, other)
        )
        if mine != others:
            raise ValueError("Only sums of the same metric, resamples and options can be merged.")
        if self._totals is None or other._totals is None:
            return copy.deepcopy(other if self._totals is None else self)
        merged = copy.copy(self)
        merged._totals = self._totals + other._totals
        merged._sums = self._sums + other._sums
        return merged

    def interval(self, confidence_level=0.95):
        """The metric of all rows and its percentile interval, a :class:`BootstrapInterval`."""
        if self._totals is None:
            raise ValueError("There are no rows.")
        # what makes the metric of the sums does not depend on the rows
        combine = SUMS[self.metric](np.array([0, 1]), np.array([0, 1]), **self.options)[1]
        values = np.array([float(combine(sums)) for sums in self._sums])
        estimate = float(combine(self._totals))
        low, high = ends_of(values, estimate, None, confidence_level, "percentile")
        return BootstrapInterval(estimate, low, high, confidence_level, values)


class SavingsCurveSums:
    """The savings by threshold, from rows that are read once, at a grid of thresholds.

    At each threshold of the grid the curve is that of :class:`SavingsCurveDisplay` exactly.

    Parameters
    ----------
    n_thresholds : int, default=1000
        Number of equal steps from 0 to 1.

    Examples
    --------
    >>> sums = SavingsCurveSums(10).add([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], fn_cost=3.0)
    >>> sums.display().best
    (0.4, 0.5)
    """

    def __init__(self, n_thresholds=1000):
        self.thresholds = np.arange(n_thresholds + 1) / n_thresholds
        # of the probabilities from each threshold to the next: their number, what they cost if they
        # are called positive, and if they are called negative
        self._sums = np.zeros((3, len(self.thresholds)))

    def add(self, y_true, y_prob, **costs):
        """Add rows with labels 0 and 1, probabilities of the positive class, and their costs."""
        positive, p = read_scores(np.asarray(y_true), np.asarray(y_prob), 1)
        priced = Costs.of(len(p), **costs)
        place = np.searchsorted(self.thresholds, p, side="right") - 1
        if len(p) and (place.min() < 0 or p.max() > 1):
            raise ValueError("y_prob must contain probabilities between 0 and 1.")
        answers = (np.full(len(p), one) for one in (True, False))
        for k, weight in enumerate((np.ones(len(p)), *(priced.paid(positive, a) for a in answers))):
            self._sums[k] += np.bincount(place, weight, minlength=len(self.thresholds))
        return self

    def merge(self, other):
        """The sums over the rows of both."""
        if len(self.thresholds) != len(other.thresholds):
            raise ValueError("Only sums with the same thresholds can be merged.")
        merged = copy.copy(self)
        merged._sums = self._sums + other._sums
        return merged

    def display(self, name=None):
        """The curve as :class:`SavingsCurveDisplay`; call its `plot` to draw it."""
        n, acting, not_acting = self._sums
        base = min(acting.sum(), not_acting.sum())
        if base == 0:
            raise ValueError("The best constant policy costs nothing; there is nothing to save.")
        above = [np.append(np.cumsum(part[::-1])[::-1], 0.0) for part in (n, acting, not_acting)]
        total = above[1] + (not_acting.sum() - above[2])
        thresholds = np.append(self.thresholds, np.inf)[::-1]
        savings, alerts = (base - total[::-1]) / abs(base), above[0][::-1] / max(n.sum(), 1.0)
        return SavingsCurveDisplay(thresholds, savings, alerts, estimator_name=name)
