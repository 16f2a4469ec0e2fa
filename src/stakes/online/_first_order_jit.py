"""Compiled loops of the learners without a covariance; checked arrays in, changed in place.

Every one of them answers an example (x, y) of cost c by mu += a y x with `step`'s a, a function of
the margin m = y mu'x, the squared length v = |x|^2, and c. Everything else is as in
`_gaussian_jit.py`; C is the first of the rule's own numbers.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit.prequential import stands_for
from stakes._core.jit.weight import weigh
from stakes.online._state import (
    BIAS,
    C_NEG,
    C_POS,
    CALIBRATE,
    HEAD,
    N_UPDATES,
    NOT_FINITE,
    RULE,
    SCORE,
    SIGN,
    WEIGHTING,
    P,
)
from stakes.online._tell_jit import END, FIRST, tell

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


@njit(cache=True, error_model="numpy")
def learn_dense(x, y, c_pos, c_neg, mu, state, out):
    """Learn all rows of the flat array x in order."""
    rule, C, weighting = int(state[RULE]), state[P], int(state[WEIGHTING])
    calibrate, bias = state[CALIBRATE] > 0.0, state[BIAS]
    cal = state[FIRST:END]
    many, told = c_pos.shape[0] > 1, out.shape[0] > 0
    d = np.uintp(mu.shape[0] - 1)
    end = d - d % FOUR
    for t in range(y.shape[0]):
        i, k, y_t = np.uintp(t) * d, t if many else 0, np.float64(y[t])
        m0 = m1 = m2 = m3 = v0 = v1 = v2 = v3 = 0.0
        j = np.uintp(0)
        while j < end:
            x0, x1, x2, x3 = x[i + j], x[i + j + ONE], x[i + j + TWO], x[i + j + THREE]
            m0 += mu[j] * x0
            m1 += mu[j + ONE] * x1
            m2 += mu[j + TWO] * x2
            m3 += mu[j + THREE] * x3
            v0 += x0 * x0
            v1 += x1 * x1
            v2 += x2 * x2
            v3 += x3 * x3
            j += FOUR
        f = (m0 + m1) + (m2 + m3) + mu[d] * bias
        v = (v0 + v1) + (v2 + v3) + bias
        while j < d:
            f += mu[j] * x[i + j]
            v += x[i + j] * x[i + j]
            j += ONE
        if not math.isfinite(v):
            state[NOT_FINITE] += 1.0
            if told:
                out[t] = math.nan
            continue
        c_miss, c_alarm = c_pos[k], c_neg[k]
        learns = (c_miss if y_t > 0.0 else c_alarm) > 0.0
        w = stands_for(cal, y_t) if learns and calibrate else 0.0
        if told or w > 0.0:
            score = tell(state, f, y_t, c_miss, c_alarm, w)
            if told:
                out[t] = score
        if not learns:
            continue
        c = weigh(state, y_t, c_miss, c_alarm, weighting)
        a = y_t * step(rule, y_t * f, v, c, C)
        if a == 0.0:
            continue
        state[N_UPDATES] += 1.0
        for j in range(d):
            mu[j] += a * x[i + j]
        mu[d] += a * bias


@njit(cache=True, error_model="numpy")
def learn_csr(indptr, indices, x, y, c_pos, c_neg, mu, state, out):
    """The same on compressed sparse rows."""
    rule, C, weighting = int(state[RULE]), state[P], int(state[WEIGHTING])
    calibrate, bias = state[CALIBRATE] > 0.0, state[BIAS]
    cal = state[FIRST:END]
    many, told = c_pos.shape[0] > 1, out.shape[0] > 0
    d = np.uintp(mu.shape[0] - 1)
    for t in range(y.shape[0]):
        start, stop = np.uintp(indptr[t]), np.uintp(indptr[t + 1])
        k, y_t = t if many else 0, np.float64(y[t])
        f, v = mu[d] * bias, bias
        for i in range(start, stop):
            f += mu[np.uintp(indices[i])] * x[i]
            v += x[i] * x[i]
        if not math.isfinite(v):
            state[NOT_FINITE] += 1.0
            if told:
                out[t] = math.nan
            continue
        c_miss, c_alarm = c_pos[k], c_neg[k]
        learns = (c_miss if y_t > 0.0 else c_alarm) > 0.0
        w = stands_for(cal, y_t) if learns and calibrate else 0.0
        if told or w > 0.0:
            score = tell(state, f, y_t, c_miss, c_alarm, w)
            if told:
                out[t] = score
        if not learns:
            continue
        c = weigh(state, y_t, c_miss, c_alarm, weighting)
        a = y_t * step(rule, y_t * f, v, c, C)
        if a == 0.0:
            continue
        state[N_UPDATES] += 1.0
        for i in range(start, stop):
            mu[np.uintp(indices[i])] += a * x[i]
        mu[d] += a * bias


@njit(cache=True, error_model="numpy")
def learn_row(x, y, c_pos, c_neg, knows):
    """Learn one dense row, with all that is known in one array; return its score before."""
    sign = knows[SIGN:C_POS].view(np.int8)[0:1]
    sign[0], knows[C_POS], knows[C_NEG] = y, c_pos, c_neg
    miss, alarm, out = knows[C_POS:C_NEG], knows[C_NEG:SCORE], knows[SCORE:HEAD]
    learn_dense(x, sign, miss, alarm, knows[HEAD:], knows[:HEAD], out)
    return knows[SCORE]


@njit(cache=True, error_model="numpy")
def learn_sparse_row(index, x, y, c_pos, c_neg, mu, state):
    """Learn one sparse row; return its score before."""
    sign, one, indptr = np.empty(1, np.int8), np.empty(3), np.empty(2, np.int32)
    sign[0], one[0], one[1] = y, c_pos, c_neg
    indptr[0], indptr[1] = 0, index.shape[0]
    learn_csr(indptr, index, x, sign, one[0:1], one[1:2], mu, state, one[2:3])
    return one[2]
