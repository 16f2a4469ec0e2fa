"""Compiled loops of _box_search.py: boxes of moves past a blend, the cheapest first."""

import numpy as np
from numba import njit

from stakes._core.jit import INNER
from stakes.game._box_bound_jit import lowest_score, score_at, where_to_split
from stakes.game._leaf_search_jit import CATEGORY, reduce_tree

_FIRST, _GROWTH = 64.0, 8.0  # share of the limit that moves are first looked for below, growth


@njit(**INNER)
def _nearest(l, kinds, box, home):
    """Cheapest position of a lever within a box."""
    lo, hi, mask = box
    if kinds[l] != CATEGORY:
        return min(max(0.0, lo[l]), hi[l])
    if (mask[l] >> np.uint64(home[l])) & np.uint64(1):
        return float(home[l])
    k = 0
    while not (mask[l] >> np.uint64(k)) & np.uint64(1):
        k += 1
    return float(k)


@njit(**INNER)
def _each_price(l, kinds, box, home, prices):
    at = _nearest(l, kinds, box, home)
    if at == (float(home[l]) if kinds[l] == CATEGORY else 0.0):
        return 0.0
    return prices[1][l] + (0.0 if kinds[l] == CATEGORY else prices[0][l] * abs(at))


@njit(**INNER)
def _price(kinds, box, home, prices):
    """Price of the cheapest point of a box."""
    total = 0.0
    for l in range(len(home)):
        one = _each_price(l, kinds, box, home, prices)
        total += one * one if prices[2] else one
    return np.sqrt(total) if prices[2] else total


@njit(**INNER)
def _within(kinds, integer, box, home, prices, top):
    """Cut a box to what can be reached for less than `top`."""
    unit, change, squared = prices
    lo, hi, mask = box
    paid = _price(kinds, box, home, prices)
    for l in range(len(home)):
        one = _each_price(l, kinds, box, home, prices)
        if squared:
            left = np.sqrt(max(top * top - paid * paid + one * one, 0.0))
        else:
            left = top - paid + one
        if left <= change[l] and one == 0.0:
            if kinds[l] == CATEGORY:
                mask[l] = np.uint64(1) << np.uint64(home[l])
            else:
                lo[l] = hi[l] = 0.0
        elif kinds[l] != CATEGORY and unit[l] > 0.0:
            most = max(left - change[l], 0.0) / unit[l] * (1.0 + 1e-9)
            if integer[l]:
                most = np.floor(most)
            lo[l], hi[l] = max(lo[l], min(-most, hi[l])), min(hi[l], max(most, lo[l]))


@njit(**INNER)
def _part(x, forest, box, blend, work):
    """Roots and nodes of what a case can reach within a box; trees with one leaf are added up."""
    trees, roots, columns, levers = forest
    start, link, weight, ends, smallest, intercept, slopes, tables, shares = blend
    own, size = np.empty(len(roots), dtype=np.int64), np.zeros(1, dtype=np.int64)
    lever, tl, tr, bits, left, right, value, _ = work
    first, last, count = start.copy(), np.zeros_like(ends), 0
    for g in range(len(start)):
        for t in range(ends[g], ends[g + 1]):
            was = size[0]
            root = reduce_tree(roots[t], x, trees, columns, levers, box, work, size)
            if lever[root] < 0:
                first[g] += value[root]
                size[0] = was
            else:
                own[count] = root
                count += 1
        last[g + 1] = count
    s = size[0]
    part = (lever[:s], tl[:s], tr[:s], bits[:s], left[:s], right[:s], value[:s])
    blend = (first, link, weight, last, smallest, intercept, slopes, tables, shares)
    return own[:count], part, blend


@njit(cache=True)
def cheapest_move(i, cases, limit, forest, prices, blend, base, work, how):
    """Cheapest move of case i past a blend.

    The limit starts low and grows, so that the part of the trees within reach stays small.

    Returns
    -------
    (price, bound, amounts, boxes, score)
        Price of the best move found, infinite if none; a lower bound on the price of any; the
        amounts; how many boxes were looked at; and the score before any move.
    """
    settle, max_boxes, tol = how
    proved, used, top = 0.0, 0, limit / _FIRST
    while True:
        how = (settle, max_boxes - used, tol)
        reached = (proved, top)
        price, bound, amounts, more, score = _below(
            i, cases, reached, forest, prices, blend, base, work, how
        )
        used += more
        if np.isfinite(price) or top >= limit or bound < top or used >= max_boxes:
            return price, bound, amounts, used, score
        proved, top = bound, min(_GROWTH * top, limit)


