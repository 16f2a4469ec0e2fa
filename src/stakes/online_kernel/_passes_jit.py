"""Compiled passes over a batch: five rules that add one vector, and the rule that moves two.

Arrays are checked by the caller and changed in place; `S` is `for_loops` of the support vectors.
"""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.kernel_rows import (
    ALPHA,
    DENSE,
    MARGIN,
    NORM,
    SIGN,
    THETA,
    by_layout,
    dot_row,
    fill_row,
    load_example,
    load_support,
    new_query,
    self_value,
    with_limit,
)
from stakes._core.jit.kernel_values import dot, kernel_of_dots
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
    SUM_OF_THETA,
    THETA_SQUARED,
    WEAK_GAIN,
    add_two,
    append,
    note_use,
    quadratic,
    respect_limit,
    shrink,
)

PERCEPTRON, ALMA, ROMMA, PA, PAUM = range(5)
BLOCK = 32  # examples whose kernel rows are computed together when the store exceeds the cache
TILE_BYTES = 1 << 18  # part of the store that stays in the cache while a block reads it
EDGE = 1e-9  # y_i f(x_i) <= theta_i (1 + EDGE) counts as "at the margin": f is a running sum


def _fill_rows(S, batch, start, stop, m, q, K):
    for t in range(start, stop):
        load_example(S, batch, t, q)
        fill_row(S, q, np.int64(0), m, K[t - start])


def _fill_tiles(S, batch, start, stop, m, q, K):
    # a tile stays in the cache; the kernel after all inner products: exp runs best on long rows
    tile = max(64, TILE_BYTES // (8 * max(S.table.shape[0], 1)))
    for low in range(0, m, tile):
        high = min(low + tile, m)
        for t in range(start, stop):
            load_example(S, batch, t, q)
            row = K[t - start]
            dot_row(S, q, low, high, row[low:high])
    for t in range(start, stop):
        load_example(S, batch, t, q)
        row = K[t - start]
        kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, q.norm[0], S.floats[NORM, :m], row[:m])


# (S, batch, start, stop, m, q, K): K[b, :m] of the examples start to stop
_fill_block = by_layout(_fill_tiles, _fill_rows, _fill_rows, _fill_rows)


@njit(cache=True, nogil=True, **ENTRY)
def scores_of(S, batch, n, scores):
    """f(x) of each example, without learning."""
    m = S.counts[N_VECTORS]
    block = BLOCK if S.kind == DENSE else 1
    q, K = new_query(S), np.empty((block, max(m, 1)))
    for start in range(0, n, block):
        stop = min(start + block, n)
        _fill_block(S, batch, start, stop, m, q, K)
        for t in range(start, stop):
            scores[t] = dot(K[t - start], S.floats[ALPHA], m) + S.numbers[INTERCEPT]


@njit(cache=True, **ENTRY)
def score_of(S, batch):
    """f(x) of a single example; the same bits as `scores_of`."""
    m, q = S.counts[N_VECTORS], new_query(S)
    row = np.empty(m)
    load_example(S, batch, 0, q)
    fill_row(S, q, np.int64(0), m, row)
    return dot(row, S.floats[ALPHA], m) + S.numbers[INTERCEPT]


@njit(cache=True, **ENTRY)
def single_pass(S, batch, y, theta, rule, p, scores):
    """Perceptron, ALMA, ROMMA, PA-I and CPA, PAUM; theta: the weight of an example, or its margin.

    `p` holds the parameters of the rule, in the order in which `_single_step` reads them.
    """
    q = new_query(S)
    # removing a vector invalidates rows computed ahead, so a limited store computes one at a time
    block = BLOCK if S.kind == DENSE and S.limit == 0 else 1
    K = np.empty((block, S.floats.shape[1]))
    for start in range(0, y.size, block):
        ready, stop = S.counts[N_VECTORS], min(start + block, y.size)
        _fill_block(S, batch, start, stop, ready, q, K)
        for t in range(start, stop):
            load_example(S, batch, t, q)
            scores[t] = _learn_single(S, q, ready, K[t - start], y[t], theta[t], rule, p[0], p[1])


@njit(cache=True, **ENTRY)
def single_row(S, batch, y, theta, rule, first, second):
    """One example of `single_pass`; return its score before."""
    q, row = new_query(S), np.empty(S.floats.shape[1])
    load_example(S, batch, 0, q)
    return _learn_single(S, q, 0, row, y, theta, rule, first, second)


