"""Compiled loop of _nu.py: validated flat arrays in, filled in place."""

import math

import numpy as np
from numba import njit

from stakes._core.jit import INNER

GRID = 48  # points of the coarse search, enough to separate the local maxima
GOLDEN = 0.6180339887498949


@njit(cache=True)
def fill_nu(mean_lower, mean_upper, second_moment, nu):
    """Bernstein constant of each entry: the larger of the two tails, t >= 0 and t <= 0.

    The left tail is the right tail of -X. Means are clipped to the root of the second moment, the
    largest that Jensen's inequality allows.
    """
    for i in range(len(nu)):
        m2 = min(max(second_moment[i], 0.0), 1.0)
        root = math.sqrt(m2)
        lower = min(max(mean_lower[i], -root), root)
        upper = min(max(mean_upper[i], -root), root)
        above = one_side(lower, upper, m2)
        below = one_side(-upper, -lower, m2)
        nu[i] = math.sqrt(max(above, below))


@njit(cache=True)
def fill_nu_of_variance(mean_lower, mean_upper, variance, nu):
    """As `fill_nu` with bounds on the variance: the worst mean is the one nearest to the tail."""
    for i in range(len(nu)):
        lower, upper = max(mean_lower[i], -1.0), min(mean_upper[i], 1.0)
        v = max(variance[i], 0.0)
        above = known_mean(upper, min(v + upper * upper, 1.0))
        below = known_mean(-lower, min(v + lower * lower, 1.0))
        nu[i] = math.sqrt(max(above, below))


@njit(**INNER)
def one_side(mu_lower, mu_upper, m2):
    """Smallest k^2 of Eq. (14) for t >= 0."""
    k2 = known_mean(mu_upper, m2)
    # the worst-case moment generating function rises with the mean up to m2, so that only beyond
    # it a mean below the upper bound can be worse
    if mu_upper > m2 and mu_upper > mu_lower:
        k2 = max(k2, search(mu_lower, mu_upper, m2))
    return k2


@njit(**INNER)
def known_mean(mu, m2):
    """Sub-Gaussian constant of the worst two-point distribution (Kearns and Saul 1998).

    Points 1 - L and 1 with P(X = 1) = q: nu^2 = L^2 (1 - 2q) / (2 log((1 - q) / q)).
    """
    v = max(m2 - mu * mu, 0.0)
    gap = 1.0 - mu
    # nu tends to zero only as 1 / sqrt(log 1/v): a variance of rounding size must count as zero
    if v <= 1e-15 * m2 or gap <= 0.0:
        return 0.0
    L, q = gap + v / gap, v / (gap * gap + v)
    x = 1.0 - 2.0 * q
    if x <= 0.0:
        return v  # q >= 1/2: the variance itself is sharp
    if x < 1e-4:  # the quotient is 0 / 0 at q = 1/2: its series in x = 1 - 2q
        return L * L * 0.25 * (1.0 - x * x / 3.0)
    return L * L * x / (2.0 * (math.log1p(-q) - math.log(q)))  # (1 - q) / q could overflow


@njit(**INNER)
def search(mu_lower, mu_upper, m2):
    """Largest phi over s: a grid in log s, then golden section around the best grid point.

    phi can have several local maxima, so the grid comes first. a_lower and a_upper bound the lower
    support point a of the two-point distribution, which the bounds on the mean imply.
    """
    a_upper = (mu_upper - m2) / max(1.0 - mu_upper, 1e-300)
    a_lower = max((mu_lower - m2) / (1.0 - mu_lower), 0.0)
    largest = 20.0 - 8.0 * math.log(max(m2, 1e-300)) / max(1.0 - mu_upper, 1e-6)
    low, step = math.log(1e-4), (math.log(largest) - math.log(1e-4)) / GRID
    best, where = -np.inf, 0
    for g in range(GRID + 1):
        value = phi(low + g * step, a_lower, a_upper, mu_upper, m2)
        if value > best:
            best, where = value, g
    left, right = low + (where - 1) * step, low + (where + 1) * step
    x1, x2 = right - GOLDEN * (right - left), left + GOLDEN * (right - left)
    f1 = phi(x1, a_lower, a_upper, mu_upper, m2)
    f2 = phi(x2, a_lower, a_upper, mu_upper, m2)
    for _ in range(40):
        if f1 > f2:
            right, x2, f2 = x2, x1, f1
            x1 = right - GOLDEN * (right - left)
            f1 = phi(x1, a_lower, a_upper, mu_upper, m2)
        else:
            left, x1, f1 = x1, x2, f2
            x2 = left + GOLDEN * (right - left)
            f2 = phi(x2, a_lower, a_upper, mu_upper, m2)
        best = max(best, f1, f2)
    return min(max(best, 0.0), 1.0)


@njit(**INNER)
def phi(log_s, a_lower, a_upper, mu_upper, m2):
    """2 (log E exp(tX) - t mu_upper) / t^2 at the worst mean for t = s / (1 - a).

    The distribution has the points a and 1; with s = t (1 - a) as the variable the worst a is in
    closed form, clipped to what the bounds on the mean allow.
    """
    s = math.exp(log_s)
    e = math.exp(-s)
    # (2 e^s - 2 - s) / e^s, by its series for small s, where it cancels
    below = s * (1.0 + s + s * s / 3.0) * e if s < 1e-3 else 2.0 - (2.0 + s) * e
    a = min(max(s * e / below, a_lower), a_upper)
    if a >= 1.0:
        return 0.0
    t, q = s / (1.0 - a), max(m2 - a * a, 0.0) / (1.0 - a * a)
    log_mgf = t * a + s + math.log(q + (1.0 - q) * e)
    return 2.0 * (log_mgf - t * mu_upper) / (t * t)
