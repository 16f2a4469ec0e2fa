"""Compiled growth of one tree: rows are partitioned in place, histograms found by subtraction.

What few trees need is `None` where it is not needed: `table` (how.cost) with two classes, `group`
without categories, `ratio` for other criteria than the gain ratio. Numba drops a branch on an
argument that is None before it compiles, so that a plain first fit does not wait for the others.
For the same reason arrays are filled by loops: an array expression takes far longer to compile.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.gain import TIE, impurity
from stakes.tree._histograms_jit import SIZE, fill, fill_all, release, take_slot
from stakes.tree._many_jit import scan_bins_many, scan_categories_many, scan_sorted_many
from stakes.tree._split_jit import GOES_LEFT, MISSING, scan_bins, scan_categories, scan_sorted

BINNED, COARSE, CATEGORY = 0, 1, 2  # number with a bin per value, with coarser bins; category


class Settings(NamedTuple):
    """How a tree is grown; `sized` says that sizes are counted apart from the masses.

    `cost` (k, k) is the table of costs that the criterion "cost" uses for more than two classes;
    None with two.
    """

    n_classes: int
    cost: np.ndarray | None
    criterion: int
    by_count: bool
    sized: bool
    max_depth: int
    min_leaf: float
    exact_rows: int
    max_features: int


class Tree(NamedTuple):
    """Arrays with one entry per node (`groups`: one row per categorical split).

    A leaf has feature -1. The right child is next to the left one, and children come after their
    parent. `start` and `end` delimit the node's range of rows.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    missing_left: np.ndarray
    group: np.ndarray
    start: np.ndarray
    end: np.ndarray
    depth: np.ndarray
    groups: np.ndarray


class Scratch(NamedTuple):
    """Memory that every search reuses."""

    hist: np.ndarray
    values: np.ndarray
    features: np.ndarray
    seed: np.ndarray
    node: np.ndarray
    sides: np.ndarray


class Split(NamedTuple):
    """Best split so far; feature -1: none. `cut` is the last bin on the left, -1 if exact."""

    gain: float
    tie: float
    feature: int
    cut: int
    threshold: float
    missing_left: bool


@njit(cache=True, nogil=True, **ENTRY)
def grow(binned, sample, how, tree, histograms, scratch, group, ratio):
    """Grow a tree on the sample, which is reordered; returns the number of nodes and groups.

    `group` (256,), or None without categories, holds the best categorical split so far.
    """
    node, sides = scratch.node, scratch.sides
    if histograms.slot[0] >= 0:
        root = histograms.pool[histograms.slot[0]]
        fill_all(root, binned.codes, sample, tree.start[0], tree.end[0], how.sized)
    waiting = np.empty(len(tree.left), dtype=np.int64)
    waiting[0] = 0
    n_waiting, n_nodes, n_groups = 1, 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        at = waiting[n_waiting]
        start, end = tree.start[at], tree.end[at]
        add_masses(sample, start, end, node)
        middle = start
        if can_split(node, tree.depth[at], how):
            slot = histograms.slot[at]
            if ratio is None:
                split = best_split(
                    binned, sample, start, end, how, scratch, histograms.pool, slot, group
                )
            else:
                split = best_ratio(
                    binned, sample, start, end, how, scratch, histograms.pool, slot, group
                )
            if split.feature >= 0:
                middle = divide(binned, sample, start, end, split, group)
        if middle == start or middle == end:  # no split, or one that separates nothing
            release(histograms, histograms.slot[at])
            continue
        left, right = n_nodes, n_nodes + 1
        tree.feature[at], tree.threshold[at] = split.feature, split.threshold
        tree.left[at] = left
        tree.start[left], tree.end[left] = start, middle
        tree.start[right], tree.end[right] = middle, end
        tree.depth[left] = tree.depth[right] = tree.depth[at] + 1
        add_masses(sample, start, middle, sides[0])
        add_masses(sample, middle, end, sides[1])
        tree.missing_left[at] = split.missing_left
        if group is not None and binned.kinds[split.feature] == CATEGORY:
            tree.group[at] = n_groups
            for code in range(len(group)):
                tree.groups[n_groups, code] = group[code]
            n_groups += 1
        elif not has_missing(binned.codes[split.feature], sample.rows, start, end):
            tree.missing_left[at] = sides[0, SIZE] >= sides[1, SIZE]  # none seen: the larger side
        small = left if middle - start <= end - middle else right
        large = left + right - small
        pass_on(histograms, binned.codes, sample, how, tree, sides, at, small)
        # the smaller child is grown first: it has at most half of the rows, so at most log2(n)
        # nodes with a histogram wait at any time, which is what `make_histograms` allots
        waiting[n_waiting], waiting[n_waiting + 1] = large, small
        n_waiting += 2
        n_nodes += 2
    return n_nodes, n_groups