@njit(**INNER)
def _learn_single(S, q, ready, row, y, theta, rule, first, second):
    """Learn the example in q, of whose kernel row the first `ready` values are there already."""
    m, alpha, numbers = S.counts[N_VECTORS], S.floats[ALPHA], S.numbers
    fill_row(S, q, ready, m, row)  # with the vectors that this block has added
    score = dot(row, alpha, m) + numbers[INTERCEPT]
    S.counts[N_SEEN] += 1
    k = self_value(S, q)
    if theta == 0.0 or k <= 0.0:  # the mistake costs nothing, or x is zero
        return score
    if m == S.limit > 0:
        note_use(S, row, m)
    now = score
    if S.decay < 1.0:
        shrink(S, m)
        now *= S.decay
    keep, step = _single_step(rule, first, second, y, now, k, theta, S.counts[N_UPDATES], numbers)
    if step == 0.0:
        return score
    if keep != 1.0:
        for j in range(m):
            alpha[j] *= keep
    alpha[m] = step
    m = append(S, q, m, row, k, y, theta)
    S.counts[N_VECTORS] = respect_limit(S, row, m)
    return score


@njit(**INNER)
def _single_step(rule, first, second, y, score, k, theta, updates, numbers):
    """(factor on the old f, coefficient of the new vector); a coefficient of zero is no update."""
    margin = y * score
    if rule == PERCEPTRON:
        return (1.0, theta * y) if _is_mistake(margin, y, first) else (1.0, 0.0)
    if rule == PAUM:  # first, second = learning rate, radius squared
        if margin > theta:
            return 1.0, 0.0
        numbers[INTERCEPT] += first * y * second
        return 1.0, first * y
    if rule == PA:  # first = C
        loss = theta - margin
        return (1.0, y * min(first, loss / k)) if loss > 0.0 else (1.0, 0.0)
    if rule == ALMA:  # first = margin loss; the formulas are for x / sqrt(k), hence the factors
        alpha, number = first, updates + 1.0
        if margin > (1.0 - alpha) / alpha / np.sqrt(number) * np.sqrt(k):
            return 1.0, 0.0
        step = theta * np.sqrt(2.0 / number) / np.sqrt(k)
        size = numbers[SQUARED_NORM] + 2.0 * step * margin + step * step * k
        scale = 1.0 if size <= 1.0 else 1.0 / np.sqrt(size)
        numbers[SQUARED_NORM] = min(size, 1.0)
        return scale, scale * step * y
    if not _is_mistake(margin, y, first):
        return 1.0, 0.0
    # ROMMA: <g, f> = |f|^2 and y g(x) = theta, two equations for g = keep f + step k(x, .)
    room = k * numbers[SQUARED_NORM] - score * score  # their determinant, zero if x is along f
    if updates == 0 or room <= 1e-12 * k * numbers[SQUARED_NORM]:
        numbers[SQUARED_NORM] = theta * theta / k
        return 0.0, theta * y / k
    keep, step = (
        (k * numbers[SQUARED_NORM] - theta * margin) / room,
        numbers[SQUARED_NORM] * (theta * y - score) / room,
    )
    numbers[SQUARED_NORM] = (
        keep * keep * numbers[SQUARED_NORM] + 2.0 * keep * step * score + step * step * k
    )
    return keep, step


@njit(**INNER)
def _is_mistake(margin, y, zero_is_positive):
    """Whether y f(x) is negative, or zero and not taken for the positive class."""
    return margin < 0.0 or (margin == 0.0 and not (zero_is_positive > 0.0 and y > 0.0))


@njit(cache=True, **ENTRY)
def double_pass(S, batch, y, theta, C, scaled, rho, scores):
    """DUOL and CSDUOL, Algorithm 1; `scaled`: the largest weight of vector i is C theta_i."""
    q, other = new_query(S), np.empty(S.floats.shape[1])
    block = BLOCK if S.kind == DENSE and S.limit == 0 else 1  # as in single_pass
    K = np.empty((block, S.floats.shape[1]))
    for start in range(0, y.size, block):
        ready, stop = S.counts[N_VECTORS], min(start + block, y.size)
        _fill_block(S, batch, start, stop, ready, q, K)
        for t in range(start, stop):
            load_example(S, batch, t, q)
            row = K[t - start]
            scores[t] = _learn_double(S, q, ready, row, other, y[t], theta[t], C, scaled, rho)


@njit(cache=True, **ENTRY)
def double_row(S, batch, y, theta, C, scaled, rho):
    """One example of `double_pass`; return its score before."""
    q, row, other = new_query(S), np.empty(S.floats.shape[1]), np.empty(S.floats.shape[1])
    load_example(S, batch, 0, q)
    return _learn_double(S, q, 0, row, other, y, theta, C, scaled, rho)


@njit(inline="always", **INNER)
def _learn_double(S, q, ready, row, other, y, theta, C, scaled, rho):
    """As `_learn_single`; `other` is room for a second kernel row."""
    m = S.counts[N_VECTORS]
    fill_row(S, q, ready, m, row)
    score = dot(row, S.floats[ALPHA], m)
    S.counts[N_SEEN] += 1
    k_a, f_a = self_value(S, q), y * score
    if theta == 0.0 or k_a <= 0.0:
        return score
    if m == S.limit > 0:
        note_use(S, row, m)
    if S.decay < 1.0:
        shrink(S, m)
        f_a *= S.decay
    if theta - f_a <= 0.0:
        return score
    b, w = _find_auxiliary(S, row, m, y)
    S.floats[MARGIN, m] = f_a
    m = append(S, q, m, row, k_a, y, theta)
    if b >= 0 and w <= -rho:
        _move_two(S, q, row, other, m, b, C, scaled, rho)
    else:
        _move_one(S, row, m, C * theta if scaled else C)
    S.counts[N_VECTORS] = respect_limit(S, row, m)
    return score


