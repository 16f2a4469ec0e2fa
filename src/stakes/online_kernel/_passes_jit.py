"""Compiled passes over a batch: five rules that add one vector, and the rule that moves two.

Arrays are checked by the caller and changed in place.
"""

import numpy as np
from numba import njit

from stakes._core.jit.kernel_rows import (
    DENSE,
    dot,
    dot_row,
    fill_row,
    kernel_of_dots,
    load_example,
    load_support,
    new_query,
    self_value,
)
from stakes.online_kernel._expansion_jit import (
    DUAL_VALUE,
    INTERCEPT,
    N_SEEN,
    N_STRONG,
    N_UPDATES,
    N_VECTORS,
    N_WEAK,
    SQUARED_NORM,
    STRONG_GAIN,
    THETA,
    THETA_SQUARED,
    WEAK_GAIN,
    add_two,
    append,
    quadratic,
    respect_limit,
)

PERCEPTRON, ALMA, ROMMA, PA, PAUM = range(5)
BLOCK = 32  # examples whose kernel rows are computed together when the store exceeds the cache
TILE_BYTES = 1 << 18  # part of the store that stays in the cache while a block reads it
EDGE = 1e-9  # y_i f(x_i) <= theta_i (1 + EDGE) counts as "at the margin": f is a running sum


@njit(cache=True)
def scores_of(S, batch, n, m, alpha, intercept, scores):
    """f(x) of each example, without learning."""
    block = BLOCK if S.kind == DENSE else 1
    q, K = new_query(S), np.empty((block, max(m, 1)))
    for start in range(0, n, block):
        stop = min(start + block, n)
        _fill_block(S, batch, start, stop, m, q, K)
        for t in range(start, stop):
            scores[t] = dot(K[t - start], alpha, m) + intercept


@njit(cache=True)
def single_pass(E, batch, y, theta, rule, p, scores):
    """Perceptron, ALMA, ROMMA, PA-I (theta = 1) and CPA (theta = the margin), PAUM.

    `p` holds the parameters of the rule, in the order in which `_single_step` reads them.
    """
    S, counts, m = E.support, E.counts, E.counts[N_VECTORS]
    q = new_query(S)
    # removing a vector invalidates rows computed ahead, so a limited store computes one at a time
    block = BLOCK if S.kind == DENSE and E.limit == 0 else 1
    K = np.empty((block, E.alpha.size))
    for start in range(0, y.size, block):
        ready, stop = m, min(start + block, y.size)
        _fill_block(S, batch, start, stop, ready, q, K)
        for t in range(start, stop):
            row = K[t - start]
            load_example(S, batch, t, q)
            fill_row(S, q, ready, m, row)  # with the vectors that this block has added
            scores[t] = dot(row, E.alpha, m) + E.norm[INTERCEPT]
            counts[N_SEEN] += 1
            k = self_value(S, q)
            if theta[t] == 0.0 or k <= 0.0:  # the mistake costs nothing, or x is zero
                continue
            keep, step = _single_step(
                rule, p, y[t], scores[t], k, theta[t], counts[N_UPDATES], E.norm
            )
            if step == 0.0:
                continue
            if keep != 1.0:
                for j in range(m):
                    E.alpha[j] *= keep
            E.alpha[m] = step
            m = append(E, q, m, row, k, y[t], theta[t])
            if E.limit > 0:
                m = respect_limit(E, row, m, p[0] if rule == PA else np.inf)
    counts[N_VECTORS] = m


