"""Trees by enumeration: every split weighed as defined, exact integers for Fisher's test."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom


def entropy(*masses):
    p = np.array(masses, dtype=float) / sum(masses)
    return float(-sum(q * np.log2(q) for q in p if q > 0))


def gini(*masses):
    p = np.array(masses, dtype=float) / sum(masses)
    return float(1 - (p**2).sum())


def information_gain(left, right, impurity):
    """Eq. 3.3 on two branches, each a pair of masses."""
    node = [a + b for a, b in zip(left, right, strict=True)]
    inside = sum(sum(branch) / sum(node) * impurity(*branch) for branch in (left, right))
    return impurity(*node) - inside


def gain(criterion, left, right, by_count=False):
    """Gain of a split into two branches, each (negative mass, positive mass)."""
    impurity = gini if criterion.endswith("gini") else entropy
    negatives, positives = left[0] + right[0], left[1] + right[1]
    rates = [(n / negatives, p / positives) for n, p in (left, right)]
    if criterion == "hellinger":
        return float(np.sqrt(sum((np.sqrt(t) - np.sqrt(f)) ** 2 for f, t in rates)))
    if criterion == "cost":
        total = negatives + positives
        return (min(negatives, positives) - min(left) - min(right)) / total
    if criterion in ("entropy", "gini"):
        return information_gain(left, right, impurity)
    if not by_count:
        return information_gain(*rates, impurity)  # the classes re-balanced inside the node
    share = sum(left) / (negatives + positives)
    return impurity(1, 1) - share * impurity(*rates[0]) - (1 - share) * impurity(*rates[1])


def splits(x, category=False):
    """All ways to send the rows of one feature left: thresholds, or subsets of categories."""
    missing = np.isnan(x)
    values = np.unique(x[~missing])
    if category:
        keys = [*values, *([None] if missing.any() else [])]
        for size in range(1, len(keys)):
            for subset in itertools.combinations(keys, size):
                yield np.isin(x, [k for k in subset if k is not None]) | (
                    missing if None in subset else False
                )
        return
    for value in values:
        for side in (False, True):
            yield np.where(missing, side, x <= value)


def best_gain(X, positive, mass, size, criterion, min_leaf=1, by_count=False, categorical=()):
    """The largest gain of all splits of a node, zero if none is better."""
    best = 0.0
    for f in range(X.shape[1]):
        for left in splits(X[:, f], f in categorical):
            if min(size[left].sum(), size[~left].sum()) < min_leaf:
                continue
            sides = [
                (mass[side & ~positive].sum(), mass[side & positive].sum())
                for side in (left, ~left)
            ]
            if min(map(sum, sides)) > 0:
                best = max(best, gain(criterion, *sides, by_count=by_count))
    return best


def fisher(a, b, c, d):
    """Eq. 3.18 in exact integers, as a fraction."""
    a, b, c, d = int(a), int(b), int(c), int(d)
    first, second, tail = math.comb(a + b, a), math.comb(c + d, c), 0
    for i in range(min(b, c) + 1):
        tail += first * second
        first = first * (b - i) // (a + i + 1)
        second = second * (c - i) // (d + i + 1)
    return Fraction(tail, math.comb(a + b + c + d, a + c))


def log_fraction(p):
    """Logarithm of a fraction that may underflow as a float."""
    shift = p.denominator.bit_length() - p.numerator.bit_length()
    return math.log(p * 2**shift) - shift * math.log(2)


def nested(nodes, k=0):
    """A tree as nested tuples (node, left, right); a leaf is None."""
    if nodes.feature[k] < 0:
        return None
    return k, nested(nodes, nodes.left[k]), nested(nodes, nodes.left[k] + 1)


def parts(nodes, tree, X, rows):
    """Rows of the leaves of a nested tree, from left to right."""
    if tree is None:
        return [rows]
    left, right = divided(nodes, tree, X, rows)
    return parts(nodes, tree[1], X, left) + parts(nodes, tree[2], X, right)


def divided(nodes, tree, X, rows):
    """Rows that the split at the top of a nested tree sends left, and right."""
    sides = [[], []]
    for i in rows:
        sides[int(not steps_left(nodes, X[i], tree[0]))].append(i)
    return sides


def pessimistic(y, confidence=0.25):
    """Errors of a leaf with these labels at the upper end of the binomial interval."""
    n, e = len(y), min(np.sum(y == 0), np.sum(y == 1))
    return n * brentq(lambda p: binom.cdf(e, n, p) - confidence, 0, 1) if n else 0.0


def c45_pruned(nodes, tree, X, y, rows):
    """Quinlan's recursion, as he states it: (pruned tree, its errors)."""
    alone = pessimistic(y[rows])
    if tree is None:
        return None, alone
    sides = divided(nodes, tree, X, rows)
    done = [c45_pruned(nodes, tree[1 + j], X, y, sides[j]) for j in (0, 1)]
    larger = done[int(len(sides[1]) > len(sides[0]))][0]
    below = done[0][1] + done[1][1]
    branch = sum(pessimistic(y[part]) for part in parts(nodes, larger, X, rows))
    if alone <= branch + 0.1 and alone <= below + 0.1:
        return None, alone
    if branch <= below + 0.1:
        return c45_pruned(nodes, larger, X, y, rows)
    return (tree[0], done[0][0], done[1][0]), below


