"""Features as items "x_j is in bin b": numbers cut by entropy or quantiles, categories as is."""

import numpy as np
from scipy.special import xlogy

from stakes.tree._bins import bin_edges

NO_ITEM = -1  # code of a missing value, for which no condition holds


def cut_points(x, positive, how, n_bins, weight):
    """Cut points of a number; a value equal to one belongs to the interval below.

    "entropy" uses Fayyad and Irani's cuts, as many as the description length allows; "quantile"
    cuts into at most `n_bins` intervals of equal counts.
    """
    if how == "quantile":
        return bin_edges(x, n_bins, weight)[0]
    there = ~np.isnan(x)
    order = np.argsort(x[there], kind="stable")
    return entropy_cuts(*(values[there][order] for values in (x, positive, weight)))


def entropy_cuts(x, positive, weight):
    r"""Cuts of sorted values by information gain, accepted by minimum description length.

    A cut of N values into two parts is accepted if its gain exceeds
    :math:`(\log_2(N - 1) + \log_2(3^k - 2) - (k E - k_1 E_1 - k_2 E_2)) / N`, where k is the number
    of classes and E the entropy of the whole and of the parts, which are then cut in turn.

    Examples
    --------
    >>> entropy_cuts(np.arange(20.0), np.arange(20) >= 8, np.ones(20))
    array([7.5])
    """
    found, stack = [], [(0, len(x))]
    ones, below = (np.concatenate([[0.0], np.cumsum(w)]) for w in (weight * positive, weight))
    while stack:
        low, high = stack.pop()
        n = below[high] - below[low]
        at = low + 1 + np.flatnonzero(x[low + 1 : high] > x[low : high - 1])  # ends of lower parts
        if not len(at) or n <= 1.0:
            continue
        n_left, n_right = below[at] - below[low], below[high] - below[at]
        total = ones[high] - ones[low]
        left, right = ones[at] - ones[low], ones[high] - ones[at]
        whole = entropy(total, n)
        sides = entropy(left, n_left), entropy(right, n_right)
        gain = whole - (n_left * sides[0] + n_right * sides[1]) / n
        best = int(gain.argmax())
        kinds = [_kinds(total, n), _kinds(left[best], n_left[best])]
        kinds.append(_kinds(right[best], n_right[best]))
        delta = np.log2(3.0 ** kinds[0] - 2.0) - (
            kinds[0] * whole - kinds[1] * sides[0][best] - kinds[2] * sides[1][best]
        )
        if gain[best] > (np.log2(n - 1.0) + delta) / n:
            cut = at[best]
            middle = 0.5 * x[cut - 1] + 0.5 * x[cut]
            found.append(middle if middle < x[cut] else x[cut - 1])
            stack += [(low, cut), (cut, high)]
    return np.sort(np.array(found))


def entropy(ones, n):
    """Entropy in bits of `ones` out of n."""
    p = np.clip(np.asarray(ones) / n, 0.0, 1.0)  # sums of weights differ by rounding
    return -(xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2.0)


def _kinds(ones, n):
    return 1 + int(1e-9 * n < ones < n * (1.0 - 1e-9))


def item_codes(X, cuts, categorical):
    """Bin of every value, as int32 of shape (n, d); NO_ITEM for missing values."""
    codes = np.empty(X.shape, dtype=np.int32)
    for j in range(X.shape[1]):
        missing = np.isnan(X[:, j])
        x = np.where(missing, 0.0, X[:, j])
        if categorical[j]:
            code = x
        else:
            code = np.searchsorted(cuts[j], x, side="left")
        codes[:, j] = np.where(missing, NO_ITEM, code)
    return codes


def item_list(codes, categorical, n_cuts):
    """All conditions that can hold, as (features, codes); a feature without cuts has none."""
    pairs = []
    for j in range(codes.shape[1]):
        if categorical[j] or n_cuts[j]:
            values = np.unique(codes[:, j])
            pairs += [(j, int(value)) for value in values[values >= 0]]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def item_bounds(code, cuts=None):
    """The interval (above, up to] of the numbers with a code; without cuts that of a category."""
    if cuts is None:
        return np.nextafter(code, -1.0) if code else -1.0, np.nextafter(code + 1.0, 0.0)
    return (
        cuts[code - 1] if code else -np.inf,
        cuts[code] if code < len(cuts) else np.inf,
    )
