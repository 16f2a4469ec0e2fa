"""Compiled loops of the Gaussian learners, Sigma diagonal; checked arrays in, changed in place.

Every one of them knows its weights as N(mu, Sigma) and answers an example (x, y) of cost c by

    mu += a y Sigma x,    inverse(Sigma) += b x x'

where `step` gives (a, b) from the margin m = y mu'x, its variance v = x'Sigma x, and c; then
Sigma -= drop Sigma x x' Sigma with drop = b / (1 + b v), which PROBIT gives itself. A diagonal
Sigma keeps the diagonal of the new precision, or of the new covariance for PROBIT, whose step
matches moments. The last coordinate is the intercept, with `bias` (1 or 0) for its feature.

`state`: see `_state.py`. `c_pos`, `c_neg` and `omega` hold one number for each row or one for all;
`out` takes the scores before learning if it has room. A row that is not finite, or too large to
be squared, teaches nothing and scores NaN. Rows are written out inside the loops: handing them to a
function costs two atomic counts for each array, more than the dot products of a short row.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit.fetch import fetch
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
    OMEGA,
    RULE,
    SCORE,
    SIGN,
    WEIGHTING,
    P,
    Q,
)
from stakes.online._tell_jit import END, FIRST, tell

CW, AROW, SCW_I, SCW_II, PROBIT, CVAR, CVAR_PAPER, CVAR_COSTS = range(8)
ROOT_2_OVER_PI = math.sqrt(2.0 / math.pi)
ROOT_HALF = math.sqrt(0.5)
ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)
AHEAD = np.uintp(128)  # numbers of a sparse table to ask for before they are read


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


@njit(cache=True, error_model="numpy")
def learn_dense(x, y, c_pos, c_neg, omega, mu, sigma, state, out):
    """Learn all rows of the flat array x in order."""
    rule, p, q = int(state[RULE]), state[P], state[Q]
    weighting, calibrate, bias = int(state[WEIGHTING]), state[CALIBRATE] > 0.0, state[BIAS]
    cal = state[FIRST:END]
    many, stride, told = c_pos.shape[0] > 1, omega.shape[0] > 1, out.shape[0] > 0
    d = np.uintp(mu.shape[0] - 1)
    end = d - d % FOUR
    for t in range(y.shape[0]):
        i, k, y_t = np.uintp(t) * d, t if many else 0, np.float64(y[t])
        m0 = m1 = m2 = m3 = v0 = v1 = v2 = v3 = 0.0
        j = np.uintp(0)
        while j < end:  # four sums at once, which LLVM may not make of one by itself
            x0, x1, x2, x3 = x[i + j], x[i + j + ONE], x[i + j + TWO], x[i + j + THREE]
            m0 += mu[j] * x0
            m1 += mu[j + ONE] * x1
            m2 += mu[j + TWO] * x2
            m3 += mu[j + THREE] * x3
            v0 += sigma[j] * x0 * x0
            v1 += sigma[j + ONE] * x1 * x1
            v2 += sigma[j + TWO] * x2 * x2
            v3 += sigma[j + THREE] * x3 * x3
            j += FOUR
        f = (m0 + m1) + (m2 + m3) + mu[d] * bias
        v = (v0 + v1) + (v2 + v3) + sigma[d] * bias
        while j < d:
            f += mu[j] * x[i + j]
            v += sigma[j] * x[i + j] * x[i + j]
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
            s = f / math.sqrt((p if rule == PROBIT else 1.0) + v)
            score = tell(state, s, y_t, c_miss, c_alarm, w)
            if told:
                out[t] = score
        if not learns:
            continue
        c = weigh(state, y_t, c_miss, c_alarm, weighting)
        a, b = step(rule, y_t * f, v, c, omega[t if stride else 0], p, q)
        if (a == 0.0 and b == 0.0) or not math.isfinite(a * b):  # CVAR_COSTS may run away
            continue
        state[N_UPDATES] += 1.0
        a *= y_t
        if rule == PROBIT:
            for j in range(d):
                g = sigma[j] * x[i + j]
                mu[j] += a * g
                sigma[j] -= b * g * g
            mu[d] += a * sigma[d] * bias
            sigma[d] -= b * sigma[d] * sigma[d] * bias
        else:
            for j in range(d):
                g = sigma[j] * x[i + j]
                mu[j] += a * g
                sigma[j] /= 1.0 + b * g * x[i + j]
            mu[d] += a * sigma[d] * bias
            sigma[d] /= 1.0 + b * sigma[d] * bias


@njit(cache=True, error_model="numpy")
def learn_csr(indptr, indices, x, y, c_pos, c_neg, omega, mu, sigma, state, out):
    """The same on compressed sparse rows."""
    rule, p, q = int(state[RULE]), state[P], state[Q]
    weighting, calibrate, bias = int(state[WEIGHTING]), state[CALIBRATE] > 0.0, state[BIAS]
    cal = state[FIRST:END]
    many, stride, told = c_pos.shape[0] > 1, omega.shape[0] > 1, out.shape[0] > 0
    d = np.uintp(mu.shape[0] - 1)
    for t in range(y.shape[0]):
        start, stop = np.uintp(indptr[t]), np.uintp(indptr[t + 1])
        k, y_t = t if many else 0, np.float64(y[t])
        end = stop - (stop - start) % FOUR
        m0 = m1 = m2 = m3 = v0 = v1 = v2 = v3 = 0.0
        i = start
        while i < end:
            x0, x1, x2, x3 = x[i], x[i + ONE], x[i + TWO], x[i + THREE]
            j0, j1 = np.uintp(indices[i]), np.uintp(indices[i + ONE])
            j2, j3 = np.uintp(indices[i + TWO]), np.uintp(indices[i + THREE])
            m0 += mu[j0] * x0
            m1 += mu[j1] * x1
            m2 += mu[j2] * x2
            m3 += mu[j3] * x3
            v0 += sigma[j0] * x0 * x0
            v1 += sigma[j1] * x1 * x1
            v2 += sigma[j2] * x2 * x2
            v3 += sigma[j3] * x3 * x3
            fetch(x, i + AHEAD)
            fetch(indices, i + AHEAD)
            i += FOUR
        f = (m0 + m1) + (m2 + m3) + mu[d] * bias
        v = (v0 + v1) + (v2 + v3) + sigma[d] * bias
        while i < stop:
            j = np.uintp(indices[i])
            f += mu[j] * x[i]
            v += sigma[j] * x[i] * x[i]
            i += ONE
        if not math.isfinite(v):
            state[NOT_FINITE] += 1.0
            if told:
                out[t] = math.nan
            continue
        c_miss, c_alarm = c_pos[k], c_neg[k]
        learns = (c_miss if y_t > 0.0 else c_alarm) > 0.0
        w = stands_for(cal, y_t) if learns and calibrate else 0.0
        if told or w > 0.0:
            s = f / math.sqrt((p if rule == PROBIT else 1.0) + v)
            score = tell(state, s, y_t, c_miss, c_alarm, w)
            if told:
                out[t] = score
        if not learns:
            continue
        c = weigh(state, y_t, c_miss, c_alarm, weighting)
        a, b = step(rule, y_t * f, v, c, omega[t if stride else 0], p, q)
        if (a == 0.0 and b == 0.0) or not math.isfinite(a * b):
            continue
        state[N_UPDATES] += 1.0
        a *= y_t
        if rule == PROBIT:
            for i in range(start, stop):
                j = np.uintp(indices[i])
                g = sigma[j] * x[i]
                mu[j] += a * g
                sigma[j] -= b * g * g
            mu[d] += a * sigma[d] * bias
            sigma[d] -= b * sigma[d] * sigma[d] * bias
        else:
            i = start
            while i < end:  # four divisions at once; the columns of a row differ
                x0, x1, x2, x3 = x[i], x[i + ONE], x[i + TWO], x[i + THREE]
                j0, j1 = np.uintp(indices[i]), np.uintp(indices[i + ONE])
                j2, j3 = np.uintp(indices[i + TWO]), np.uintp(indices[i + THREE])
                s0, s1, s2, s3 = sigma[j0], sigma[j1], sigma[j2], sigma[j3]
                g0, g1, g2, g3 = s0 * x0, s1 * x1, s2 * x2, s3 * x3
                s0 /= 1.0 + b * g0 * x0
                s1 /= 1.0 + b * g1 * x1
                s2 /= 1.0 + b * g2 * x2
                s3 /= 1.0 + b * g3 * x3
                sigma[j0], sigma[j1], sigma[j2], sigma[j3] = s0, s1, s2, s3
                mu[j0] += a * g0
                mu[j1] += a * g1
                mu[j2] += a * g2
                mu[j3] += a * g3
                i += FOUR
            while i < stop:
                j = np.uintp(indices[i])
                g = sigma[j] * x[i]
                mu[j] += a * g
                sigma[j] /= 1.0 + b * g * x[i]
                i += ONE
            mu[d] += a * sigma[d] * bias
            sigma[d] /= 1.0 + b * sigma[d] * bias


@njit(cache=True, error_model="numpy")
def learn_row(x, y, c_pos, c_neg, omega, mu, sigma, state):
    """Learn one dense row; return its score before."""
    sign, one = np.empty(1, np.int8), np.empty(4)
    sign[0], one[0], one[1], one[2] = y, c_pos, c_neg, omega
    learn_dense(x, sign, one[0:1], one[1:2], one[2:3], mu, sigma, state, one[3:4])
    return one[3]


@njit(cache=True, error_model="numpy")
def learn_known_row(x, y, c_pos, c_neg, knows):
    """The same with all that is known in one array, omega among it."""
    sign = knows[SIGN:C_POS].view(np.int8)[0:1]
    sign[0], knows[C_POS], knows[C_NEG] = y, c_pos, c_neg
    end = HEAD + (knows.shape[0] - HEAD) // 2
    learn_dense(
        x, sign, knows[C_POS:C_NEG], knows[C_NEG:SCORE], knows[OMEGA:SIGN], knows[HEAD:end],
        knows[end:], knows[:HEAD], knows[SCORE:HEAD],
    )  # fmt: skip
    return knows[SCORE]


@njit(cache=True, error_model="numpy")
def learn_sparse_row(index, x, y, c_pos, c_neg, omega, mu, sigma, state):
    """Learn one sparse row; return its score before."""
    sign, one, indptr = np.empty(1, np.int8), np.empty(4), np.empty(2, np.int32)
    sign[0], one[0], one[1], one[2] = y, c_pos, c_neg, omega
    indptr[0], indptr[1] = 0, index.shape[0]
    learn_csr(indptr, index, x, sign, one[0:1], one[1:2], one[2:3], mu, sigma, state, one[3:4])
    return one[3]
