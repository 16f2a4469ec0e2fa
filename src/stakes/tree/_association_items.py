"""Features as items "x_j is in bin b": numbers cut by entropy or quantiles, categories as is."""

import numpy as np
from scipy.special import xlogy

from stakes.tree._bins import bin_edges

NO_ITEM = -1  # code of a missing value, for which no condition holds


def cut_points(x, positive, how, n_bins):
    """Cut points of a number; a value equal to one belongs to the interval below.

    "entropy" uses Fayyad and Irani's cuts, as many as the description length allows; "quantile"
    cuts into at most `n_bins` intervals of equal counts.
    """
    if how == "quantile":
        return bin_edges(x, n_bins)[0]
    there = ~np.isnan(x)
    order = np.argsort(x[there], kind="stable")
    return entropy_cuts(x[there][order], positive[there][order])


def entropy_cuts(x, positive):
    r"""Cuts of sorted values by information gain, accepted by minimum description length.

    A cut of N values into two parts is accepted if its gain exceeds
    :math:`(\log_2(N - 1) + \log_2(3^k - 2) - (k E - k_1 E_1 - k_2 E_2)) / N`, where k is the number
    of classes and E the entropy of the whole and of the parts, which are then cut in turn.

    Examples
    --------
    >>> entropy_cuts(np.arange(20.0), np.arange(20) >= 8)
    array([7.5])
    """
    found, stack = [], [(0, len(x))]
    ones = np.concatenate([[0.0], np.cumsum(positive)])
    while stack:
        low, high = stack.pop()
        n = high - low
        at = low + 1 + np.flatnonzero(x[low + 1 : high] > x[low : high - 1])  # ends of lower parts
        if not len(at):
            continue
        total = ones[high] - ones[low]
        left, right = ones[at] - ones[low], ones[high] - ones[at]
        whole = entropy(total, n)
        sides = entropy(left, at - low), entropy(right, high - at)
        gain = whole - ((at - low) * sides[0] + (high - at) * sides[1]) / n
        best = int(gain.argmax())
        kinds = [_kinds(total, n), _kinds(left[best], at[best] - low)]
        kinds.append(_kinds(right[best], high - at[best]))
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
    p = np.asarray(ones) / n
    return -(xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2.0)


def _kinds(ones, n):
    return 1 + int(0 < ones < n)


def item_codes(X, cuts, categorical):
    """Bin of every value, as int32 of shape (n, d); NO_ITEM for missing values."""
    codes = np.empty(X.shape, dtype=np.int32)
    for j in range(X.shape[1]):
        missing = np.isnan(X[:, j])
        x = np.where(missing, 0.0, X[:, j])
        if categorical[j]:
            whole = (x == np.floor(x)) & (np.abs(x) < 2**31)
            code = np.where(whole, x, NO_ITEM)
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
