"""The best split of one feature in one node: from a histogram, of categories, or exactly.

All three searches move mass from the right branch to the left one in ascending order, so each
candidate costs O(1). `node` holds the masses of both classes and the size of the node, `how` the
Settings of growth. A split is only reported if it beats `best_gain` and `best_tie`, the best of
the features searched before.
"""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.gain import COST, TIE, hellinger, split_gain
from stakes._core.jit.order import stable_order

MISSING = 255  # code of a missing value; the others have 0 to 254
GOES_LEFT, SEEN = 1, 2  # bits of a group: where a category goes, whether the node had examples


@njit(cache=True, **ENTRY)
def beats(criterion, by_count, monotonic, l0, l1, r0, r1, best_gain, best_tie):
    """Whether a split is better than the best so far, its gain and its tie-breaker.

    With `monotonic` 1 the positive class must not be rarer on the right, with -1 not more frequent.

    The CCP criteria and the cost break ties by the Hellinger distance, whose own ties are others
    (Section 3.4.4 of the thesis). Gains within TIE of each other count as equal, so that rounding
    does not decide.
    """
    if monotonic * (r1 * l0 - l1 * r0) < 0.0:
        return False, 0.0, 0.0
    gain = split_gain(criterion, by_count, l0, l1, r0, r1)
    if gain < best_gain - TIE:
        return False, gain, 0.0
    if criterion > 1 and criterion != COST:
        return gain > best_gain + TIE, gain, 0.0
    tie = hellinger(max(l0, 0.0), max(l1, 0.0), max(r0, 0.0), max(r1, 0.0))
    return gain > best_gain + TIE or tie > best_tie + TIE, gain, tie


@njit(**INNER)
def scan_bins(hist, n_bins, node, how, monotonic, best_gain, best_tie):
    """Best threshold of a binned number.

    Returns the gain, the tie-breaker, the last bin that goes left (-1: none is better) and whether
    missing values go left.
    """
    criterion, by_count = how.criterion, how.by_count
    sized, min_leaf = how.sized, how.min_leaf
    where, missing_left = -1, False
    x0, x1, xs = hist[MISSING, 0], hist[MISSING, 1], hist[MISSING, 2]
    if not sized:
        xs = x0 + x1
    # with missing values, a second pass starts with them on the left; all present values against
    # the missing ones (threshold infinity) is a split too, and tried in the first pass only
    sides = 2 if xs > 0.0 else 1
    last = n_bins if xs > 0.0 else n_bins - 1
    for side in range(sides):
        l0, l1, ls = (x0, x1, xs) if side == 1 else (0.0, 0.0, 0.0)
        for b in range(last if side == 0 else n_bins - 1):
            h0, h1 = hist[b, 0], hist[b, 1]
            s = hist[b, 2] if sized else h0 + h1
            if s <= 0.0:
                continue  # an empty bin gives the split of the bin before
            l0, l1, ls = l0 + h0, l1 + h1, ls + s
            if ls < min_leaf:
                continue
            if node[2] - ls < min_leaf:
                break  # the right branch only gets smaller
            r0, r1 = node[0] - l0, node[1] - l1
            better, gain, tie = beats(
                criterion, by_count, monotonic, l0, l1, r0, r1, best_gain, best_tie
            )
            if better:
                best_gain, best_tie, where, missing_left = gain, tie, b, side == 1
    return best_gain, best_tie, where, missing_left


@njit(**INNER)
def scan_categories(hist, node, how, best_gain, best_tie, group):
    """Best division of the categories in two; `group` gets the bits of each.

    With two classes and a concave impurity the best of all divisions is a prefix of the categories
    sorted by their share of the positive class (Breiman et al. 1984). Categories of equal share
    stay together, so that the codes decide nothing. Missing is a category of its own. Returns the
    gain, the tie-breaker and the length of the prefix less one (-1: none).
    """
    criterion, by_count = how.criterion, how.by_count
    sized, min_leaf = how.sized, how.min_leaf
    present = np.empty(MISSING + 1, dtype=np.int64)
    share = np.empty(MISSING + 1)
    k = 0
    for b in range(MISSING + 1):
        h0, h1 = max(hist[b, 0], 0.0), max(hist[b, 1], 0.0)
        if (hist[b, 2] if sized else h0 + h1) > 0.0:
            present[k] = b
            share[k] = h1 / (h0 + h1) if h0 + h1 > 0.0 else 0.0
            k += 1
    order, _ = stable_order(share[:k])  # equal shares in the order of codes
    where = -1
    l0, l1, ls = 0.0, 0.0, 0.0
    for j in range(k - 1):
        b = present[order[j]]
        h0, h1 = hist[b, 0], hist[b, 1]
        l0, l1 = l0 + h0, l1 + h1
        ls += hist[b, 2] if sized else h0 + h1
        if ls < min_leaf or share[order[j + 1]] - share[order[j]] < TIE:
            continue
        if node[2] - ls < min_leaf:
            break
        better, gain, tie = beats(
            criterion, by_count, 0, l0, l1, node[0] - l0, node[1] - l1, best_gain, best_tie
        )
        if better:
            best_gain, best_tie, where = gain, tie, j
    if where >= 0:
        left = 0.0
        for j in range(where + 1):
            b = present[order[j]]
            left += hist[b, 2] if sized else hist[b, 0] + hist[b, 1]
        # unseen categories follow the larger side
        group[:] = GOES_LEFT if 2.0 * left >= node[2] else 0
        for j in range(k):
            group[present[order[j]]] = SEEN | (GOES_LEFT if j <= where else 0)
    return best_gain, best_tie, where


@njit(**INNER)
def scan_sorted(x, sample, start, node, how, monotonic, best_gain, best_tie):
    """Best threshold of a number between any two of its values x in the node.

    Their rows begin at `start` in the sample. Returns the gain, the tie-breaker, whether there is
    a better split, its threshold and whether missing values go left.
    """
    criterion, by_count, min_leaf = how.criterion, how.by_count, how.min_leaf
    label, mass, size = sample.label, sample.mass, sample.size
    order, n = stable_order(x)
    x0, x1, xs = 0.0, 0.0, 0.0
    for j in range(n, len(x)):
        i = start + order[j]
        m1 = mass[i] if label[i] == 1 else 0.0
        x0, x1, xs = x0 + (mass[i] - m1), x1 + m1, xs + size[i]
    found, threshold, missing_left = False, 0.0, False
    for side in range(2 if len(x) > n else 1):  # as in `scan_bins`
        l0, l1, ls = (x0, x1, xs) if side == 1 else (0.0, 0.0, 0.0)
        for j in range(n if side == 0 and len(x) > n else n - 1):
            i = start + order[j]
            m1 = mass[i] if label[i] == 1 else 0.0
            l0, l1, ls = l0 + (mass[i] - m1), l1 + m1, ls + size[i]
            here, above = x[order[j]], x[order[j + 1]] if j + 1 < n else np.inf
            if ls < min_leaf or above == here:
                continue
            if node[2] - ls < min_leaf:
                break
            r0, r1 = node[0] - l0, node[1] - l1
            better, gain, tie = beats(
                criterion, by_count, monotonic, l0, l1, r0, r1, best_gain, best_tie
            )
            if better:
                best_gain, best_tie, found, missing_left = gain, tie, True, side == 1
                threshold = 0.5 * here + 0.5 * above
                if not threshold < above:  # adjacent floats have no midpoint
                    threshold = here
    return best_gain, best_tie, found, threshold, missing_left
