"""Verdicts on the claims of Chapter 5."""

from typing import NamedTuple

import numpy as np

from stakes.compare import friedman_test
from stakes.reproduce._pairs import friedman_of_two
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Claim, verdict_of
from stakes.reproduce.qmlearn import _learners as learners
from stakes.reproduce.qmlearn._runs import LIGHT, REGRESSIONS

CLASS_PAIRS = (
    ("LogRQ", "LogR"),
    ("HingeQ", "Hinge"),
    ("HuberQ", "Huber"),
    ("LogRQ", "Relief"),
    ("LogRQ, alpha 1e-3", "LogR, alpha 1e-3"),
)
NUMBER_PAIRS = (("LRQ", "LR"), ("SVRQ", "SVR"), ("QRQ", "QR"))


def claims_of(found, errors, picked):
    """All claims whose experiments were run."""
    made = []
    if found:
        made += [_beats_conventional(found), _left_after_tuning(found), _best_overall(found)]
        made += [_sampling(found)]
    if errors:
        made += [_regression(errors)]
    if picked:
        made += [_features(picked)]
    return made


class Pair(NamedTuple):
    """Comparison of two learners over all sets."""

    wins: int
    losses: int
    p_value: float  # of Friedman's test with two learners
    gain: float


def pairwise(found, ours, theirs, larger_is_better=True):
    """Wins and losses of `ours`, Friedman's p-value, and the mean difference."""
    ours = np.array([scores[ours].mean for scores in found.values()])
    theirs = np.array([scores[theirs].mean for scores in found.values()])
    pair = (ours, theirs) if larger_is_better else (theirs, ours)
    return Pair(*friedman_of_two(*pair), float(np.subtract(*pair).mean()))


def _sentence(found, pairs, **how):
    parts = []
    for ours, theirs in pairs:
        wins, losses, p, gain = pairwise(found, ours, theirs, **how)
        parts.append(f"{ours} against {theirs}: {wins} to {losses}, p = {p:.2g}, gain {gain:+.3f}")
    return "; ".join(parts)


def _holds(found, pairs, **how):
    results = [pairwise(found, *pair, **how) for pair in pairs]
    return [wins > losses and p < 0.05 for wins, losses, p, _ in results]


def _overall(found, columns, larger_is_better=True):
    """Friedman's test over all learners, and their ranks, best first."""
    means = np.array([[scores[c].mean for c in columns] for scores in found.values()])
    if len(means) < 2:
        return "only one set"
    test = friedman_test(-means if larger_is_better else means)
    order = np.argsort(test.ranks)
    ranks = ", ".join(f"{columns[i]} {test.ranks[i]:.2f}" for i in order)
    return (
        f"Friedman over all {len(columns)}: chi2 = {test.statistic:.1f}, p = {test.p_value:.1g} "
        f"(Iman-Davenport F = {test.f_statistic:.1f}, p = {test.f_p_value:.1g}); ranks {ranks}"
    )


def _beats_conventional(found):
    pairs = [("LogRQ", "LogR"), ("HingeQ", "Hinge"), ("HuberQ", "Huber")]
    standard = [(f"{a}, z-scores", f"{b}, z-scores") for a, b in pairs]
    held = _holds(found, pairs), _holds(found, standard)
    words = "on both scalings" if all(held[0]) == all(held[1]) else "depends on the scaling"
    return Claim(
        "QMLearn learners beat their conventional counterparts (Table 5.2, lambda = 1/2)",
        verdict_of([*held[0], *held[1]]),
        f"{words}: features in [0, 1]: {_sentence(found, pairs)}; {_sentence(found, standard)}; "
        f"over {len(found)} sets",
    )


def _left_after_tuning(found):
    same_loss = [("LogRQ tuned", "LogR tuned"), ("LogRQ tuned", "LogR balanced, tuned")]
    others = [
        ("LogRQ tuned", "Liblinear balanced, tuned"),
        ("LogRQ tuned", "Hinge balanced, tuned"),
        ("LogR balanced, tuned", "Hinge balanced, tuned"),
        ("LogRQ", "LogR tuned"),
    ]
    return Claim(
        "The gain is due to the quadratic mean (it should remain with a tuned penalty, a free "
        "intercept and balanced classes)",
        verdict_of(_holds(found, same_loss)),
        f"same loss: {_sentence(found, same_loss)}; others: {_sentence(found, others)}; over "
        f"{len(found)} sets; {_overall(found, list(learners.TUNED))}",
    )


def _best_overall(found):
    rivals = ["CCPDT", "HDDT", "Liblinear"]
    pairs = [("LogRQ", rival) for rival in rivals]
    columns = [*learners.THESIS, *rivals]
    return Claim(
        "LogRQ (lambda = 1/2) significantly beats all other classifiers",
        verdict_of(_holds(found, pairs)),
        f"{_sentence(found, pairs)}; {_overall(found, columns)}; SDC, GP and ASVM were not run",
    )


def _sampling(found):
    pairs = [("LogRQ", "LogR-S"), ("HingeQ", "Hinge-S"), ("HuberQ", "Huber-S")]
    held = _holds(found, pairs)
    wins = [pairwise(found, *pair).wins >= pairwise(found, *pair).losses for pair in pairs[1:]]
    columns = [column for pair in pairs for column in pair]
    return Claim(
        "QMLearn is better than (LogRQ) or equal to safe-level SMOTE (Table 5.3)",
        verdict_of([held[0], *wins]),
        _sentence(found, pairs) + "; " + _overall(found, columns),
    )


def _regression(errors):
    pairs = [("LRQ", "LR"), ("SVRQ", "SVR"), ("QRQ", "QR")]
    light = [(f"{a}, alpha 1e-4", f"{b}, alpha 1e-4") for a, b in pairs]
    how = dict(larger_is_better=False)
    return Claim(
        "QMLearn regression has the smaller RMSE (Table 5.4)",
        verdict_of(_holds(errors, pairs, **how) + _holds(errors, light, **how)),
        f"{_sentence(errors, pairs, **how)}; {_overall(errors, list(REGRESSIONS), **how)}; lightly "
        f"penalised: {_sentence(errors, light, **how)}; {_overall(errors, list(LIGHT), **how)}"
        f"{_opposite_signs(errors, pairs)}",
    )


def _opposite_signs(errors, pairs):
    """The sets on which the other learner of a pair is better than in the thesis."""
    table = printed("qmlearn")["5.4"]
    words = []
    for ours, theirs in pairs:
        names = [
            name
            for name, scores in errors.items()
            if name in table
            and (scores[ours].mean - scores[theirs].mean)
            * (table[name][ours] - table[name][theirs])
            < 0
        ]
        if names:
            words.append(f"{ours} against {theirs} on {', '.join(names)}")
    return f"; opposite to the printed sign: {'; '.join(words)}" if words else ""


def _features(picked):
    parts, held = [], []
    for name, scores in picked.items():
        counts = sorted({count for _, count in scores})
        mean = {key: score.mean for key, score in scores.items()}
        numbers = ("LR", counts[0]) in mean
        sign = -1.0 if numbers else 1.0
        for ours, theirs in NUMBER_PAIRS if numbers else CLASS_PAIRS:
            wins = sum(sign * mean[ours, c] > sign * mean[theirs, c] for c in counts)
            held.append(wins == len(counts))
            parts.append(f"{name}: {ours} better than {theirs} at {wins} of {len(counts)} sizes")
    return Claim(
        "Features with the largest QMLearn weights are always better (Figures 5.8 and 5.9)",
        verdict_of(held),
        "; ".join(parts),
    )
