"""Compiled Fisher exact test: the tail of the hypergeometric distribution as a logarithm."""

import math

from numba import njit

from stakes._core.jit import ENTRY, INNER

HALF_LOG_TWO_PI = 0.9189385332046727
TINY = 1e-18  # terms below this share of the sum do not change it


@njit(**INNER)
def stirling_error(n):
    """log(n!) less Stirling's formula; the series of Loader (2000), small n by log-gamma."""
    if n < 16.0:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - HALF_LOG_TWO_PI
    s = 1.0 / (n * n)
    series = 1 / 12 - s * (
        1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s / 156))))
    )
    return series / n


@njit(**INNER)
def deviance(x, mean):
    """Deviance part x log(x / mean) + mean - x without cancellation (Loader 2000).

    Near the mean the two parts almost cancel, so the logarithm is expanded in
    v = (x - mean) / (x + mean); the series ends when a term no longer changes the sum.
    """
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        s, term, j = (x - mean) * v, 2.0 * x * v, 1
        while True:
            term *= v * v
            more = s + term / (2 * j + 1)
            if more == s:
                return more
            s, j = more, j + 1
    return x * math.log(x / mean) + mean - x


@njit(**INNER)
def log_binomial(x, n, p, q):
    """Logarithm of the binomial probability of x out of n, by Loader's saddle point; q = 1 - p."""
    if n == 0.0:
        return 0.0
    if x == 0.0:
        return -deviance(n, n * q) - n * p if p < 0.1 else n * math.log(q)
    if x == n:
        return -deviance(n, n * p) - n * q if q < 0.1 else n * math.log(p)
    error = stirling_error(n) - stirling_error(x) - stirling_error(n - x)
    spread = 2.0 * HALF_LOG_TWO_PI + math.log(x) + math.log1p(-x / n)
    return error - deviance(x, n * p) - deviance(n - x, n * q) - 0.5 * spread


@njit(**INNER)
def log_term(a, b, c, d):
    """Logarithm of the hypergeometric probability of the table (a, b; c, d).

    As a product of two binomials over a third, with the success rate (a + b) / n of the margins:
    each is accurate for large counts, where differences of log-factorials lose all digits.
    """
    n = a + b + c + d
    if a + b == 0.0 or c + d == 0.0:
        return 0.0
    p, q = (a + b) / n, (c + d) / n
    return (
        log_binomial(a, a + c, p, q) + log_binomial(b, b + d, p, q) - log_binomial(a + b, n, p, q)
    )


@njit(**INNER)
def log_fisher(a, b, c, d):
    """Log probability of a table at least as positively associated (Eq. 3.18).

    The ratio of successive terms moves one example along the diagonal: (b - i)(c - i) over
    (a + i + 1)(d + i + 1). It falls with i, so summation may stop at the first negligible term.
    """
    if min(b, c) == 0.0 and min(a, d) == 0.0:
        return 0.0  # the margins allow this table only
    if a * d >= b * c:  # at the mode or beyond: terms decrease from the first one
        total, term, i = 1.0, 1.0, 0.0
        while i < b and i < c and term > TINY * total:
            term *= (b - i) / (a + i + 1.0) * ((c - i) / (d + i + 1.0))
            total += term
            i += 1.0
        return min(0.0, log_term(a, b, c, d) + math.log(total))
    if min(a, d) == 0.0:
        return 0.0
    # before the mode the tail holds most of the probability: one minus the less associated tables
    a, b, c, d = a - 1.0, b + 1.0, c + 1.0, d - 1.0
    total, term, i = 1.0, 1.0, 0.0
    while i < a and i < d and term > TINY * total:
        term *= (a - i) / (b + i + 1.0) * ((d - i) / (c + i + 1.0))
        total += term
        i += 1.0
    return math.log1p(-min(1.0, math.exp(log_term(a, b, c, d)) * total))


@njit(cache=True, **ENTRY)
def log_fisher_all(a, b, c, d, out):
    """`log_fisher` of many tables."""
    for i in range(len(out)):
        out[i] = log_fisher(a[i], b[i], c[i], d[i])
