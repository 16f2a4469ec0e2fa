"""Features as small codes: at most 255 bins for a number, its code for a category."""

import numpy as np

from stakes.tree._grow_jit import BINNED, CATEGORY, COARSE
from stakes.tree._histograms_jit import Binned
from stakes.tree._split_jit import MISSING
from stakes.tree._walk_jit import code_values


def bin_features(X, categorical, max_bins=MISSING, monotonic=None):
    """Bin all features; categories are already codes.

    A number with at most `max_bins` distinct values has one bin per value, so that its histogram
    is exact; others have bins of about equal counts.
    """
    n, d = X.shape
    codes = np.empty((d, n), dtype=np.uint8)
    edges = np.full((d, MISSING), np.inf)
    n_bins = np.empty(d, dtype=np.int64)
    kinds = np.full(d, BINNED, dtype=np.int64)
    for f in range(d):
        x = np.ascontiguousarray(X[:, f])
        if categorical[f]:
            kinds[f], n_bins[f] = CATEGORY, MISSING
        else:
            inner, exact = bin_edges(x, max_bins)
            kinds[f] = BINNED if exact else COARSE
            n_bins[f] = len(inner) + 1
            edges[f, : len(inner)] = inner
        code_values(x, edges[f], bool(categorical[f]), codes[f])
    monotonic = np.zeros(d, np.int8) if monotonic is None else monotonic
    return Binned(X, codes, edges, n_bins, kinds, monotonic)


def bin_edges(x, max_bins=MISSING, weight=None):
    """Upper edges of the bins of a number, and whether every distinct value has its own bin.

    Bins of several values have about equal counts, or total weights.

    Examples
    --------
    >>> bin_edges(np.array([3.0, 1.0, 1.0, np.nan]))
    (array([2.]), True)
    """
    if weight is None:
        x = np.sort(x)  # NaN sorts last
    else:
        order = np.argsort(x, kind="stable")
        x, weight = x[order], weight[order]
    x = x[: len(x) - np.count_nonzero(np.isnan(x))]
    first = np.flatnonzero(np.diff(x, prepend=np.nan) != 0)
    distinct = x[first]
    if len(distinct) <= max_bins:
        return _between(distinct[:-1], distinct[1:]), True
    if weight is None:
        below = np.append(first[1:], len(x))
    else:
        below = np.cumsum(np.add.reduceat(weight[: len(x)], first))
    ranks = np.floor(np.linspace(0, below[-1], max_bins + 1)[1:-1])
    # each quantile ends a bin together with all of its copies
    at = np.unique(np.searchsorted(below, ranks, side="right"))
    at = at[at < len(distinct) - 1]
    return _between(distinct[at], distinct[at + 1]), False


def _between(low, high):
    middle = 0.5 * low + 0.5 * high
    return np.where(middle < high, middle, low)  # adjacent floats have no midpoint