def path_to(nodes, leaf):
    """The nodes from the root to a leaf."""
    above = {c: k for k in np.flatnonzero(~nodes.is_leaf) for c in nodes.left[k] + np.arange(2)}
    path = [leaf]
    while path[0] in above:
        path.insert(0, above[path[0]])
    return path


def drawn_to_parents(nodes, totals, leaf, added):
    """Mean in a leaf: every node of its path has a say, smaller the more examples lie below it."""
    path, n = path_to(nodes, leaf), nodes.weight.sum(axis=1)
    mean, left_over = np.zeros(totals.shape[1]), 1.0
    for k in path[:0:-1]:
        mean += left_over * totals[k] / (n[k] + added)
        left_over *= added / (n[k] + added)
    return mean + left_over * totals[0] / n[0]


def steps_left(nodes, x, at):
    """Whether the split of a node sends a row left."""
    v = x[nodes.feature[at]]
    if nodes.group[at] >= 0:
        return nodes.groups[nodes.group[at]][255 if np.isnan(v) or v > 254 else int(v)] % 2 == 1
    return bool(nodes.missing_left[at]) if np.isnan(v) else v <= nodes.threshold[at]


def walk(nodes, x, at=0):
    """The leaf of one row, node by node."""
    while nodes.feature[at] >= 0:
        at = nodes.left[at] + (not steps_left(nodes, x, at))
    return at


def gain_many(criterion, left, right, cost=None):
    """Gain of a split of k classes, each branch a list of masses."""
    node = [a + b for a, b in zip(left, right, strict=True)]
    if criterion == "cost":
        cost = np.asarray(cost, dtype=float)
        paid = [min(np.array(masses) @ cost) for masses in (node, left, right)]
        return (paid[0] - paid[1] - paid[2]) / (sum(node) * cost.max())
    if criterion in ("entropy", "gini"):
        return information_gain(left, right, gini if criterion == "gini" else entropy)
    against = [
        [(sum(branch) - branch[c], branch[c]) for branch in (left, right)]
        for c in range(len(node))
        if 0 < node[c] < sum(node)
    ]
    return max(gain(criterion, *sides) for sides in against)


def best_gain_many(X, label, k, criterion, min_leaf=1, categorical=(), cost=None):
    """The largest gain of all splits of a node of k classes."""
    best = 0.0
    for f in range(X.shape[1]):
        for left in splits(X[:, f], f in categorical):
            if min(left.sum(), (~left).sum()) >= min_leaf:
                sides = [np.bincount(label[side], minlength=k).tolist() for side in (left, ~left)]
                best = max(best, gain_many(criterion, *sides, cost=cost))
    return best
