"""C4.5 as it is: a branch for each category, missing values in fractions, pruned by its errors.

The library's trees make two groups of categories. On numbers without gaps both grow the same tree.
"""

import numpy as np
from scipy.special import betaincinv, xlogy

TIE = 1e-12
CONFIDENCE, MARGIN = 0.25, 0.1  # Quinlan's defaults, as in Weka


class C45:
    """Gain ratio, a branch per category, error-based pruning, Laplace's correction.

    Parameters
    ----------
    categorical : mask of shape (d,)
        Features that are category codes; the others are numbers. NaN is missing.
    min_samples_leaf : int, default=2
        Smallest size of at least two branches.
    pruned : bool, default=True
        Whether branches whose expected errors are not lower are removed.

    Examples
    --------
    >>> X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [2.0]])
    >>> C45(np.array([True])).fit(X, [0, 0, 1, 1, 0, 0]).n_leaves_
    3
    """

    def __init__(self, categorical, min_samples_leaf=2, pruned=True):
        self.categorical, self.min_samples_leaf = categorical, min_samples_leaf
        self.pruned = pruned

    def fit(self, X, y):
        """Grow and prune the tree."""
        X = np.asarray(X, dtype=np.float64)
        self.classes_, label = np.unique(y, return_inverse=True)
        self.levels = [np.unique(x[~np.isnan(x)]) for x in X.T]
        self.hot = np.eye(len(self.classes_))[label]
        everyone = np.arange(len(X)), np.ones(len(X))
        self.root = self._grow(X, *everyone)
        if self.pruned:
            self._settle(self.root, X, *everyone)
            self._recount(self.root, X, *everyone)
        self.n_leaves_ = sum(1 for node in self.root.all() if not node.children)
        return self

    def predict_proba(self, X):
        """Mean over the leaves that a row reaches, by the share of it that reaches them."""
        X = np.asarray(X, dtype=np.float64)
        out = np.zeros((len(X), len(self.classes_)))
        stack = [(self.root, np.arange(len(X)), np.ones(len(X)))]
        while stack:
            node, rows, weight = stack.pop()
            if node.children:
                stack += [(c, *part) for c, part in node.parts(X, rows, weight)]
            else:
                share = (node.counts + 1.0) / (node.counts.sum() + len(node.counts))
                np.add.at(out, rows, weight[:, None] * share)
        return out

    def _grow(self, X, rows, weight):
        node = Node(weight @ self.hot[rows])
        n = node.counts.sum()
        if np.count_nonzero(node.counts) < 2 or n < 2 * self.min_samples_leaf:
            return node
        tried = [self._best_of(j, X[rows, j], weight, self.hot[rows]) for j in range(X.shape[1])]
        gains = [found[0] for found in tried if found is not None]
        best = 0.0
        for j, found in enumerate(tried):
            if found is None or found[0] < np.mean(gains) - TIE:
                continue
            gain, parted, threshold = found
            if gain / parted > best + TIE:
                best = gain / parted
                node.feature, node.threshold = j, threshold
                node.levels = self.levels[j] if self.categorical[j] else None
        if best == 0.0:
            return node
        ways = node.ways(X[rows, node.feature])
        known = ~np.isnan(ways[:, 0])
        node.shares = (weight[known] @ ways[known]) / weight[known].sum()
        node.children = [None] * len(node.shares)  # `parts` counts the branches
        node.children = [self._grow(X, *part) for _, part in node.parts(X, rows, weight)]
        node.settle_empty()
        return node

    def _best_of(self, j, x, weight, hot):
        """Gain, split information and threshold of a feature's best split; None without one."""
        known = ~np.isnan(x)
        total, x, weight, hot = weight.sum(), x[known], weight[known], hot[known]
        mass = weight.sum()
        if mass <= 0:
            return None
        counts, gap = weight @ hot, total - mass
        if self.categorical[j]:
            at = np.searchsorted(self.levels[j], x)
            branches = np.zeros((1, len(self.levels[j]), hot.shape[1]))
            np.add.at(branches[0], at, weight[:, None] * hot)
            thresholds = [np.nan]
        else:
            order = np.argsort(x, kind="stable")
            left = np.cumsum(weight[order, None] * hot[order], axis=0)[:-1]
            cut = np.flatnonzero(np.diff(x[order]) > 0)
            left = left[cut]
            branches = np.stack([left, counts - left], axis=1)
            # a value that occurs: the largest one not above the middle
            middle = 0.5 * x[order][cut] + 0.5 * x[order][cut + 1]
            thresholds = self.levels[j][np.searchsorted(self.levels[j], middle, "right") - 1]
        sizes = branches.sum(axis=2)
        fits = np.count_nonzero(sizes >= self.min_samples_leaf - TIE, axis=1) >= 2
        gain = (_bits(counts) - _bits(branches).sum(axis=1)) / total
        gain = np.where(fits, gain, 0.0)
        if not len(gain) or gain.max() <= TIE:
            return None
        at = int(np.argmax(gain > gain.max() - TIE))  # the first of equal ones
        parted = _bits(np.append(sizes[at], gap)) / total
        return float(gain[at]), float(parted), float(thresholds[at])

    def _settle(self, node, X, rows, weight):
        """Prune below a node that these rows reach; returns its expected errors."""
        alone = _errors(weight @ self.hot[rows])
        if not node.children:
            return alone
        parts = node.parts(X, rows, weight)
        below = sum(self._settle(child, X, *part) for child, part in parts)
        larger = max(parts, key=lambda pair: pair[1][1].sum())[0]
        branch = self._expected(larger, X, rows, weight)
        if alone <= min(below, branch) + MARGIN:
            node.children = []
            return alone
        if branch <= below + MARGIN:
            node.become(larger)
            return self._settle(node, X, rows, weight)
        return below

    def _expected(self, node, X, rows, weight):
        """Expected errors of a subtree on these rows."""
        if not node.children:
            return _errors(weight @ self.hot[rows])
        return sum(self._expected(c, X, *part) for c, part in node.parts(X, rows, weight))

    def _recount(self, node, X, rows, weight):
        """Replace the counts by those of the rows that reach a node after pruning."""
        node.counts = weight @ self.hot[rows]
        for child, part in node.parts(X, rows, weight) if node.children else ():
            self._recount(child, X, *part)
        node.settle_empty()


