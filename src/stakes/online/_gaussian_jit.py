"""Compiled loops of the Gaussian learners; checked arrays in, changed in place.

Every one of them knows its weights as N(mu, Sigma) and answers an example (x, y) of cost c by

    mu += a y Sigma x,    inverse(Sigma) += b x x'

where `step` gives (a, b) from the margin m = y mu'x, its variance v = x'Sigma x, and c; then
Sigma -= drop Sigma x x' Sigma with drop = b / (1 + b v), which PROBIT gives itself. A diagonal
Sigma keeps the diagonal of the new precision, or of the new covariance for PROBIT, whose step
matches moments. The last coordinate is the intercept, with `bias` (1 or 0) for its feature.

`numbers` = (rule, p, q, weighting, calibrate, bias), p and q the learner's own. `tally`: see
`_jit/_weight.py`; 8-15 are scratch, since storing the partial sums side by side is what lets LLVM
add four of them at once. The rows are inlined into their loops: passing this much state by a call
costs as much as the step itself.
"""

import math

import numpy as np
from numba import njit

from stakes._jit._prequential import calibrate_step, calibrated
from stakes._jit._weight import weigh

CW, AROW, SCW_I, SCW_II, PROBIT, CVAR, CVAR_PAPER, CVAR_COSTS = range(8)
ROOT_2_OVER_PI = math.sqrt(2.0 / math.pi)
ROOT_HALF = math.sqrt(0.5)
ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)


@njit(cache=True, error_model="numpy")
def hard_multiplier(m, v, omega, c):
    """The lambda that makes omega v' = c m' (Eq. 11): the stable root of its quadratic."""
    lack = omega * v - c * m
    if lack <= 0.0 or v <= 0.0:
        return 0.0
    A = 2.0 * omega * c * c * v * v
    B = c * v * (c + 2.0 * omega * m)
    root = math.sqrt(B * B + 4.0 * A * lack)
    return 2.0 * lack / (B + root) if B >= 0.0 else (root - B) / (2.0 * A)


@njit(cache=True, error_model="numpy")
def inverse_mills(z):
    """phi(z) / Phi(z), far into the left tail as well."""
    if z < -25.0:
        q = 1.0 / (z * z)
        return -z / (1.0 - q * (1.0 - q * (3.0 - q * (15.0 - q * (105.0 - q * 945.0)))))
    return ROOT_2_OVER_PI * math.exp(-0.5 * z * z) / math.erfc(-z * ROOT_HALF)


@njit(cache=True, error_model="numpy")
def soft_confidence(rule, m, v, C, phi):
    """(a, b) of soft confidence-weighted learning, Propositions 1 and 2 of its paper."""
    if m >= phi * math.sqrt(v) or v <= 0.0:
        return 0.0, 0.0
    phi2 = phi * phi
    if rule == SCW_I:
        psi, zeta = 1.0 + 0.5 * phi2, 1.0 + phi2
        a = (math.sqrt(0.25 * m * m * phi2 * phi2 + v * phi2 * zeta) - m * psi) / (v * zeta)
        a = min(C, a)
    else:
        n = v + 0.5 / C
        gamma = phi * math.sqrt(phi2 * m * m * v * v + 4.0 * n * v * (n + v * phi2))
        a = (gamma - m * (2.0 * n + phi2 * v)) / (2.0 * n * (n + v * phi2))
    a = max(0.0, a)
    root_u = 0.5 * (math.sqrt(a * a * v * v * phi2 + 4.0 * v) - a * v * phi)
    return a, a * phi / root_u


