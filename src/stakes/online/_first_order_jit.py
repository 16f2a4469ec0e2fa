"""Compiled loops of the learners without a covariance; checked arrays in, changed in place.

Every learner answers an example (x, y) of weight c by mu += a y x, where `step` gives a from the
margin m = y mu'x, the squared length v = |x|^2 and c. C is the first number of the rule. See
`_gaussian_jit.py` for everything else.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes.online._before_step_jit import heed, log_odds, register, skip_row
from stakes.online._state import (
    BIAS,
    C_NEG,
    C_POS,
    COMPARE,
    HEAD,
    LISTENS,
    N_SEEN,
    N_UPDATES,
    PAUSE_AT,
    RULE,
    SCORE,
    P,
    Y,
)

PERCEPTRON, PA, PA_I, PA_II = range(4)
ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)


@njit(error_model="numpy", **INNER)
def step(rule, m, v, c, C):
    """Length a of the move along y x."""
    if rule == PERCEPTRON:
        if m > 0.0:
            return 0.0
        # an expensive mistake moves further, but not past the margin of one that corrects it
        return min(c, max(1.0, (1.0 - m) / v)) if v > 0.0 else c
    if m >= 1.0 or v <= 0.0:
        return 0.0
    if rule == PA_I:
        return min(C * c, (1.0 - m) / v)
    return (1.0 - m) / v if rule == PA else (1.0 - m) / (v + 0.5 / (C * c))


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_dense(x, y, c_pos, c_neg, mu, state, out):
    """Learn the rows of the flat array x in order, up to a pause; how many."""
    rule, C, bias = int(state[RULE]), state[P], state[BIAS]
    many, wanted, compare = c_pos.shape[0] > 1, out.shape[0] > 0, state[COMPARE] > 0.0
    hears = compare or state[LISTENS] > 0.0
    d = np.uintp(mu.shape[0] - 1)
    end = d - d % FOUR
    for t in range(y.shape[0]):
        if state[N_SEEN] >= state[PAUSE_AT]:
            return t
        i, k, y_t = np.uintp(t) * d, t if many else 0, y[t]
        m0 = m1 = m2 = m3 = v0 = v1 = v2 = v3 = 0.0
        j = np.uintp(0)
        while j < end:  # four partial sums, see _gaussian_jit.py
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
            skip_row(state, out, t)
            continue
        w, c = register(state, y_t, c_pos[k], c_neg[k])
        if wanted or w > 0.0 or compare:
            score = log_odds(state, f, y_t, c_pos[k], c_neg[k], w, c)
            if wanted:
                out[t] = score
        if c == 0.0:
            continue
        if hears:
            heed(state, y_t * f)
        a = y_t * step(rule, y_t * f, v, c, C)
        if a == 0.0:
            continue
        state[N_UPDATES] += 1.0
        for j in range(d):
            mu[j] += a * x[i + j]
        mu[d] += a * bias
    return y.shape[0]


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_csr(indptr, indices, x, y, c_pos, c_neg, mu, state, out):
    """Learn the rows of a CSR matrix in order, up to a pause; how many."""
    rule, C, bias = int(state[RULE]), state[P], state[BIAS]
    many, wanted, compare = c_pos.shape[0] > 1, out.shape[0] > 0, state[COMPARE] > 0.0
    hears = compare or state[LISTENS] > 0.0
    d = np.uintp(mu.shape[0] - 1)
    for t in range(y.shape[0]):
        if state[N_SEEN] >= state[PAUSE_AT]:
            return t
        start, stop = np.uintp(indptr[t]), np.uintp(indptr[t + 1])
        k, y_t = t if many else 0, y[t]
        f, v = mu[d] * bias, bias
        for i in range(start, stop):
            j = np.uintp(indices[i])  # a negative index is a large number
            if j >= d:
                v = math.nan  # counted as a row that cannot be learned
                break
            f += mu[j] * x[i]
            v += x[i] * x[i]
        if not math.isfinite(v):
            skip_row(state, out, t)
            continue
        w, c = register(state, y_t, c_pos[k], c_neg[k])
        if wanted or w > 0.0 or compare:
            score = log_odds(state, f, y_t, c_pos[k], c_neg[k], w, c)
            if wanted:
                out[t] = score
        if c == 0.0:
            continue
        if hears:
            heed(state, y_t * f)
        a = y_t * step(rule, y_t * f, v, c, C)
        if a == 0.0:
            continue
        state[N_UPDATES] += 1.0
        for i in range(start, stop):
            mu[np.uintp(indices[i])] += a * x[i]
        mu[d] += a * bias
    return y.shape[0]


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_row(x, y, c_pos, c_neg, knows):
    """Learn one dense row; its score before."""
    knows[Y], knows[C_POS], knows[C_NEG] = y, c_pos, c_neg
    row = knows[Y : Y + 1], knows[C_POS : C_POS + 1], knows[C_NEG : C_NEG + 1]
    learn_dense(x, *row, knows[HEAD:], knows[:HEAD], knows[SCORE : SCORE + 1])
    return knows[SCORE]


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_sparse_row(index, x, y, c_pos, c_neg, knows):
    """Learn one sparse row; its score before."""
    knows[Y], knows[C_POS], knows[C_NEG] = y, c_pos, c_neg
    row = knows[Y : Y + 1], knows[C_POS : C_POS + 1], knows[C_NEG : C_NEG + 1]
    indptr = np.array([0, index.shape[0]], np.int32)
    learn_csr(indptr, index, x, *row, knows[HEAD:], knows[:HEAD], knows[SCORE : SCORE + 1])
    return knows[SCORE]