@njit(cache=True)
def _single_step(rule, p, y, score, k, theta, updates, norm):
    """(factor on the old f, coefficient of the new vector); a coefficient of zero is no update."""
    margin = y * score
    if rule == PERCEPTRON:
        return (1.0, y) if margin <= 0.0 else (1.0, 0.0)
    if rule == PAUM:  # p = (learning rate, radius squared)
        if margin > theta:
            return 1.0, 0.0
        norm[INTERCEPT] += p[0] * y * p[1]
        return 1.0, p[0] * y
    if rule == PA:  # p = (C,)
        loss = theta - margin
        return (1.0, y * min(p[0], loss / k)) if loss > 0.0 else (1.0, 0.0)
    if rule == ALMA:  # p = (margin loss,); the formulas are for x / sqrt(k), hence the factors
        alpha, number = p[0], updates + 1.0
        if margin > (1.0 - alpha) / alpha / np.sqrt(number) * np.sqrt(k):
            return 1.0, 0.0
        step = np.sqrt(2.0 / number) / np.sqrt(k)
        size = norm[SQUARED_NORM] + 2.0 * step * margin + step * step * k
        shrink = 1.0 if size <= 1.0 else 1.0 / np.sqrt(size)
        norm[SQUARED_NORM] = min(size, 1.0)
        return shrink, shrink * step * y
    if margin > 0.0:
        return 1.0, 0.0
    # ROMMA: <g, f> = |f|^2 and y g(x) = 1, two equations for g = keep f + step k(x, .)
    room = k * norm[SQUARED_NORM] - score * score  # their determinant, zero if x is along f
    if updates == 0 or room <= 1e-12 * k * norm[SQUARED_NORM]:
        norm[SQUARED_NORM] = 1.0 / k
        return 0.0, y / k
    keep, step = (k * norm[SQUARED_NORM] - margin) / room, norm[SQUARED_NORM] * (y - score) / room
    norm[SQUARED_NORM] = (
        keep * keep * norm[SQUARED_NORM] + 2.0 * keep * step * score + step * step * k
    )
    return keep, step


@njit(cache=True)
def double_pass(E, batch, y, theta, C, rho, scores):
    """DUOL and CSDUOL, Algorithm 1."""
    S, counts, m = E.support, E.counts, E.counts[N_VECTORS]
    q, other = new_query(S), np.empty(E.alpha.size)
    block = BLOCK if S.kind == DENSE and E.limit == 0 else 1  # as in single_pass
    K = np.empty((block, E.alpha.size))
    for start in range(0, y.size, block):
        ready, stop = m, min(start + block, y.size)
        _fill_block(S, batch, start, stop, ready, q, K)
        for t in range(start, stop):
            row = K[t - start]
            load_example(S, batch, t, q)
            fill_row(S, q, ready, m, row)
            scores[t] = dot(row, E.alpha, m)
            counts[N_SEEN] += 1
            k_a, f_a = self_value(S, q), y[t] * scores[t]
            if theta[t] == 0.0 or k_a <= 0.0 or theta[t] - f_a <= 0.0:
                continue
            b, w = _find_auxiliary(E.y, E.f, E.theta, row, m, y[t])
            E.f[m] = f_a
            m = append(E, q, m, row, k_a, y[t], theta[t])
            if b >= 0 and w <= -rho:
                _move_two(E, q, row, other, m, b, C, rho)
            else:
                _move_one(E, row, m, C)
            if E.limit > 0:
                m = respect_limit(E, row, m, C)
    counts[N_VECTORS] = m


@njit(cache=True)
def _move_one(E, row, m, C):
    """Give the newest vector the PA-I step, the maximum of the dual in its weight alone."""
    a = m - 1
    k_a, f_a, theta_a = row[a], E.f[a], E.theta[a]
    l_a = theta_a - f_a
    g_a = min(C, l_a / k_a)
    E.alpha[a] = E.y[a] * g_a
    add_two(E.f, E.y, row, row, E.y[a] * g_a, 0.0, m)
    E.record[DUAL_VALUE] += g_a * l_a - 0.5 * k_a * g_a * g_a
    if f_a <= 0.0:
        E.record[THETA_SQUARED] += theta_a * theta_a
        E.record[THETA] += theta_a


@njit(cache=True)
def _move_two(E, q, row, other, m, b, C, rho):
    """Move the weights of the newest vector a and of vector b to the maximum of (3.4).

    `row` has the kernel values of a, and `other` is room for those of b.
    """
    S, a = E.support, m - 1
    y_a, y_b, f_a, f_b = E.y[a], E.y[b], E.f[a], E.f[b]
    load_support(S, b, q)
    k_a, k_b, w, g_b = row[a], self_value(S, q), y_b * y_a * row[b], y_b * E.alpha[b]
    l_a, l_b = E.theta[a] - f_a, E.theta[b] - f_b
    g_a, d_b = box_step(l_a, l_b, k_a, k_b, w, C, -g_b, C - g_b)
    if E.limit > 0:  # the row is kept already, but for the newest vector
        other = E.pairs.K[b]
        other[a] = row[b]
    else:
        fill_row(S, q, 0, m, other)
    E.alpha[a] = y_a * g_a
    E.alpha[b] = y_b * min(max(g_b + d_b, 0.0), C)
    add_two(E.f, E.y, row, other, y_a * g_a, y_b * d_b, m)
    E.record[DUAL_VALUE] += g_a * l_a + d_b * l_b - quadratic(g_a, d_b, k_a, k_b, w)
    if f_a <= 0.0:
        _record_mistake(E.record, E.theta[a], E.theta[b], f_b, g_b, C, rho)


