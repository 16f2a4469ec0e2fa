"""Rows of a kernel matrix against a store of support vectors, bit for bit the same in any block.

A stream read in one batch must equal the same stream read example by example, so a kernel value
may depend on its two vectors only: not on the block it is computed in, not on the layout of the
store, and not on which of the two is the support vector. Every inner product is therefore summed
feature by feature in ascending order, zeros left out. BLAS gives no such guarantee.

Four layouts: features by vectors (dense; the inner loop runs over neighbouring vectors), bits for
features that are all 0 or 1 (a kernel value is a bit count and a table lookup), compressed rows
for wide sparse data, and a given Gram matrix. Copies are written as loops, which numba compiles
much faster than slices.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from stakes._core.jit import INNER

DENSE, BITS, CSR, GRAM = 0, 1, 2, 3
LINEAR, RBF, POLY = 0, 1, 2

# rows of Support.floats and Support.ints, which have one entry per vector
NORM, ALPHA, SIGN, MARGIN, THETA = range(5)
INDEX, USED, START, LENGTH = range(4)
ID = START  # of a Gram matrix

# slots of Query.whole
NONZEROS, EXAMPLE = 0, 1

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93145751953125e-1, 1.42860682030941723212e-6  # n * _LN2_HIGH is exact
_ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits
_ONE_BITS = 1023 << 52  # the exponent bits of 1.0


class Support(NamedTuple):
    """The support vectors as the compiled loops see them; arrays of unused layouts are empty.

    Few arrays, because handing one to a compiled function takes as long as 100 kernel values.
    `kind` is the layout. DENSE: `table`, features by vectors. BITS: `words`, 64-bit words by
    vectors, and `values`, the kernel by bit count. CSR: `indices` and `values`, a pool of rows, of
    which `ints` has the start and the length, and `wide`, one zero per feature. GRAM: `table`, the
    matrix, of which `ints` has the row. `floats` and `ints` have one column per vector; their rows
    and the slots of `counts` and `numbers` are named in this file and in the caller's.
    `row_size` is the largest number of nonzeros of a row. `pairs` has the kernel of the vectors
    with each other if their number is limited. f shrinks by `decay` with each example.
    """

    kind: int
    kernel: int
    gamma: float
    coef0: float
    degree: int
    row_size: int
    limit: int
    decay: float
    table: np.ndarray
    words: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    wide: np.ndarray
    floats: np.ndarray
    ints: np.ndarray
    pairs: np.ndarray
    counts: np.ndarray
    numbers: np.ndarray


class Batch(NamedTuple):
    """Examples in the layout of the store: rows, words, or compressed rows.

    Those of a Gram matrix are row numbers in `indices`.
    """

    X: np.ndarray
    W: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class Query(NamedTuple):
    """One vector: its nonzeros, its words, its count of nonzeros and example number, its norm."""

    index: np.ndarray
    value: np.ndarray
    words: np.ndarray
    whole: np.ndarray
    norm: np.ndarray


def popcount(word):
    """How many bits are set."""
    return int(word).bit_count()


@overload(popcount)
def _popcount(word):
    def count(word):  # LLVM compiles this idiom to one instruction
        x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + (
            (x >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)

    return count


@njit(cache=True, **INNER)
def new_query(S):
    """Room for one vector in the layout of the store."""
    return Query(
        np.empty(S.row_size, np.int64),
        np.empty(S.row_size, np.float64),
        np.empty(S.words.shape[0], np.uint64),
        np.zeros(2, np.int64),
        np.zeros(1, np.float64),
    )


@njit(cache=True, **INNER)
def load_example(S, batch, t, q):
    """Make example t of the batch the query."""
    if S.kind == DENSE:
        x = batch.X[t]
        n = 0
        for k in range(x.size):
            if x[k] != 0.0:
                q.index[n], q.value[n] = k, x[k]
                n += 1
        q.whole[NONZEROS] = n
    elif S.kind == BITS:
        for w in range(q.words.size):
            q.words[w] = batch.W[t, w]
    elif S.kind == CSR:
        start, n = batch.indptr[t], batch.indptr[t + 1] - batch.indptr[t]
        for i in range(n):
            q.index[i], q.value[i] = batch.indices[start + i], batch.data[start + i]
        q.whole[NONZEROS] = n
    else:
        q.whole[EXAMPLE] = batch.indices[t]
    q.norm[0] = _squared_norm(S, q)


@njit(cache=True, **INNER)
def load_support(S, j, q):
    """Make support vector j the query."""
    if S.kind == DENSE:
        n = 0
        for k in range(S.table.shape[0]):
            if S.table[k, j] != 0.0:
                q.index[n], q.value[n] = k, S.table[k, j]
                n += 1
        q.whole[NONZEROS] = n
    elif S.kind == BITS:
        for w in range(q.words.size):
            q.words[w] = S.words[w, j]
    elif S.kind == CSR:
        start, n = S.ints[START, j], S.ints[LENGTH, j]
        for i in range(n):
            q.index[i], q.value[i] = S.indices[start + i], S.values[start + i]
        q.whole[NONZEROS] = n
    else:
        q.whole[EXAMPLE] = S.ints[ID, j]
    q.norm[0] = S.floats[NORM, j]


@njit(cache=True, **INNER)
def store_query(S, q, j, used):
    """Write the query into place j of the store; return how much of the CSR pool is then used."""
    n = q.whole[NONZEROS]
    S.floats[NORM, j] = q.norm[0]
    if S.kind == DENSE:
        for k in range(S.table.shape[0]):
            S.table[k, j] = 0.0
        for i in range(n):
            S.table[q.index[i], j] = q.value[i]
    elif S.kind == BITS:
        for w in range(q.words.size):
            S.words[w, j] = q.words[w]
    elif S.kind == CSR:
        S.ints[START, j], S.ints[LENGTH, j] = used, n
        for i in range(n):
            S.indices[used + i], S.values[used + i] = q.index[i], q.value[i]
        return used + n
    else:
        S.ints[ID, j] = q.whole[EXAMPLE]
    return used


@njit(cache=True, **INNER)
def move_support(S, source, target):
    """Copy one support vector, with its numbers, over another."""
    for i in range(S.floats.shape[0]):
        S.floats[i, target] = S.floats[i, source]
    for i in range(S.ints.shape[0]):
        S.ints[i, target] = S.ints[i, source]
    if S.kind == DENSE:
        for k in range(S.table.shape[0]):
            S.table[k, target] = S.table[k, source]
    elif S.kind == BITS:
        for w in range(S.words.shape[0]):
            S.words[w, target] = S.words[w, source]


@njit(cache=True, **INNER)
def self_value(S, q):
    """The kernel of the query with itself."""
    if S.kind == GRAM:
        return S.table[q.whole[EXAMPLE], q.whole[EXAMPLE]]
    if S.kernel == RBF:
        return 1.0
    if S.kernel == LINEAR:
        return q.norm[0]
    return (S.gamma * q.norm[0] + S.coef0) ** S.degree


@njit(cache=True, **INNER)
def fill_row(S, q, low, high, row):
    """row[low:high] = kernel of the query with the support vectors low to high."""
    if high <= low:
        return
    out = row[low:high]
    if S.kind == BITS:
        _count_row(S.words[:, low:high], q.words, S.kernel == RBF, S.values, out)
    elif S.kind == GRAM:
        given = S.table[q.whole[EXAMPLE]]
        ids = S.ints[ID, low:high]
        for j in range(out.size):
            out[j] = given[ids[j]]
    else:
        dot_row(S, q, low, high, out)
        norms = S.floats[NORM, low:high]
        kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, q.norm[0], norms, out)


@njit(cache=True, **INNER)
def dot_row(S, q, low, high, out):
    """Inner products of the query with the support vectors low to high."""
    n = q.whole[NONZEROS]
    if S.kind == DENSE:
        for j in range(out.size):
            out[j] = 0.0
        # four features a sweep: `out` is read and written a quarter as often, in the same order
        i = 0
        while i + 4 <= n:
            a, b = S.table[q.index[i], low:high], S.table[q.index[i + 1], low:high]
            c, d = S.table[q.index[i + 2], low:high], S.table[q.index[i + 3], low:high]
            _add_four(out, a, b, c, d, q.value[i : i + 4])
            i += 4
        while i < n:
            _add_one(out, S.table[q.index[i], low:high], q.value[i])
            i += 1
        return
    # a stored zero adds nothing, so the sum has the same bits as over the common nonzeros
    for i in range(n):
        S.wide[q.index[i]] = q.value[i]
    for j in range(low, high):
        start = S.ints[START, j]
        total = 0.0
        for i in range(start, start + S.ints[LENGTH, j]):
            total += S.wide[S.indices[i]] * S.values[i]
        out[j - low] = total
    for i in range(n):
        S.wide[q.index[i]] = 0.0


@njit(cache=True)
def kernel_of_dots(kernel, gamma, coef0, degree, norm, norms, out):
    """Turn inner products into kernel values, in place; `norm` and `norms` are squared norms."""
    if kernel == RBF:
        power = np.empty(out.size)
        _exponential(out, norm, norms, gamma, power)
        _exponent_bits(power.view(np.int64))
        for j in range(out.size):
            out[j] *= power[j]
    elif kernel == POLY:
        for j in range(out.size):
            out[j] = (gamma * out[j] + coef0) ** degree


@njit(cache=True, **INNER)
def dot(a, b, n):
    """Inner product of the first n entries.

    Eight partial sums are one vector register, and the order of the additions depends on n only.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = n - n % 8
    for j in range(0, whole, 8):
        u, v = a[j : j + 8], b[j : j + 8]
        s0 += u[0] * v[0]
        s1 += u[1] * v[1]
        s2 += u[2] * v[2]
        s3 += u[3] * v[3]
        s4 += u[4] * v[4]
        s5 += u[5] * v[5]
        s6 += u[6] * v[6]
        s7 += u[7] * v[7]
    for j in range(whole, n):
        s0 += a[j] * b[j]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@njit(cache=True, **INNER)
