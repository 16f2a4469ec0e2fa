"""Verdicts on the claims of Chapter 3, each by Friedman's test of two learners over the sets."""

import numpy as np

from stakes.reproduce._pairs import beats_claim, friedman_of_two, gain_interval, with_interval
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Claim
from stakes.reproduce.ccpdt._runs import BARE, SPARCCC

AUCS = [
    ("CCP-C4.5 beats C4.5 unpruned (Table 3.3, p = 9.6E-5).", "CCP-C4.5", "C4.5"),
    ("CCP-CART beats CART unpruned (Table 3.3, p = 9.6E-5).", "CCP-CART", "CART"),
    ("CCP-C4.5 beats SPARCCC (Table 3.3, p = 1.3E-5).", "CCP-C4.5", SPARCCC),
    (
        "C4.5 has a larger AUC when pruned by Fisher's test than by error (p = 0.0184).",
        "C4.5, Fisher",
        "C4.5, error",
    ),
    (
        "CCP-C4.5 has a larger AUC when pruned by Fisher's test than by error (p = 0.0076).",
        "CCP-C4.5, Fisher",
        "CCP-C4.5, error",
    ),
]
LEAVES = [
    (
        "Pruned by Fisher's test, C4.5 is not significantly larger than by error (p = 0.4913).",
        "C4.5, Fisher",
        "C4.5, error",
    ),
    (
        "Pruned by Fisher's test, CCP-C4.5 is not significantly larger than by error (p = 0.2513).",
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
    ("CCP-C4.5 beats C4.5 on sets with many classes (Table 3.8, p = 0.038).", "CCP-C4.5", "C4.5"),
    ("CCP-CART beats CART on sets with many classes (Table 3.8, p = 3.4E-4).", "CCP-CART", "CART"),
]
CLASSES_LEAVES = [
    (
        "CCP-C4.5 does not have significantly more leaves there (Table 3.9, p = 0.055).",
        "CCP-C4.5",
        "C4.5",
    ),
    (
        "CCP-CART does not have significantly more leaves there (Table 3.9, p = 1).",
        "CCP-CART",
        "CART",
    ),
]


def claims_of(found, sampled, classes):
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


def _means(found, name, measure):
    return [np.mean(of_set[name][measure]) for of_set in found.values()]


def _claim(found, text, better, other):
    means = [_means(found, name, "auc") for name in (better, other)]
    return with_interval(beats_claim(text, *means), *means)


def _smaller(found, text, first, second):
    """Whether the first does not have significantly more leaves.

    Reproduced if the interval of the ratio includes one, or is below; partly if it is above one,
    but Friedman's test finds no difference.
    """
    means = [_means(found, name, "leaves") for name in (first, second)]
    more, fewer, p = friedman_of_two(*means)
    logs = np.log(means)
    low, high = np.exp(gain_interval(*logs))
    if more > fewer and p < 0.05:
        verdict = "not reproduced"
    else:
        verdict = "reproduced" if low <= 1 else "partly reproduced"
    return Claim(
        text,
        verdict,
        f"more on {more}, fewer on {fewer} of {len(means[0])} sets, "
        f"{np.exp(np.mean(logs[0] - logs[1])):.2f} times as many in the geometric mean (95 % "
        f"interval {low:.2f} to {high:.2f}), Friedman p = {p:.2g}",
    )


def _smoothing_claim(found, plain):
    """Source of the printed advantage: the plain trees appear to be printed without smoothing."""
    claim = _claim(
        found,
        f"Section 3.7.1 smooths the leaves of all trees; the printed AUCs of {plain} are smoothed.",
        f"CCP-{plain}",
        BARE[plain],
    )
    numbers = printed("ccpdt")["3.3"]
    off = [
        float(np.mean([abs(np.mean(f[tree]["auc"]) - numbers[s][plain]) for s, f in found.items()]))
        for tree in (plain, BARE[plain])
    ]
    claim.verdict = "not reproduced" if off[1] < off[0] else "reproduced"
    claim.evidence = (
        f"mean distance from the printed {plain}: {off[0]:.3f} smoothed, {off[1]:.3f} unsmoothed; "
        f"against the unsmoothed tree CCP-{plain} is {claim.evidence}, the printed direction"
    )
    return claim
