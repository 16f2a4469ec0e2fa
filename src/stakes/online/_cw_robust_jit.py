"""Compiled loop of CW-robust: score with the blended weights, learn as CW-CVaR (Algorithm 2).

`nu` and `r` are the mean and precision of the prior on each weight, r = 0 where nothing is known;
`opposite` takes -mu as the mean (Section VI-B). `repeated` counts the precision of the weights once
per example (Eqs. 14 and 15). Rows as in `learn_full`.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.prequential import stands_for
from stakes.online._before_step_jit import log_odds
from stakes.online._fading_jit import LARGE, now, settle
from stakes.online._gaussian_csr_jit import learn_sparse_row
from stakes.online._gaussian_full_jit import learn_full_row
from stakes.online._gaussian_jit import learn_row
from stakes.online._state import CALIBRATE, MOST, N_SEEN, PAUSE_AT, SCALE


@njit(error_model="numpy", **INNER)
def blend(mu, sigma, nu, r, opposite, t):
    """Posterior of one weight from its Gaussian, counted t times, and its prior (Eqs. 14, 15).

    Multiplied through by sigma, so that neither precision is needed: r may be zero, sigma too.
    """
    prior = -mu if opposite else nu
    scale = sigma * r + t
    return (sigma * r * prior + t * mu) / scale, sigma / scale


@njit(cache=True, error_model="numpy", **ENTRY)
def blend_all(mu, sigma, nu, r, opposite, t):
    """Posterior of independent weights."""
    blended = np.empty(mu.shape[0]), np.empty(mu.shape[0])
    for j in range(mu.shape[0]):
        blended[0][j], blended[1][j] = blend(mu[j], sigma[j], nu[j], r[j], opposite, t)
    return blended


@njit(cache=True, error_model="numpy", **ENTRY)
def blend_full(mu, Sigma, nu, r, opposite, t):
    """Posterior of correlated weights: (R + t P)^-1 = (t I + Sigma R)^-1 Sigma, P = Sigma^-1."""
    A = Sigma * r
    for j in range(mu.shape[0]):
        A[j, j] += t
    prior = -mu if opposite else nu
    return np.linalg.solve(A, Sigma @ (r * prior) + t * mu), np.linalg.solve(A, Sigma)


@njit(cache=True, error_model="numpy", **ENTRY)
def evidence_count(state, repeated):
    """How often the precision of the weights counts."""
    return max(state[N_SEEN], 1.0) if repeated else 1.0


@njit(error_model="numpy", **INNER)
def robust_row(dense, index, x, y, c_pos, c_neg, omega, mu, sigma, state, prior, t, fading):
    """Learn one row; its score under the blended weights. Costs of zero: scored, not learned."""
    nu, r, opposite = prior
    scale, most = state[SCALE], state[MOST]
    if scale != 1.0 and (dense or scale > LARGE):  # here, as the loops below see a copy of sigma
        settle(state, sigma)
        scale = 1.0
    if dense:
        blend_mu, blend_sigma = np.empty(mu.shape[0]), np.empty(mu.shape[0])
        for j in range(mu.shape[0]):
            s_j = now(sigma[j], scale, most, fading)
            blend_mu[j], blend_sigma[j] = blend(mu[j], s_j, nu[j], r[j], opposite, t)
        s = learn_row(x, y, 0.0, 0.0, omega, blend_mu, blend_sigma, state)
        learn_row(x, y, c_pos, c_neg, omega, mu, sigma, state)
        return s
    k, d = index.shape[0], mu.shape[0] - 1
    # the weights that the row reads, then the intercept, as pairs with the row's columns renumbered
    own, blended = np.empty(2 * k + 2), np.empty(2 * k + 2)
    for i in range(k + 1):
        j = index[i] if i < k else d
        own[2 * i], own[2 * i + 1] = mu[j], sigma[j]
        s_j = now(sigma[j], scale, most, fading)
        pair = blend(mu[j], s_j, nu[j], r[j], opposite, t)
        blended[2 * i], blended[2 * i + 1] = pair
    columns = np.arange(k).astype(np.int32)
    s = learn_sparse_row(columns, x, y, 0.0, 0.0, omega, blended, state)
    learn_sparse_row(columns, x, y, c_pos, c_neg, omega, own, state, fading)
    for i in range(k + 1):
        j = index[i] if i < k else d
        mu[j], sigma[j] = own[2 * i], own[2 * i + 1]
    return s


@njit(error_model="numpy", **INNER)
def robust_full_row(dense, index, x, y, c_pos, c_neg, omega, mu, Sigma, state, prior, t):
    """The same with correlated weights."""
    nu, r, opposite = prior
    blend_mu, blend_Sigma = blend_full(mu, Sigma, nu, r, opposite, t)
    s = learn_full_row(index, x, y, 0.0, 0.0, omega, blend_mu, blend_Sigma, state)
    learn_full_row(index, x, y, c_pos, c_neg, omega, mu, Sigma, state)
    return s


@njit(cache=True, error_model="numpy", **ENTRY)
def robust_pass(
    dense,
    indptr,
    indices,
    data,
    y,
    c_pos,
    c_neg,
    omega,
    mu,
    Sigma,
    state,
    prior,
    repeated,
    out,
    fading=None,
):
    """Score and learn rows in order, up to a pause; how many. `out` takes the scores."""
    many, stride, calibrate = c_pos.shape[0] > 1, omega.shape[0] > 1, state[CALIBRATE]
    for t in range(y.shape[0]):
        if state[N_SEEN] >= state[PAUSE_AT]:
            return t
        k, w, i, j = t if many else 0, omega[t if stride else 0], indptr[t], indptr[t + 1]
        row = indices if dense else indices[i:j], data[i:j], y[t], c_pos[k], c_neg[k], w
        # calibration is off inside, so that the map learns from the blended score alone
        state[CALIBRATE] = 0.0
        times = evidence_count(state, repeated)
        if Sigma.ndim == 2:
            s = robust_full_row(dense, *row, mu, Sigma, state, prior, times)
        else:
            s = robust_row(dense, *row, mu, Sigma, state, prior, times, fading)
        state[CALIBRATE] = calibrate
        if math.isfinite(s):
            c = c_pos[k] if y[t] > 0.0 else c_neg[k]
            n = stands_for(state, y[t]) if c > 0.0 and calibrate > 0.0 else 0.0
            s = log_odds(state, s, y[t], c_pos[k], c_neg[k], n, c)
        else:
            s = math.nan
        if out.shape[0] > 0:
            out[t] = s
    return y.shape[0]