def _squared_norm(S, q):
    total = 0.0
    if S.kind == BITS:
        for w in range(q.words.size):
            total += popcount(q.words[w])
    elif S.kind != GRAM:
        for i in range(q.whole[NONZEROS]):
            total += q.value[i] * q.value[i]
    return total


# the additions of these two keep the order of the features: ((out + u a) + v b) + ...
@njit(cache=True, **INNER)
def _add_four(out, a, b, c, d, values):
    u, v, w, x = values[0], values[1], values[2], values[3]
    for j in range(out.size):
        out[j] = (((out[j] + u * a[j]) + v * b[j]) + w * c[j]) + x * d[j]


@njit(cache=True, **INNER)
def _add_one(out, a, u):
    for j in range(out.size):
        out[j] += u * a[j]


@njit(cache=True, **INNER)
def _count_row(W, words, differing, table, out):
    """Kernel values by the count of bits that differ (rbf) or are common (linear, polynomial)."""
    if words.size == 2 and differing:  # up to 128 features: one sweep, no array of counts
        a, b, u, v = W[0], W[1], words[0], words[1]
        for j in range(out.size):
            out[j] = table[popcount(a[j] ^ u) + popcount(b[j] ^ v)]
        return
    counts = np.zeros(out.size, np.uint64)  # unsigned: no check for indices from the end
    for w in range(words.size):
        a, u = W[w], words[w]
        if differing:
            for j in range(out.size):
                counts[j] += popcount(a[j] ^ u)
        else:
            for j in range(out.size):
                counts[j] += popcount(a[j] & u)
    for j in range(out.size):
        out[j] = table[counts[j]]


