"""Compiled loops of CW-robust: score with the blended weights, learn as CW-CVaR (Algorithm 2).

`nu` and `r` are the prior's mean and precision of each weight, r = 0 where nothing is known;
`opposite` takes -mu for the mean, as Section VI-B; `repeated` counts the precision of the weights
once for every example, as Eqs. 14 and 15. `blend_mu`, `blend_sigma` are scratch.
"""

import math

import numpy as np
from numba import njit

from stakes._jit._prequential import calibrate_step, calibrated
from stakes.online._gaussian_jit import learn_row, learn_sparse_row


@njit(cache=True, error_model="numpy")
def blend(j, n, mu, sigma, nu, r, opposite, repeated, blend_mu, blend_sigma):
    """Posterior of one weight from its Gaussian and its prior, after n examples."""
    t = n if repeated else 1.0
    if t < 1.0:
        t = 1.0
    prior = -mu[j] if opposite else nu[j]
    scale = sigma[j] * r[j] + t
    blend_mu[j] = (sigma[j] * r[j] * prior + t * mu[j]) / scale
    blend_sigma[j] = sigma[j] / scale


@njit(cache=True, error_model="numpy")
def blend_all(n, mu, sigma, nu, r, opposite, repeated, blend_mu, blend_sigma):
    """The same for all weights."""
    for j in range(mu.shape[0]):
        blend(j, n, mu, sigma, nu, r, opposite, repeated, blend_mu, blend_sigma)


@njit(cache=True, error_model="numpy")
def after_score(s, y, c, cal, calibrate):
    """The score that is told, and what the calibration learns from it."""
    if not calibrate or not math.isfinite(s):
        return s
    score = calibrated(cal, s)
    if c > 0.0:
        calibrate_step(cal, s, y)
    return score


@njit(cache=True, error_model="numpy")
def robust_row(x, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers, prior):
    """Score one dense row with the blended weights, then learn it."""
    nu, r, opposite, repeated, blend_mu, blend_sigma = prior
    quiet = (numbers[0], numbers[1], numbers[2], numbers[3], False, numbers[5])
    blend_all(tally[0], mu, sigma, nu, r, opposite, repeated, blend_mu, blend_sigma)
    s = learn_row(x, y, 0.0, 0.0, omega, blend_mu, blend_sigma, tally, cal, quiet)
    score = after_score(s, y, c_pos if y > 0.0 else c_neg, cal, numbers[4])
    learn_row(x, y, c_pos, c_neg, omega, mu, sigma, tally, cal, quiet)
    return score


@njit(cache=True, error_model="numpy")
def robust_sparse_row(index, x, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers, prior):
    """Score one sparse row with the blended weights, then learn it."""
    nu, r, opposite, repeated, blend_mu, blend_sigma = prior
    quiet = (numbers[0], numbers[1], numbers[2], numbers[3], False, numbers[5])
    n = tally[0]
    for k in range(index.shape[0]):
        blend(index[k], n, mu, sigma, nu, r, opposite, repeated, blend_mu, blend_sigma)
    blend(mu.shape[0] - 1, n, mu, sigma, nu, r, opposite, repeated, blend_mu, blend_sigma)
    s = learn_sparse_row(index, x, y, 0.0, 0.0, omega, blend_mu, blend_sigma, tally, cal, quiet)
    score = after_score(s, y, c_pos if y > 0.0 else c_neg, cal, numbers[4])
    learn_sparse_row(index, x, y, c_pos, c_neg, omega, mu, sigma, tally, cal, quiet)
    return score


@njit(cache=True, error_model="numpy")
def robust_dense(X, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers, prior, out):
    """Score and learn all rows in order; `out` takes the scores if it has room."""
    stride = 1 if omega.shape[0] > 1 else 0
    for t in range(X.shape[0]):
        score = robust_row(
            X[t], y[t], c_pos[t], c_neg[t], omega[t * stride], mu, sigma, tally, cal, numbers, prior
        )
        if out.shape[0] > 0:
            out[t] = score


@njit(cache=True, error_model="numpy")
def robust_csr(
    indptr, indices, data, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers, prior, out
):
    """The same on compressed sparse rows."""
    stride = 1 if omega.shape[0] > 1 else 0
    for t in range(np.int64(y.shape[0])):
        index, x = indices[indptr[t] : indptr[t + 1]], data[indptr[t] : indptr[t + 1]]
        w = omega[t * stride]
        score = robust_sparse_row(
            index, x, y[t], c_pos[t], c_neg[t], w, mu, sigma, tally, cal, numbers, prior
        )
        if out.shape[0] > 0:
            out[t] = score