@njit(cache=True, error_model="numpy")
def step(rule, m, v, c, omega, p, q):
    """(a, b) of one example, for PROBIT (a, drop); p and q are the learner's own numbers."""
    if rule == CW:
        lam = hard_multiplier(m, v, omega, 1.0)
        return lam, 2.0 * lam * omega
    if rule == CVAR:
        lam = min(p * c, hard_multiplier(m - 1.0, v, omega, 1.0))  # margin one, soft
        return lam, 2.0 * lam * omega
    if rule == CVAR_PAPER:
        lam = hard_multiplier(m, v, omega, c)
        return lam * c, 2.0 * lam * omega
    if rule == CVAR_COSTS:
        lam = hard_multiplier(m, v, omega, 1.0)
        return lam * c, 2.0 * lam * omega
    if rule == AROW:
        return ((1.0 - m) / (v + p / c), c / p) if m < 1.0 else (0.0, 0.0)
    if rule == PROBIT:
        s = math.sqrt(p + v)
        z = m / s
        ratio = inverse_mills(z)
        return ratio / s, ratio * (ratio + z) / (p + v)
    return soft_confidence(rule, m, v, p * c, q)


@njit(cache=True, error_model="numpy", inline="always")
def answer(f, v, y, c_pos, c_neg, omega, tally, cal, numbers):
    """Score an example, then count and weigh it: (its score before, a y, b)."""
    rule, p, q, weighting, calibrate, _ = numbers
    s = f / math.sqrt((p if rule == PROBIT else 1.0) + v)
    score = calibrated(cal, s) if calibrate else s
    if (c_pos if y > 0.0 else c_neg) <= 0.0:
        return score, 0.0, 0.0
    if calibrate:
        calibrate_step(cal, s, y)
    c = weigh(tally, y, c_pos, c_neg, weighting)
    a, b = step(rule, y * f, v, c, omega, p, q)
    if a != 0.0 or b != 0.0:
        if not math.isfinite(a * b):  # CVAR_COSTS may run away; what it knew stays
            return score, 0.0, 0.0
        tally[1] += 1.0
    return score, y * a, b


@njit(cache=True, error_model="numpy", inline="always")
def learn_row(x, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers):
    """Learn one dense row with a diagonal Sigma; return its score before.

    An x that is not finite, or too large to be squared, teaches nothing and scores NaN.
    """
    rule, bias = numbers[0], numbers[5]
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
        v0 += sigma[j] * x0 * x0
        v1 += sigma[j + ONE] * x1 * x1
        v2 += sigma[j + TWO] * x2 * x2
        v3 += sigma[j + THREE] * x3 * x3
        j += FOUR
    tally[8], tally[9], tally[10], tally[11] = m0, m1, m2, m3
    tally[12], tally[13], tally[14], tally[15] = v0, v1, v2, v3
    f = (tally[8] + tally[9]) + (tally[10] + tally[11]) + mu[d] * bias
    v = (tally[12] + tally[13]) + (tally[14] + tally[15]) + sigma[d] * bias
    while j < d:
        f += mu[j] * x[j]
        v += sigma[j] * x[j] * x[j]
        j += ONE
    if not math.isfinite(v):
        return math.nan
    score, a, b = answer(f, v, y, c_pos, c_neg, omega, tally, cal, numbers)
    if a == 0.0 and b == 0.0:
        return score
    drop = b if rule == PROBIT else b / (1.0 + b * v)
    if rule == PROBIT:
        for j in range(d):
            g = sigma[j] * x[j]
            mu[j] += a * g
            sigma[j] -= drop * g * g
        mu[d] += a * sigma[d] * bias
        sigma[d] -= drop * sigma[d] * sigma[d] * bias
    else:
        for j in range(d):
            g = sigma[j] * x[j]
            mu[j] += a * g
            sigma[j] /= 1.0 + b * g * x[j]
        mu[d] += a * sigma[d] * bias
        sigma[d] /= 1.0 + b * sigma[d] * bias
    return score


