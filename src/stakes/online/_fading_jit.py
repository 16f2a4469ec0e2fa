"""Compiled forgetting: after every example all variances grow by one factor, up to the prior's.

    sigma <- min(sigma 2^(1/h), prior variance)

Weights that are less certain follow new examples faster; after h examples an old one counts half.
The means stay. A dense row lets all of them grow (`grow`, `grow_full`). So that a sparse row
touches only its own columns, it takes the stored variances in units of a common scale that grows
instead of them: a variance is `now(stored, ...)`, and `kept` is what to store. The cap needs no
bookkeeping: the scale only grows, so a variance that reached it stays there until its column is
updated. `fading` is None for a learner that never forgets; numba then compiles the loop over sparse
rows without it.
"""

from numba import njit

from stakes._core.jit import INNER
from stakes.online._four_jit import least4
from stakes.online._state import GROWTH, MOST, SCALE

ROUNDING = 1e-10
LARGE = 1e60  # the scale begins again at one before it overflows


@njit(error_model="numpy", **INNER)
def now(stored, scale, most, fading):
    """The variance that a stored number stands for."""
    if fading is None:
        return stored
    return min(stored * scale, most)


@njit(error_model="numpy", **INNER)
def kept(variance, back, fading):
    """The number to store for a variance; `back` is one over the scale."""
    if fading is None:
        return variance
    return variance * back


@njit(error_model="numpy", **INNER)
def now_pairs(stored, scales, bounds, fading):
    """Two means and the variances that stored numbers stand for; the means' scale is one."""
    if fading is None:
        return stored
    return least4(stored * scales, bounds)


@njit(error_model="numpy", **INNER)
def kept_pairs(pairs, backs, fading):
    """The numbers to store for two means and their variances."""
    if fading is None:
        return pairs
    return pairs * backs


@njit(error_model="numpy", **INNER)
def grow(sigma, growth, most):
    """Let all variances grow once."""
    for j in range(sigma.shape[0]):
        sigma[j] = min(sigma[j] * growth, most)


@njit(error_model="numpy", **INNER)
def settle(state, sigma):
    """Store the variances themselves, with a scale of one."""
    for j in range(sigma.shape[0]):
        sigma[j] = min(sigma[j] * state[SCALE], state[MOST])
    state[SCALE] = 1.0


@njit(error_model="numpy", **INNER)
def grow_full(state, Sigma):
    """Let a full covariance grow once.

    Variances beyond the prior's are scaled back together with their covariances, D Sigma D with a
    diagonal D, which keeps it positive definite. Rounding errors would grow as well, so both halves
    are made equal, and the diagonal gets a little more.
    """
    most, D = state[MOST], Sigma.shape[0]
    for i in range(D):
        for j in range(i):
            Sigma[i, j] = Sigma[j, i] = Sigma[i, j] * state[GROWTH]
        if Sigma[i, i] > 0.0:  # without an intercept its variance is zero
            Sigma[i, i] = Sigma[i, i] * state[GROWTH] + ROUNDING * most
    for i in range(D):
        if Sigma[i, i] > most:
            shrink = (most / Sigma[i, i]) ** 0.5
            Sigma[i] *= shrink
            Sigma[:, i] *= shrink
