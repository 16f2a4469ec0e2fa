"""Class confidence weighted neighbours (Chapter 4 of W. Liu's thesis), Tables 4.1 and 4.2."""

import numpy as np

from stakes.compare import average_ranks, friedman_test
from stakes.reproduce._pairs import beats_claim, friedman_of_two
from stakes.reproduce._result import Cell, Claim, Reproduction, Table
from stakes.reproduce.ccw._data import MISSING, NOTE, SETS, load_set
from stakes.reproduce.ccw._paper import ELEVEN, ELEVEN_NEAREST, NEAREST, NOT_RUN, ONE
from stakes.reproduce.ccw._runs import METRICS, run_set


def run(*, repeats=None, data=None, progress=None, sets=None):
    """Tables 4.1 and 4.2 and Figure 4.2 on the sets at hand, and what became of the claims.

    Parameters
    ----------
    repeats : int, default=None
        How often the data are halved, 5 in the thesis.
    data : path, default=None
        Directory with the public sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets : sequence of str, default=None
        Names out of Table 4.1; None: all that are at hand.

    Returns
    -------
    Reproduction
    """
    repeats = 5 if repeats is None else repeats
    say = progress or (lambda line: None)
    found = {}
    for name in list(SETS) if sets is None else sets:
        found[name] = run_set(*load_set(name, data), repeats)
        means = {key: np.mean(values) for key, values in found[name].items()}
        say(f"{name}: " + ", ".join(f"{k[0]}/{k[1]}/{k[2]} {v:.3f}" for k, v in means.items()))
    setup = (
        f"Area under the precision-recall curve (average precision), mean over {repeats} x 2 "
        f"folds. {NOTE} Not at hand: {', '.join(MISSING)}. Confidence by `BayesNetConfidence`, as "
        "in the thesis, with at most one parent in sets of more than 500 columns, else two."
    )
    left = [name for name in SETS if name not in found]
    if left:
        setup = f"At hand but left out of this run: {', '.join(left)}. {setup}"
    rivals = (
        "WDkNN, LMNN and DNet are the thesis's numbers, not run: no maintained library has WDkNN "
        "or DNet, and metric-learn 0.7's LMNN calls an argument that scikit-learn has removed. "
        "SMOTE is `SafeLevelSMOTE` before MI; CCPDT and HDDT are pruned by Fisher's test at "
        "p = 0.01 and have the leaves of `ConfidenceTreeClassifier`, drawn to their parents, not "
        "Laplace's."
    )
    return Reproduction(
        name="ccw",
        paper="Class confidence weighted nearest neighbours (W. Liu's thesis, Chapter 4)",
        command=f"stakes.reproduce.ccw.run(sets={list(found)})" if left else "stakes reproduce ccw",
        tables=[
            _table("Table 4.1: k = 1", found, ONE, 1, NEAREST, setup),
            _table("Table 4.2: k = 11", found, ELEVEN, 11, ELEVEN_NEAREST, rivals),
            *(_figure(found, k) for k in (1, 11)),
        ],
        claims=_claims(found),
    )


def _mean(found, learner, k, metric="l2"):
    return np.array([np.mean(of_set[learner, k, metric]) for of_set in found.values()])


def _table(title, found, names, k, printed, note):
    cells, ran = [], [name for name in names if name not in NOT_RUN]
    for name, of_set in found.items():
        for learner, paper in zip(names, printed[name], strict=True):
            values = of_set.get((learner, k, "l2"))
            ours = (None, None) if values is None else (np.mean(values), np.std(values))
            ours = [None if value is None else float(value) for value in ours]
            cells.append(Cell(name, learner, *ours, paper=paper))
    ours = np.column_stack([_mean(found, learner, k) for learner in ran])
    paper = np.array([[printed[name][names.index(learner)] for learner in ran] for name in found])
    for learner, mine, theirs in zip(ran, average_ranks(-ours), average_ranks(-paper), strict=True):
        cells.append(Cell("average rank of those run", learner, float(mine), paper=float(theirs)))
    for base in ("CCW_MI", "CCW_AI"):
        for learner in ran:
            if learner != base:
                p = [friedman_of_two(*pair)[2] for pair in _pairs(ran, base, learner, ours, paper)]
                cells.append(Cell(f"Friedman p, base {base}", learner, p[0], paper=p[1]))
    if len(found) > 1:
        p = friedman_test(-ours).p_value, friedman_test(-paper).p_value
        note = (
            f"Friedman's test over all that were run: p = {p[0]:.2g} (thesis's {p[1]:.2g}). {note}"
        )
    return Table(title, cells, note)


def _pairs(ran, base, other, *tables):
    return [(t[:, ran.index(base)], t[:, ran.index(other)]) for t in tables]


def _figure(found, k):
    """Figure 4.2 has no numbers: ours alone, the gain of CCW_MI over MI in each metric."""
    cells = []
    for metric, word in METRICS.items():
        gains = _mean(found, "CCW_MI", k, metric) - _mean(found, "MI", k, metric)
        cells += [Cell(name, word, float(g)) for name, g in zip(found, gains, strict=True)]
    return Table(f"Figure 4.2: gain of CCW_MI over MI, k = {k}", cells)


def _claims(found):
    claims = [
        _claim(found, f"{better} beats {other} at k = {k} (p = {p}).", better, other, k)
        for better, other, k, p in (
            *(("CCW_MI", "NW", 1, "7E-7"), ("CCW_MI", "MI", 1, "8E-6")),
            *(("CCW_AI", "AI", 1, "9E-6"), ("CCW_MI", "MI", 11, "2E-7")),
            *(("CCW_AI", "AI", 11, "4E-5"), ("CCW_MI", "CCPDT", 11, "0.019")),
            *(("CCW_MI", "HDDT", 11, "0.007"),),
        )
    ]
    wins, losses, p = friedman_of_two(_mean(found, "CCW_MI", 11), _mean(found, "SMOTE", 11))
    claims.append(
        Claim(
            "CCW_MI is comparable to over-sampling at k = 11 (p = 0.106).",
            "reproduced" if p >= 0.05 or wins > losses else "not reproduced",
            f"against safe-level SMOTE better on {wins}, worse on {losses} sets, p = {p:.2g}",
        )
    )
    same = np.max(np.abs(_mean(found, "MI", 1) - _mean(found, "AI", 1)))
    claims.append(
        Claim(
            "At k = 1 the weights MI and AI rank alike, so that their columns are equal.",
            "reproduced" if same < 0.001 else "not reproduced",
            f"largest difference {same:.2g}",
        )
    )
    for metric, word in METRICS.items():
        claims.append(
            _claim(
                found,
                f"CCW_MI improves MI with {word} distance, k = 11.",
                "CCW_MI",
                "MI",
                11,
                metric,
            )
        )
    claims.append(
        Claim(
            "CCW_MI and CCW_AI beat WDkNN, LMNN and DNet.",
            "cannot be checked",
            "no maintained library runs them; the thesis's numbers are shown",
        )
    )
    return claims


def _claim(found, text, better, other, k, metric="l2"):
    return beats_claim(text, *(_mean(found, learner, k, metric) for learner in (better, other)))
