"""Intervals of mean costs where rows are independent, or belong to groups, or follow in time."""

import numpy as np
from scipy import stats

from stakes.compare._stats import bootstrap_means, interval

TIME_BLOCKS = 10


class Resamples:
    r"""Bootstrapped means of several columns, and intervals of their differences.

    Rows of one group are drawn together. Rows that follow in time are cut into ten blocks of
    consecutive rows, which are drawn as a whole: rows of different blocks are nearly independent
    even if neighbors are not. With few blocks the spread of the resamples is too small; it is
    multiplied by :math:`t/z \cdot \sqrt{b/(b-1)}`, the quantiles of Student's t with b - 1 degrees
    of freedom and of the normal distribution [1]_. With groups and times, both are drawn, and what
    both count twice is subtracted, :math:`V = V_g + V_t - V_{gt}` [2]_, never below the larger one.

    Parameters
    ----------
    values : ndarray of shape (n, m)
        One row per example.
    origin : RowOrigin or None
        Time and group of the rows.
    n_boot : int, default=1000
        Number of resamples.
    random_state : int, default=0
        Seed of the resampling.

    References
    ----------
    .. [1] R. Ibragimov, U. K. Mueller. "t-Statistic Based Correlation and Heterogeneity Robust
       Inference". Journal of Business and Economic Statistics 28, 2010.
    .. [2] A. C. Cameron, J. B. Gelbach, D. L. Miller. "Robust Inference with Multiway Clustering".
       Journal of Business and Economic Statistics 29, 2011.

    Examples
    --------
    >>> rows = Resamples(np.column_stack([np.arange(101.0), np.zeros(101)]), None)
    >>> low, high = rows.interval([1, -1])
    >>> bool(low < 50.0 < high)
    True
    """

    def __init__(self, values, origin, *, n_boot=1000, random_state=0):
        values = np.asarray(values, dtype=np.float64)
        self.estimate = values.mean(axis=0)
        how = dict(n_boot=n_boot, random_state=random_state)
        if origin is None:
            self._means = bootstrap_means(values, **how)
            return
        time = None if origin.time is None else time_blocks(origin.time)
        given = [codes for codes in (origin.group, time) if codes is not None]
        self._draws = [_clustered(values, codes, **how) for codes in given]
        if len(given) == 2:
            how["random_state"] += 1  # the two draws are to be independent
            self._draws[1] = _clustered(values, time, **how)
            cells = np.unique(np.column_stack(given), axis=0, return_inverse=True)[1]
            self._both = _clustered(values, cells.ravel(), **how)

    def interval(self, contrast, confidence_level=0.95):
        """Interval of a weighted sum of the columns' means.

        Parameters
        ----------
        contrast : array-like of shape (m,)
            Weights of the columns: a one for a mean, one and minus one for a difference.
        confidence_level : float, default=0.95
            Level of the interval.

        Returns
        -------
        [float, float]
        """
        contrast = np.asarray(contrast, dtype=np.float64)
        if hasattr(self, "_means"):
            return interval(self._means @ contrast, confidence_level)
        estimate = float(self.estimate @ contrast)
        drawn = [means @ contrast - estimate for means, _ in self._draws]
        z = stats.norm.ppf((1 + confidence_level) / 2)
        for one, (_, n_blocks) in zip(drawn, self._draws, strict=True):
            t = stats.t.ppf((1 + confidence_level) / 2, n_blocks - 1)
            one *= t / z * np.sqrt(n_blocks / (n_blocks - 1))
        spread = sum(drawn)
        if len(drawn) == 2:
            parts = [one.var() for one in drawn]
            both = (self._both[0] @ contrast).var()
            if sum(parts) > 0:
                spread *= np.sqrt(max(sum(parts) - both, *parts) / sum(parts))
        low, high = interval(spread, confidence_level)
        return [estimate + low, estimate + high]


def time_blocks(times, blocks=TIME_BLOCKS):
    """Block of each row, from 0: consecutive in time and of about equal size.

    Rows of the same time are in the same block.

    Examples
    --------
    >>> time_blocks(np.array([4.0, 1.0, 2.0, 3.0]), blocks=2)
    array([1, 0, 0, 1])
    """
    ordered = np.sort(times)
    starts = np.unique(ordered[[j * len(times) // blocks for j in range(1, blocks)]])
    return np.searchsorted(starts, times, side="right")


def _clustered(values, codes, n_boot, random_state):
    """Means of resampled clusters of rows, and the number of clusters."""
    codes = np.unique(codes, return_inverse=True)[1]
    k = int(codes.max()) + 1
    counts = np.bincount(codes, minlength=k).astype(np.float64)
    sums = np.column_stack([np.bincount(codes, column, minlength=k) for column in values.T])
    rng = np.random.default_rng(random_state)
    means = np.empty((n_boot, values.shape[1]))
    for b in range(n_boot):
        drawn = np.bincount(rng.integers(k, size=k), minlength=k).astype(np.float64)
        means[b] = drawn @ sums / (drawn @ counts)
    return means, max(k, 2)
