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


def grow_nodes(binned, positive, weight, regret, settings, *, draws=None, seed=1):
    """Grow a tree.

    Parameters
    ----------
    binned : Binned
        The features.
    positive : ndarray of bool of shape (n,)
        Which examples are positive.
    weight, regret : ndarray of shape (n,)
        What the examples count, and what getting one wrong costs; all above zero.
    settings : Settings
        How to grow.
    draws : ndarray of shape (n,), default=None
        What an example counts while growing, in place of its weight; zero leaves it out.
    seed : int, default=1
        Of the draw of features, from 1 to 2^31 - 2.

    Returns
    -------
    Nodes
        With the totals of `weight` and `regret` over the examples that were not left out.
    """
    counts = weight if draws is None else draws
    rows = np.flatnonzero(counts > 0).astype(np.uint32)
    by_cost = settings.criterion == "cost"
    mass = counts[rows] * regret[rows] if by_cost else counts[rows].astype(np.float64)
    grown = grow(
        binned.X,
        binned.codes,
        binned.edges,
        binned.n_bins,
        binned.kinds,
        rows,
        np.where(positive[rows], mass, -mass),
        counts[rows].astype(np.float64),
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
        rule_log_p(weights),
    )
