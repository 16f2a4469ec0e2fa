"""Compiled growth of one tree: rows are divided in place, histograms come by subtraction."""

import math

import numpy as np
from numba import njit

from stakes.tree._split_jit import MISSING, scan_bins, scan_categories, scan_sorted

BINNED, COARSE, CATEGORY = 0, 1, 2  # a number whose bins are its values, one with more, a category
WIDE = 400  # with more features than this the stored histograms would not fit a cache


@njit(cache=True)
def fill(hist, column, rows, mass, size, start, end, sized):
    """Histogram of one feature over the rows of a node: masses of both classes, and sizes."""
    hist[:] = 0.0
    for i in range(start, end):
        b, m = column[rows[i]], mass[i]
        hist[b, int(m > 0.0)] += abs(m)
        if sized:
            hist[b, 2] += size[i]


@njit(cache=True)
def divide(column, X, f, rows, mass, size, start, end, kind, cut, threshold, missing_left, group):
    """Move the rows that go left to the front, keep the order; returns where the right begins."""
    n = end - start
    right_rows, right_mass = np.empty(n, dtype=rows.dtype), np.empty(n)
    right_size = np.empty(n)
    at, k = start, 0
    for i in range(start, end):
        row = rows[i]
        if kind == CATEGORY:
            left = group[column[row]] == 1
        elif column[row] == MISSING:
            left = missing_left
        elif cut >= 0:
            left = column[row] <= cut
        else:
            left = X[row, f] <= threshold
        if left:
            rows[at], mass[at], size[at] = row, mass[i], size[i]
            at += 1
        else:
            right_rows[k], right_mass[k], right_size[k] = row, mass[i], size[i]
            k += 1
    rows[at:end], mass[at:end], size[at:end] = right_rows[:k], right_mass[:k], right_size[:k]
    return at


@njit(cache=True)
def masses_of(mass, size, start, end, out):
    """Mass of the negative and of the positive class, and size, of a range of rows."""
    out[:] = 0.0
    for i in range(start, end):
        out[int(mass[i] > 0.0)] += abs(mass[i])
        out[2] += size[i]