class Node:
    """A node: class counts, and its split if it has one."""

    def __init__(self, counts):
        self.counts, self.children = counts, []
        self.feature, self.threshold, self.levels, self.shares = -1, np.nan, None, None

    def become(self, other):
        """Take over the split of another node."""
        for name in ("feature", "threshold", "levels", "shares", "children"):
            setattr(self, name, getattr(other, name))

    def ways(self, x):
        """Branch of each value as a row of zeros and a one; NaN if it is missing or unknown."""
        if self.levels is None:
            ways = np.column_stack([x <= self.threshold, x > self.threshold]).astype(np.float64)
        else:
            ways = (x[:, None] == self.levels).astype(np.float64)
        ways[ways.sum(axis=1) == 0] = np.nan
        return ways

    def parts(self, X, rows, weight):
        """Each child, the rows that reach it, and the share of their weights that does."""
        ways = self.ways(X[rows, self.feature])
        ways = np.where(np.isnan(ways), self.shares, ways)
        found = []
        for b, child in enumerate(self.children):
            there = ways[:, b] > 0
            found.append((child, (rows[there], weight[there] * ways[there, b])))
        return found

    def settle_empty(self):
        """An empty branch predicts as its parent does."""
        for child in self.children:
            if child.counts.sum() == 0:
                child.counts = self.counts

    def all(self):
        """The node and all below it."""
        yield self
        for child in self.children:
            yield from child.all()


def _bits(counts):
    """Entropy of the last axis in bits, times its sum."""
    counts = np.maximum(counts, 0.0)
    n = counts.sum(axis=-1)
    return (xlogy(n, n) - xlogy(counts, counts).sum(axis=-1)) / np.log(2.0)


def _errors(counts):
    """Expected errors of a leaf: the upper end of a one-sided interval of its error rate."""
    n = counts.sum()
    if n <= 0:
        return 0.0
    wrong = n - counts.max()
    right = max(counts.max(), np.finfo(float).tiny)
    return float(n * betaincinv(wrong + 1.0, right, 1.0 - CONFIDENCE))
