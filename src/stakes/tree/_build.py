"""From binned features and labels to the nodes of one tree."""

from dataclasses import dataclass

import numpy as np

from stakes.tree._fisher import rule_log_p
from stakes.tree._gain_jit import CRITERIA
from stakes.tree._grow_jit import grow
from stakes.tree._nodes import Nodes
from stakes.tree._walk_jit import node_totals

NO_LIMIT = 2**31 - 1
SEEDS = 2**31 - 2  # Lehmer's generator takes 1 to 2^31 - 2


@dataclass
class Settings:
    """How a tree is grown; the names are those of the learners."""

    criterion: str
    branch_weight: str
    max_depth: int | None
    min_samples_leaf: float
    exact_rows: int
    max_features: int


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
    by_cost = settings.criterion == "cost"
    mass = weight[rows] * regret[rows] if by_cost else weight[rows]
    grown = grow(
        binned.X,
        binned.codes,
        binned.edges,
        binned.n_bins,
        binned.kinds,
        rows,
        np.where(positive[rows], mass, -mass),
        weight[rows].copy(),
        CRITERIA[settings.criterion],
        settings.branch_weight == "count",
        by_cost,
        NO_LIMIT if settings.max_depth is None else settings.max_depth,
        float(settings.min_samples_leaf),
        settings.exact_rows,
        settings.max_features,
        seed,
    )
    feature, threshold, left, missing_left, group, starts, ends, depth, groups = grown
    threshold[group >= 0] = np.nan  # neither above nor below: a walk asks for the group
    label = positive.astype(np.uint8)
    weights = node_totals(left, starts, ends, rows, label, weight)
    return Nodes(
        feature,
        threshold,
        left,
        missing_left,
        group,
        groups,
        depth,
        weights,
        node_totals(left, starts, ends, rows, label, weight * regret),
        rule_log_p(weights) if tested else np.zeros(len(weights)),
    )
