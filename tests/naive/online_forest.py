"""The forest for streams in plain Python: leaves keep their events and count them when asked."""

import math

import numpy as np

MASK = (1 << 64) - 1
LEAF, WEIGHT, BIAS = 0.05, 0.1, 4.0


def sigmoid(s):
    return 1.0 / (1.0 + math.exp(-min(max(s, -35.0), 35.0)))


class Leaf:
    """A node without branches: a normal belief for each half-life, and what it saw."""

    def __init__(self, forest, beliefs, renew=1000.0):
        self.beliefs = beliefs  # [mean, variance] of each half-life
        self.last = forest.n
        self.begin(forest, renew)

    def begin(self, forest, renew):
        self.renew, self.next, self.seen, self.first, self.events = renew, 40.0, 0, [], []
        self.features = forest.some_features()


class Split:
    def __init__(self, feature, goes_left, left, right):
        self.feature, self.goes_left, self.left, self.right = feature, goes_left, left, right


class Tree:
    def __init__(self, forest, number):
        self.number, self.n_nodes = number, 1
        self.root = Leaf(forest, [[0.0, LEAF] for _ in forest.half_lives])

    def find(self, x):
        """The leaf of x and the split above it with the side, to hang branches there."""
        node, above = self.root, None
        while isinstance(node, Split):
            side = "left" if node.goes_left(x[node.feature]) else "right"
            node, above = getattr(node, side), (node, side)
        return node, above


