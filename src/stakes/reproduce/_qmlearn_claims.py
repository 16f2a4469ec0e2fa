"""What became of Chapter 5's claims, told from the scores of a run."""

import numpy as np
from scipy import stats

from stakes.reproduce._result import Claim


def claims(found, errors, picked):
    """One verdict for each claim, with the numbers of this run."""
    made = []
    if found:
        made += [_beats_conventional(found), _left_after_tuning(found), _best_overall(found)]
        made += [_sampling(found)]
    if errors:
        made += [_regression(errors)]
    if picked:
        made += [_features(picked)]
    return made


def _compare(found, ours, theirs, larger_is_better=True):
    """Wins of `ours` over `theirs`, Friedman's p-value, and the mean difference."""
    ours = np.array([np.mean(scores[ours]) for scores in found.values()])
    theirs = np.array([np.mean(scores[theirs]) for scores in found.values()])
    gain = ours - theirs if larger_is_better else theirs - ours
    wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
    p = 1.0
    if wins + losses:
        p = float(stats.chi2.sf((wins - losses) ** 2 / (wins + losses), 1))
    return wins, losses, p, float(gain.mean())


def _sentence(found, pairs, **how):
    parts = []
    for ours, theirs in pairs:
        wins, losses, p, gain = _compare(found, ours, theirs, **how)
        parts.append(f"{ours} against {theirs}: {wins} to {losses}, p = {p:.2g}, gain {gain:+.3f}")
    return "; ".join(parts)


def _holds(found, pairs, **how):
    results = [_compare(found, *pair, **how) for pair in pairs]
    return [wins > losses and p < 0.05 for wins, losses, p, _ in results]


def _verdict(held):
    if all(held):
        return "reproduced"
    return "partly reproduced" if any(held) else "not reproduced"


def _beats_conventional(found):
    pairs = [("LogRQ", "LogR"), ("HingeQ", "Hinge"), ("HuberQ", "Huber")]
    return Claim(
        "QMLearn learners beat their conventional counterparts (Table 5.2, lambda = 1/2)",
        _verdict(_holds(found, pairs)),
        _sentence(found, pairs) + f" over {len(found)} sets",
    )


def _left_after_tuning(found):
    pairs = [
        ("LogRQ tuned", "LogR tuned"),
        ("LogRQ tuned", "LogR balanced, tuned"),
        ("LogRQ tuned", "Liblinear balanced, tuned"),
    ]
    return Claim(
        "The gain is due to the quadratic mean (it should remain with a tuned penalty, a free "
        "intercept and balanced classes)",
        _verdict(_holds(found, pairs)),
        _sentence(found, pairs),
    )


def _best_overall(found):
    rivals = ["Liblinear", "LogR tuned"]
    rivals += [c for c in ("CCPDT", "HDDT") if all(c in s for s in found.values())]
    pairs = [("LogRQ", rival) for rival in rivals]
    return Claim(
        "LogRQ (lambda = 1/2) significantly beats all other classifiers",
        _verdict(_holds(found, pairs)),
        _sentence(found, pairs) + "; SDC, GP and ASVM were not run",
    )


def _sampling(found):
    text = "QMLearn is better than (LogRQ) or equal to safe-level SMOTE (Table 5.3)"
    if not all("LogR-S" in scores for scores in found.values()):
        return Claim(text, "cannot be checked", "safe-level SMOTE is not yet run")
    pairs = [("LogRQ", "LogR-S"), ("HingeQ", "Hinge-S"), ("HuberQ", "Huber-S")]
    held = _holds(found, pairs)
    wins = [_compare(found, *pair)[0] >= _compare(found, *pair)[1] for pair in pairs[1:]]
    return Claim(text, _verdict([held[0], *wins]), _sentence(found, pairs))


def _regression(errors):
    pairs = [("LRQ", "LR"), ("SVRQ", "SVR"), ("QRQ", "QR")]
    light = [(f"{a}, alpha 1e-4", f"{b}, alpha 1e-4") for a, b in pairs]
    how = dict(larger_is_better=False)
    return Claim(
        "QMLearn regression has the smaller RMSE (Table 5.4)",
        _verdict(_holds(errors, pairs, **how) + _holds(errors, light, **how)),
        _sentence(errors, pairs, **how) + "; lightly penalised: " + _sentence(errors, light, **how),
    )


def _features(picked):
    parts, held = [], []
    for name, scores in picked.items():
        counts = sorted({count for _, count in scores})
        mean = {key: float(np.mean(s)) for key, s in scores.items()}
        for ours, theirs in (
            ("LogRQ", "LogR"),
            ("LogRQ", "Relief"),
            ("LogRQ, alpha 1e-3", "LogR, alpha 1e-3"),
        ):
            wins = sum(mean[ours, c] > mean[theirs, c] for c in counts)
            held.append(wins == len(counts))
            parts.append(f"{name}: {ours} above {theirs} at {wins} of {len(counts)} sizes")
    return Claim(
        "Features with the largest QMLearn weights are always better (Figure 5.8)",
        _verdict(held),
        "; ".join(parts),
    )
