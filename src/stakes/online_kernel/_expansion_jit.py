"""f as the compiled passes hold it: names for every slot, adding a vector and removing one."""

import numpy as np
from numba import njit

from stakes._core.jit import INNER
from stakes._core.jit.kernel_rows import (
    ALPHA,
    INDEX,
    MARGIN,
    SIGN,
    THETA,
    USED,
    move_support,
    store_query,
    with_limit,
)
from stakes._core.jit.kernel_values import dot

# slots of Support.counts
N_VECTORS, POOL_USED, N_SEEN, N_UPDATES = range(4)
# slots of Support.numbers. The squared norm of f is kept by ALMA and ROMMA only. For Theorems 4 to
# 6, over the mistakes: theta^2, the gains that Theorem 4 promises for strong and for weak double
# updates, their numbers, and theta; over all steps, the growth of the dual objective
SQUARED_NORM, INTERCEPT, THETA_SQUARED, STRONG_GAIN, WEAK_GAIN = range(5)
N_STRONG, N_WEAK, DUAL_VALUE, SUM_OF_THETA = range(5, 9)
N_COUNTS, N_NUMBERS = 4, 9

NOVEL = 0.5  # share of a vector that its projection must lose to count as new
STALE = 4  # times the limit, in examples: how long a vector may be nearest to none


@njit(**INNER)
def append(S, q, m, row, k, y, theta):
    """Add the example in q as vector m; return the new number of vectors."""
    S.floats[SIGN, m], S.floats[THETA, m] = y, theta
    S.ints[INDEX, m] = S.ints[USED, m] = S.counts[N_SEEN] - 1
    S.counts[POOL_USED] = store_query(S, q, m, S.counts[POOL_USED])
    S.counts[N_UPDATES] += 1
    row[m] = k
    return m + 1


@njit(**INNER)
def add_two(S, row_a, row_b, step_a, step_b, m):
    """Update all margins after the coefficients of a and b have moved by these steps."""
    f, y = S.floats[MARGIN], S.floats[SIGN]
    for i in range(m):
        f[i] += y[i] * (step_a * row_a[i] + step_b * row_b[i])


@njit(**INNER)
def shrink(S, m):
    """Let f fade before an example is learned.

    The margins that old examples ask for fade with it, or double updates would learn them again.
    """
    alpha, f, theta = S.floats[ALPHA], S.floats[MARGIN], S.floats[THETA]
    for i in range(m):
        alpha[i] *= S.decay
        f[i] *= S.decay
        theta[i] *= S.decay
    S.numbers[SQUARED_NORM] *= S.decay * S.decay
    S.numbers[INTERCEPT] *= S.decay


@njit(**INNER)
def quadratic(a, b, k_a, k_b, w):
    """The quadratic part of (3.5)."""
    return 0.5 * (k_a * a * a + k_b * b * b) + w * a * b


def _note_use(S, row, m):
    S.ints[USED, _nearest(S.pairs, row, np.int64(-1), m)] = S.counts[N_SEEN]


def _note_nothing(S, row, m):
    pass


# (S, row, m): note when the vector that is nearest to this example was last of use
note_use = with_limit(_note_use, _note_nothing)


def _keep_all(S, row, m):
    return m


def _remove_one(S, row, m):
    """Remove one of m vectors if they are too many; return how many are left.

    The newest, if a vector j represents half of it or more, k_rj^2 >= k_rr k_jj / 2. Else one that
    has not been nearest to any of the last STALE x limit examples, or if there is none, the one of
    the smallest weight per margin, |alpha| / theta. What is removed goes on in its projection on
    the nearest vector j, which takes over alpha_r k_rj / k_jj. So the vectors stay where they are
    while the examples do, and follow them when they move.
    """
    K, new = S.pairs, m - 1
    if m <= S.limit:
        _remember(K, row, m)
        return m
    j = _nearest(K, row, new, m)
    if row[j] * row[j] >= NOVEL * row[new] * K[j, j]:
        _merge(S, row, new, j, m)
        return new
    r = _least_useful(S, new)
    _remember(K, row, m)
    _merge(S, K[r], r, _nearest(K, K[r], r, m), m)
    move_support(S, new, r)
    for i in range(m):
        K[r, i] = K[new, i]
    for i in range(m):  # after the row, so that K[r, r] is that of the last vector
        K[i, r] = K[i, new]
    return new


# (S, row, m): the number of vectors after one was added
respect_limit = with_limit(_remove_one, _keep_all)


@njit(**INNER)
def _least_useful(S, m):
    alpha, theta, used = S.floats[ALPHA], S.floats[THETA], S.ints[USED]
    stale, small = 0, 0
    for i in range(1, m):
        if used[i] < used[stale]:
            stale = i
        if abs(alpha[i]) * theta[small] < abs(alpha[small]) * theta[i]:
            small = i
    return stale if S.counts[N_SEEN] - used[stale] > STALE * S.limit else small


@njit(**INNER)
def _remember(K, row, m):
    """Add the kernel row of the newest of m vectors."""
    new = m - 1
    for i in range(m):
        K[new, i] = row[i]
        K[i, new] = row[i]


@njit(**INNER)
def _nearest(K, row, r, m):
    """The vector, r excepted, on which this row's loses least: the largest k_i^2 / k_ii."""
    j, most = 0, -1.0
    for i in range(m):
        if i != r and row[i] * row[i] > most * K[i, i]:
            j, most = i, row[i] * row[i] / K[i, i]
    return j


@njit(**INNER)
def _merge(S, row_r, r, j, m):
    """Let vector j take over the weight of r; `row_r` has the kernel of r with all."""
    alpha, row_j = S.floats[ALPHA], S.pairs[j]
    k_jj = row_j[j]
    row_j[r] = row_r[j]  # r may be too new to be known
    step = alpha[r] * row_r[j] / k_jj
    # |f + step k_j - alpha_r k_r|^2, with <f, k_i> = f(x_i) from the rows, before alpha changes
    cross = step * dot(row_j, alpha, m) - alpha[r] * dot(row_r, alpha, m)
    S.numbers[SQUARED_NORM] += 2.0 * (cross + quadratic(step, -alpha[r], k_jj, row_r[r], row_r[j]))
    alpha[j] += step
    add_two(S, row_r, row_j, -alpha[r], step, m)
