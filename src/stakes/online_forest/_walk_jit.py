"""Compiled: from an event to the leaves it falls into, and the log-odds that they give."""

import math

import numpy as np
from numba import njit

from stakes._core.jit import INNER
from stakes._core.jit.prequential import calibrated
from stakes.online_forest._state import (
    CALIBRATE,
    CHILD,
    CUT,
    FARTHEST,
    FEATURE,
    LINEAR,
    MEAN,
    MISSING,
    MISSING_LEFT,
    N_BINS,
    N_COLUMNS,
    N_SEEN,
    SHARES,
    VARIANCE,
    WHERE,
)

LARGEST_CODE = 1e15
LARGEST = 1e100  # the linear part takes larger numbers for this
HIGHEST = 35.0  # log-odds; beyond it a probability is one to sixteen digits


@njit(cache=True, error_model="numpy", **INNER)
def category_bin(x, tree):
    """Bin of a category's code: the first codes have one each, later ones others in each tree."""
    code = math.floor(min(max(x, -LARGEST_CODE), LARGEST_CODE))
    return int((code + tree * (code // N_BINS)) % N_BINS)


@njit(cache=True, error_model="numpy", **INNER)
def leaf_of(f, x, tree):
    """Leaf that x falls into."""
    i = 0
    while f.nodes[tree, i, FEATURE] >= 0:
        j = f.nodes[tree, i, FEATURE]
        v = x[j]
        if v != v:
            left = f.nodes[tree, i, MISSING_LEFT] == 1
        elif f.categorical[j]:
            left = category_bin(v, tree) == f.points[tree, i, CUT]
        else:
            left = v <= f.points[tree, i, CUT]
        i = f.nodes[tree, i, CHILD] + (0 if left else 1)
    return i


@njit(cache=True, error_model="numpy", **INNER)
def standardized(f, x, z):
    """Write x in standard deviations from the mean to z; missing values and categories are zero."""
    n = f.head[N_SEEN]
    for j in range(int(f.head[N_COLUMNS])):
        z[j] = 0.0
        if x[j] == x[j] and not f.categorical[j] and f.scale[1, j] > 0.0:
            v = min(max(x[j], -LARGEST), LARGEST) - f.scale[0, j]
            z[j] = min(max(v / math.sqrt(f.scale[1, j] / n), -FARTHEST), FARTHEST)


@njit(cache=True, error_model="numpy", **INNER)
def log_odds(f, x, z, leaves, odds, spread):
    """Log-odds for each half-life and their variances, before the shares and the calibration."""
    d, n_trees = f.scale.shape[1], f.trees.shape[0] - 1
    for h in range(odds.size):
        odds[h], spread[h] = f.linear[h, d, MEAN], f.linear[h, d, VARIANCE]
    if f.head[LINEAR] > 0.0:
        standardized(f, x, z)
        for h in range(odds.size):
            for j in range(int(f.head[N_COLUMNS])):
                odds[h] += f.linear[h, j, MEAN] * z[j]
                spread[h] += f.linear[h, j, VARIANCE] * z[j] * z[j]
    for m in range(n_trees):
        tree = np.int64(f.trees[m, WHERE])
        leaves[m] = leaf_of(f, x, tree)
        for h in range(odds.size):
            odds[h] += f.value[tree, leaves[m], h, MEAN]
            spread[h] += f.value[tree, leaves[m], h, VARIANCE]


@njit(cache=True, error_model="numpy", **INNER)
def sigmoid(s):
    """1 / (1 + exp(-s)), never exactly zero or one."""
    return 1.0 / (1.0 + math.exp(-min(max(s, -HIGHEST), HIGHEST)))


@njit(cache=True, error_model="numpy", **INNER)
def mixed(f, odds):
    """Probability of the positive class, by the shares of the half-lives."""
    p = 0.0
    for h in range(odds.size):
        p += f.head[SHARES + h] * sigmoid(odds[h])
    return p


@njit(cache=True, error_model="numpy", **INNER)
def logit(p):
    return math.log(p) - math.log1p(-p)


@njit(cache=True, error_model="numpy")
def score_rows(f, X, out):
    """Calibrated log-odds of the rows of X."""
    n_half_lives = f.linear.shape[0]
    z, leaves = np.zeros(X.shape[1]), np.empty(f.trees.shape[0], np.int64)
    odds, spread = np.empty(n_half_lives), np.empty(n_half_lives)
    for t in range(len(X)):
        log_odds(f, X[t], z, leaves, odds, spread)
        s = logit(mixed(f, odds))
        out[t] = calibrated(f.head, s) if f.head[CALIBRATE] > 0.0 else s


@njit(cache=True, error_model="numpy", **INNER)
def bin_of(f, v, j, tree, cuts):
    """Bin of value v of feature j in the observer with these cuts."""
    if v != v:
        return MISSING
    if f.categorical[j]:
        return category_bin(v, tree)
    b = 8 if v > cuts[7] else 0
    b += 4 if v > cuts[b + 3] else 0
    b += 2 if v > cuts[b + 1] else 0
    return b + (1 if v > cuts[b] else 0)
