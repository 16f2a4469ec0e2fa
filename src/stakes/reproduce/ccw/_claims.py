"""Verdicts on the claims of Chapter 4, mostly by Friedman's test of two learners over the sets."""

import numpy as np

from stakes.reproduce._pairs import beats_claim, friedman_of_two, gain_interval, with_interval
from stakes.reproduce._result import Claim
from stakes.reproduce.ccw._runs import METRICS

# better, other, k, printed p
BEATS = (
    ("CCW_MI", "NW", 1, "7E-7"),
    ("CCW_MI", "MI", 1, "8E-6"),
    ("CCW_AI", "AI", 1, "9E-6"),
    ("CCW_MI", "MI", 11, "2E-7"),
    ("CCW_AI", "AI", 11, "4E-5"),
    ("CCW_MI", "CCPDT", 11, "0.019"),
    ("CCW_MI", "HDDT", 11, "0.007"),
)


def claims_of(found):
    """All claims, with the numbers of this run."""
    claims = [
        _claim(found, f"{better} beats {other} at k = {k} (p = {p}).", better, other, k)
        for better, other, k, p in BEATS
    ]
    pair = [mean_of(found, learner, 11) for learner in ("CCW_MI", "SMOTE")]
    wins, losses, p = friedman_of_two(*pair)
    low, high = gain_interval(*pair)
    same = np.max(np.abs(mean_of(found, "MI", 1) - mean_of(found, "AI", 1)))
    claims += [
        Claim(
            "CCW_MI is comparable to oversampling at k = 11 (p = 0.106).",
            "reproduced" if p >= 0.05 or wins > losses else "not reproduced",
            f"against safe-level SMOTE better on {wins}, worse on {losses} sets, mean gain "
            f"{np.mean(np.subtract(*pair)):+.4f} (95 % interval {low:+.4f} to {high:+.4f}), "
            f"Friedman p = {p:.2g}",
        ),
        Claim(
            "At k = 1 the weights MI and AI give the same ranking, so their columns are equal.",
            "reproduced" if same < 0.001 else "not reproduced",
            f"largest difference {same:.2g}",
        ),
    ]
    for metric, word in METRICS.items():
        text = f"CCW_MI improves MI with {word} distance, k = 11."
        claims.append(_claim(found, text, "CCW_MI", "MI", 11, metric))
    claims.append(
        Claim(
            "CCW_MI and CCW_AI beat WDkNN, LMNN and DNet.",
            "cannot be checked",
            "no maintained library has them; the thesis's numbers are shown",
        )
    )
    return claims


def mean_of(found, learner, k, metric="l2"):
    """Mean over the folds, one value per set."""
    return np.array([np.mean(of_set[learner, k, metric]) for of_set in found.values()])


def _claim(found, text, better, other, k, metric="l2"):
    means = [mean_of(found, learner, k, metric) for learner in (better, other)]
    return with_interval(beats_claim(text, *means), *means)
