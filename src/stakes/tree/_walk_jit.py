"""Compiled walks over a grown tree: codes of values, totals of nodes, leaves of rows."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.gain import split_gain
from stakes.tree._many_jit import split_gain_many
from stakes.tree._split_jit import GOES_LEFT, MISSING


class Walk(NamedTuple):
    """The arrays of `Nodes` that a walk from a root to a leaf reads."""

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    missing_left: np.ndarray
    group: np.ndarray
    groups: np.ndarray


@njit(cache=True, nogil=True, **ENTRY)
def code_values(x, edges, category, codes):
    """Bin of each value, the number of edges below it; categories are their own codes.

    There are 255 edges, the unused ones infinite, so that each search takes the same eight steps
    and adds comparisons instead of branching on them, which takes a sixth of the time.
    """
    for i in range(len(x)):
        v = x[i]
        if np.isnan(v):
            codes[i] = MISSING
        elif category:
            codes[i] = int(v)
        else:
            low, step = np.uint32(0), np.uint32(128)
            for _ in range(8):
                low += step * np.uint32(edges[low + step - np.uint32(1)] < v)
                step >>= np.uint32(1)
            codes[i] = low


@njit(cache=True, nogil=True, **ENTRY)
def node_totals(tree, rows, label, value, totals):
    """Add up the values of each class in every node: leaves from rows, others from children.

    Children come after their parent, so a backward pass meets them first.
    """
    left = tree.left
    for k in range(len(left) - 1, -1, -1):
        if left[k] > 0:
            for c in range(totals.shape[1]):
                totals[k, c] = totals[left[k], c] + totals[left[k] + 1, c]
        else:
            for i in range(tree.start[k], tree.end[k]):
                row = rows[i]
                totals[k, label[row]] += value[row]


@njit(**INNER)
def leaf_of(X, i, walk, root):
    """The leaf that row i reaches from a root."""
    # unpacked first: reading the tuple inside the loop takes 1.7 times as long
    feature, threshold, left, missing_left, group, groups = walk
    at = np.uint32(root)  # unsigned indices need no check for negative ones
    f = feature[at]
    while f >= 0:
        v, t = X[i, np.uint32(f)], threshold[at]
        if v == v and t == t:  # adding the comparison avoids a branch mispredicted half the time
            at = np.uint32(left[at] + (v > t))
        else:  # a missing value, or a category, whose threshold is NaN
            if group[at] >= 0:
                code = int(v) if v >= 0.0 and v < MISSING else MISSING
                to_left = groups[group[at], code] & GOES_LEFT
            else:
                to_left = missing_left[at]
            at = np.uint32(left[at] + 1 - to_left)
        f = feature[at]
    return at


@njit(cache=True, nogil=True, **ENTRY)
def leaves_of(X, walk, root, out):
    """The leaf of every row."""
    for i in range(len(X)):
        out[i] = leaf_of(X, i, walk, root)


@njit(cache=True, nogil=True, **ENTRY)
def add_leaf_values(X, walk, roots, values, out):
    """Sum over the trees of the value of every row's leaf.

    Rows go in blocks that stay in the cache while tree after tree reads them; for each row the
    trees are added in order, so the sum does not depend on the block or the number of threads.
    """
    n, block = len(X), 256
    for first in range(0, n, block):
        for t in range(len(roots)):
            for i in range(first, min(first + block, n)):
                out[i] += values[leaf_of(X, i, walk, roots[t])]


@njit(cache=True, **ENTRY)
def node_gains(left, masses, how, table):
    """Gain of the split of every node, by the masses of the classes; zero for a leaf."""
    found = np.zeros(len(left))
    for k in range(len(left)):
        if left[k] > 0:
            a, b = masses[left[k]], masses[left[k] + 1]
            if table is not None:
                found[k] = split_gain_many(how, a, a + b)
            elif a[0] + b[0] > 0.0 and a[1] + b[1] > 0.0:
                found[k] = split_gain(how.criterion, how.by_count, a[0], a[1], b[0], b[1])
    return found


@njit(cache=True, **ENTRY)
def keep_monotonic(left, direction, value):
    """Move the values of nodes so that none below a constrained split is on the wrong side.

    `direction` is that of the feature of each node. All values on its left stay on one side of the
    middle between its two children, all values on its right on the other.
    """
    low, high = np.full(len(left), -np.inf), np.full(len(left), np.inf)
    for k in range(len(left)):
        value[k] = min(max(value[k], low[k]), high[k])
        if left[k] > 0:
            a, b = left[k], left[k] + 1
            low[a], high[a], low[b], high[b] = low[k], high[k], low[k], high[k]
            if direction[k] != 0:
                middle = 0.5 * (value[a] + value[b])
                middle = min(max(middle, low[k]), high[k])
                below, above = (a, b) if direction[k] > 0 else (b, a)
                high[below], low[above] = middle, middle
