"""Neighbours, Eqs. 4.5 to 4.8 with all distances, and K2 by exact fractions of factorials."""

from collections import Counter
from fractions import Fraction
from math import factorial, prod

import numpy as np
from scipy.spatial.distance import cdist

NAMES = {"l1": "cityblock", "l2": "euclidean", "linf": "chebyshev"}


def unit_distance(X, k, metric):
    """Mean distance to the k-th neighbour of (at most) 16 evenly spaced rows."""
    rows = np.unique(np.linspace(0, len(X) - 1, 16).astype(int))
    return np.sort(cdist(X[rows], X, NAMES[metric]), axis=1)[:, k].mean()


def probability(X, positive, confidence, new, k, weights, metric, smoothing):
    """Share of the positive class in the votes; `confidence` is p(x_i | y_i)."""
    unit = unit_distance(X, k, metric)
    typical = confidence / np.exp(np.log(confidence).mean())
    box = np.array([X.min(axis=0), X.max(axis=0)])
    diameter = cdist(box[:1], box[1:], NAMES[metric])[0, 0]
    out = []
    for row in cdist(new, X, NAMES[metric]):
        near = np.argsort(row, kind="stable")[:k]
        if weights == "inverse" and row[near[0]] == 0:
            g = (row[near] == 0) * 1e40  # copies leave nothing to others, nor to the smoothing
        elif weights == "inverse":
            g = unit / row[near]
        elif weights == "additive":
            g = np.maximum(1 - row[near] / diameter, 0)
        else:
            g = np.ones(k)
        votes = g * typical[near]
        plus = votes[positive[near]].sum() + smoothing * positive.mean()
        out.append(plus / (votes.sum() + smoothing))
    return np.array(out)


def k2_family(columns, arity, i, parents):
    """Probability of column i given its parents, Cooper and Herskovits, as an exact fraction."""
    rows = list(zip(*columns, strict=True))
    seen = Counter(tuple(row[p] for p in parents) for row in rows)
    cells = Counter((*(row[p] for p in parents), row[i]) for row in rows)
    r = arity[i]
    return prod(
        (Fraction(factorial(r - 1), factorial(n + r - 1)) for n in seen.values()), start=Fraction(1)
    ) * prod(factorial(n) for n in cells.values())


def k2_parents(columns, arity, max_parents):
    """Parents and probability of each column: whole numbers, no logarithm, no table."""
    found, probabilities = [], []
    for i in range(len(columns)):
        parents, best = (), k2_family(columns, arity, i, ())
        while len(parents) < max_parents:
            trials = {
                j: k2_family(columns, arity, i, (*parents, j)) for j in range(i) if j not in parents
            }
            if not trials or max(trials.values()) <= best:
                break
            best = max(trials.values())
            parents += (min(j for j, value in trials.items() if value == best),)
        found.append(parents)
        probabilities.append(best)
    return found, probabilities


def network_density(columns, arity, parents, alpha, x):
    """p(x) by counting the rows that agree with x, column by column."""
    rows, p = list(zip(*columns, strict=True)), 1.0
    for i, of_i in enumerate(parents):
        same = [row for row in rows if all(row[j] == x[j] for j in of_i)]
        p *= (sum(row[i] == x[i] for row in same) + alpha) / (len(same) + alpha * arity[i])
    return p
