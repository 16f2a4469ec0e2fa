"""Compiled: from an event to the leaves it falls into, and the log-odds that they give."""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.prequential import calibrated
from stakes.online_forest._memory_jit import unpacked
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


@njit(error_model="numpy", **INNER)
def category_bin(x, tree):
    """Bin of a category's code: the first codes have one each, later ones others in each tree."""
    code = math.floor(min(max(x, -LARGEST_CODE), LARGEST_CODE))
    return int((code + tree * (code // N_BINS)) % N_BINS)


@njit(error_model="numpy", **INNER)
def leaf_of(f, x, tree):
    """Leaf that x falls into."""
    nodes, points, categorical = f.nodes, f.points, f.categorical
    i = 0
    while nodes[tree, i, FEATURE] >= 0:
        j = nodes[tree, i, FEATURE]
        v = x[j]
        right = 0 if v <= points[tree, i, CUT] else 1  # no branch: it would be mispredicted
        if v != v:
            right = 1 - nodes[tree, i, MISSING_LEFT]
        elif categorical[j]:
            right = 0 if category_bin(v, tree) == points[tree, i, CUT] else 1
        i = nodes[tree, i, CHILD] + right
    return i


@njit(error_model="numpy", **INNER)
def standardized(head, scale, categorical, x, z):
    """Write x in standard deviations from the mean to z; missing values and categories are zero."""
    n = head[N_SEEN]
    for j in range(int(head[N_COLUMNS])):
        z[j] = 0.0
        if x[j] == x[j] and not categorical[j] and scale[1, j] > 0.0:
            v = min(max(x[j], -LARGEST), LARGEST) - scale[0, j]
            z[j] = min(max(v / math.sqrt(scale[1, j] / n), -FARTHEST), FARTHEST)


@njit(error_model="numpy", **INNER)
def log_odds(f, x, z, leaves, odds, spread):
    """Log-odds for each half-life and their variances, before the shares and the calibration."""
    d, n_trees = f.scale.shape[1], f.trees.shape[0] - 1
    columns = int(f.head[N_COLUMNS]) if f.head[LINEAR] > 0.0 else 0
    if columns > 0:
        standardized(f.head, f.scale, f.categorical, x, z)
    for m in range(n_trees):
        leaves[m] = leaf_of(f, x, np.int64(f.trees[m, WHERE]))
    for h in range(odds.size):
        s, v = f.linear[h, d, MEAN], f.linear[h, d, VARIANCE]
        for j in range(columns):
            s += f.linear[h, j, MEAN] * z[j]
            v += f.linear[h, j, VARIANCE] * z[j] * z[j]
        for m in range(n_trees):
            value = f.value[f.trees[m, WHERE], leaves[m], h]
            s += value[MEAN]
            v += value[VARIANCE]
        odds[h], spread[h] = s, v


@njit(cache=True, **ENTRY)
def usable(x, allow_nan):
    """Whether a row has no infinity, and no NaN unless it is allowed."""
    for v in x:
        if abs(v) == np.inf or (v != v and not allow_nan):
            return False
    return True


@njit(error_model="numpy", **INNER)
def sigmoid(s):
    """1 / (1 + exp(-s)), never exactly zero or one."""
    return 1.0 / (1.0 + math.exp(-min(max(s, -HIGHEST), HIGHEST)))


@njit(error_model="numpy", **INNER)
def mixed(head, odds, chance):
    """Probability of the positive class, by the shares of the half-lives; each one's to chance."""
    p = 0.0
    for h in range(odds.size):
        chance[h] = sigmoid(odds[h])
        p += head[SHARES + h] * chance[h]
    return p


@njit(error_model="numpy", **INNER)
def logit(p):
    return math.log(p) - math.log1p(-p)


@njit(error_model="numpy", **INNER)
def work_space(f):
    """Arrays for what is known about one event: its columns, leaves and half-lives."""
    rows = np.empty((8, f.linear.shape[0]))
    return np.empty(f.scale.shape[1]), np.empty(f.trees.shape[0], np.int64), rows


@njit(error_model="numpy", **INNER)
def score(f, x, work):
    """Calibrated log-odds of x; NaN if it is infinite."""
    if not usable(x, True):
        return np.nan
    z, leaves, rows = work
    odds, spread = rows[0], rows[1]
    log_odds(f, x, z, leaves, odds, spread)
    s = logit(mixed(f.head, odds, spread))
    return calibrated(f.head, s) if f.head[CALIBRATE] > 0.0 else s


@njit(cache=True, error_model="numpy", **ENTRY)
def score_rows(memory, X, out):
    """Calibrated log-odds of the rows of X; NaN if a row is infinite."""
    f = unpacked(memory)
    work = work_space(f)
    for t in range(len(X)):
        out[t] = score(f, X[t], work)


@njit(cache=True, error_model="numpy", **ENTRY)
def score_row(memory, X):
    """As `score_rows`, for a table of one row."""
    f = unpacked(memory)
    return score(f, X[0], work_space(f))


@njit(error_model="numpy", **INNER)
def bin_of(cuts, category, v, tree):
    """Bin of a value by the cuts of an observer's candidate."""
    if v != v:
        return MISSING
    if category:
        return category_bin(v, tree)
    b = 8 if v > cuts[7] else 0
    b += 4 if v > cuts[b + 3] else 0
    b += 2 if v > cuts[b + 1] else 0
    return b + (1 if v > cuts[b] else 0)
