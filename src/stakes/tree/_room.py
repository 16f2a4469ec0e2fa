"""Memory for the growth of one tree, allotted here since compiling the same would take longer."""

import math

import numpy as np

from stakes.tree._grow_jit import CATEGORY, Scratch, Tree
from stakes.tree._histograms_jit import Histograms
from stakes.tree._split_jit import MISSING

WIDE = 400  # with more features than this the stored histograms would not fit into a cache


def make_tree(binned, how, n, size):
    """An unsplit root in arrays large enough for any tree on n rows of this total size."""
    leaves = float(n) if how.min_leaf <= 0.0 else min(float(n), size / how.min_leaf)
    if how.max_depth < 40:
        leaves = min(leaves, 2.0**how.max_depth)
    capacity = 2 * int(leaves) + 3
    has_category = bool(np.any(binned.kinds == CATEGORY))
    tree = Tree(
        feature=np.full(capacity, -1, dtype=np.int32),
        threshold=np.zeros(capacity),
        left=np.zeros(capacity, dtype=np.int32),
        missing_left=np.zeros(capacity, dtype=np.uint8),
        group=np.full(capacity, -1, dtype=np.int32),
        start=np.zeros(capacity, dtype=np.int64),
        end=np.zeros(capacity, dtype=np.int64),
        depth=np.zeros(capacity, dtype=np.int32),
        groups=np.zeros((capacity if has_category else 1, MISSING + 1), dtype=np.uint8),
    )
    tree.end[0] = n
    return tree


def make_histograms(binned, how, n, capacity):
    """The pool, with a slot for the root; no slots if every node counts its own rows.

    That is the case where each node draws its own features, where the histograms of all features
    are too large, and where all nodes are small enough for exact thresholds.
    """
    d = len(binned.codes)
    stored = how.max_features >= d and d * (how.n_classes + 1) <= 3 * WIDE and n > how.exact_rows
    n_slots = int(math.log2(n)) + 4 if stored else 1
    slot = np.full(capacity, -1, dtype=np.int64)
    if stored:
        slot[0] = n_slots - 1
    return Histograms(
        pool=np.empty((n_slots, d if stored else 1, MISSING + 1, how.n_classes + 1)),
        slot=slot,
        free=np.arange(n_slots),
        n_free=np.array([n_slots - stored], dtype=np.int64),
    )


def make_scratch(binned, how, seed):
    """What the searches reuse, and the state of the draws of features."""
    k = how.n_classes
    return Scratch(
        hist=np.empty((MISSING + 1, k + 1)),
        values=np.empty(how.exact_rows),
        features=np.arange(len(binned.codes)),
        seed=np.array([seed], dtype=np.int64),
        node=np.empty(k + 1),
        sides=np.empty((2, k + 1)),
    )
