"""Compiled loops of _leaf_search.py: the part of a forest that a case can reach, and a first move.

A lever is something the adversary can move. Its positions are the intervals between the thresholds
of the forest, or the categories, which are kept as bits of a set.
"""

import numpy as np
from numba import njit

from stakes._core.jit import INNER

NUMBER, CATEGORY = 0, 1  # kinds of levers: ordered positions, a set of categories
_VISIT_ROOT, _VISIT_LEFT, _VISIT_RIGHT, _LOWER, _UPPER, _SET = range(6)  # tasks on a stack
_FIRST = 256.0  # share of the limit at which the first move is looked for


@njit(**INNER)
def _cross(threshold, x, rate, integer):
    """Largest amount on the low side of a threshold, smallest on the high side.

    The threshold is a pair of float32 numbers next to it, below and above, so that rounding to
    single precision, as in scikit-learn's trees, does not change the side.
    """
    below, above = threshold
    low, high = (below - x) / rate, (above - x) / rate
    if rate < 0:
        low, high = high, low
    if integer:
        low = np.floor(low + 1e-9)
        high = low + 1.0
    return low, high


@njit(**INNER)
def reduce_tree(root, x, trees, columns, levers, reach, out, size):
    """Copy the nodes below a root that a case can reach; return the index of the root's copy.

    A parent is copied before its children. `reach` is narrowed on the way down and restored: the
    stack holds nodes to visit and ends of intervals or sets to put back.
    """
    feature, below, above, left, right, group, value = trees[:7]
    default_left, bits, groups = trees[7:]
    of_lever, rate = columns
    kinds, integer = levers
    t_lo, t_hi, mask = reach
    lever, tl, tr, o_bits, o_left, o_right, o_value, parent = out
    first = size[0]
    task, node = np.empty(384, dtype=np.int64), np.empty(384, dtype=np.int64)
    above_it, end = np.empty(384, dtype=np.int64), np.empty(384)
    sets = np.empty(384, dtype=np.uint64)
    task[0], node[0], above_it[0] = _VISIT_ROOT, root, -1
    n = 1
    while n > 0:
        n -= 1
        what, k, up = task[n], node[n], above_it[n]
        if what == _LOWER:
            t_lo[k] = end[n]
            continue
        if what == _UPPER:
            t_hi[k] = end[n]
            continue
        if what == _SET:
            mask[k] = sets[n]
            continue
        while feature[k] >= 0:
            f = feature[k]
            l = of_lever[f]
            if l >= 0 and kinds[l] != NUMBER:
                goes_left, goes_right = (mask[l] & bits[k]) != 0, (mask[l] & ~bits[k]) != 0
            elif l >= 0 and not np.isnan(x[f]):
                low, high = _cross((below[k], above[k]), x[f], rate[f], integer[l])
                is_low, is_high = low >= t_lo[l], high <= t_hi[l]
                goes_left, goes_right = (is_low, is_high) if rate[f] > 0 else (is_high, is_low)
            else:
                if np.isnan(x[f]):
                    goes_left = default_left[k]
                elif group[k] >= 0:
                    code = int(x[f])
                    goes_left = groups[group[k], code] if 0 <= code < 256 else default_left[k]
                else:
                    goes_left = x[f] <= below[k]
                goes_right = not goes_left
            if goes_left and goes_right:
                break
            k = left[k] if goes_left else right[k]
        at = size[0]
        size[0] += 1
        parent[at] = up
        if what == _VISIT_LEFT:
            o_left[up] = at
        elif what == _VISIT_RIGHT:
            o_right[up] = at
        if feature[k] < 0:
            lever[at], o_value[at] = -1, value[k]
            continue
        if n + 6 > len(task):
            task, node = np.append(task, task), np.append(node, node)
            above_it, end = np.append(above_it, above_it), np.append(end, end)
            sets = np.append(sets, sets)
        f = feature[k]
        l = of_lever[f]
        lever[at] = l
        node[n : n + 6] = l
        above_it[n : n + 6] = at
        # last in, first out: narrow, left, put back, narrow, right, put back
        task[n + 1], task[n + 4] = _VISIT_RIGHT, _VISIT_LEFT
        if kinds[l] != NUMBER:
            o_bits[at] = bits[k]
            for j in (0, 2, 3, 5):
                task[n + j] = _SET
            sets[n], sets[n + 3] = mask[l], mask[l]
            sets[n + 2], sets[n + 5] = mask[l] & ~bits[k], mask[l] & bits[k]
            node[n + 1], node[n + 4] = right[k], left[k]
        else:
            low, high = _cross((below[k], above[k]), x[f], rate[f], integer[l])
            tl[at], tr[at] = low, high
            task[n], task[n + 2], task[n + 3], task[n + 5] = _LOWER, _LOWER, _UPPER, _UPPER
            end[n], end[n + 2] = t_lo[l], max(t_lo[l], high)
            end[n + 3], end[n + 5] = t_hi[l], min(t_hi[l], low)
            a, b = (left[k], right[k]) if rate[f] > 0 else (right[k], left[k])
            node[n + 1], node[n + 4] = b, a
        n += 6
    return first


