"""Compiled loops of _dual.py; checked arrays in, changed in place, no checks here."""

import numpy as np
from numba import njit

LANES = 32  # candidates that are compared side by side, so that the loops compile to vector code


@njit(cache=True)
def smo(K, at, F, beta, lower, upper, tol, max_steps):
    """Pairwise descent on 1/2 b'Kb - t'b, sum(b) fixed, in a box; F = Kb - t is kept up to date.

    Each step raises b_i and lowers b_j by the same amount, so the sum stays fixed. i is the row
    that may rise with the steepest descent, m = max -F_i; j is the row that may fall with the
    largest decrease of the quadratic along the pair, (m + F_j)^2 / (2 curvature) (WSS2 of LIBSVM).
    M = min -F_j over the rows that may fall; m - M <= tol is the stopping rule. Row s of the kernel
    is K[at[s]]. Returns the number of steps and the remaining violation m - M.
    """
    n = len(beta)
    diagonal = np.array([K[at[s], s] for s in range(n)])  # contiguous: every step reads it all
    whole = n - n % LANES
    # what excludes a row: -inf added to a value whose maximum is sought, inf to one of a minimum
    no_rise, no_fall = np.zeros(n), np.zeros(n)
    for s in range(n):
        no_rise[s] = 0.0 if beta[s] < upper[s] else -np.inf
        no_fall[s] = 0.0 if beta[s] > lower[s] else np.inf
    top, lowest = np.empty(LANES), np.empty(LANES)
    where = np.empty(LANES, dtype=np.int64)
    move, row, other = 0.0, K[0], K[0]
    for step in range(max_steps + 1):
        # update F, and choose i in the same sweep: the best of each lane, then the best of these
        top[:], where[:] = -np.inf, n
        for base in range(0, whole, LANES):
            for lane in range(LANES):
                s = base + lane
                f = F[s] + move * (row[s] - other[s])
                F[s] = f
                rise = no_rise[s] - f
                better = rise > top[lane]
                top[lane] = rise if better else top[lane]
                where[lane] = s if better else where[lane]
        m, i = -np.inf, n
        for lane in range(LANES):
            if top[lane] > m or (top[lane] == m and where[lane] < i):
                m, i = top[lane], where[lane]
        for s in range(whole, n):
            F[s] += move * (row[s] - other[s])
            if no_rise[s] - F[s] > m:
                m, i = no_rise[s] - F[s], s
        if i == n:
            return step, 0.0
        if step == max_steps:
            break
        # choose j; `least` is M
        row, k_ii = K[at[i]], diagonal[i]
        top[:], lowest[:], where[:] = 0.0, np.inf, n
        for base in range(0, whole, LANES):
            for lane in range(LANES):
                s = base + lane
                value = no_fall[s] - F[s]
                lowest[lane] = value if value < lowest[lane] else lowest[lane]
                fall = m - value
                fall = fall if fall > 0.0 else 0.0
                curve = k_ii + diagonal[s] - 2.0 * row[s]
                gain = fall * fall / (curve if curve > 1e-12 else 1e-12)  # two equal rows: zero
                better = gain > top[lane]
                top[lane] = gain if better else top[lane]
                where[lane] = s if better else where[lane]
        least, best, j = np.inf, 0.0, n
        for lane in range(LANES):
            least = min(least, lowest[lane])
            if top[lane] > best or (top[lane] == best and where[lane] < j):
                best, j = top[lane], where[lane]
        for s in range(whole, n):
            value = no_fall[s] - F[s]
            least = min(least, value)
            fall = max(m - value, 0.0)
            gain = fall * fall / max(k_ii + diagonal[s] - 2.0 * row[s], 1e-12)
            if gain > best:
                best, j = gain, s
        if j == n or m - least <= tol:
            return step, max(m - least, 0.0)
        move = (m + F[j]) / max(k_ii + diagonal[j] - 2.0 * row[j], 1e-12)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        if move >= room_i or move >= room_j:
            move = min(room_i, room_j)
        # land on a bound exactly: the tests beta < upper and beta > lower are exact
        beta[i] = upper[i] if move == room_i else beta[i] + move
        beta[j] = lower[j] if move == room_j else beta[j] - move
        no_rise[i] = 0.0 if beta[i] < upper[i] else -np.inf
        no_fall[j] = 0.0 if beta[j] > lower[j] else np.inf
        no_fall[i] = no_rise[j] = 0.0
        other = K[at[j]]
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
