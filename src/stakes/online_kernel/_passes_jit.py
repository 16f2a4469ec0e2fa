"""Compiled passes over a batch: six rules that add one vector, and the rule that moves two.

Arrays are checked before and changed in place. `counts` is (support vectors, used part of the CSR
pool, examples seen, updates); `norm` is (squared norm of f where a rule needs it, intercept).
"""

from typing import NamedTuple

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
    move_support,
    new_query,
    self_value,
    store_query,
)

PERCEPTRON, ALMA, ROMMA, PA, PAUM = 0, 1, 2, 3, 4
BLOCK = 32  # examples whose rows are made together, where the store is larger than the cache
TILE_BYTES = 1 << 18
EDGE = 1e-9  # y_i f(x_i) <= theta_i (1 + EDGE) counts as "at the margin": f is a running sum


class Pairs(NamedTuple):
    """Kernel of the support vectors with each other and who is nearest; empty without a budget."""

    K: np.ndarray
    near: np.ndarray
    value: np.ndarray


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
def single_pass(
    S, P, batch, y, theta, rule, p, alpha, sv_y, f, sv_theta, index, counts, norm, budget, scores
):
    """Perceptron, ALMA, ROMMA, PA-I (theta = 1) and CPA (theta = the margin), PAUM."""
    q = new_query(S)
    m, used = counts[0], counts[1]
    block = BLOCK if S.kind == DENSE and budget == 0 else 1
    K = np.empty((block, alpha.size))
    for start in range(0, y.size, block):
        ready, stop = m, min(start + block, y.size)
        _fill_block(S, batch, start, stop, ready, q, K)
        for t in range(start, stop):
            row = K[t - start]
            load_example(S, batch, t, q)
            fill_row(S, q, ready, m, row)
            scores[t] = dot(row, alpha, m) + norm[1]
            counts[2] += 1
            k = self_value(S, q)
            if theta[t] == 0.0 or k <= 0.0:  # no price, or nothing to learn from
                continue
            keep, step = _single_step(rule, p, y[t], scores[t], k, theta[t], counts[3], norm)
            if step == 0.0:
                continue
            if keep != 1.0:
                for j in range(m):
                    alpha[j] *= keep
            alpha[m], sv_y[m], sv_theta[m], index[m] = step, y[t], theta[t], counts[2] - 1
            used = store_query(S, q, m, used)
            row[m] = k
            m += 1
            counts[3] += 1
            if budget > 0:
                _remember(P, row, m)
            if budget > 0 and m > budget:
                C = p[0] if rule == PA else np.inf
                m = _forget(S, P, m, alpha, sv_y, f, sv_theta, index, C, norm)
    counts[0], counts[1] = m, used


@njit(cache=True)
def _single_step(rule, p, y, score, k, theta, updates, norm):
    """(factor on the old f, coefficient of the new vector); a coefficient of zero is no update."""
    margin = y * score
    if rule == PERCEPTRON:
        return (1.0, y) if margin <= 0.0 else (1.0, 0.0)
    if rule == PAUM:
        if margin > theta:
            return 1.0, 0.0
        norm[1] += p[0] * y * p[1]
        return 1.0, p[0] * y
    if rule == PA:
        loss = theta - margin
        return (1.0, y * min(p[0], loss / k)) if loss > 0.0 else (1.0, 0.0)
    if rule == ALMA:
        alpha, number = p[0], updates + 1.0
        if margin > (1.0 - alpha) / alpha / np.sqrt(number) * np.sqrt(k):
            return 1.0, 0.0
        step = np.sqrt(2.0 / number) / np.sqrt(k)
        size = norm[0] + 2.0 * step * margin + step * step * k
        shrink = 1.0 if size <= 1.0 else 1.0 / np.sqrt(size)
        norm[0] = min(size, 1.0)
        return shrink, shrink * step * y
    if margin > 0.0:
        return 1.0, 0.0
    room = k * norm[0] - score * score
    if updates == 0 or room <= 1e-12 * k * norm[0]:  # the first, or x is along f: start afresh
        norm[0] = 1.0 / k
        return 0.0, y / k
    keep, step = (k * norm[0] - margin) / room, norm[0] * (y - score) / room
    norm[0] = keep * keep * norm[0] + 2.0 * keep * step * score + step * step * k
    return keep, step


