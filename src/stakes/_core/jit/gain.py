"""Gain of a two-way split under each criterion; class masses in, a number out."""

import math

from numba import njit

from stakes._core.jit import ENTRY, INNER

CRITERIA = {
    **{"ccp_entropy": 0, "ccp_gini": 1, "hellinger": 2, "entropy": 3, "gini": 4, "cost": 5},
    "gain_ratio": 6,  # thresholds and groups by entropy, features by the ratio
}
HELLINGER, ENTROPY, GINI, COST, RATIO = 2, 3, 4, 5, 6
TIE = 1e-12  # gains, at most sqrt(2), count as equal if they differ by less


@njit(**INNER)
def impurity(a, b, gini):
    """Entropy in bits, or Gini index, of two masses that are not both zero."""
    p, q = a / (a + b), b / (a + b)
    if gini:
        return 2.0 * p * q
    total = 0.0
    if p > 0.0:
        total -= p * math.log2(p)
    if q > 0.0:
        total -= q * math.log2(q)
    return total


@njit(cache=True, **ENTRY)
def hellinger(l0, l1, r0, r1):
    """Hellinger distance between the distributions of the two classes over the branches."""
    n0, n1 = l0 + r0, l1 + r1
    left = math.sqrt(l1 / n1) - math.sqrt(l0 / n0)
    right = math.sqrt(r1 / n1) - math.sqrt(r0 / n0)
    return math.sqrt(left * left + right * right)


@njit(cache=True, **ENTRY)
def split_gain(criterion, by_count, l0, l1, r0, r1):
    """Gain of a split into masses (l0, l1) and (r0, r1); both classes have some mass."""
    # a histogram found by subtraction can be below zero by a rounding error
    l0, l1, r0, r1 = max(l0, 0.0), max(l1, 0.0), max(r0, 0.0), max(r1, 0.0)
    if l0 + l1 <= 0.0 or r0 + r1 <= 0.0:
        return 0.0
    n0, n1 = l0 + r0, l1 + r1
    if criterion == HELLINGER:
        return hellinger(l0, l1, r0, r1)
    if criterion == COST:
        return (min(n0, n1) - min(l0, l1) - min(r0, r1)) / (n0 + n1)
    share = (l0 + l1) / (n0 + n1)
    gini = criterion == 1 or criterion == GINI
    if criterion >= ENTROPY:
        return (
            impurity(n0, n1, gini)
            - share * impurity(l0, l1, gini)
            - (1.0 - share) * impurity(r0, r1, gini)
        )
    # CCP: rates instead of masses, so copies of a class cancel; the branch weights are the rates'
    # mean (Eq. 3.16) or the share of the examples (Algorithm 2)
    left0, left1, right0, right1 = l0 / n0, l1 / n1, r0 / n0, r1 / n1
    if not by_count:
        share = 0.5 * (left0 + left1)
    before = 0.5 if gini else 1.0  # impurity of (1/2, 1/2): the node itself has equal rates
    return (
        before
        - share * impurity(left0, left1, gini)
        - (1.0 - share) * impurity(right0, right1, gini)
    )
