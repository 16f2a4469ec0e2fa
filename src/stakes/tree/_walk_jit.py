"""Compiled walks over a grown tree: codes of values, totals of nodes, leaves of rows."""

import numpy as np
from numba import njit

from stakes.tree._split_jit import MISSING


@njit(cache=True, nogil=True)
def code_values(x, edges, category, codes):
    """Bin of each value: how many edges lie below it; categories are their own codes."""
    for i in range(len(x)):
        v = x[i]
        if np.isnan(v):
            codes[i] = MISSING
        elif category:
            codes[i] = int(v)
        else:
            low, high = 0, len(edges)
            while low < high:
                middle = (low + high) // 2
                if edges[middle] < v:
                    low = middle + 1
                else:
                    high = middle
            codes[i] = low


@njit(cache=True, nogil=True)
def node_totals(left, starts, ends, rows, label, value):
    """Sum of the values of both classes in every node: leaves from rows, others from children."""
    n_nodes = len(left)
    totals = np.zeros((n_nodes, 2))
    for k in range(n_nodes - 1, -1, -1):
        if left[k] > 0:
            totals[k] = totals[left[k]] + totals[left[k] + 1]
        else:
            for i in range(starts[k], ends[k]):
                row = rows[i]
                totals[k, label[row]] += value[row]
    return totals


@njit(cache=True, nogil=True)
def draw_to_parents(left, totals, n, added, mean):
    """Mean of a node's examples and of some more like those of its parent, from the root down."""
    for k in range(len(left)):
        if left[k] > 0:
            for child in range(left[k], left[k] + 2):
                for j in range(totals.shape[1]):
                    more = added * mean[k, j]
                    mean[child, j] = (totals[child, j] + more) / (n[child] + added)


@njit(cache=True)
def leaf_of(X, i, feature, threshold, left, missing_left, group, groups, root):
    """The leaf that row i reaches from a root."""
    at = np.uint32(root)
    f = feature[at]
    while f >= 0:
        v, t = X[i, np.uint32(f)], threshold[at]
        if v == v and t == t:  # the sum, not a branch: half of all branches are guessed wrongly
            at = np.uint32(left[at] + (v > t))
        else:  # a missing value, or a category: its threshold is NaN
            if group[at] >= 0:
                code = int(v) if v >= 0.0 and v < MISSING else MISSING
                to_left = groups[group[at], code]
            else:
                to_left = missing_left[at]
            at = np.uint32(left[at] + 1 - to_left)
        f = feature[at]
    return at


@njit(cache=True, nogil=True)
def leaves_of(X, feature, threshold, left, missing_left, group, groups, root, out):
    """The leaf of every row."""
    for i in range(len(X)):
        out[i] = leaf_of(X, i, feature, threshold, left, missing_left, group, groups, root)


@njit(cache=True, nogil=True)
def add_leaf_values(X, feature, threshold, left, missing_left, group, groups, roots, values, out):
    """Sum over trees of what the leaf of every row is worth, block of rows by block."""
    n, block = len(X), 256
    for first in range(0, n, block):
        for t in range(len(roots)):
            for i in range(first, min(first + block, n)):
                k = leaf_of(X, i, feature, threshold, left, missing_left, group, groups, roots[t])
                out[i] += values[k]
