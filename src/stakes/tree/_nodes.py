"""A grown tree as arrays with one entry per node; children come after their parent."""

from dataclasses import dataclass, replace

import numpy as np

from stakes._core.jit.gain import COST, RATIO
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Either
from stakes.tree._fisher import rule_log_p
from stakes.tree._grow_jit import CATEGORY, Tree, grow
from stakes.tree._histograms_jit import Sample
from stakes.tree._room import make_histograms, make_scratch, make_tree
from stakes.tree._split_jit import GOES_LEFT, MISSING
from stakes.tree._walk_jit import (
    Walk,
    keep_monotonic,
    leaves_of,
    node_totals,
)

SEEDS = 2**31 - 2  # Lehmer's generator takes 1 to 2^31 - 2


def _values(**limits):
    return Either((Array("f8", ("n",), **limits), Array("f8", ("n", "k"), **limits)))


@dataclass
class Nodes:
    """Nodes of a tree; the right child is next to the left one.

    Attributes
    ----------
    feature : ndarray of int
        Feature that an inner node splits on; -1 for a leaf.
    threshold : ndarray of float
        Values up to this one go left; NaN for a categorical feature.
    left : ndarray of int
        Left child; 0 for a leaf.
    missing_left : ndarray of uint8
        Whether missing values go left.
    group : ndarray of int
        Row of `groups` for a categorical feature, else -1.
    groups : ndarray of uint8 of shape (n_groups, 256)
        For each category, and last for missing values: 1 if it goes left, plus 2 if the node had
        examples of it.
    depth : ndarray of int
        Number of splits above the node.
    weight, regret : ndarray of shape (n_nodes, k)
        Total weight and total regret of the training examples of each class.
    log_p : ndarray of float
        Logarithm of the p-value of the node's rule.
    probability, score : ndarray of shape (n_nodes,)
        Smoothed share of the positive class; expected regret of deciding negative minus that of
        deciding positive, in [-1, 1]. Set by :meth:`smooth`. With more than two classes both are
        the smoothed shares of the classes, of shape (n_nodes, k).
    """

    _file_state = {
        **dict.fromkeys(("feature", "left", "group", "depth"), Array("i4", ("n",))),
        "threshold": Array("f8", ("n",), nan=True, infinite=True),
        "missing_left": Array("u1", ("n",), high=1),
        "groups": Array("u1", (None, 256), high=3),
        **dict.fromkeys(("weight", "regret"), Array("f8", ("n", "k"))),
        "log_p": Array("f8", ("n",), infinite=True),
        "probability": _values(low=0, high=1),
        "score": _values(),
    }

    @staticmethod
    def _check_file_state(state, scope):
        """Every walk stays inside the arrays and ends in a leaf: children follow their parent."""
        inner = np.flatnonzero(state["feature"] >= 0)
        left = state["left"][inner]
        if (
            scope.sizes["n"] < 1
            or np.any((left <= inner) | (left >= scope.sizes["n"] - 1))
            or np.any(state["group"] >= len(state["groups"]))
            or state["probability"].shape != state["score"].shape
        ):
            raise Damaged("a tree node points outside the tree")

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    missing_left: np.ndarray
    group: np.ndarray
    groups: np.ndarray
    depth: np.ndarray
    weight: np.ndarray
    regret: np.ndarray
    log_p: np.ndarray
    probability: np.ndarray = None
    score: np.ndarray = None

    def __len__(self):
        return len(self.feature)

    @property
    def is_leaf(self):
        """Mask of the leaves."""
        return self.feature < 0

    @property
    def walk(self):
        """The arrays that a walk from a root to a leaf reads."""
        return Walk(*(getattr(self, name) for name in Walk._fields))

    def leaves(self, X):
        """The leaf of every row of X."""
        out = np.empty(len(X), dtype=np.int32)
        leaves_of(X, self.walk, 0, out)
        return out

    def goes_left(self, k, X):
        """Mask of the rows that the split of node k sends left."""
        v = X[:, self.feature[k]]
        if self.group[k] >= 0:
            known = (v >= 0) & (v < MISSING)
            code = np.where(known, v, MISSING).astype(np.intp)
            return self.groups[self.group[k]][code] & GOES_LEFT == GOES_LEFT
        return np.where(np.isnan(v), self.missing_left[k] == 1, v <= self.threshold[k])

    def totals(self, X, label, value):
        """Sum of the values of each class in every node, by the leaf that each row reaches."""
        k = self.weight.shape[1]
        at = k * self.leaves(X).astype(np.intp) + label
        found = np.bincount(at, value, k * len(self)).reshape(-1, k)
        for node in np.flatnonzero(~self.is_leaf)[::-1]:
            found[node] = found[self.left[node]] + found[self.left[node] + 1]
        return found

    def recount(self, X, label, weight, regret):
        """Replace the totals of the nodes by those of other examples."""
        self.weight = self.totals(X, label, weight)
        self.regret = self.totals(X, label, weight * regret)

    def smooth(self, smoothing, target, monotonic=None):
        """Set the probability and the score of every node, with `smoothing` examples per class.

        The added examples have equal classes ("uniform"), those of the root ("rate"), or those of
        the parent, itself smoothed ("parent"). `monotonic` (d,) holds between the features and
        both values.
        """
        k = self.weight.shape[1]
        totals = np.hstack([self.weight, self.regret])
        n, added = self.weight.sum(axis=1, keepdims=True), k * smoothing
        mean = totals[[0]] / n[0]
        if target == "uniform":
            mean = mean / k / np.tile(np.where(self.weight[0] > 0, mean[:, :k], 1.0), 2)
        mean = (totals + added * mean) / (n + added)
        if target == "parent":
            # (total + added m_parent) / (n + added): a parent's is final before its children's
            for level in self.levels():
                for child in (self.left[level], self.left[level] + 1):
                    mean[child] = (totals[child] + added * mean[level]) / (n[child] + added)
        self.probability = mean[:, :k] / mean[:, :k].sum(axis=1, keepdims=True)
        if k > 2:
            self.score = self.probability
            return
        self.probability = self.probability[:, 1].copy()
        self.score = (mean[:, 3] - mean[:, 2]) / (mean[:, 2] + mean[:, 3])
        if monotonic is not None and monotonic.any():
            direction = np.where(self.is_leaf, 0, monotonic[self.feature])
            for value in (self.probability, self.score):
                keep_monotonic(self.left, direction, value)

    def levels(self):
        """Inner nodes by depth, from the root down."""
        inner = np.flatnonzero(~self.is_leaf)
        depth = self.depth[inner]
        order = np.argsort(depth, kind="stable")
        return np.split(inner[order], np.flatnonzero(np.diff(depth[order])) + 1)

    def cut(self, becomes_leaf):
        """Copy of the tree with some inner nodes turned into leaves."""
        becomes_leaf = becomes_leaf | self.is_leaf
        kept = np.zeros(len(self), dtype=bool)
        kept[0] = True
        for k in range(len(self)):
            if kept[k] and not becomes_leaf[k]:
                kept[self.left[k]] = kept[self.left[k] + 1] = True
        number = np.cumsum(kept) - 1
        inner = kept & ~becomes_leaf
        feature = np.where(inner, self.feature, -1).astype(np.int32)
        left = np.where(inner, number[self.left], 0).astype(np.int32)
        group = np.where(inner, self.group, -1).astype(np.int32)
        per_node = {
            name: getattr(self, name)[kept]
            for name in ("threshold", "missing_left", "depth", "weight", "regret", "log_p")
        }
        per_node |= dict(feature=feature[kept], left=left[kept], group=group[kept])
        return replace(self, probability=None, score=None, **per_node)


