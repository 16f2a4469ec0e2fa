"""Compiled loops of the learners without a covariance; checked arrays in, changed in place.

Every one of them answers an example (x, y) of cost c by mu += a y x with `step`'s a, a function of
the margin m = y mu'x, the squared length v = |x|^2, and c. `numbers` = (rule, C, weighting,
calibrate, bias); `tally` and `bias` as in `_gaussian_jit.py`.
"""

import math

import numpy as np
from numba import njit

from stakes._jit._prequential import calibrate_step, calibrated
from stakes._jit._weight import weigh

PERCEPTRON, PA, PA_I, PA_II = range(4)
ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)


@njit(cache=True, error_model="numpy")
def step(rule, m, v, c, C):
    """How far along y x the weights move."""
    if rule == PERCEPTRON:
        if m > 0.0:
            return 0.0
        # a costly mistake moves further, but not past the margin that undoes it
        return min(c, max(1.0, (1.0 - m) / v)) if v > 0.0 else c
    if m >= 1.0 or v <= 0.0:
        return 0.0
    if rule == PA_I:
        return min(C * c, (1.0 - m) / v)
    return (1.0 - m) / v if rule == PA else (1.0 - m) / (v + 0.5 / (C * c))


@njit(cache=True, error_model="numpy", inline="always")
def answer(f, v, y, c_pos, c_neg, tally, cal, numbers):
    """Score an example, then count and weigh it: (its score before, a y)."""
    rule, C, weighting, calibrate, _ = numbers
    score = calibrated(cal, f) if calibrate else f
    if (c_pos if y > 0.0 else c_neg) <= 0.0:
        return score, 0.0
    if calibrate:
        calibrate_step(cal, f, y)
    c = weigh(tally, y, c_pos, c_neg, weighting)
    a = step(rule, y * f, v, c, C)
    if a != 0.0:
        tally[1] += 1.0
    return score, y * a


@njit(cache=True, error_model="numpy", inline="always")
def learn_row(x, y, c_pos, c_neg, mu, tally, cal, numbers):
    """Learn one dense row; return its score before, NaN if it is not finite."""
    bias = numbers[4]
    d = np.uintp(x.shape[0])
    end = d - d % FOUR
    m0 = m1 = m2 = m3 = v0 = v1 = v2 = v3 = 0.0
    j = np.uintp(0)
    while j < end:
        x0, x1, x2, x3 = x[j], x[j + ONE], x[j + TWO], x[j + THREE]
        m0 += mu[j] * x0
        m1 += mu[j + ONE] * x1
        m2 += mu[j + TWO] * x2
        m3 += mu[j + THREE] * x3
        v0 += x0 * x0
        v1 += x1 * x1
        v2 += x2 * x2
        v3 += x3 * x3
        j += FOUR
    tally[8], tally[9], tally[10], tally[11] = m0, m1, m2, m3
    tally[12], tally[13], tally[14], tally[15] = v0, v1, v2, v3
    f = (tally[8] + tally[9]) + (tally[10] + tally[11]) + mu[d] * bias
    v = (tally[12] + tally[13]) + (tally[14] + tally[15]) + bias
    while j < d:
        f += mu[j] * x[j]
        v += x[j] * x[j]
        j += ONE
    if not math.isfinite(v):
        return math.nan
    score, a = answer(f, v, y, c_pos, c_neg, tally, cal, numbers)
    if a != 0.0:
        for j in range(d):
            mu[j] += a * x[j]
        mu[d] += a * bias
    return score


@njit(cache=True, error_model="numpy", inline="always")
def learn_sparse_row(index, x, y, c_pos, c_neg, mu, tally, cal, numbers):
    """Learn one sparse row; return its score before, NaN if it is not finite."""
    bias = numbers[4]
    d = mu.shape[0] - 1
    f, v = mu[d] * bias, bias
    for k in range(index.shape[0]):
        f += mu[np.uintp(index[k])] * x[k]
        v += x[k] * x[k]
    if not math.isfinite(v):
        return math.nan
    score, a = answer(f, v, y, c_pos, c_neg, tally, cal, numbers)
    if a != 0.0:
        for k in range(index.shape[0]):
            mu[np.uintp(index[k])] += a * x[k]
        mu[d] += a * bias
    return score


@njit(cache=True, error_model="numpy")
def learn_dense(X, y, c_pos, c_neg, mu, tally, cal, numbers, out):
    """Learn all rows in order; `out` takes the scores if it has room."""
    for t in range(X.shape[0]):
        score = learn_row(X[t], y[t], c_pos[t], c_neg[t], mu, tally, cal, numbers)
        if out.shape[0] > 0:
            out[t] = score


@njit(cache=True, error_model="numpy")
def learn_csr(indptr, indices, data, y, c_pos, c_neg, mu, tally, cal, numbers, out):
    """The same on compressed sparse rows."""
    for t in range(y.shape[0]):
        index, x = indices[indptr[t] : indptr[t + 1]], data[indptr[t] : indptr[t + 1]]
        score = learn_sparse_row(index, x, y[t], c_pos[t], c_neg[t], mu, tally, cal, numbers)
        if out.shape[0] > 0:
            out[t] = score
