"""Compiled loops of the Gaussian learners with a full covariance; see `_gaussian_jit.py`."""

import math

import numpy as np
from numba import njit

from stakes._core.jit.prequential import stands_for
from stakes._core.jit.weight import weigh
from stakes.online._gaussian_jit import PROBIT, step
from stakes.online._state import BIAS, CALIBRATE, N_UPDATES, NOT_FINITE, RULE, WEIGHTING, P, Q
from stakes.online._tell_jit import END, FIRST, tell


@njit(cache=True, error_model="numpy")
def learn_full_row(index, x, y, c_pos, c_neg, omega, mu, Sigma, state):
    """Learn one sparse row; return its score before. Dense: index = 0..d-1."""
    rule, p, q = int(state[RULE]), state[P], state[Q]
    weighting, calibrate, bias = int(state[WEIGHTING]), state[CALIBRATE] > 0.0, state[BIAS]
    D = mu.shape[0]
    d = D - 1
    Sx = Sigma[d] * bias
    for k in range(index.shape[0]):
        Sx += Sigma[index[k]] * x[k]
    f, v = mu[d] * bias, Sx[d] * bias
    for k in range(index.shape[0]):
        f += mu[index[k]] * x[k]
        v += Sx[index[k]] * x[k]
    if not math.isfinite(v):
        state[NOT_FINITE] += 1.0
        return math.nan
    v = max(v, 0.0)
    learns = (c_pos if y > 0.0 else c_neg) > 0.0
    w = stands_for(state[FIRST:END], y) if learns and calibrate else 0.0
    s = f / math.sqrt((p if rule == PROBIT else 1.0) + v)
    score = tell(state, s, y, c_pos, c_neg, w)
    if not learns:
        return score
    c = weigh(state, y, c_pos, c_neg, weighting)
    a, b = step(rule, y * f, v, c, omega, p, q)
    if (a == 0.0 and b == 0.0) or not math.isfinite(a * b):
        return score
    state[N_UPDATES] += 1.0
    mu += y * a * Sx
    drop = b if rule == PROBIT else b / (1.0 + b * v)
    for i in range(D):
        Sigma[i] -= (drop * Sx[i]) * Sx
    return score


@njit(cache=True, error_model="numpy")
def learn_full_dense(every, X, y, c_pos, c_neg, omega, mu, Sigma, state, out):
    """Learn all rows of X in order; `every` is 0..d-1."""
    many, stride = c_pos.shape[0] > 1, omega.shape[0] > 1
    for t in range(X.shape[0]):
        k, y_t, w = t if many else 0, np.float64(y[t]), omega[t if stride else 0]
        score = learn_full_row(every, X[t], y_t, c_pos[k], c_neg[k], w, mu, Sigma, state)
        if out.shape[0] > 0:
            out[t] = score


@njit(cache=True, error_model="numpy")
def learn_full_csr(indptr, indices, data, y, c_pos, c_neg, omega, mu, Sigma, state, out):
    """The same on compressed sparse rows."""
    many, stride = c_pos.shape[0] > 1, omega.shape[0] > 1
    for t in range(y.shape[0]):
        k, y_t, w = t if many else 0, np.float64(y[t]), omega[t if stride else 0]
        index, x = indices[indptr[t] : indptr[t + 1]], data[indptr[t] : indptr[t + 1]]
        score = learn_full_row(index, x, y_t, c_pos[k], c_neg[k], w, mu, Sigma, state)
        if out.shape[0] > 0:
            out[t] = score
