"""From binned features and labels to the nodes of one tree."""

import numpy as np

from stakes.tree._fisher import rule_log_p
from stakes.tree._grow_jit import grow
from stakes.tree._histograms_jit import Sample
from stakes.tree._nodes import Nodes
from stakes.tree._walk_jit import node_totals

SEEDS = 2**31 - 2  # Lehmer's generator takes 1 to 2^31 - 2


def grow_nodes(binned, positive, weight, regret, settings, *, seed=1, tested=True):
    """Grow a tree.

    Parameters
    ----------
    binned : Binned
        The features.
    positive : ndarray of bool of shape (n,)
        Which examples are positive.
    weight, regret : ndarray of shape (n,)
        What the examples count, zero leaving one out, and what getting one wrong costs.
    settings : Settings
        How to grow.
    seed : int, default=1
        Of the draw of features, from 1 to 2^31 - 2.
    tested : bool, default=True
        Whether the p-values of the rules are wanted; they are zero (one as a p-value) if not.

    Returns
    -------
    Nodes
        With the totals of both.
    """
    rows = np.flatnonzero(weight > 0).astype(np.uint32)
    size = weight[rows]
    mass = size * regret[rows] if settings.sized else size.copy()
    sample = Sample(rows, np.where(positive[rows], mass, -mass), size)
    tree = grow(binned, sample, settings, seed)
    label = positive.astype(np.uint8)
    weights = node_totals(tree, rows, label, weight)
    return Nodes(
        tree.feature,
        tree.threshold,
        tree.left,
        tree.missing_left,
        tree.group,
        tree.groups,
        tree.depth,
        weights,
        node_totals(tree, rows, label, weight * regret),
        rule_log_p(weights) if tested else np.zeros(len(weights)),
    )