@njit(cache=True)
def box_step(l_a, l_b, k_a, k_b, w, high_a, low_b, high_b):
    """Maximise (3.5) over 0 <= a <= high_a, low_b <= b <= high_b: exact on all nine faces.

    The free maximum if it lies inside, else the best point of the four edges; the clipped edge
    maxima include the corners. A singular problem (two equal vectors) has a maximum on an edge.
    """
    det = k_a * k_b - w * w
    if det > 1e-12 * k_a * k_b:
        a, b = (k_b * l_a - w * l_b) / det, (k_a * l_b - w * l_a) / det
        if 0.0 <= a <= high_a and low_b <= b <= high_b:
            return a, b
    best, best_a, best_b = -np.inf, 0.0, 0.0
    for edge in range(4):
        if edge < 2:
            a = 0.0 if edge == 0 else high_a
            b = min(max((l_b - w * a) / k_b, low_b), high_b)
        else:
            b = low_b if edge == 2 else high_b
            a = min(max((l_a - w * b) / k_a, 0.0), high_a)
        value = a * l_a + b * l_b - quadratic(a, b, k_a, k_b, w)
        if value > best:
            best, best_a, best_b = value, a, b
    return best_a, best_b


@njit(cache=True)
def _find_auxiliary(y, f, theta, row, m, y_a):
    """Vector at or below its margin that conflicts most with the new example, and the conflict."""
    b, w = -1, np.inf
    for i in range(m):
        if f[i] <= theta[i] * (1.0 + EDGE) and y[i] * y_a * row[i] <= w:
            b, w = i, y[i] * y_a * row[i]
    return b, w


@njit(cache=True)
def _record_mistake(record, theta_a, theta_b, f_b, g_b, C, rho):
    """Add up what Theorem 4 says of a mistake with a double update."""
    record[THETA_SQUARED] += theta_a * theta_a
    record[THETA] += theta_a
    if rho == 1.0:  # outside the theorems, and room would be zero
        return
    room = 1.0 - rho * rho
    # strong: b was misclassified as well; either kind counts only if C clips neither weight
    strong = max(g_b + (theta_b + rho * theta_a) / room, (theta_a + rho * theta_b) / room)
    if f_b <= 0.0 and strong <= C:
        gain = 2.0 * rho * theta_a * theta_b + theta_b * theta_b + (rho * theta_a) ** 2
        record[STRONG_GAIN] += gain / room
        record[N_STRONG] += 1
    elif max(g_b + rho * theta_a / room, theta_a / room) <= C:
        record[WEAK_GAIN] += (rho * theta_a) ** 2 / room
        record[N_WEAK] += 1


@njit(cache=True)
def _fill_block(S, batch, start, stop, m, q, K):
    """K[b, :m] of the examples start to stop, tile by tile so that a tile stays in the cache.

    Inner products first, then the kernel of whole rows: the exponential runs best on long rows.
    """
    if S.kind != DENSE:
        for t in range(start, stop):
            load_example(S, batch, t, q)
            fill_row(S, q, 0, m, K[t - start])
        return
    tile = max(64, TILE_BYTES // (8 * max(S.T.shape[0], 1)))
    for low in range(0, m, tile):
        high = min(low + tile, m)
        for t in range(start, stop):
            load_example(S, batch, t, q)
            row = K[t - start]
            dot_row(S, q, low, high, row[low:high])
    for t in range(start, stop):
        load_example(S, batch, t, q)
        row = K[t - start]
        kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, q.norm[0], S.norms[:m], row[:m])
