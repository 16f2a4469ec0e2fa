"""Kernel values from numbers: inner products, bit counts, and the kernel of them.

`kernel_rows.py` says why sums have a fixed order.
"""

import numpy as np
from numba import njit
from numba.extending import overload

from stakes._core.jit import ENTRY, INNER

LINEAR, RBF, POLY = 0, 1, 2

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93145751953125e-1, 1.42860682030941723212e-6  # n * _LN2_HIGH is exact
_ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits
_ONE_BITS = 1023 << 52  # the exponent bits of 1.0


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


@njit(cache=True, **ENTRY)
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


@njit(**INNER)
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


# the additions of these two keep the order of the features: ((out + u a) + v b) + ...
@njit(**INNER)
def add_four(out, a, b, c, d, values):
    u, v, w, x = values[0], values[1], values[2], values[3]
    for j in range(out.size):
        out[j] = (((out[j] + u * a[j]) + v * b[j]) + w * c[j]) + x * d[j]


@njit(**INNER)
def add_one(out, a, u):
    for j in range(out.size):
        out[j] += u * a[j]


@njit(**INNER)
def count_row(W, words, differing, table, out):
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


@njit(**INNER)
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


@njit(**INNER)
def _exponent_bits(bits):
    """Replace n in the low bits by the bits of the float 2^n: a loop of its own vectorises."""
    for j in range(bits.size):
        bits[j] = (bits[j] << np.int64(52)) + np.int64(_ONE_BITS)
