"""Pruning: remove branches without a significant rule, or those that C4.5 or CART remove."""

import numpy as np
from scipy.special import betaincinv

from stakes.tree._fisher import rule_log_p
from stakes.tree._walk_jit import leaves_of

CONFIDENCE = 0.25  # C4.5's default
MARGIN = 0.1  # additional expected errors that C4.5 accepts for a smaller tree


def prune(nodes, how, p_value, examples=None):
    """Prune a tree; `how` and `p_value` as in `ConfidenceTreeClassifier`.

    "error" needs the training `examples` (X, label, weight, size, regret), since it sends them down
    other branches.
    """
    if how is None:
        return nodes
    if how == "error":
        return ErrorPruning(nodes, *examples).run()
    kept = significant_below(nodes.left, nodes.log_p, np.log(p_value), how == "fisher_leaves")
    kept[0] = True  # Algorithm 3 starts below the root
    return nodes.cut(~kept)


def significant_below(left, log_p, log_bound, leaves_count):
    """Whether a node or one below it is significant (Algorithms 3 to 5, without recursion).

    Children come after their parent, so a backward pass knows them before it needs them.
    """
    kept = log_p < log_bound
    if not leaves_count:
        kept &= left > 0
    kept = kept.tolist()
    for k in np.flatnonzero(left > 0)[::-1].tolist():
        kept[k] = kept[k] or kept[left[k]] or kept[left[k] + 1]
    return np.array(kept)


def weakest_links(errors, nodes):
    """Smallest penalty per leaf at which each inner node becomes a leaf (Breiman et al. 1984).

    `errors` are those of each node as a leaf, as a share of all examples. The node with the
    smallest (errors as a leaf - errors of its leaves) / (leaves - 1) goes first. A node that
    disappears with one above it has the penalty of that one; leaves have none (infinity).
    """
    n, inner = len(nodes), ~nodes.is_leaf
    penalty = np.full(n, np.inf)
    parent = np.full(n, -1)
    for k in np.flatnonzero(inner):
        parent[nodes.left[k] : nodes.left[k] + 2] = k
    below, leaves = errors.copy(), np.ones(n)
    for k in np.flatnonzero(inner)[::-1]:
        children = slice(nodes.left[k], nodes.left[k] + 2)
        below[k], leaves[k] = below[children].sum(), leaves[children].sum()
    alive, reached = inner.copy(), 0.0
    while alive.any():
        at = np.flatnonzero(alive)
        link = (errors[at] - below[at]) / (leaves[at] - 1.0)
        k = at[link.argmin()]
        reached = max(reached, float(link.min()))
        saved, gone = errors[k] - below[k], leaves[k] - 1.0
        stack = [k]
        while stack:
            one = stack.pop()
            if alive[one]:
                alive[one], penalty[one] = False, reached
                stack += [nodes.left[one], nodes.left[one] + 1]
        while k >= 0:  # the nodes above have fewer leaves now
            below[k] += saved
            leaves[k] -= gone
            k = parent[k]
    return penalty


class ErrorPruning:
    """Pruning of C4.5: a node becomes a leaf, or its larger branch, where that errs less.

    `confidence_level` is that of the upper bound on an error rate. The given nodes are not
    modified.
    """

    def __init__(self, nodes, X, label, weight, size, regret, confidence_level=CONFIDENCE):
        self.nodes = nodes.cut(np.zeros(len(nodes), dtype=bool))  # a copy
        self.X, self.label, self.weight, self.regret = X, label, weight, regret
        self.size = size
        self.confidence_level = confidence_level

    def run(self):
        """The pruned tree, with totals and p-values of the examples that now reach its nodes."""
        self.settle(0, np.arange(len(self.X)))
        pruned = self.nodes.cut(np.zeros(len(self.nodes), dtype=bool))
        for k in np.flatnonzero(~pruned.is_leaf):
            pruned.depth[pruned.left[k] : pruned.left[k] + 2] = pruned.depth[k] + 1
        pruned.recount(self.X, self.label, self.weight, self.regret)
        pruned.log_p = rule_log_p(pruned.totals(self.X, self.label, self.size))
        return pruned

    def settle(self, root, rows):
        """Prune the subtree of a node that these rows reach; returns its expected errors."""
        nodes = self.nodes
        reached, order = {root: rows}, [root]
        for k in order:  # grows during iteration: parents come before their children
            if not nodes.is_leaf[k]:
                left = nodes.goes_left(k, self.X[reached[k]])
                for child, side in ((nodes.left[k], left), (nodes.left[k] + 1, ~left)):
                    reached[child] = reached[k][side]
                    order.append(child)
        errors = {}
        for k in order[::-1]:
            rows, alone = reached[k], self.errors_of(k, reached[k], as_leaf=True)
            errors[k] = alone
            if nodes.is_leaf[k]:
                continue
            below = errors[nodes.left[k]] + errors[nodes.left[k] + 1]
            sizes = [self.size[reached[nodes.left[k] + side]].sum() for side in (0, 1)]
            larger = nodes.left[k] + int(sizes[1] > sizes[0])
            branch = self.errors_of(larger, rows)
            if alone <= min(below, branch) + MARGIN:
                nodes.feature[k], nodes.left[k], nodes.group[k] = -1, 0, -1
            elif branch <= below + MARGIN:
                for name in ("feature", "threshold", "left", "missing_left", "group"):
                    getattr(nodes, name)[k] = getattr(nodes, name)[larger]
                errors[k] = self.settle(k, rows)
            else:
                errors[k] = below
        return errors[root]

    def errors_of(self, root, rows, *, as_leaf=False):
        """Expected errors of a subtree, or of a leaf in its place, on these rows."""
        leaf = np.zeros(len(rows), dtype=np.int32)
        if not as_leaf:
            leaves_of(np.ascontiguousarray(self.X[rows]), self.nodes.walk, root, leaf)
        met, leaf = np.unique(leaf, return_inverse=True)
        k = self.nodes.weight.shape[1]
        at = k * leaf + self.label[rows]
        counts = np.bincount(at, self.size[rows], k * len(met)).reshape(-1, k)
        n = counts.sum(axis=1)
        bounds = pessimistic_errors(n - counts.max(axis=1), n, self.confidence_level)
        return float(bounds.sum())


def pessimistic_errors(errors, n, confidence_level=CONFIDENCE):
    """Expected errors at the upper end of a one-sided confidence interval of the error rate.

    Examples
    --------
    >>> float(round(pessimistic_errors(0, 6), 3))  # Quinlan's example: 6 * 0.206
    1.238
    """
    errors, n = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    right = np.maximum(n - errors, np.finfo(float).tiny)
    return n * betaincinv(errors + 1.0, right, 1.0 - confidence_level)
