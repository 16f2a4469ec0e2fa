"""Growth of one tree, from binned features and labels to its nodes."""

import numpy as np

from stakes.tree._fisher import rule_log_p
from stakes.tree._grow_jit import Tree, grow
from stakes.tree._histograms_jit import Sample
from stakes.tree._nodes import Nodes
from stakes.tree._walk_jit import node_totals

SEEDS = 2**31 - 2  # Lehmer's generator takes 1 to 2^31 - 2


def grow_nodes(binned, positive, weight, regret, settings, *, seed=1, tested=True):
    """Grow a tree.

    Parameters
    ----------
    binned : Binned
        Features.
    positive : ndarray of bool of shape (n,)
        Mask of the positive examples.
    weight, regret : ndarray of shape (n,)
        Weight of each example, zero to leave it out, and cost of misclassifying it.
    settings : Settings
        How to grow.
    seed : int, default=1
        Seed of the feature draws, from 1 to 2^31 - 2.
    tested : bool, default=True
        Whether to compute the p-values of the rules; else they are one.

    Returns
    -------
    Nodes
        With total weights and regrets.
    """
    rows = np.flatnonzero(weight > 0).astype(np.uint32)
    size = weight[rows]
    mass = size * regret[rows] if settings.sized else size.copy()
    sample = Sample(rows, np.where(positive[rows], mass, -mass), size)
    tree, n_nodes, n_groups = grow(binned, sample, settings, seed)
    groups = tree.groups[:n_groups].copy()
    tree = Tree(*(array[:n_nodes].copy() for array in tree[:-1]), groups)
    label = positive.astype(np.uint8)
    weights = node_totals(tree, rows, label, weight)
    shared = ("feature", "threshold", "left", "missing_left", "group", "groups", "depth")
    return Nodes(
        *(getattr(tree, name) for name in shared),
        weights,
        node_totals(tree, rows, label, weight * regret),
        rule_log_p(weights) if tested else np.zeros(len(weights)),
    )
