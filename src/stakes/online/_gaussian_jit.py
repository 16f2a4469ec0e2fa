"""Compiled steps of the Gaussian learners, and the loop over dense rows with a diagonal Sigma.

Checked arrays in, changed in place. For sparse rows see `_gaussian_csr_jit.py`, for a full Sigma
`_gaussian_full_jit.py`.

Every learner knows its weights as N(mu, Sigma) and answers an example (x, y) of weight c by

    mu += a y Sigma x,    inverse(Sigma) += b x x'

where `step` gives (a, b) from the margin m = y mu'x, its variance v = x'Sigma x and c. By
Sherman-Morrison that is Sigma -= drop Sigma x x' Sigma with drop = b / (1 + b v); PROBIT, which
matches moments, gives drop itself. A diagonal Sigma keeps the diagonal of the new precision, or for
PROBIT that of the new covariance. The last coordinate is the intercept; its feature is `bias`.

`c_pos`, `c_neg` and `omega` hold one number per row, or one for all rows. `out` takes the scores
before learning if it has room. For the slots of `state` see `_state.py`, for `fading` see
`_fading_jit.py`. The loops return how many rows they read: they stop early at `PAUSE_AT`.

The code of a row stands inside the loops: a function that takes the row's arrays would cost two
atomic reference counts per array, more than the dot products of a short row.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes.online._before_step_jit import heed, log_odds, register, skip_row
from stakes.online._fading_jit import grow, settle
from stakes.online._four_jit import load4, same4, store4, sum4
from stakes.online._mills_jit import inverse_mills
from stakes.online._state import (
    BIAS,
    C_NEG,
    C_POS,
    COMPARE,
    GROWTH,
    HEAD,
    LISTENS,
    MOST,
    N_SEEN,
    N_UPDATES,
    OMEGA,
    PAUSE_AT,
    RULE,
    SCALE,
    SCORE,
    P,
    Q,
    Y,
)

CW, AROW, SCW_I, SCW_II, PROBIT, CVAR, CVAR_PAPER, CVAR_COSTS, CW_EXACT, CVAR_EXACT = range(10)
ONE, FOUR = np.uintp(1), np.uintp(4)


@njit(cache=True, error_model="numpy", **ENTRY)
def hard_multiplier(m, v, omega, c):
    r"""Smallest step that satisfies the hard constraint of CW-CVaR (Eq. 11).

    With the new margin m' = m + lambda c v and variance v' = v / (1 + 2 lambda omega v), the
    lambda for which omega v' = c m'; zero if the constraint already holds.

    Parameters
    ----------
    m : float
        Margin y mu'x.
    v : float
        Its variance x'Sigma x.
    omega : float
        Factor of the variance, see :func:`stakes.risk.omega`.
    c : float
        Cost of the example.

    Returns
    -------
    float

    Examples
    --------
    >>> hard_multiplier(0.0, 1.0, 1.0, 1.0)
    0.5
    """
    lack = omega * v - c * m
    if lack <= 0.0 or v <= 0.0:
        return 0.0
    # A lambda^2 + B lambda = lack, with A, lack > 0: one positive root. Of its two forms take the
    # one without cancellation, by the sign of B
    A = 2.0 * omega * c * c * v * v
    B = c * v * (c + 2.0 * omega * m)
    root = math.sqrt(B * B + 4.0 * A * lack)
    return 2.0 * lack / (B + root) if B >= 0.0 else (root - B) / (2.0 * A)


@njit(error_model="numpy", **INNER)
def soft_confidence(rule, m, v, C, phi):
    """(a, b) of soft confidence-weighted learning, Propositions 1 and 2 of its paper.

    The paper's alpha is a, its beta is drop; here b = a phi / sqrt(u), the precision's growth.
    """
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
    # the paper's (sqrt(...) - a v phi) / 2 cancels after large steps, down to a negative variance
    root_u = 2.0 * v / (math.sqrt((a * v) ** 2 * phi2 + 4.0 * v) + a * v * phi)
    return a, a * phi / root_u


@njit(cache=True, error_model="numpy", **ENTRY)
def step(rule, m, v, c, omega, p, q):
    """(a, b) of one example, for PROBIT (a, drop); p and q are the numbers of the rule."""
    if rule == CW:
        lam = hard_multiplier(m, v, omega, 1.0)
        return lam, 2.0 * lam * omega
    if rule == CVAR:
        lam = min(p * c, hard_multiplier(m - 1.0, v, omega, 1.0))  # soft, asks for margin one
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
        back = 1.0 / math.sqrt(p + v)
        z = m * back
        a = inverse_mills(z) * back
        return a, a * (a + z * back)
    if rule == CW_EXACT:  # a hard constraint on the standard deviation
        return soft_confidence(np.int64(SCW_I), m, v, math.inf, q)  # a literal is another type
    if rule == CVAR_EXACT:
        return soft_confidence(np.int64(SCW_I), m - 1.0, v, p * c, omega)
    return soft_confidence(rule, m, v, p * c, q)


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_dense(x, y, c_pos, c_neg, omega, mu, sigma, state, out):
    """Learn the rows of the flat array x in order, up to a pause; how many."""
    rule, p, q, bias = int(state[RULE]), state[P], state[Q], state[BIAS]
    noise, compare, growth = p if rule == PROBIT else 1.0, state[COMPARE] > 0.0, state[GROWTH]
    many, stride, wanted = c_pos.shape[0] > 1, omega.shape[0] > 1, out.shape[0] > 0
    hears = compare or state[LISTENS] > 0.0
    d, one = np.uintp(mu.shape[0] - 1), same4(1.0)
    end = d - d % FOUR
    if state[SCALE] != 1.0:  # sparse rows came before
        settle(state, sigma)
    for t in range(y.shape[0]):
        if state[N_SEEN] >= state[PAUSE_AT]:
            return t
        i, k, y_t = np.uintp(t) * d, t if many else 0, y[t]
        j, m, s = np.uintp(0), same4(0.0), same4(0.0)
        # four partial sums run in parallel; LLVM may not split one sum, as that changes rounding.
        # The order is fixed here, so results are equal on every processor
        while j < end:
            z = load4(x, i + j)
            m += load4(mu, j) * z
            s += load4(sigma, j) * z * z
            j += FOUR
        f, v = sum4(m) + mu[d] * bias, sum4(s) + sigma[d] * bias
        while j < d:
            f += mu[j] * x[i + j]
            v += sigma[j] * x[i + j] * x[i + j]
            j += ONE
        if not math.isfinite(v):
            skip_row(state, out, t)
            continue
        w, c = register(state, y_t, c_pos[k], c_neg[k])
        if wanted or w > 0.0 or compare:
            score = log_odds(state, f / math.sqrt(noise + v), y_t, c_pos[k], c_neg[k], w, c)
            if wanted:
                out[t] = score
        if c == 0.0:
            continue
        if hears:
            heed(state, y_t * f)
        a, b = step(rule, y_t * f, v, c, omega[t if stride else 0], p, q)
        if (a != 0.0 or b != 0.0) and math.isfinite(a * b):  # CVAR_COSTS can diverge
            state[N_UPDATES] += 1.0
            a *= y_t
            # mu before sigma: both updates need the old sigma
            j, a4, b4 = np.uintp(0), same4(a), same4(b)
            if rule == PROBIT:
                while j < end:
                    g = load4(sigma, j) * load4(x, i + j)
                    store4(mu, j, load4(mu, j) + a4 * g)
                    store4(sigma, j, load4(sigma, j) - b4 * g * g)
                    j += FOUR
                while j < d:
                    h = sigma[j] * x[i + j]
                    mu[j] += a * h
                    sigma[j] -= b * h * h
                    j += ONE
                mu[d] += a * sigma[d] * bias
                sigma[d] -= b * sigma[d] * sigma[d] * bias
            else:
                while j < end:
                    s, z = load4(sigma, j), load4(x, i + j)
                    g = s * z
                    store4(mu, j, load4(mu, j) + a4 * g)
                    store4(sigma, j, s / (one + b4 * g * z))
                    j += FOUR
                while j < d:
                    h = sigma[j] * x[i + j]
                    mu[j] += a * h
                    sigma[j] /= 1.0 + b * h * x[i + j]
                    j += ONE
                mu[d] += a * sigma[d] * bias
                sigma[d] /= 1.0 + b * sigma[d] * bias
        if growth > 1.0:
            grow(sigma, growth, state[MOST])
    return y.shape[0]


@njit(error_model="numpy", **INNER)
def learn_row(x, y, c_pos, c_neg, omega, mu, sigma, state):
    """Learn one dense row; its score before."""
    row = np.array([y, c_pos, c_neg, omega, 0.0])
    learn_dense(x, row[0:1], row[1:2], row[2:3], row[3:4], mu, sigma, state, row[4:5])
    return row[4]


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_known_row(x, y, c_pos, c_neg, knows):
    """Learn one dense row with everything in one array, omega included; its score before."""
    knows[Y], knows[C_POS], knows[C_NEG] = y, c_pos, c_neg
    row = knows[Y : Y + 1], knows[C_POS : C_POS + 1], knows[C_NEG : C_NEG + 1]
    end = HEAD + (knows.shape[0] - HEAD) // 2  # mu and sigma have the same length
    rest = knows[OMEGA : OMEGA + 1], knows[HEAD:end], knows[end:], knows[:HEAD]
    learn_dense(x, *row, *rest, knows[SCORE : SCORE + 1])
    return knows[SCORE]


@njit(cache=True, error_model="numpy", **ENTRY)
def teach_dense(x, y, c_pos, c_neg, omega, rivals, out):
    """Let every rival learn all rows of the flat array x."""
    end = HEAD + (rivals.shape[1] - HEAD) // 2
    for k in range(rivals.shape[0]):
        weights = rivals[k, HEAD:end], rivals[k, end:], rivals[k, :HEAD]
        learn_dense(x, y, c_pos, c_neg, omega, *weights, out)


@njit(cache=True, error_model="numpy", **ENTRY)
def teach_row(x, y, c_pos, c_neg, omega, rivals):
    """Let every rival learn one dense row."""
    row = np.array([y, c_pos, c_neg, omega])
    teach_dense(x, row[0:1], row[1:2], row[2:3], row[3:4], rivals, row[4:])
