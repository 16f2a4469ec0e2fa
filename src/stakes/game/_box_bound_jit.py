"""Compiled loops of _box_search.py: the score of a blend at a point, and its bound on a box.

A box is an interval of amounts of each number lever and a set of categories of each other one. The
score of a blend is a sum of increasing functions of sums of trees and of linear scores, so its
lowest value on a box is at least the sum of those functions at the lowest sums.
"""

import numpy as np
from numba import njit

from stakes._core.jit import INNER
from stakes.game._leaf_search_jit import CATEGORY

PROBABILITY, LOG_ODDS = 0, 1  # what the trees of a member add up to


@njit(**INNER)
def _link(total, kind, smallest):
    """Clipped log-odds of a member, and their slope."""
    if kind == LOG_ODDS:
        end = np.log((1.0 - smallest) / smallest)
        return min(max(total, -end), end), 1.0
    p = min(max(total, smallest), 1.0 - smallest)
    return np.log(p / (1.0 - p)), 1.0 / (p * (1.0 - p))


@njit(**INNER)
def _lowest(part, kinds, box, lowest):
    """Lowest leaf value below each node within a box; meaningless out of reach."""
    lever, tl, tr, bits, left, right, value = part
    lo, hi, mask = box
    for k in range(len(lever) - 1, -1, -1):
        l = lever[k]
        if l < 0:
            lowest[k] = value[k]
            continue
        if kinds[l] == CATEGORY:
            is_low, is_high = (mask[l] & bits[k]) != 0, (mask[l] & ~bits[k]) != 0
        else:
            # a cut lies within the intervals above it, so they need no attention here
            is_low, is_high = lo[l] < tr[k], hi[l] > tl[k]
        if is_low and is_high:
            lowest[k] = min(lowest[left[k]], lowest[right[k]])
        else:
            lowest[k] = lowest[left[k]] if is_low else lowest[right[k]]


@njit(**INNER)
def _add_cuts(own, part, kinds, box, matters, lowest, seen, cuts):
    """How much the splits of some trees matter within a box.

    `cuts`: of each lever the sum of the differences between the two sides of its splits, the
    largest one, and where that split is.
    """
    lever, tl, tr, bits, left, right, _ = part
    lo, hi, mask = box
    total, largest, below, above, sets = cuts
    for root in own:
        n = 1
        seen[0] = root
        while n > 0:
            n -= 1
            k = seen[n]
            l = lever[k]
            if l < 0:
                continue
            if kinds[l] == CATEGORY:
                is_low, is_high = (mask[l] & bits[k]) != 0, (mask[l] & ~bits[k]) != 0
            else:
                is_low, is_high = lo[l] < tr[k], hi[l] > tl[k]
            if is_low and is_high:
                difference = matters * abs(lowest[left[k]] - lowest[right[k]])
                total[l] += difference
                if difference > largest[l]:
                    largest[l] = difference
                    below[l], above[l], sets[l] = tl[k], tr[k], bits[k]
            if is_low:
                seen[n] = left[k]
                n += 1
            if is_high:
                seen[n] = right[k]
                n += 1


@njit(**INNER)
def lowest_score(own, part, kinds, box, blend, base, home, space):
    """Lower bound of the score on a box."""
    start, link, weight, ends, smallest, intercept, slopes, tables, shares = blend
    lo, hi, mask = box
    lowest = space[0]
    _lowest(part, kinds, box, lowest)
    score = intercept
    for g in range(len(start)):
        total = start[g]
        for t in range(ends[g], ends[g + 1]):
            total += lowest[own[t]]
        score += weight[g] * _link(total, link[g], smallest)[0]
    for m in range(len(shares)):
        total = base[m]
        for l in range(len(lo)):
            if kinds[l] == CATEGORY:
                total += _span(tables[m, l], mask[l])[0] - tables[m, l, home[l]]
            elif slopes[m, l] != 0.0:
                total += min(slopes[m, l] * lo[l], slopes[m, l] * hi[l])
        score += shares[m] * _link(total, LOG_ODDS, smallest)[0]
    return score


@njit(**INNER)
def _span(table, mask):
    """Lowest and highest entry of the categories in a set, and the number of the lowest."""
    a, b, to = np.inf, -np.inf, 0
    for k in range(len(table)):
        if (mask >> np.uint64(k)) & np.uint64(1):
            if table[k] < a:
                a, to = table[k], k
            b = max(b, table[k])
    return a, b, to


@njit(**INNER)
def where_to_split(own, part, kinds, box, blend, matters, space, cuts):
    """Lever on which to split a box after :func:`lowest_score`, -1 if nothing changes within it."""
    ends, slopes, tables, shares = blend[3], blend[6], blend[7], blend[8]
    lo, hi, mask = box
    total, largest, below, above, sets = cuts
    total[:] = 0.0
    largest[:] = 0.0
    for g in range(len(ends) - 1):
        mine = own[ends[g] : ends[g + 1]]
        _add_cuts(mine, part, kinds, box, matters[g], space[0], space[1], cuts)
    for m in range(len(shares)):
        for l in range(len(lo)):
            difference = 0.0
            if kinds[l] == CATEGORY:
                a, b, to = _span(tables[m, l], mask[l])
                difference = shares[m] * (b - a)
                if difference > largest[l]:
                    sets[l] = np.uint64(1) << np.uint64(to)
            elif slopes[m, l] != 0.0:
                difference = shares[m] * abs(slopes[m, l]) * (hi[l] - lo[l])
                if difference > largest[l]:
                    below[l] = above[l] = np.nan  # halve it
            largest[l] = max(largest[l], difference)
            total[l] += difference
    l = int(np.argmax(total))
    return l if largest[l] > 0.0 else -1


@njit(**INNER)
def _at(k, part, kinds, point):
    """Value of the tree at k at a point."""
    lever, tl, _, bits, left, right, value = part
    while lever[k] >= 0:
        l = lever[k]
        if kinds[l] == CATEGORY:
            is_low = (bits[k] >> np.uint64(int(point[l]))) & np.uint64(1) == 1
        else:
            is_low = point[l] <= tl[k]
        k = left[k] if is_low else right[k]
    return value[k]


@njit(**INNER)
def score_at(own, part, kinds, point, blend, base, home, matters):
    """The score at a point; `matters` gets its slope in the sum of each group of trees."""
    start, link, weight, ends, smallest, intercept, slopes, tables, shares = blend
    score = intercept
    for g in range(len(start)):
        total = start[g]
        for t in range(ends[g], ends[g + 1]):
            total += _at(own[t], part, kinds, point)
        value, slope = _link(total, link[g], smallest)
        score += weight[g] * value
        matters[g] = weight[g] * slope
    for m in range(len(shares)):
        total = base[m]
        for l in range(len(home)):
            if kinds[l] == CATEGORY:
                total += tables[m, l, int(point[l])] - tables[m, l, home[l]]
            else:
                total += slopes[m, l] * point[l]
        score += shares[m] * _link(total, LOG_ODDS, smallest)[0]
    return score
