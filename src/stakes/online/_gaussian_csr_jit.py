"""Compiled loops of the Gaussian learners with a diagonal Sigma over sparse rows.

Steps, arguments and the order of a row are those of `_gaussian_jit.py`. The weights come as one
array w of pairs: the mean of column j at 2 j, its variance at 2 j + 1. A sparse row reads its
columns from all over the memory, and a pair takes one load and one cache line where two arrays take
two: a row of 75 entries takes a fifth less time (measured). Four numbers at once are two pairs.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes.online._before_step_jit import heed, log_odds, register, skip_row
from stakes.online._fading_jit import LARGE, kept, kept_pairs, now, now_pairs, settle
from stakes.online._fetch_jit import fetch
from stakes.online._four_jit import (
    below4,
    evens4,
    load4,
    mix4,
    odds4,
    pair_sums,
    put_pairs,
    same4,
    take_pairs,
)
from stakes.online._gaussian_jit import PROBIT, step
from stakes.online._state import (
    BIAS,
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
    P,
    Q,
)

ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)
AHEAD = np.uintp(128)  # how far ahead of its use an entry of a sparse table is prefetched


@njit(error_model="numpy", **INNER)
def shrink_csr(indices, x, start, stop, a, b, bias, w, scale, most, fading):
    """Update by the sparse row x[start:stop] of every rule but PROBIT; a includes the label."""
    i, end, d = start, stop - (stop - start) % FOUR, np.uintp(w.shape[0]) - TWO
    back, one, zero = 1.0 / scale, same4(1.0), same4(0.0)
    steps, backs = mix4(same4(a), same4(b)), mix4(one, same4(back))
    scales, bounds = mix4(one, same4(scale)), mix4(same4(math.inf), same4(most))
    # four columns at once; safe because the columns of a row are distinct (canonical CSR), so that
    # no variance is read before its own update
    while i < end:
        j0, j1 = TWO * np.uintp(indices[i]), TWO * np.uintp(indices[i + ONE])
        j2, j3 = TWO * np.uintp(indices[i + TWO]), TWO * np.uintp(indices[i + THREE])
        z = load4(x, i)
        e, o = evens4(z), odds4(z)
        pairs = now_pairs(take_pairs(w, j0, j2), scales, bounds, fading)
        move = steps * (odds4(pairs) * e)  # a sigma x, b sigma x
        pairs = (pairs + mix4(move, zero)) / (one + mix4(zero, move * e))
        put_pairs(w, j0, j2, kept_pairs(pairs, backs, fading))
        pairs = now_pairs(take_pairs(w, j1, j3), scales, bounds, fading)
        move = steps * (odds4(pairs) * o)
        pairs = (pairs + mix4(move, zero)) / (one + mix4(zero, move * o))
        put_pairs(w, j1, j3, kept_pairs(pairs, backs, fading))
        i += FOUR
    while i < stop:
        j = TWO * np.uintp(indices[i])
        s = now(w[j + ONE], scale, most, fading)
        g = s * x[i]
        w[j] += a * g
        w[j + ONE] = kept(s / (1.0 + b * g * x[i]), back, fading)
        i += ONE
    s = now(w[d + ONE], scale, most, fading)
    w[d] += a * s * bias
    w[d + ONE] = kept(s / (1.0 + b * s * bias), back, fading)


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_csr(indptr, indices, x, y, c_pos, c_neg, omega, w, state, out, fading=None):
    """Learn the rows of a CSR matrix in order, up to a pause; how many."""
    rule, p, q, bias = int(state[RULE]), state[P], state[Q], state[BIAS]
    noise, compare, most = p if rule == PROBIT else 1.0, state[COMPARE] > 0.0, state[MOST]
    many, stride, wanted = c_pos.shape[0] > 1, omega.shape[0] > 1, out.shape[0] > 0
    hears = compare or state[LISTENS] > 0.0
    d, last = np.uintp(w.shape[0] // 2 - 1), np.uintp(w.shape[0] - 2)
    one, bounds = same4(1.0), mix4(same4(math.inf), same4(most))
    for t in range(y.shape[0]):
        if state[N_SEEN] >= state[PAUSE_AT]:
            return t
        if fading is not None and state[SCALE] > LARGE:
            settle(state, w[1::2])
        scale = state[SCALE]
        back = 1.0 / scale
        start, stop = np.uintp(indptr[t]), np.uintp(indptr[t + 1])
        k, y_t, end = t if many else 0, y[t], stop - (stop - start) % FOUR
        i, e4, o4, scales = start, same4(0.0), same4(0.0), mix4(one, same4(scale))
        while i < end:
            if not below4(indices, i, d):  # such a row counts as not finite
                e4 = same4(math.nan)
                break
            j0, j1 = TWO * np.uintp(indices[i]), TWO * np.uintp(indices[i + ONE])
            j2, j3 = TWO * np.uintp(indices[i + TWO]), TWO * np.uintp(indices[i + THREE])
            z = load4(x, i)
            e, o = evens4(z), odds4(z)
            # mu x and sigma x x
            e4 += now_pairs(take_pairs(w, j0, j2), scales, bounds, fading) * e * mix4(one, e)
            o4 += now_pairs(take_pairs(w, j1, j3), scales, bounds, fading) * o * mix4(one, o)
            fetch(x, i + AHEAD)
            fetch(indices, i + AHEAD)
            i += FOUR
        f, v = pair_sums(e4 + o4)
        f += w[last] * bias
        v += now(w[last + ONE], scale, most, fading) * bias
        while i < stop:
            j = np.uintp(indices[i])
            if j >= d:
                v = math.nan
                break
            f += w[TWO * j] * x[i]
            v += now(w[TWO * j + ONE], scale, most, fading) * x[i] * x[i]
            i += ONE
        if not math.isfinite(v):
            skip_row(state, out, t)
            continue
        weight, c = register(state, y_t, c_pos[k], c_neg[k])
        if wanted or weight > 0.0 or compare:
            score = log_odds(state, f / math.sqrt(noise + v), y_t, c_pos[k], c_neg[k], weight, c)
            if wanted:
                out[t] = score
        if c == 0.0:
            continue
        if hears:
            heed(state, y_t * f)
        a, b = step(rule, y_t * f, v, c, omega[t if stride else 0], p, q)
        if fading is not None:
            state[SCALE] *= state[GROWTH]  # from the next row on
        if (a == 0.0 and b == 0.0) or not math.isfinite(a * b):
            continue
        state[N_UPDATES] += 1.0
        a *= y_t
        if rule != PROBIT:
            shrink_csr(indices, x, start, stop, a, b, bias, w, scale, most, fading)
            continue
        # PROBIT updates on every row: a call would cost 4 % (measured)
        i, steps, backs = start, mix4(same4(a), same4(-b)), mix4(one, same4(back))
        while i < end:
            j0, j1 = TWO * np.uintp(indices[i]), TWO * np.uintp(indices[i + ONE])
            j2, j3 = TWO * np.uintp(indices[i + TWO]), TWO * np.uintp(indices[i + THREE])
            z = load4(x, i)
            pairs = now_pairs(take_pairs(w, j0, j2), scales, bounds, fading)
            g = odds4(pairs) * evens4(z)
            put_pairs(w, j0, j2, kept_pairs(pairs + steps * g * mix4(one, g), backs, fading))
            pairs = now_pairs(take_pairs(w, j1, j3), scales, bounds, fading)
            g = odds4(pairs) * odds4(z)
            put_pairs(w, j1, j3, kept_pairs(pairs + steps * g * mix4(one, g), backs, fading))
            i += FOUR
        while i < stop:
            j = TWO * np.uintp(indices[i])
            s = now(w[j + ONE], scale, most, fading)
            h = s * x[i]
            w[j] += a * h
            w[j + ONE] = kept(s - b * h * h, back, fading)
            i += ONE
        s = now(w[last + ONE], scale, most, fading)
        w[last] += a * s * bias
        w[last + ONE] = kept(s - b * s * s * bias, back, fading)
    return y.shape[0]


@njit(error_model="numpy", **INNER)
def learn_sparse_row(index, x, y, c_pos, c_neg, omega, w, state, fading=None):
    """Learn one sparse row; its score before."""
    row, indptr = np.array([y, c_pos, c_neg, omega, 0.0]), np.array([0, index.shape[0]], np.int32)
    priced = row[0:1], row[1:2], row[2:3], row[3:4]
    learn_csr(indptr, index, x, *priced, w, state, row[4:5], fading)
    return row[4]


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_known_sparse_row(index, x, y, c_pos, c_neg, knows, fading):
    """Learn one sparse row with everything in one array of pairs; its score before."""
    rest = knows[OMEGA], knows[HEAD:], knows[:HEAD], fading
    return learn_sparse_row(index, x, y, c_pos, c_neg, *rest)


@njit(cache=True, error_model="numpy", **ENTRY)
def teach_csr(indptr, indices, x, y, c_pos, c_neg, omega, rivals, out):
    """Let every rival learn all rows of a CSR matrix."""
    for k in range(rivals.shape[0]):
        rest = rivals[k, HEAD:], rivals[k, :HEAD], out, 1.0
        learn_csr(indptr, indices, x, y, c_pos, c_neg, omega, *rest)


@njit(cache=True, error_model="numpy", **ENTRY)
def teach_sparse_row(index, x, y, c_pos, c_neg, omega, rivals):
    """Let every rival learn one sparse row."""
    row, indptr = np.array([y, c_pos, c_neg, omega]), np.array([0, index.shape[0]], np.int32)
    teach_csr(indptr, index, x, row[0:1], row[1:2], row[2:3], row[3:4], rivals, row[4:])
