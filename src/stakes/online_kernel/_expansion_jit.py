"""f as the compiled passes hold it: names for every slot, adding a vector and removing one."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stakes._core.jit.kernel_rows import Support, dot, move_support, store_query

# slots of Expansion.counts
N_VECTORS, POOL_USED, N_SEEN, N_UPDATES = range(4)
# slots of Expansion.norm; the squared norm is kept by ALMA and ROMMA only
SQUARED_NORM, INTERCEPT = range(2)
# slots of Expansion.record, for Theorems 4 to 6: over the mistakes, theta^2, the gains that
# Theorem 4 promises for strong and for weak double updates, their numbers, and theta; over all
# steps, the growth of the dual objective
THETA_SQUARED, STRONG_GAIN, WEAK_GAIN, N_STRONG, N_WEAK, DUAL_VALUE, THETA = range(7)


class Pairs(NamedTuple):
    """Kernel of the support vectors with each other; empty unless their number is limited.

    `near[j]` is the vector that replaces j best, the one with the largest k_ij^2 / k_ii; `value[j]`
    is that number.
    """

    K: np.ndarray
    near: np.ndarray
    value: np.ndarray


class Expansion(NamedTuple):
    """f(x) = sum_i alpha_i k(x_i, x) + intercept, and what the updates need besides.

    One entry per support vector: `alpha`, the label `y`, the margin `f` = y_i f(x_i) (kept by the
    double update only), the required margin `theta`, and `index`, the position in the stream.
    `limit` is the largest number of support vectors; 0 means no limit.
    """

    support: Support
    pairs: Pairs
    alpha: np.ndarray
    y: np.ndarray
    f: np.ndarray
    theta: np.ndarray
    index: np.ndarray
    counts: np.ndarray
    norm: np.ndarray
    record: np.ndarray
    limit: int


@njit(cache=True)
def append(E, q, m, row, k, y, theta):
    """Add the example in q as vector m; return the new number of vectors."""
    E.y[m], E.theta[m], E.index[m] = y, theta, E.counts[N_SEEN] - 1
    E.counts[POOL_USED] = store_query(E.support, q, m, E.counts[POOL_USED])
    E.counts[N_UPDATES] += 1
    row[m] = k
    return m + 1


@njit(cache=True)
def add_two(f, y, row_a, row_b, step_a, step_b, m):
    """Update all margins after the coefficients of a and b have moved by these steps."""
    for i in range(m):
        f[i] += y[i] * (step_a * row_a[i] + step_b * row_b[i])


@njit(cache=True)
def quadratic(a, b, k_a, k_b, w):
    """The quadratic part of (3.5)."""
    return 0.5 * (k_a * a * a + k_b * b * b) + w * a * b


@njit(cache=True)
def respect_limit(E, row, m, C):
    """Note the newest of m vectors, and remove one if there are too many; return their number."""
    _remember(E.pairs, row, m)
    return _forget(E, m, C) if m > E.limit else m


@njit(cache=True)
def _remember(P, row, m):
    """Add the kernel row of the newest of m vectors, and update who is nearest to whom."""
    new = m - 1
    for j in range(m):
        P.K[new, j] = row[j]
        P.K[j, new] = row[j]
    for j in range(new):
        likeness = row[j] * row[j] / row[new]
        if likeness > P.value[j]:
            P.near[j], P.value[j] = new, likeness
    _find_nearest(P, new, m)


@njit(cache=True)
def _find_nearest(P, j, m):
    P.near[j], P.value[j] = -1, -1.0
    for i in range(m):
        likeness = P.K[j, i] * P.K[j, i] / P.K[i, i]
        if i != j and likeness > P.value[j]:
            P.near[j], P.value[j] = i, likeness


@njit(cache=True)
def _forget(E, m, C):
    """Remove the vector r whose projection on its nearest one, j, loses least.

    The loss is alpha_r^2 (k_rr - k_rj^2 / k_jj). Vector j takes over alpha_r k_rj / k_jj.
    """
    P, alpha = E.pairs, E.alpha
    r, least = 0, np.inf
    for i in range(m):
        loss = alpha[i] * alpha[i] * (P.K[i, i] - P.value[i])
        if loss < least:
            r, least = i, loss
    j = P.near[r]
    row_r, row_j = P.K[r], P.K[j]
    new = alpha[j] + alpha[r] * row_r[j] / row_j[j]
    if C < np.inf:  # a weight stays in its box
        new = E.y[j] * min(max(E.y[j] * new, 0.0), C)
    step = new - alpha[j]
    # |f + step k_j - alpha_r k_r|^2, with <f, k_i> = f(x_i) from the rows, before alpha changes
    cross = step * dot(row_j, alpha, m) - alpha[r] * dot(row_r, alpha, m)
    E.norm[SQUARED_NORM] += 2.0 * (cross + quadratic(step, -alpha[r], row_j[j], row_r[r], row_r[j]))
    alpha[j] = new
    add_two(E.f, E.y, row_r, row_j, -alpha[r], step, m)
    _move_last_to(E, r, m)
    return m - 1


@njit(cache=True)
def _move_last_to(E, r, m):
    """Overwrite vector r with the last of m vectors, in every array that has one entry each."""
    P, last = E.pairs, m - 1
    E.alpha[r], E.y[r], E.f[r], E.theta[r] = E.alpha[last], E.y[last], E.f[last], E.theta[last]
    E.index[r], P.near[r], P.value[r] = E.index[last], P.near[last], P.value[last]
    move_support(E.support, last, r)
    for i in range(m):
        P.K[r, i] = P.K[last, i]
    for i in range(m):  # after the row, so that K[r, r] is that of the last vector
        P.K[i, r] = P.K[i, last]
    for i in range(last):
        if P.near[i] == r:
            _find_nearest(P, i, last)
        elif P.near[i] == last:
            P.near[i] = r