@njit(cache=True, nogil=True)
def grow(
    X,
    codes,
    edges,
    n_bins,
    kinds,
    rows,
    mass,
    size,
    criterion,
    by_count,
    sized,
    max_depth,
    min_leaf,
    exact_rows,
    max_features,
    seed,
):
    """Grow a tree on `rows`, whose order is changed so that each node is one range of them.

    `mass` is positive for the positive class and negative for the other, `size` is what
    `min_leaf` counts (used if `sized`, else it is the absolute mass); both in the order of
    `rows`. Returns the arrays of the nodes: feature (-1: a leaf), threshold, left child (the
    right one is next to it), whether missing goes left, group of categories, start and end of
    the range of rows, depth; and the groups.
    """
    n, d = len(rows), len(codes)
    total = np.empty(3)
    masses_of(mass, size, 0, n, total)
    leaves = n if min_leaf <= 0.0 else min(float(n), total[2] / min_leaf)
    if max_depth < 40:
        leaves = min(float(leaves), 2.0**max_depth)
    capacity = 2 * int(leaves) + 3
    feature = np.full(capacity, -1, dtype=np.int32)
    threshold, left = np.zeros(capacity), np.zeros(capacity, dtype=np.int32)
    missing_left = np.zeros(capacity, dtype=np.uint8)
    group = np.full(capacity, -1, dtype=np.int32)
    starts = np.zeros(capacity, dtype=np.int64)
    ends = np.zeros(capacity, dtype=np.int64)
    depths = np.zeros(capacity, dtype=np.int32)
    any_category = False
    for f in range(d):
        any_category |= kinds[f] == CATEGORY
    groups = np.zeros((capacity if any_category else 1, MISSING + 1), dtype=np.uint8)
    trial, chosen = np.zeros(MISSING + 1, dtype=np.uint8), np.zeros(MISSING + 1, dtype=np.uint8)
    n_groups, n_nodes = 0, 1
    ends[0] = n

    # the smaller child is grown first, so no more than log2(n) histograms wait for their turn
    stored = max_features >= d and d <= WIDE and n > exact_rows
    n_slots = int(math.log2(n)) + 4 if stored else 1
    pool = np.empty((n_slots, d if stored else 1, MISSING + 1, 3))
    free = np.arange(n_slots)
    n_free = n_slots
    slots = np.full(capacity, -1, dtype=np.int64)
    if stored:
        n_free -= 1
        slots[0] = free[n_free]
        for f in range(d):
            fill(pool[slots[0], f], codes[f], rows, mass, size, 0, n, sized)
    scratch = np.empty((MISSING + 1, 3))
    values = np.empty(exact_rows)
    features = np.arange(d)
    node, sides = np.empty(3), np.empty((2, 3))
    waiting = np.empty(capacity, dtype=np.int64)
    waiting[0] = 0
    n_waiting = 1
    state = seed
    while n_waiting > 0:
        n_waiting -= 1
        at = waiting[n_waiting]
        start, end, slot = starts[at], ends[at], slots[at]
        masses_of(mass, size, start, end, node)
        best_gain, best_tie, best, cut, value, to_left = 0.0, 0.0, -1, -1, 0.0, False
        if node[0] > 0.0 and node[1] > 0.0 and node[2] >= 2.0 * min_leaf and depths[at] < max_depth:
            for j in range(d):
                if j >= max_features and best >= 0:
                    break
                if max_features < d:
                    state = state * 48271 % 2147483647  # Lehmer's generator, the same everywhere
                    k = j + state % (d - j)
                    features[j], features[k] = features[k], features[j]
                f = features[j]
                if kinds[f] == COARSE and end - start <= exact_rows:
                    x = values[: end - start]
                    for i in range(start, end):
                        x[i - start] = X[rows[i], f]
                    best_gain, best_tie, found, t, m = scan_sorted(
                        x,
                        mass[start:end],
                        size[start:end],
                        node,
                        min_leaf,
                        criterion,
                        by_count,
                        best_gain,
                        best_tie,
                    )
                    if found:
                        best, cut, value, to_left = f, -1, t, m
                    continue
                hist = scratch
                if slot >= 0:
                    hist = pool[slot, f]
                else:
                    fill(hist, codes[f], rows, mass, size, start, end, sized)
                if kinds[f] == CATEGORY:
                    best_gain, best_tie, b = scan_categories(
                        hist, sized, node, min_leaf, criterion, by_count, best_gain, best_tie, trial
                    )
                    if b >= 0:
                        best, cut = f, b
                        chosen[:] = trial
                    continue
                best_gain, best_tie, b, m = scan_bins(
                    hist, n_bins[f], sized, node, min_leaf, criterion, by_count, best_gain, best_tie
                )
                if b >= 0:
                    best, cut, to_left = f, b, m
                    value = edges[f, b] if b < n_bins[f] - 1 else np.inf
        middle = start
        if best >= 0:
            middle = divide(
                codes[best],
                X,
                best,
                rows,
                mass,
                size,
                start,
                end,
                kinds[best],
                cut,
                value,
                to_left,
                chosen,
            )
        if middle == start or middle == end:
            if slot >= 0:
                free[n_free] = slot
                n_free += 1
            continue
        feature[at], threshold[at], left[at] = best, value, n_nodes
        if kinds[best] == CATEGORY:
            group[at] = n_groups
            groups[n_groups] = chosen
            n_groups += 1
        starts[n_nodes], ends[n_nodes] = start, middle
        starts[n_nodes + 1], ends[n_nodes + 1] = middle, end
        depths[n_nodes] = depths[n_nodes + 1] = depths[at] + 1
        small = n_nodes if middle - start <= end - middle else n_nodes + 1
        large = 2 * n_nodes + 1 - small
        masses_of(mass, size, start, middle, sides[0])
        masses_of(mass, size, middle, end, sides[1])
        missing_left[at] = to_left
        if kinds[best] != CATEGORY and not _has_missing(codes[best], rows, start, end):
            missing_left[at] = sides[0, 2] >= sides[1, 2]
        if slot >= 0:
            keep_small = _goes_on(sides[small - n_nodes], min_leaf) and depths[small] < max_depth
            keep_small &= ends[small] - starts[small] > exact_rows
            keep_large = _goes_on(sides[large - n_nodes], min_leaf) and depths[large] < max_depth
            keep_large &= ends[large] - starts[large] > exact_rows
            if keep_small or keep_large:
                n_free -= 1
                own = free[n_free]
                for f in range(d):
                    fill(
                        pool[own, f], codes[f], rows, mass, size, starts[small], ends[small], sized
                    )
                if keep_large:
                    pool[slot] -= pool[own]
                    slots[large] = slot
                else:
                    free[n_free] = slot
                    n_free += 1
                if keep_small:
                    slots[small] = own
                else:
                    free[n_free] = own
                    n_free += 1
            else:
                free[n_free] = slot
                n_free += 1
        waiting[n_waiting], waiting[n_waiting + 1] = large, small
        n_waiting += 2
        n_nodes += 2
    k = n_nodes
    return (
        feature[:k].copy(),
        threshold[:k].copy(),
        left[:k].copy(),
        missing_left[:k].copy(),
        group[:k].copy(),
        starts[:k].copy(),
        ends[:k].copy(),
        depths[:k].copy(),
        groups[:n_groups].copy(),
    )


@njit(cache=True)
def _goes_on(masses, min_leaf):
    return masses[0] > 0.0 and masses[1] > 0.0 and masses[2] >= 2.0 * min_leaf


@njit(cache=True)
def _has_missing(column, rows, start, end):
    for i in range(start, end):
        if column[rows[i]] == MISSING:
            return True
    return False
