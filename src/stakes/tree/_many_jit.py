"""The best split of one feature in one node with more than two classes.

Plain criteria use the impurity of all classes. The others are defined for two classes, and a split
is as good as for the class that it separates best from the rest: the thesis's "positive class" and
"the rest of the classes" (Section 3.5, and its Hellinger trees in Section 3.7). The searches are
those of `_split_jit`, with masses (k,) of both branches instead of four numbers.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import INNER
from stakes._core.jit.gain import COST, ENTROPY, GINI, TIE, split_gain
from stakes._core.jit.order import stable_order
from stakes.tree._split_jit import GOES_LEFT, MISSING, SEEN

TINY = np.finfo(np.float64).tiny


@njit(**INNER)
def impurity_many(masses, gini):
    """Entropy in bits, or Gini index, of the masses of k classes."""
    total, found = masses.sum(), 0.0
    if total <= 0.0:
        return 0.0
    for m in masses:
        p = max(m, 0.0) / total
        if gini:
            found += p * (1.0 - p)
        elif p > 0.0:
            found -= p * math.log2(p)
    return found


@njit(**INNER)
def least_cost(masses, table):
    """Cost of the cheapest decision about masses of k classes; `table` as in CostMatrix."""
    best = np.inf
    for a in range(table.shape[1]):
        cost = 0.0
        for c in range(len(masses)):
            cost += masses[c] * table[c, a]
        best = min(best, cost)
    return best


@njit(**INNER)
def split_gain_many(how, left, node):
    """Gain of the split of a node's masses into `left` and the rest."""
    criterion, right = how.criterion, node - left
    n_left, n = left.sum(), node.sum()
    if n_left <= 0.0 or n_left >= n:
        return 0.0
    if criterion == COST:
        saved = least_cost(node, how.cost) - least_cost(left, how.cost)
        return (saved - least_cost(right, how.cost)) / (n * how.cost.max())
    if criterion >= ENTROPY:
        gini, share = criterion == GINI, n_left / n
        inside = share * impurity_many(left, gini) + (1.0 - share) * impurity_many(right, gini)
        return impurity_many(node, gini) - inside
    best = 0.0
    for c in range(len(node)):
        if 0.0 < node[c] < n:
            l0, r0 = n_left - left[c], n - n_left - right[c]
            best = max(best, split_gain(criterion, how.by_count, l0, left[c], r0, right[c]))
    return best


@njit(**INNER)
def scan_bins_many(hist, n_bins, node, how, best_gain):
    """Best threshold of a binned number: gain, last bin on the left (-1: none), missing left."""
    k = len(node) - 1
    where, missing_left = -1, False
    gap = hist[MISSING, k]
    for side in range(2 if gap > 0.0 else 1):
        left = hist[MISSING].copy() if side == 1 else np.zeros(k + 1)
        for b in range(n_bins if gap > 0.0 and side == 0 else n_bins - 1):
            if hist[b, k] <= 0.0:
                continue
            left += hist[b]
            if left[k] < how.min_leaf:
                continue
            if node[k] - left[k] < how.min_leaf:
                break
            gain = split_gain_many(how, left[:k], node[:k])
            if gain > best_gain + TIE:
                best_gain, where, missing_left = gain, b, side == 1
    return best_gain, where, missing_left


@njit(**INNER)
def scan_categories_many(hist, node, how, best_gain, group):
    """Best division of the categories among the prefixes of k orders, by the share of each class.

    For criteria of one class against the rest this is the best of all divisions, see
    `scan_categories`; for the others it is a search of k n instead of 2^n divisions.
    """
    k = len(node) - 1
    present, n = np.empty(MISSING + 1, dtype=np.int64), 0
    for b in range(MISSING + 1):
        if hist[b, k] > 0.0:
            present[n] = b
            n += 1
    found = False
    share = np.empty(n)
    for c in range(k):
        for j in range(n):
            total = 0.0
            for a in range(k):
                total += hist[present[j], a]
            share[j] = hist[present[j], c] / max(total, TINY)
        order, _ = stable_order(share)
        left = np.zeros(k + 1)
        for j in range(n - 1):
            left += hist[present[order[j]]]
            if left[k] < how.min_leaf or share[order[j + 1]] - share[order[j]] < TIE:
                continue
            if node[k] - left[k] < how.min_leaf:
                break
            gain = split_gain_many(how, left[:k], node[:k])
            if gain > best_gain + TIE:
                best_gain, found = gain, True
                group[:] = GOES_LEFT if 2.0 * left[k] >= node[k] else 0
                for i in range(n):
                    group[present[order[i]]] = SEEN | (GOES_LEFT if i <= j else 0)
    return best_gain, found


@njit(**INNER)
def scan_sorted_many(x, sample, start, node, how, best_gain):
    """Best threshold between any two values: gain, whether there is one, it, missing left."""
    k = len(node) - 1
    label, mass, size = sample.label, sample.mass, sample.size
    order, n = stable_order(x)
    gap = np.zeros(k + 1)
    for j in range(len(x) - 1, n - 1, -1):
        i = start + order[j]
        gap[label[i]] += mass[i]
        gap[k] += size[i]
    found, threshold, missing_left = False, 0.0, False
    for side in range(2 if len(x) > n else 1):
        left = gap.copy() if side == 1 else np.zeros(k + 1)
        for j in range(n if side == 0 and len(x) > n else n - 1):
            i = start + order[j]
            left[label[i]] += mass[i]
            left[k] += size[i]
            here, above = x[order[j]], x[order[j + 1]] if j + 1 < n else np.inf
            if left[k] < how.min_leaf or above == here:
                continue
            if node[k] - left[k] < how.min_leaf:
                break
            gain = split_gain_many(how, left[:k], node[:k])
            if gain > best_gain + TIE:
                best_gain, found, missing_left = gain, True, side == 1
                threshold = 0.5 * here + 0.5 * above
                if not threshold < above:
                    threshold = here
    return best_gain, found, threshold, missing_left