@njit(cache=True)
def part_of(i, cases, top, forest, prices, work):
    """The part of the forest that case i can reach for less than `top`.

    Returns
    -------
    own : (T,) root of each tree
    part : (lever, cut, bits, left, right, value) of the nodes; a leaf has lever -1; values are
        relative to the drop that the case needs: it gets past if their sum is at most zero
    shape : (kinds, homes, offs, ways, money, where, mask): of each lever the position of the case,
        the offset and the number of its positions, and of these the price and the amount
    parent : parent of each node
    """
    E, target, lower, upper, home, allowed = cases
    trees, roots, columns, levers = forest
    unit, change, squared = prices
    kinds = levers[0]
    lever, tl, tr, bits, left, right, value, parent = work
    L, T = lower.shape[1], len(roots)
    t_lo, t_hi, mask = lower[i].copy(), upper[i].copy(), allowed[i].copy()
    for l in range(L):
        if kinds[l] == CATEGORY:
            if change[l] >= top:
                mask[l] = np.uint64(1) << np.uint64(home[i, l])
        elif change[l] >= top:
            t_lo[l], t_hi[l] = 0.0, 0.0
        elif unit[l] > 0.0:
            most = (top - change[l]) / unit[l]
            t_lo[l], t_hi[l] = max(t_lo[l], -most), min(t_hi[l], most)
    own, size = np.empty(T, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for t in range(T):
        own[t] = reduce_tree(roots[t], E[i], trees, columns, levers, (t_lo, t_hi, mask), work, size)
    s = size[0]
    offs, ways = np.zeros(L, dtype=np.int64), np.ones(L, dtype=np.int64)
    homes = np.zeros(L, dtype=np.int64)
    cut = np.zeros(s, dtype=np.int64)
    where, money = np.zeros(s + 65 * L), np.zeros(s + 65 * L)
    total = 0
    for l in range(L):
        offs[l] = total
        if kinds[l] == CATEGORY:
            ways[l], homes[l] = _length(mask[l]), home[i, l]
            for k in range(ways[l]):
                where[total + k] = k
                money[total + k] = 0.0 if k == homes[l] else change[l]
        else:
            mine = np.flatnonzero(lever[:s] == l)
            order = mine[np.argsort(tl[mine])]
            count = 0
            for j in range(len(order)):
                q = order[j]
                if j > 0 and tl[q] > tl[order[j - 1]]:
                    count += 1
                cut[q] = count
                # the position below a threshold ends at tl, the one above it starts at tr
                if tl[q] < 0.0:
                    homes[l] = count + 1
                    where[total + count] = tl[q]
                else:
                    where[total + count + 1] = tr[q]
            ways[l] = count + 2 if len(order) > 0 else 1
            for k in range(ways[l]):
                t = where[total + k]
                money[total + k] = change[l] + unit[l] * abs(t) if t != 0.0 else 0.0
        total += ways[l]
    if squared:
        money = money * money
    part = (lever[:s], cut, bits[:s], left[:s], right[:s], value[:s])
    shape = (kinds, homes, offs, ways, money[:total], where[:total], mask)
    need = value_at(own, part, shape, homes) - target[i]
    for k in range(s):
        if lever[k] < 0:
            value[k] = (value[k] - target[i] / T) / max(need, 1e-300)
    return own, part, shape, parent[:s], need


@njit(cache=True)
def value_at(roots, part, shape, point):
    """Sum of the leaf values at a point, given as one position per lever."""
    lever, cut, bits, left, right, value = part
    kinds = shape[0]
    total = 0.0
    for t in range(len(roots)):
        k = roots[t]
        while lever[k] >= 0:
            l = lever[k]
            if kinds[l] == NUMBER:
                goes_left = point[l] <= cut[k]
            else:
                goes_left = (bits[k] >> np.uint64(point[l])) & np.uint64(1) == 1
            k = left[k] if goes_left else right[k]
        total += value[k]
    return total


@njit(**INNER)
def _allowed(l, k, kinds, mask):
    return kinds[l] == NUMBER or (mask[l] >> np.uint64(k)) & np.uint64(1) == 1


@njit(**INNER)
def greedy(roots, part, shape, point, top):
    """Move a point past the forest: the largest drop per price first, then return what it can.

    Returns the price, infinite if it does not get past for less than `top`; `point` is changed.
    """
    kinds, homes, offs, ways, money, _, mask = shape
    L = len(homes)
    now, paid = value_at(roots, part, shape, point), 0.0
    for l in range(L):
        paid += money[offs[l] + point[l]]
    while now > 0.0:
        best, where, to, value = 0.0, -1, 0, now
        for l in range(L):
            was = point[l]
            for k in range(ways[l]):
                extra = money[offs[l] + k] - money[offs[l] + was]
                if k == was or paid + extra >= top or not _allowed(l, k, kinds, mask):
                    continue
                point[l] = k
                after = value_at(roots, part, shape, point)
                drop = now - max(after, 0.0)
                rate = drop / max(extra, 1e-12 * top)
                if drop > 1e-12 and rate > best:
                    best, where, to, value = rate, l, k, after
            point[l] = was
        if where < 0:
            return np.inf
        paid += money[offs[where] + to] - money[offs[where] + point[where]]
        point[where], now = to, value
    cheaper = True
    while cheaper:
        cheaper = False
        for l in range(L):
            was = point[l]
            best, to = money[offs[l] + was], was
            for k in range(ways[l]):
                if money[offs[l] + k] < best and _allowed(l, k, kinds, mask):
                    point[l] = k
                    if value_at(roots, part, shape, point) <= 0.0:
                        best, to = money[offs[l] + k], k
            point[l] = to
            if to != was:
                paid += best - money[offs[l] + was]
                cheaper = True
    return paid


@njit(cache=True)
def lowest_sum(roots, part):
    """Sum over the trees of the lowest leaf value within reach."""
    lever, left, right, value = part[0], part[3], part[4], part[5]
    lowest = np.empty(len(lever))
    for k in range(len(lever) - 1, -1, -1):
        lowest[k] = value[k] if lever[k] < 0 else min(lowest[left[k]], lowest[right[k]])
    total = 0.0
    for t in range(len(roots)):
        total += lowest[roots[t]]
    return total


@njit(cache=True)
def first_move(i, cases, limit, forest, prices, work):
    """A move of case i that gets past for less than the limit, by :func:`greedy`.

    The limit starts low and grows, so that the part of the forest within reach stays small.

    Returns
    -------
    (price, amounts)
        Price, squared if prices are; infinite if none was found, zero if none is needed.
    """
    squared = prices[2]
    top = limit / _FIRST
    while True:
        own, part, shape, _, need = part_of(i, cases, top, forest, prices, work)
        point = shape[1].copy()
        if need <= 0.0:
            return 0.0, amounts_at(point, shape)
        paid = greedy(own, part, shape, point, top * top if squared else top)
        if np.isfinite(paid) or top >= limit:
            return paid, amounts_at(point, shape)
        top = min(4.0 * top, limit)


@njit(cache=True)
def amounts_at(point, shape):
    """Amount of each number lever at a point, and number of each category."""
    out = np.empty(len(point))
    for l in range(len(point)):
        out[l] = shape[5][shape[2][l] + point[l]]
    return out


@njit(cache=True)
def leaf_paths(part, parent):
    """Entries (row, leaf) of the constraints: row 2 k + side for the leaves on a side of node k."""
    lever, left = part[0], part[3]
    s = len(lever)
    count = 0
    for k in range(s):
        if lever[k] < 0:
            q = k
            while parent[q] >= 0:
                q = parent[q]
                count += 1
    rows, leaves = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    at = 0
    for k in range(s):
        if lever[k] < 0:
            q = k
            while parent[q] >= 0:
                p = parent[q]
                rows[at], leaves[at] = 2 * p + (left[p] != q), k
                q = p
                at += 1
    return rows, leaves


@njit(**INNER)
def _length(mask):
    """Number of positions up to the last one in a set."""
    k = 0
    while k < 64 and mask >> np.uint64(k):
        k += 1
    return k
