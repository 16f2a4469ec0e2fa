"""Compiled loops of _dual.py; checked arrays in, changed in place, no checks here."""

import numpy as np
from numba import njit


@njit(cache=True)
def smo(K, F, beta, lower, upper, tol, max_steps):
    """Pairwise descent on 1/2 b'Kb - t'b, sum(b) fixed, in a box; F = Kb - t is kept up to date.

    Each step raises b_i and lowers b_j by the same amount, so the sum stays fixed. i is the row
    that may rise with the steepest descent, m = max -F_i; j is the row that may fall with the
    largest decrease of the quadratic along the pair, (m + F_j)^2 / (2 curvature) (WSS2 of LIBSVM).
    M = min -F_j over the rows that may fall; m - M <= tol is the stopping rule. Returns the number
    of steps and the remaining violation m - M.
    """
    n = len(beta)
    diagonal = np.array([K[s, s] for s in range(n)])  # contiguous, since every step reads it all
    m, i = -np.inf, -1
    for s in range(n):
        if beta[s] < upper[s] and -F[s] > m:
            m, i = -F[s], s
    for step in range(max_steps):
        if i < 0:
            return step, 0.0
        # choose j; `least` is M
        row, k_ii = K[i], diagonal[i]
        least, best, j, curve_j = np.inf, -1.0, -1, 1.0
        for s in range(n):
            if beta[s] > lower[s]:
                fall = m + F[s]
                if -F[s] < least:
                    least = -F[s]
                if fall > 0.0:
                    curve = k_ii + diagonal[s] - 2.0 * row[s]
                    if curve < 1e-12:  # two equal rows
                        curve = 1e-12
                    gain = fall * fall / curve
                    if gain > best:
                        best, j, curve_j = gain, s, curve
        if j < 0 or m - least <= tol:
            return step, max(m - least, 0.0)
        move = (m + F[j]) / curve_j
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        if move >= room_i or move >= room_j:
            move = min(room_i, room_j)
        # land on a bound exactly: the tests beta < upper and beta > lower are exact
        beta[i] = upper[i] if move == room_i else beta[i] + move
        beta[j] = lower[j] if move == room_j else beta[j] - move
        # update F, and choose the next i in the same sweep
        other = K[j]
        m, i = -np.inf, -1
        for s in range(n):
            F[s] += move * (row[s] - other[s])
            if beta[s] < upper[s] and -F[s] > m:
                m, i = -F[s], s
    return max_steps, np.inf


@njit(cache=True)
def add_rows(F, pool, slots, change):
    """F += sum_k change[k] * pool[slots[k]], reading only rows whose change is not zero."""
    for k in range(len(slots)):
        c = change[k]
        if c != 0.0:
            row = pool[slots[k]]
            for s in range(len(F)):
                F[s] += c * row[s]


@njit(cache=True)
def gather(pool, slots, block):
    """The kernel among the rows of a block; it is symmetric, so half of it is read."""
    q = len(block)
    K = np.empty((q, q), dtype=pool.dtype)
    for a in range(q):
        row = pool[slots[a]]
        for b in range(a + 1):
            K[a, b] = K[b, a] = row[block[b]]
    return K