def grow_nodes(binned, label, weight, size, regret, settings, *, seed=1, tested=True):
    """Grow a tree on the examples of positive weight.

    `size` is the number of examples that each one counts as in leaves and tests. `seed`, from 1 to
    2^31 - 2, is that of the feature draws. Without `tested` the p-values of the rules are not
    computed and are one. Returns Nodes with their total weights and regrets.
    """
    rows = np.flatnonzero(weight > 0).astype(np.uint32)
    mass = weight[rows] * regret[rows] if settings.criterion == COST else weight[rows]
    sample = Sample(rows, label[rows], mass, size[rows])
    tree = make_tree(binned, settings, len(rows), sample.size.sum())
    histograms = make_histograms(binned, settings, len(rows), len(tree.left))
    group = np.zeros(MISSING + 1, dtype=np.uint8) if np.any(binned.kinds == CATEGORY) else None
    ratio = True if settings.criterion == RATIO else None
    scratch = make_scratch(binned, settings, seed)
    n_nodes, n_groups = grow(binned, sample, settings, tree, histograms, scratch, group, ratio)
    groups = tree.groups[:n_groups].copy()
    tree = Tree(*(array[:n_nodes].copy() for array in tree[:-1]), groups)

    def totals(value):
        totals = np.zeros((len(tree.left), settings.n_classes))
        node_totals(tree, rows, label, value, totals)
        return totals

    shared = ("feature", "threshold", "left", "missing_left", "group", "groups", "depth")
    return Nodes(
        *(getattr(tree, name) for name in shared),
        totals(weight),
        totals(weight * regret),
        rule_log_p(totals(size)) if tested else np.zeros(n_nodes),
    )


def join(trees):
    """Several trees as one set of nodes, and the root of each."""
    sizes = np.array([len(tree) for tree in trees])
    roots = np.cumsum(sizes) - sizes
    n_groups = np.array([len(tree.groups) for tree in trees])
    first_group = np.cumsum(n_groups) - n_groups
    together = {
        name: np.concatenate([getattr(tree, name) for tree in trees])
        for name in trees[0].__dataclass_fields__
    }
    inner = together["feature"] >= 0
    of_tree = np.repeat(np.arange(len(trees)), sizes)
    together["left"] = np.where(inner, together["left"] + roots[of_tree], 0).astype(np.int32)
    grouped = together["group"] >= 0
    moved = together["group"] + first_group[of_tree]
    together["group"] = np.where(grouped, moved, -1).astype(np.int32)
    return Nodes(**together), roots