@njit(**INNER)
def _move_one(S, row, m, C_a):
    """Give the newest vector the PA-I step, the maximum of the dual in its weight alone."""
    a, record = m - 1, S.numbers
    k_a, f_a, theta_a = row[a], S.floats[MARGIN, a], S.floats[THETA, a]
    l_a = theta_a - f_a
    g_a = min(C_a, l_a / k_a)
    S.floats[ALPHA, a] = S.floats[SIGN, a] * g_a
    add_two(S, row, row, S.floats[SIGN, a] * g_a, 0.0, m)
    record[DUAL_VALUE] += g_a * l_a - 0.5 * k_a * g_a * g_a
    if f_a <= 0.0:
        record[THETA_SQUARED] += theta_a * theta_a
        record[SUM_OF_THETA] += theta_a


def _kept_row(S, b, m, row, room):
    other = S.pairs[b]
    other[m - 1] = row[b]  # all values but this are kept already
    return other


def _empty_row(S, b, m, row, room):
    return room


# (S, b, m, row, room): kernel values of vector b with all m vectors if they are kept, else room
_row_of = with_limit(_kept_row, _empty_row)


@njit(inline="always", **INNER)
def _move_two(S, q, row, other, m, b, C, scaled, rho):
    """Move the weights of the newest vector a and of vector b to the maximum of (3.4).

    `row` has the kernel values of a, and `other` is room for those of b.
    """
    a, alpha = m - 1, S.floats[ALPHA]
    y_a, y_b, f_a, f_b = (
        S.floats[SIGN, a],
        S.floats[SIGN, b],
        S.floats[MARGIN, a],
        S.floats[MARGIN, b],
    )
    theta_a, theta_b = S.floats[THETA, a], S.floats[THETA, b]
    C_a, C_b = (C * theta_a, C * theta_b) if scaled else (C, C)
    load_support(S, b, q)
    k_a, k_b, w, g_b = row[a], self_value(S, q), y_b * y_a * row[b], y_b * alpha[b]
    l_a, l_b = theta_a - f_a, theta_b - f_b
    # a weight that took over others may lie outside of its box; it need not return at once
    low, high = min(g_b, 0.0), max(g_b, C_b)
    g_a, d_b = box_step(l_a, l_b, k_a, k_b, w, C_a, low - g_b, high - g_b)
    other = _row_of(S, b, m, row, other)
    if S.limit == 0:
        fill_row(S, q, np.int64(0), m, other)
    alpha[a] = y_a * g_a
    alpha[b] = y_b * min(max(g_b + d_b, low), high)
    add_two(S, row, other, y_a * g_a, y_b * d_b, m)
    S.numbers[DUAL_VALUE] += g_a * l_a + d_b * l_b - quadratic(g_a, d_b, k_a, k_b, w)
    if f_a <= 0.0:
        _record_mistake(S.numbers, theta_a, theta_b, f_b, g_b, C_a, C_b, rho)


@njit(cache=True, **ENTRY)
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


@njit(**INNER)
def _find_auxiliary(S, row, m, y_a):
    """Vector at or below its margin that conflicts most with the new example, and the conflict."""
    y, f, theta = S.floats[SIGN], S.floats[MARGIN], S.floats[THETA]
    b, w = -1, np.inf
    for i in range(m):
        if f[i] <= theta[i] * (1.0 + EDGE) and y[i] * y_a * row[i] <= w:
            b, w = i, y[i] * y_a * row[i]
    return b, w


@njit(**INNER)
def _record_mistake(record, theta_a, theta_b, f_b, g_b, C_a, C_b, rho):
    """Add up what Theorem 4 says of a mistake with a double update."""
    record[THETA_SQUARED] += theta_a * theta_a
    record[SUM_OF_THETA] += theta_a
    if rho == 1.0:  # outside the theorems, and room would be zero
        return
    room = 1.0 - rho * rho
    # strong: b was misclassified as well; either kind counts only if its box clips neither weight
    fits = g_b + (theta_b + rho * theta_a) / room <= C_b and (theta_a + rho * theta_b) / room <= C_a
    if f_b <= 0.0 and fits:
        gain = 2.0 * rho * theta_a * theta_b + theta_b * theta_b + (rho * theta_a) ** 2
        record[STRONG_GAIN] += gain / room
        record[N_STRONG] += 1
    elif g_b + rho * theta_a / room <= C_b and theta_a / room <= C_a:
        record[WEAK_GAIN] += (rho * theta_a) ** 2 / room
        record[N_WEAK] += 1