class NaiveForest:
    def __init__(self, d, *, seed, n_trees, max_nodes, max_features, half_lives, criterion, trial,
                 categorical=()):  # fmt: skip
        self.d, self.seed, self.max_nodes, self.criterion = d, seed, max_nodes, criterion
        self.max_features, self.half_lives, self.trial = max_features, half_lives, trial
        self.categorical, self.n, self.drawn = set(categorical), 0, 0
        self.weights = [[[0.0, WEIGHT] for _ in range(d)] + [[0.0, BIAS]] for _ in half_lives]
        self.shares = [1.0 / len(half_lives)] * len(half_lives)
        self.n_trees, self.trees, self.sum_weight, self.rows = n_trees, None, 0.0, []
        self.rival, self.savings, self.tried, self.n_replaced = 0, [], 0, 0

    def some_features(self):
        if self.d <= self.max_features:
            return list(range(self.d))
        chosen = []
        while len(chosen) < self.max_features:
            j = self.draw(self.d)
            if j not in chosen:
                chosen.append(j)
        return chosen

    def draw(self, n):
        self.drawn += 1
        z = (self.seed * 0xD1342543DE82EF95 + self.drawn * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) % n

    def standardized(self, x):
        """By the mean and variance of all rows so far, a missing value being the mean before it."""
        z = np.zeros(self.d)
        for j in set(range(self.d)) - self.categorical:
            mean, squares = 0.0, 0.0
            for k, row in enumerate(self.rows):
                if not math.isnan(row[j]):
                    away = row[j] - mean
                    mean += away / (k + 1)
                    squares += away * away * (1 - 1 / (k + 1))
            if squares > 0 and not math.isnan(x[j]):
                z[j] = np.clip((x[j] - mean) / math.sqrt(squares / len(self.rows)), -5, 5)
        return z

    def odds(self, x):
        z = self.standardized(x)
        leaves = [tree.find(x)[0] for tree in self.trees[:-1]] if self.trees else []
        odds = []
        for h, w in enumerate(self.weights):
            total = w[-1][0] + sum(w[j][0] * z[j] for j in range(self.d))
            odds.append(total + sum(leaf.beliefs[h][0] for leaf in leaves))
        return z, leaves, odds

    def probability(self, odds):
        return sum(s * sigmoid(o) for s, o in zip(self.shares, odds, strict=True))

    def learn(self, x, positive, c_pos, c_neg, weight=1.0):
        """The uncalibrated probability of an event before it is learned."""
        z, leaves, odds = self.odds(x)
        p = self.probability(odds)
        if weight * (c_pos if positive else c_neg) <= 0:
            return p
        if self.trees is None:
            self.trees = [Tree(self, k) for k in range(self.n_trees + 1)]
            leaves = [tree.root for tree in self.trees[:-1]]
        self.n += 1
        self.rows.append(x)
        self.sum_weight += weight
        w = min(weight * (self.n / self.sum_weight), 10.0)
        spread = []
        for h, life in enumerate(self.half_lives):
            if life is not None:
                for k, belief in enumerate(self.weights[h]):
                    cap = BIAS if k == self.d else WEIGHT
                    belief[1] = min(belief[1] * 2 ** (1 / life), cap)
                for leaf in leaves:
                    self.fade(leaf, h)
            v = [b[1] for b in self.weights[h]]
            total = v[-1] + sum(v[j] * z[j] ** 2 for j in range(self.d))
            spread.append(total + sum(leaf.beliefs[h][1] for leaf in leaves))
        for leaf in leaves:
            leaf.last = self.n
        if self.trial:
            self.try_out(x, positive, c_pos, c_neg, w, p, leaves[self.rival], odds, spread)
        for h in range(len(odds)):
            step, shrink = kalman(odds[h], spread[h], positive, w)
            for belief, value in zip(self.weights[h], [*z, 1.0], strict=True):
                v = belief[1]
                belief[0] += step * v * value
                belief[1] -= shrink * (v * value) ** 2
            for leaf in leaves:
                move(leaf.beliefs[h], step, shrink, spread[h], self.n_trees)
        likelihoods = [sigmoid(o) if positive else 1 - sigmoid(o) for o in odds]
        if len(odds) > 1:
            total = sum(s * q for s, q in zip(self.shares, likelihoods, strict=True))
            self.shares = [
                0.999 * s * q / total + 0.001 / len(odds)
                for s, q in zip(self.shares, likelihoods, strict=True)
            ]
        may_split = True
        for k in range(self.n_trees):
            tree = self.trees[(self.n + k) % self.n_trees]
            mass = w * (1 - p if positive else p)
            may_split &= not self.observe(tree, x, positive, mass, may_split)
        if self.trial and self.tried >= self.trial:
            self.end_trial()
        return p

    def fade(self, leaf, h):
        grown = leaf.beliefs[h][1] * 2 ** ((self.n - leaf.last) / self.half_lives[h])
        leaf.beliefs[h][1] = min(grown, LEAF)

    def try_out(self, x, positive, c_pos, c_neg, w, p, rival, odds, spread):
        tree = self.trees[-1]
        leaf, _ = tree.find(x)
        other = []
        for h, life in enumerate(self.half_lives):
            if life is not None:
                self.fade(leaf, h)
            mine, theirs = leaf.beliefs[h], rival.beliefs[h]
            other.append(odds[h] - theirs[0] + mine[0])
            variance = spread[h] - theirs[1] + mine[1]
            step, shrink = kalman(other[h], variance, positive, w)
            move(mine, step, shrink, variance, self.n_trees)
        leaf.last = self.n
        q = self.probability(other)
        self.observe(tree, x, positive, w * (1 - q if positive else q), True)
        self.tried += 1
        if self.tried > self.trial / 2:
            cost = c_pos if positive else c_neg
            paid = [cost * ((r * c_pos > (1 - r) * c_neg) != positive) for r in (p, q)]
            self.savings.append(paid[0] - paid[1])

    def end_trial(self):
        if sum(self.savings) > 2 * math.sqrt(sum(s * s for s in self.savings)):
            old, new = self.trees[self.rival], self.trees[-1]
            self.trees[self.rival], self.trees[-1] = new, old
            self.n_replaced += 1
        self.rival, self.tried, self.savings = (self.rival + 1) % self.n_trees, 0, []
        self.trees[-1] = Tree(self, self.trees[-1].number)

    def observe(self, tree, x, positive, mass, may_split):
        if tree.n_nodes + 2 > self.max_nodes:
            return False
        leaf, above = tree.find(x)
        leaf.seen += 1
        if len(leaf.first) < 15:
            leaf.first.append(x)
            return False
        leaf.events.append((x, positive, mass))
        if leaf.seen >= leaf.renew:
            leaf.begin(self, leaf.renew * 1.5)
            return False
        n = [sum(m for _, label, m in leaf.events if label == which) for which in (False, True)]
        if not may_split or leaf.seen < leaf.next or min(n) < 3.0:
            return False
        leaf.next = leaf.seen * 1.2
        return self.split(tree, leaf, above, n)

    def split(self, tree, leaf, above, n):
        best = (0.0,)
        for j in leaf.features:
            for goes_left in self.questions(tree, leaf, j):
                left = [0.0, 0.0]
                for x, label, mass in leaf.events:
                    if goes_left(x[j]):
                        left[int(label)] += mass
                right = [a - b for a, b in zip(n, left, strict=True)]
                gain = gain_of(self.criterion, left, right)
                if gain > best[0] + 1e-7:
                    best = gain, j, goes_left, left, right
        if len(best) == 1 or statistic(*best[3:]) < 5.0:
            return False
        _, j, goes_left, *masses = best
        branches = []
        for m in masses:
            m = [max(one, 0.0) for one in m]
            curvature = sum(m) / 2
            start = 0.5 * (m[1] - m[0]) / (curvature + 1 / LEAF)
            variance = 1 / (1 / LEAF + 0.5 * curvature)
            branches.append(Leaf(self, [[b[0] + start, variance] for b in leaf.beliefs]))
            branches[-1].last = leaf.last
        made = Split(j, goes_left, *branches)
        if above is None:
            tree.root = made
        else:
            setattr(*above, made)
        tree.n_nodes += 2
        return True

    def questions(self, tree, leaf, j):
        """All splits of a feature, in the order in which the first of equals is taken."""
        missing = any(math.isnan(x[j]) for x, _, _ in leaf.events)
        for nan_left in (False, True) if missing else (False,):
            if j in self.categorical:
                for b in range(16):
                    yield (
                        lambda v, b=b, m=nan_left: (
                            m
                            if math.isnan(v)
                            else (math.floor(v) + tree.number * (v // 16)) % 16 == b
                        )
                    )
                continue
            cuts = []
            for x in leaf.first:
                cuts.append(x[j] if not math.isnan(x[j]) else (cuts[-1] if cuts else 0.0))
                cuts.sort()
            for cut in (*cuts, *(() if nan_left else (math.inf,))):
                yield lambda v, cut=cut, m=nan_left: m if math.isnan(v) else v <= cut


def move(belief, step, shrink, spread, n_trees):
    v = belief[1]
    belief[0] += step * v
    belief[1] -= shrink * v * (v + (spread - v) / n_trees)


def kalman(odds, spread, positive, w):
    p = sigmoid(odds)
    h = w * p * (1 - p)
    bound = w * math.tanh(abs(odds) / 2) / (2 * abs(odds)) if abs(odds) > 1e-4 else w / 4
    return w * (positive - p) / (1 + bound * spread), h / (1 + h * spread)


def gain_of(criterion, left, right):
    if sum(left) <= 0 or sum(right) <= 1e-12:
        return 0.0
    n = [a + b for a, b in zip(left, right, strict=True)]
    rates = [[max(m, 0.0) / total for m, total in zip(side, n, strict=True)]
             for side in (left, right)]  # fmt: skip
    if criterion == "hellinger":
        return math.sqrt(sum((math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in rates))

    def impurity(side):
        q = [one / sum(side) for one in side]
        if criterion == "ccp_gini":
            return 1 - sum(one**2 for one in q)
        return -sum(one * math.log2(one) for one in q if one > 0)

    return impurity([1, 1]) - sum(sum(side) / 2 * impurity(side) for side in rates)


def statistic(left, right):
    """Score test of equal values, as the weighted squares of what each branch is off by."""
    h = [sum(side) / 2 for side in (left, right)]
    if min(h) <= 0:
        return 0.0
    g = [side[1] - side[0] for side in (left, right)]
    mean = sum(g) / sum(h)
    return sum((a - mean * b) ** 2 / b for a, b in zip(g, h, strict=True))