@njit(cache=True, **INNER)
def _exponential(out, norm, norms, gamma, power):
    """exp(-gamma |x - s|^2) = out * 2^n, with n left in the low bits of `power`; 0 below 1e-307.

    With z = n ln 2 + r, |r| <= ln(2)/2, exp(z) = 2^n exp(r). The Taylor polynomial of degree 12
    of exp(r) is good to 2e-15 and compiles to vector instructions, which a call of exp does not.
    """
    for j in range(out.size):
        d = -gamma * (norm + norms[j] - 2.0 * out[j])
        z = 0.0 if d > 0.0 else d  # a squared distance that rounding made negative
        z = -707.0 if z < -707.0 else z  # beyond it the result would be subnormal
        shifted = z * _LOG2_E + _ROUND  # the low bits are n, the nearest integer
        n = shifted - _ROUND
        r = (z - n * _LN2_HIGH) - n * _LN2_LOW  # ln 2 in two parts: no digits lost
        r2 = r * r
        r4 = r2 * r2
        low = (1.0 + r) + r2 * (1 / 2 + r * (1 / 6))
        mid = (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
        top = (1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800))
        power[j] = shifted
        value = low + r4 * (mid + r4 * (top + r4 * (1 / 479001600)))
        out[j] = 0.0 if d < -707.0 else value


@njit(cache=True, **INNER)
def _exponent_bits(bits):
    """Replace n in the low bits by the bits of the float 2^n: a loop of its own vectorises."""
    for j in range(bits.size):
        bits[j] = (bits[j] << np.int64(52)) + np.int64(_ONE_BITS)
