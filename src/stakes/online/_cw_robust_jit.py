"""Compiled loops of CW-robust: score with the blended weights, learn as CW-CVaR (Algorithm 2).

`nu` and `r` are the prior's mean and precision of each weight, r = 0 where nothing is known;
`opposite` takes -mu for the mean, as Section VI-B. `repeated` counts the precision of the weights
once for every example, as Eqs. 14 and 15. Dense rows come as `dense`, with indices 0..d-1 that all
of them share.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit.prequential import stands_for
from stakes.online._gaussian_full_jit import learn_full_row
from stakes.online._gaussian_jit import learn_row, learn_sparse_row
from stakes.online._state import CALIBRATE
from stakes.online._tell_jit import END, FIRST, tell


@njit(cache=True, error_model="numpy")
def blend(mu, sigma, nu, r, opposite, t):
    """Posterior of one weight from its Gaussian, t times, and its prior: Eqs. 14 and 15."""
    prior = -mu if opposite else nu
    scale = sigma * r + t
    return (sigma * r * prior + t * mu) / scale, sigma / scale


@njit(cache=True, error_model="numpy")
def blend_all(mu, sigma, nu, r, opposite, t):
    """The same for all weights, each by itself."""
    blended = np.empty(mu.shape[0]), np.empty(mu.shape[0])
    for j in range(mu.shape[0]):
        blended[0][j], blended[1][j] = blend(mu[j], sigma[j], nu[j], r[j], opposite, t)
    return blended


@njit(cache=True, error_model="numpy")
def blend_full(mu, Sigma, nu, r, opposite, t):
    """The same for correlated weights: (R + t P)^-1 = (t I + Sigma R)^-1 Sigma, P = Sigma^-1."""
    A = Sigma * r
    for j in range(mu.shape[0]):
        A[j, j] += t
    prior = -mu if opposite else nu
    return np.linalg.solve(A, Sigma @ (r * prior) + t * mu), np.linalg.solve(A, Sigma)


@njit(cache=True, error_model="numpy")
def times(state, repeated):
    """How often the precision of the weights counts."""
    return max(state[0], 1.0) if repeated else 1.0


@njit(cache=True, error_model="numpy")
def tell_blended(s, y, c_pos, c_neg, state):
    """What is told of the blended score, from which alone the calibration learns."""
    if not math.isfinite(s):
        return math.nan
    learns = state[CALIBRATE] > 0.0 and (c_pos if y > 0.0 else c_neg) > 0.0
    return tell(state, s, y, c_pos, c_neg, stands_for(state[FIRST:END], y) if learns else 0.0)


@njit(cache=True, error_model="numpy")
def robust_row(dense, index, x, y, c_pos, c_neg, omega, mu, sigma, state, nu, r, opposite, t):
    """Score one row with the blended weights, then learn it."""
    calibrate, d = state[CALIBRATE], mu.shape[0] - 1
    state[CALIBRATE] = 0.0  # the map learns from the blended score alone
    if dense:
        blend_mu, blend_sigma = blend_all(mu, sigma, nu, r, opposite, t)
        s = learn_row(x, y, 0.0, 0.0, omega, blend_mu, blend_sigma, state)
        learn_row(x, y, c_pos, c_neg, omega, mu, sigma, state)
    else:
        k = index.shape[0]
        blend_mu, blend_sigma = np.empty(k + 1), np.empty(k + 1)
        for i in range(k + 1):
            j = index[i] if i < k else d
            blend_mu[i], blend_sigma[i] = blend(mu[j], sigma[j], nu[j], r[j], opposite, t)
        own = np.arange(k).astype(np.int32)
        s = learn_sparse_row(own, x, y, 0.0, 0.0, omega, blend_mu, blend_sigma, state)
        learn_sparse_row(index, x, y, c_pos, c_neg, omega, mu, sigma, state)
    state[CALIBRATE] = calibrate
    return tell_blended(s, y, c_pos, c_neg, state)


@njit(cache=True, error_model="numpy")
def robust_full_row(index, x, y, c_pos, c_neg, omega, mu, Sigma, state, nu, r, opposite, t):
    """The same with a full Sigma."""
    calibrate = state[CALIBRATE]
    state[CALIBRATE] = 0.0
    blend_mu, blend_Sigma = blend_full(mu, Sigma, nu, r, opposite, t)
    s = learn_full_row(index, x, y, 0.0, 0.0, omega, blend_mu, blend_Sigma, state)
    learn_full_row(index, x, y, c_pos, c_neg, omega, mu, Sigma, state)
    state[CALIBRATE] = calibrate
    return tell_blended(s, y, c_pos, c_neg, state)


@njit(cache=True, error_model="numpy")
def robust_pass(
    dense, indptr, indices, data, y, c_pos, c_neg, omega, mu, sigma, state, nu, r, opposite,
    repeated, out,
):  # fmt: skip
    """Score and learn all rows in order; `out` takes the scores if it has room."""
    many, stride = c_pos.shape[0] > 1, omega.shape[0] > 1
    for t in range(y.shape[0]):
        k, w, i, j = t if many else 0, omega[t if stride else 0], indptr[t], indptr[t + 1]
        index = indices if dense else indices[i:j]
        score = robust_row(
            dense, index, data[i:j], np.float64(y[t]), c_pos[k], c_neg[k], w, mu, sigma, state,
            nu, r, opposite, times(state, repeated),
        )  # fmt: skip
        if out.shape[0] > 0:
            out[t] = score


@njit(cache=True, error_model="numpy")
def robust_full_pass(
    dense, indptr, indices, data, y, c_pos, c_neg, omega, mu, Sigma, state, nu, r, opposite,
    repeated, out,
):  # fmt: skip
    """The same with a full Sigma."""
    many, stride = c_pos.shape[0] > 1, omega.shape[0] > 1
    for t in range(y.shape[0]):
        k, w, i, j = t if many else 0, omega[t if stride else 0], indptr[t], indptr[t + 1]
        index = indices if dense else indices[i:j]
        score = robust_full_row(
            index, data[i:j], np.float64(y[t]), c_pos[k], c_neg[k], w, mu, Sigma, state,
            nu, r, opposite, times(state, repeated),
        )  # fmt: skip
        if out.shape[0] > 0:
            out[t] = score