@njit(inline="always", **INNER)
def pass_on(histograms, codes, sample, how, tree, sides, at, small):
    """Give the children their histograms: the smaller one counts, the larger one is the rest."""
    slot = histograms.slot[at]
    if slot < 0:
        return
    left = tree.left[at]
    large = 2 * left + 1 - small
    small_needs = needs_histogram(tree, small, sides[small - left], how)
    large_needs = needs_histogram(tree, large, sides[large - left], how)
    if not (small_needs or large_needs):
        release(histograms, slot)
        return
    own = take_slot(histograms)
    pool = histograms.pool
    fill_all(pool[own], codes, sample, tree.start[small], tree.end[small], how.sized)
    if large_needs:
        subtract(pool[slot], pool[own])  # the parent's slot becomes the larger child's
        histograms.slot[large] = slot
    else:
        release(histograms, slot)
    if small_needs:
        histograms.slot[small] = own
    else:
        release(histograms, own)


@njit(**INNER)
def subtract(hists, less):
    """Take one set of histograms from another, in place."""
    for f in range(hists.shape[0]):
        for b in range(hists.shape[1]):
            for c in range(hists.shape[2]):
                hists[f, b, c] -= less[f, b, c]


@njit(**INNER)
def needs_histogram(tree, k, masses, how):
    """Whether a node may split, with more rows than are searched exactly."""
    return can_split(masses, tree.depth[k], how) and tree.end[k] - tree.start[k] > how.exact_rows


@njit(**INNER)
def can_split(masses, depth, how):
    """Whether a node has two classes, enough size for two leaves, and is not too deep."""
    n_present = 0
    for c in range(how.n_classes):
        n_present += masses[c] > 0.0
    return n_present > 1 and masses[SIZE] >= 2.0 * how.min_leaf and depth < how.max_depth


@njit(inline="always", **INNER)
def best_split(binned, sample, start, end, how, scratch, pool, slot, group):
    """The best split over the features, in the order of the draw; ties keep the first.

    Each search only reports a split that beats the best one so far, so `group` belongs to the
    best split whenever that is categorical. If the `max_features` drawn features cannot be split,
    more are drawn until one can.
    """
    d, node = len(binned.codes), scratch.node
    best = Split(0.0, 0.0, -1, -1, 0.0, False)
    for j in range(d):
        if j >= how.max_features and best.feature >= 0:
            break
        f = draw_feature(scratch, j) if how.max_features < d else j
        if binned.kinds[f] == COARSE and end - start <= how.exact_rows:
            x = scratch.values[: end - start]
            for i in range(end - start):
                x[i] = binned.X[sample.rows[start + i], f]
            best = search_values(
                x, binned.monotonic[f], f, sample, start, how, node, best, how.cost
            )
        else:
            hist = histogram_of(f, binned.codes, sample, start, end, how, scratch.hist, pool, slot)
            best = search_histogram(hist, binned, f, how, node, best, group, how.cost)
    return best


@njit(**INNER)
def histogram_of(f, codes, sample, start, end, how, spare, pool, slot):
    """Histogram of a feature in a node, stored or counted."""
    if slot >= 0:
        return pool[slot, f]
    fill(spare, codes[f], sample, start, end, how.sized)
    return spare


@njit(**INNER)
def best_ratio(binned, sample, start, end, how, scratch, pool, slot, group):
    """The feature with the largest ratio of gain and split information, as in C4.5.

    Each feature proposes its split with the largest gain; only those whose gain is at least the
    average of all proposals compete.
    """
    d, node = len(binned.codes), scratch.node
    none = Split(0.0, 0.0, -1, -1, 0.0, False)
    best, best_of_all = none, 0.0
    best_group = np.zeros(MISSING + 1, dtype=np.uint8)
    gains = np.zeros(d)
    for turn in range(2):
        average = gains.sum() / max(np.count_nonzero(gains), 1)
        for j in range(d):
            if turn == 0 and j >= how.max_features and gains.max() > 0.0:
                break
            if turn == 0 and how.max_features < d:
                draw_feature(scratch, j)
            f = scratch.features[j]
            if turn == 1 and (gains[f] <= 0.0 or gains[f] < average - TIE):
                continue
            hist = histogram_of(f, binned.codes, sample, start, end, how, scratch.hist, pool, slot)
            split = search_histogram(hist, binned, f, how, node, none, group, how.cost)
            if split.feature < 0:
                continue
            gains[f] = split.gain
            if turn == 1:
                share = share_left(binned, sample, start, end, split, group)
                ratio = split.gain / impurity(share, 1.0 - share, False)
                if ratio > best_of_all + TIE:
                    best, best_of_all = split, ratio
                    if group is not None:
                        best_group[:] = group
    if group is not None:
        group[:] = best_group
    return best