@njit(cache=True)
def double_pass(
    S,
    P,
    batch,
    y,
    theta,
    C,
    rho,
    alpha,
    sv_y,
    f,
    sv_theta,
    index,
    counts,
    norm,
    budget,
    scores,
    record,
):
    """DUOL and CSDUOL, Algorithm 1; `f` is y_i f(x_i) of each support vector, kept up to date.

    `record` adds up, over the mistakes, theta_t^2, the gains that Theorem 4 promises for strong
    and for weak double updates, their numbers; then, over all steps, the growth of the dual
    objective; and last, over the mistakes, theta_t.
    """
    q, other = new_query(S), np.empty(alpha.size)
    m, used = counts[0], counts[1]
    block = BLOCK if S.kind == DENSE and budget == 0 else 1
    K = np.empty((block, alpha.size))
    for start in range(0, y.size, block):
        ready, stop = m, min(start + block, y.size)
        _fill_block(S, batch, start, stop, ready, q, K)
        for t in range(start, stop):
            row = K[t - start]
            load_example(S, batch, t, q)
            fill_row(S, q, ready, m, row)
            scores[t] = dot(row, alpha, m)
            counts[2] += 1
            k_a, y_a, f_a = self_value(S, q), y[t], y[t] * scores[t]
            l_a = theta[t] - f_a
            if theta[t] == 0.0 or k_a <= 0.0 or l_a <= 0.0:
                continue
            b, w = _find_auxiliary(row, m, y_a, sv_y, f, sv_theta)
            used = store_query(S, q, m, used)
            row[m] = k_a
            sv_y[m], sv_theta[m], index[m], f[m] = y_a, theta[t], counts[2] - 1, f_a
            m += 1
            counts[3] += 1
            if b >= 0 and w <= -rho:
                load_support(S, b, q)
                k_b, g_b, f_b = self_value(S, q), sv_y[b] * alpha[b], f[b]
                l_b = sv_theta[b] - f_b
                g_a, d_b = box_step(l_a, l_b, k_a, k_b, w, C, -g_b, C - g_b)
                if budget > 0:
                    other = P.K[b]
                    other[m - 1] = row[b]
                else:
                    fill_row(S, q, 0, m, other)
                alpha[m - 1] = y_a * g_a
                alpha[b] = sv_y[b] * min(max(g_b + d_b, 0.0), C)
                _add_two(f, sv_y, row, other, y_a * g_a, sv_y[b] * d_b, m)
                record[5] += g_a * l_a + d_b * l_b - _quadratic(g_a, d_b, k_a, k_b, w)
                _note(record, theta[t], sv_theta[b], f_a, f_b, g_b, C, rho)
            else:
                g_a = min(C, l_a / k_a)
                alpha[m - 1] = y_a * g_a
                _add_two(f, sv_y, row, row, y_a * g_a, 0.0, m)
                record[5] += g_a * l_a - 0.5 * k_a * g_a * g_a
                if f_a <= 0.0:
                    record[0] += theta[t] * theta[t]
                    record[6] += theta[t]
            if budget > 0:
                _remember(P, row, m)
            if budget > 0 and m > budget:
                m = _forget(S, P, m, alpha, sv_y, f, sv_theta, index, C, norm)
    counts[0], counts[1] = m, used


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
        value = a * l_a + b * l_b - _quadratic(a, b, k_a, k_b, w)
        if value > best:
            best, best_a, best_b = value, a, b
    return best_a, best_b


@njit(cache=True)
def _quadratic(a, b, k_a, k_b, w):
    """The quadratic part of (3.5)."""
    return 0.5 * (k_a * a * a + k_b * b * b) + w * a * b


@njit(cache=True)
def _find_auxiliary(row, m, y_a, sv_y, f, sv_theta):
    """The support vector at or below its margin that conflicts most with the new example."""
    b, w = -1, np.inf
    for i in range(m):
        if f[i] <= sv_theta[i] * (1.0 + EDGE) and sv_y[i] * y_a * row[i] <= w:
            b, w = i, sv_y[i] * y_a * row[i]
    return b, w


@njit(cache=True)
def _add_two(f, sv_y, row_a, row_b, step_a, step_b, m):
    for i in range(m):
        f[i] += sv_y[i] * (step_a * row_a[i] + step_b * row_b[i])


@njit(cache=True)
def _note(record, theta_a, theta_b, f_a, f_b, g_b, C, rho):
    if f_a > 0.0:
        return
    record[0] += theta_a * theta_a
    record[6] += theta_a
    if rho == 1.0:  # the theorems need less
        return
    room = 1.0 - rho * rho
    strong = max(g_b + (theta_b + rho * theta_a) / room, (theta_a + rho * theta_b) / room)
    if f_b <= 0.0 and strong <= C:
        gain = 2.0 * rho * theta_a * theta_b + theta_b * theta_b + (rho * theta_a) ** 2
        record[1] += gain / room
        record[3] += 1
    elif max(g_b + rho * theta_a / room, theta_a / room) <= C:
        record[2] += (rho * theta_a) ** 2 / room
        record[4] += 1


@njit(cache=True)
def _remember(P, row, m):
    """Note the kernel row of the newest of m vectors, and who is whose nearest now.

    `near[j]` is the vector that stands in best for j: the largest k_ij^2 / k_ii, kept in `value`.
    """
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
def _forget(S, P, m, alpha, sv_y, f, sv_theta, index, C, norm):
    """Remove the vector whose nearest can take over its part with the least loss."""
    r, least = 0, np.inf
    for i in range(m):
        loss = alpha[i] * alpha[i] * (P.K[i, i] - P.value[i])
        if loss < least:
            r, least = i, loss
    j = P.near[r]
    row_r, row_j = P.K[r], P.K[j]
    new = alpha[j] + alpha[r] * row_r[j] / row_j[j]
    if C < np.inf:  # a weight stays in its box
        new = sv_y[j] * min(max(sv_y[j] * new, 0.0), C)
    step = new - alpha[j]
    cross = step * dot(row_j, alpha, m) - alpha[r] * dot(row_r, alpha, m)
    norm[0] += 2.0 * (cross + _quadratic(step, -alpha[r], row_j[j], row_r[r], row_r[j]))
    alpha[j] = new
    _add_two(f, sv_y, row_r, row_j, -alpha[r], step, m)
    last = m - 1
    alpha[r], sv_y[r], f[r], sv_theta[r] = alpha[last], sv_y[last], f[last], sv_theta[last]
    index[r], P.near[r], P.value[r] = index[last], P.near[last], P.value[last]
    move_support(S, last, r)
    for i in range(m):
        P.K[r, i] = P.K[last, i]
    for i in range(m):
        P.K[i, r] = P.K[i, last]
    for i in range(last):
        if P.near[i] == r:
            _find_nearest(P, i, last)
        elif P.near[i] == last:
            P.near[i] = r
    return last


@njit(cache=True)
def _fill_block(S, batch, start, stop, m, q, K):
    """K[b, :m] of the examples start to stop, tile by tile so that a tile stays in the cache."""
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