@njit(**INNER)
def _below(i, cases, reached, forest, prices, blend, base, work, how):
    """As :func:`cheapest_move`, for moves below a limit: the cheapest boxes first."""
    E, target, lower, upper, homes, allowed = cases
    proved, limit = reached
    settle, max_boxes, tol = how
    kinds, integer = forest[3]
    home = homes[i]
    L = len(home)
    amounts, matters = np.zeros(L), np.empty(len(blend[0]))
    lo, hi = np.zeros((max_boxes + 2, L)), np.zeros((max_boxes + 2, L))
    mask, key = np.zeros((max_boxes + 2, L), dtype=np.uint64), np.zeros(max_boxes + 2)
    lo[0], hi[0], mask[0], key[0] = lower[i], upper[i], allowed[i], proved
    first = (lo[0], hi[0], mask[0])
    _within(kinds, integer, first, home, prices, limit)
    own, part, blend = _part(E[i], forest, first, blend, work)
    cuts = (np.zeros(L), np.zeros(L), np.zeros(L), np.zeros(L), np.zeros(L, dtype=np.uint64))
    space = (np.empty(len(part[0])), np.empty(len(part[0]) + 1, dtype=np.int64))
    point, slopes = _point(kinds, first, home), np.empty(len(matters))
    start = score_at(own, part, kinds, point, blend, base[i], home, slopes)
    if start <= target[i]:
        return 0.0, 0.0, point, 0, start
    count, used, best, stuck = 1, 0, np.inf, np.inf
    while count > 0 and used < max_boxes:
        j = np.argmin(key[:count])
        if key[j] >= min(best * (1.0 - tol), limit, stuck):
            break
        here, low = (lo[j].copy(), hi[j].copy(), mask[j].copy()), key[j]
        count -= 1
        lo[j], hi[j], mask[j], key[j] = lo[count], hi[count], mask[count], key[count]
        _within(kinds, integer, here, home, prices, min(best, limit))
        used += 1
        if lowest_score(own, part, kinds, here, blend, base[i], home, space) > target[i]:
            continue
        # where trees do not change within the box, the far corner decides
        point = _far_corner(kinds, here, home, blend)
        paid = _price(kinds, (point, point, here[2]), home, prices)
        if paid < min(best, limit):
            if score_at(own, part, kinds, point, blend, base[i], home, matters) <= target[i]:
                best, amounts = paid, point
                if not settle:
                    break
        l = where_to_split(own, part, kinds, here, blend, slopes, space, cuts)
        if l < 0:
            stuck = min(stuck, low)
            continue
        below, above = cuts[2][l], cuts[3][l]
        if kinds[l] != CATEGORY and np.isnan(below):
            below = above = _middle(here[0][l], here[1][l])
            if integer[l]:
                below = np.floor(below)
                above = below + 1.0
        for side in range(2):
            a, b, c = here[0].copy(), here[1].copy(), here[2].copy()
            if kinds[l] == CATEGORY:
                c[l] &= cuts[4][l] if side == 0 else ~cuts[4][l]
            elif side == 0:
                b[l] = below
            else:
                a[l] = above
            if a[l] > b[l]:
                continue  # between the two numbers next to a threshold, which trees round away
            paid = _price(kinds, (a, b, c), home, prices)
            if paid >= min(best, limit):
                continue
            point = _point(kinds, (a, b, c), home)
            if score_at(own, part, kinds, point, blend, base[i], home, matters) <= target[i]:
                best, amounts = paid, point
            else:
                lo[count], hi[count], mask[count], key[count] = a, b, c, max(paid, low)
                count += 1
        if not settle and np.isfinite(best):
            break
    bound = min(best, limit, stuck)
    for j in range(count):
        bound = min(bound, key[j])
    return best, bound, amounts, used, start


@njit(**INNER)
def _middle(lo, hi):
    """Where to halve an interval, which may have no end."""
    if np.isinf(lo) and np.isinf(hi):
        return 0.0
    if np.isinf(hi):
        return lo + max(1.0, abs(lo))
    if np.isinf(lo):
        return hi - max(1.0, abs(hi))
    return 0.5 * (lo + hi)


@njit(**INNER)
def _far_corner(kinds, box, home, blend):
    """The corner of a box where the linear members are lowest, at the nearest categories."""
    slopes, shares = blend[6], blend[8]
    out = _point(kinds, box, home)
    for l in range(len(home)):
        slope = 0.0
        for m in range(len(shares)):
            slope += shares[m] * slopes[m, l]
        if kinds[l] != CATEGORY and slope != 0.0:
            end = box[0][l] if slope > 0.0 else box[1][l]
            out[l] = end if np.isfinite(end) else out[l]
    return out


@njit(**INNER)
def _point(kinds, box, home):
    """The cheapest point of a box."""
    out = np.empty(len(home))
    for l in range(len(home)):
        out[l] = _nearest(l, kinds, box, home)
    return out