@njit(cache=True, error_model="numpy", inline="always")
def learn_sparse_row(index, x, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers):
    """Learn one sparse row with a diagonal Sigma; return its score before."""
    rule, bias = numbers[0], numbers[5]
    d = mu.shape[0] - 1
    f, v = mu[d] * bias, sigma[d] * bias
    for k in range(index.shape[0]):
        j = np.uintp(index[k])
        f += mu[j] * x[k]
        v += sigma[j] * x[k] * x[k]
    if not math.isfinite(v):
        return math.nan
    score, a, b = answer(f, v, y, c_pos, c_neg, omega, tally, cal, numbers)
    if a == 0.0 and b == 0.0:
        return score
    drop = b if rule == PROBIT else b / (1.0 + b * v)
    for k in range(index.shape[0]):
        j = np.uintp(index[k])
        g = sigma[j] * x[k]
        mu[j] += a * g
        if rule == PROBIT:
            sigma[j] -= drop * g * g
        else:
            sigma[j] /= 1.0 + b * g * x[k]
    mu[d] += a * sigma[d] * bias
    if rule == PROBIT:
        sigma[d] -= drop * sigma[d] * sigma[d] * bias
    else:
        sigma[d] /= 1.0 + b * sigma[d] * bias
    return score


@njit(cache=True, error_model="numpy")
def learn_full_row(index, x, y, c_pos, c_neg, omega, mu, Sigma, tally, cal, numbers):
    """Learn one sparse row with a full Sigma; return its score before. Dense: index = 0..d-1."""
    rule, bias = numbers[0], numbers[5]
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
        return math.nan
    v = max(v, 0.0)
    score, a, b = answer(f, v, y, c_pos, c_neg, omega, tally, cal, numbers)
    if a == 0.0 and b == 0.0:
        return score
    mu += a * Sx
    drop = b if rule == PROBIT else b / (1.0 + b * v)
    for i in range(D):
        Sigma[i] -= (drop * Sx[i]) * Sx
    return score


@njit(cache=True, error_model="numpy")
def learn_dense(X, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers, out):
    """Learn all rows in order with a diagonal Sigma; `out` takes the scores if it has room."""
    stride = 1 if omega.shape[0] > 1 else 0  # one omega for all rows, or one per row
    for t in range(X.shape[0]):
        score = learn_row(
            X[t], y[t], c_pos[t], c_neg[t], omega[t * stride], mu, sigma, tally, cal, numbers
        )
        if out.shape[0] > 0:
            out[t] = score


@njit(cache=True, error_model="numpy")
def learn_csr(indptr, indices, data, y, c_pos, c_neg, omega, mu, sigma, tally, cal, numbers, out):
    """The same on compressed sparse rows."""
    stride = 1 if omega.shape[0] > 1 else 0  # one omega for all rows, or one per row
    for t in range(y.shape[0]):
        index, x = indices[indptr[t] : indptr[t + 1]], data[indptr[t] : indptr[t + 1]]
        score = learn_sparse_row(
            index, x, y[t], c_pos[t], c_neg[t], omega[t * stride], mu, sigma, tally, cal, numbers
        )
        if out.shape[0] > 0:
            out[t] = score


@njit(cache=True, error_model="numpy")
def learn_full_dense(every, X, y, c_pos, c_neg, omega, mu, Sigma, tally, cal, numbers, out):
    """The same with a full Sigma on dense rows; `every` is 0..d-1."""
    stride = 1 if omega.shape[0] > 1 else 0  # one omega for all rows, or one per row
    for t in range(X.shape[0]):
        score = learn_full_row(
            every, X[t], y[t], c_pos[t], c_neg[t], omega[t * stride], mu, Sigma, tally, cal, numbers
        )
        if out.shape[0] > 0:
            out[t] = score


@njit(cache=True, error_model="numpy")
def learn_full_csr(
    indptr, indices, data, y, c_pos, c_neg, omega, mu, Sigma, tally, cal, numbers, out
):
    """The same with a full Sigma on compressed sparse rows."""
    stride = 1 if omega.shape[0] > 1 else 0  # one omega for all rows, or one per row
    for t in range(y.shape[0]):
        index, x = indices[indptr[t] : indptr[t + 1]], data[indptr[t] : indptr[t + 1]]
        score = learn_full_row(
            index, x, y[t], c_pos[t], c_neg[t], omega[t * stride], mu, Sigma, tally, cal, numbers
        )
        if out.shape[0] > 0:
            out[t] = score
