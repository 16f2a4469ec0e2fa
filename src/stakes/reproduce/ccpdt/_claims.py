"""What became of the claims of Chapter 3, each by Friedman's test of a pair over the sets."""

import numpy as np

from stakes.reproduce._pairs import beats_claim, friedman_of_two
from stakes.reproduce._result import Claim
from stakes.reproduce.ccpdt._paper import AUC_UNPRUNED, CRITERIA
from stakes.reproduce.ccpdt._rules import SPARCCC

# the plain trees again with the bare shares of their leaves as scores
BARE = {name: f"{name}, no smoothing" for name in ("C4.5", "CART")}
AUCS = [
    ("CCP-C4.5 beats C4.5 unpruned (Table 3.3, p = 9.6E-5).", "CCP-C4.5", "C4.5"),
    ("CCP-CART beats CART unpruned (Table 3.3, p = 9.6E-5).", "CCP-CART", "CART"),
    ("CCP-C4.5 beats SPARCCC (Table 3.3, p = 1.3E-5).", "CCP-C4.5", SPARCCC),
    (
        "Pruned by Fisher's test C4.5 has a larger AUC than pruned by errors (p = 0.0184).",
        "C4.5, Fisher",
        "C4.5, error",
    ),
    (
        "Pruned by Fisher's test CCP-C4.5 has a larger AUC than by errors (p = 0.0076).",
        "CCP-C4.5, Fisher",
        "CCP-C4.5, error",
    ),
]
LEAVES = [
    (
        "Fisher's test leaves C4.5 no significantly larger than errors do (p = 0.4913).",
        "C4.5, Fisher",
        "C4.5, error",
    ),
    (
        "Fisher's test leaves CCP-C4.5 no significantly larger than errors do (p = 0.2513).",
        "CCP-C4.5, Fisher",
        "CCP-C4.5, error",
    ),
]
SAMPLED = [
    (f"CCP-CART beats {other} (Table 3.6, p = {p}).", "CCP-CART", other)
    for other, p in (
        ("CART", "9.6E-5"),
        ("C4.5", "0.0076"),
        ("W+CART", "5.8E-4"),
        ("W+C4.5", "0.0076"),
    )
]
CLASSES = [
    ("CCP-C4.5 beats C4.5 on sets of many classes (Table 3.8, p = 0.038).", "CCP-C4.5", "C4.5"),
    ("CCP-CART beats CART on sets of many classes (Table 3.8, p = 3.4E-4).", "CCP-CART", "CART"),
]
CLASSES_LEAVES = [
    ("CCP-C4.5 has no significantly more leaves there (Table 3.9, p = 0.055).", "CCP-C4.5", "C4.5"),
    ("CCP-CART has no significantly more leaves there (Table 3.9, p = 1).", "CCP-CART", "CART"),
]


def claims(found, sampled, classes):
    """All claims whose tables were run."""
    out = []
    if found:
        out += [_claim(found, *pair) for pair in AUCS] + [_smaller(found, *pair) for pair in LEAVES]
        out += [_smoothing_claim(found, name) for name in BARE]
    if sampled:
        out += [_claim(sampled, *pair) for pair in SAMPLED]
    if classes:
        out += [_claim(classes, *pair) for pair in CLASSES]
        out += [_smaller(classes, *pair) for pair in CLASSES_LEAVES]
    return out


def _claim(found, text, better, other):
    means = [
        [np.mean(of_set[name]["auc"]) for of_set in found.values()] for name in (better, other)
    ]
    return beats_claim(text, *means)


def _smaller(found, text, first, second):
    """Whether the first has no more leaves than chance would give it."""
    means = [
        [np.mean(of_set[name]["leaves"]) for of_set in found.values()] for name in (first, second)
    ]
    more, fewer, p = friedman_of_two(*means)
    verdict = "not reproduced" if more > fewer and p < 0.05 else "reproduced"
    ratio = float(np.exp(np.mean(np.log(means[0]) - np.log(means[1]))))
    return Claim(
        text,
        verdict,
        f"more on {more}, fewer on {fewer} of {len(means[0])} sets, {ratio:.2f} times as many in "
        f"the geometric mean, Friedman p = {p:.2g}",
    )


def _smoothing_claim(found, plain):
    """Where the printed advantage comes from: the plain trees are printed as if not smoothed."""
    claim = _claim(
        found,
        f"Section 3.7.1 smooths the leaves of all trees; {plain}'s printed AUCs are smoothed ones.",
        f"CCP-{plain}",
        BARE[plain],
    )
    at = CRITERIA.index(plain)
    off = [
        float(
            np.mean([abs(np.mean(f[tree]["auc"]) - AUC_UNPRUNED[s][at]) for s, f in found.items()])
        )
        for tree in (plain, BARE[plain])
    ]
    claim.verdict = "not reproduced" if off[1] < off[0] else "reproduced"
    claim.evidence = (
        f"mean distance from the printed {plain}: {off[0]:.3f} smoothed, {off[1]:.3f} unsmoothed; "
        f"against the unsmoothed tree CCP-{plain} is {claim.evidence}, the printed direction"
    )
    return claim
