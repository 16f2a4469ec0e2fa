"""Compiled loops of the Gaussian learners with a full covariance; see `_gaussian_jit.py`."""

import math

from numba import njit

from stakes._core.jit import ENTRY
from stakes.online._before_step_jit import heed, log_odds, register
from stakes.online._fading_jit import grow_full
from stakes.online._gaussian_jit import PROBIT, step
from stakes.online._state import (
    BIAS,
    COMPARE,
    GROWTH,
    LISTENS,
    N_NOT_FINITE,
    N_SEEN,
    N_UPDATES,
    PAUSE_AT,
    RULE,
    P,
    Q,
)


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_full_row(index, x, y, c_pos, c_neg, omega, mu, Sigma, state):
    """Learn one sparse row; its score before. A dense row has index 0..d-1."""
    rule, p, q, bias = int(state[RULE]), state[P], state[Q], state[BIAS]
    D = mu.shape[0]
    d = D - 1
    # Sigma is symmetric: rows, which lie together in memory, instead of columns
    Sx = Sigma[d] * bias
    for k in range(index.shape[0]):
        Sx += Sigma[index[k]] * x[k]
    f, v = mu[d] * bias, Sx[d] * bias
    for k in range(index.shape[0]):
        f += mu[index[k]] * x[k]
        v += Sx[index[k]] * x[k]
    if not math.isfinite(v):
        state[N_NOT_FINITE] += 1.0
        return math.nan
    v = max(v, 0.0)  # rounding
    w, c = register(state, y, c_pos, c_neg)
    noise = p if rule == PROBIT else 1.0
    score = log_odds(state, f / math.sqrt(noise + v), y, c_pos, c_neg, w, c)
    if c == 0.0:
        return score
    if state[COMPARE] + state[LISTENS] > 0.0:
        heed(state, y * f)
    a, b = step(rule, y * f, v, c, omega, p, q)
    if (a != 0.0 or b != 0.0) and math.isfinite(a * b):
        state[N_UPDATES] += 1.0
        mu += y * a * Sx
        drop = b if rule == PROBIT else b / (1.0 + b * v)
        for i in range(D):
            Sigma[i] -= (drop * Sx[i]) * Sx
    if state[GROWTH] > 1.0:
        grow_full(state, Sigma)
    return score


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_full(dense, indptr, indices, data, y, c_pos, c_neg, omega, mu, Sigma, state, out):
    """Learn rows in order up to a pause; how many. `dense`: all rows have the indices 0..d-1."""
    many, stride = c_pos.shape[0] > 1, omega.shape[0] > 1
    for t in range(y.shape[0]):
        if state[N_SEEN] >= state[PAUSE_AT]:
            return t
        k, w, i, j = t if many else 0, omega[t if stride else 0], indptr[t], indptr[t + 1]
        index = indices if dense else indices[i:j]
        score = learn_full_row(index, data[i:j], y[t], c_pos[k], c_neg[k], w, mu, Sigma, state)
        if out.shape[0] > 0:
            out[t] = score
    return y.shape[0]
