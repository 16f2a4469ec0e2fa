"""Checks that following a tree's children ends, inside the tree."""

import numpy as np

from stakes._core.stored.plain import Damaged

MAX_TREE_DEPTH = 5_000  # LightGBM and XGBoost visit the nodes of a tree by recursion


def within(values, low, high):
    """Whether all values are in [low, high)."""
    return bool(np.all((values >= low) & (values < high)))


def sound_children(left, right, inner, n):
    """Whether children follow their parent inside the tree, and each node but one is a child."""
    at = np.flatnonzero(inner)
    below = [side[inner].astype(np.int64) for side in (left, right)]
    if not all(within(side, at + 1, n) for side in below):
        return False
    return bool((np.bincount(np.concatenate(below), minlength=n)[1:] == 1).all())


def check_walks(left, right, n):
    """Refuse a tree in which a walk from the root leaves the tree, meets a node twice or is long.

    `left` and `right` are the children of the first nodes; later nodes, and nodes with negative
    children, are leaves.
    """
    level, seen = np.zeros(1, dtype=np.int64), np.zeros(n, dtype=bool)
    for _ in range(MAX_TREE_DEPTH):
        seen[level] = True
        level = level[level < len(left)]
        below = np.concatenate([left[level], right[level]]).astype(np.int64)
        leaf = below < 0
        if np.any(leaf != np.tile(leaf[: len(level)], 2)):
            raise Damaged("a tree node has only one child")
        below = below[~leaf]
        if not len(below):
            return seen
        if not within(below, 0, n) or seen[below].any() or len(np.unique(below)) != len(below):
            raise Damaged("a tree node points outside the tree")
        level = below
    raise Damaged("a tree is too deep")