@njit(**INNER)
def share_left(binned, sample, start, end, split, group):
    """Share of a node's mass that a split sends left."""
    left, total, column = 0.0, 0.0, binned.codes[split.feature]
    for i in range(start, end):
        code = column[sample.rows[i]]
        total += sample.mass[i]
        if group is not None and binned.kinds[split.feature] == CATEGORY:
            goes = group[code] & GOES_LEFT == GOES_LEFT
        else:
            goes = split.missing_left if code == MISSING else code <= split.cut
        left += sample.mass[i] if goes else 0.0
    return left / total


@njit(**INNER)
def search_values(x, monotonic, f, sample, start, how, node, best, table):
    """The best split so far, or a better one at any of the values of feature f."""
    if table is not None:
        tie = 0.0
        gain, found, value, to_left = scan_sorted_many(x, sample, start, node, how, best.gain)
    else:
        gain, tie, found, value, to_left = scan_sorted(
            x, sample, start, node, how, monotonic, best.gain, best.tie
        )
    return Split(gain, tie, f, -1, value, to_left) if found else best


@njit(**INNER)
def search_histogram(hist, binned, f, how, node, best, group, table):
    """The best split so far, or a better one between the bins or categories of feature f."""
    n_bins, tie = binned.n_bins[f], 0.0
    if group is not None and binned.kinds[f] == CATEGORY:
        if table is not None:
            gain, found = scan_categories_many(hist, node, how, best.gain, group)
            cut = 0 if found else -1
        else:
            gain, tie, cut = scan_categories(hist, node, how, best.gain, best.tie, group)
        return Split(gain, tie, f, cut, np.nan, False) if cut >= 0 else best  # see the group
    if table is not None:
        gain, cut, to_left = scan_bins_many(hist, n_bins, node, how, best.gain)
    else:
        gain, tie, cut, to_left = scan_bins(
            hist, n_bins, node, how, binned.monotonic[f], best.gain, best.tie
        )
    if cut < 0:
        return best
    return Split(gain, tie, f, cut, binned.edges[f, cut] if cut < n_bins - 1 else np.inf, to_left)


@njit(**INNER)
def draw_feature(scratch, j):
    """The j-th entry of a random order of the features, made as far as it is asked for.

    Lehmer's generator with multiplier 48271 gives the same draws on every platform.
    """
    features, seed = scratch.features, scratch.seed
    seed[0] = seed[0] * 48271 % 2147483647
    k = j + seed[0] % (len(features) - j)
    features[j], features[k] = features[k], features[j]
    return features[j]


@njit(inline="always", **INNER)
def divide(binned, sample, start, end, split, group):
    """Move the rows that go left to the front of the range; returns where the others begin.

    Both sides keep their order, so sums over a node do not depend on the splits above it.
    """
    rows, label, mass, size = sample
    f, cut, threshold, missing_left = split.feature, split.cut, split.threshold, split.missing_left
    column, X, kind = binned.codes[f], binned.X, binned.kinds[f]
    n = end - start
    right_rows, right_label = np.empty(n, dtype=rows.dtype), np.empty(n, dtype=label.dtype)
    right_mass, right_size = np.empty(n), np.empty(n)
    at, k = start, 0
    for i in range(start, end):
        row = rows[i]
        if group is not None and kind == CATEGORY:
            left = group[column[row]] & GOES_LEFT == GOES_LEFT
        elif column[row] == MISSING:
            left = missing_left
        elif cut >= 0:
            left = column[row] <= cut
        else:
            left = X[row, f] <= threshold
        if left:
            rows[at], label[at], mass[at], size[at] = row, label[i], mass[i], size[i]
            at += 1
        else:
            right_rows[k], right_label[k] = row, label[i]
            right_mass[k], right_size[k] = mass[i], size[i]
            k += 1
    for j in range(k):
        rows[at + j], label[at + j] = right_rows[j], right_label[j]
        mass[at + j], size[at + j] = right_mass[j], right_size[j]
    return at


@njit(**INNER)
def add_masses(sample, start, end, out):
    """Mass of each class in a range of rows, and size."""
    label, mass, size = sample.label, sample.mass, sample.size
    out[:] = 0.0
    for i in range(start, end):
        out[label[i]] += mass[i]
        out[SIZE] += size[i]


@njit(**INNER)
def has_missing(column, rows, start, end):
    """Whether a feature is missing in one of the rows."""
    for i in range(start, end):
        if column[rows[i]] == MISSING:
            return True
    return False
