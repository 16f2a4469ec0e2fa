"""Class confidence proportion decision trees (Chapter 3 of W. Liu's thesis), Tables 3.3 to 3.5."""

import numpy as np
from scipy.stats import chi2
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from stakes.compare import average_ranks
from stakes.reproduce._ccpdt_data import MISSING, NOTE, SETS, load_set
from stakes.reproduce._ccpdt_paper import AUC_PRUNED, AUC_UNPRUNED, CRITERIA, LEAVES, PRUNED
from stakes.reproduce._result import Cell, Claim, Reproduction, Table
from stakes.tree import ConfidenceTreeClassifier
from stakes.tree._prune import prune

OURS = dict(zip(CRITERIA, ("entropy", "ccp_entropy", "gini", "ccp_gini", "hellinger"), strict=True))
P_VALUE = 0.01  # Section 3.7.2
# the plain trees again with the bare shares of their leaves as scores
BARE = {name: f"{name}, no smoothing" for name in ("C4.5", "CART")}


def run(*, repeats=None, data=None, progress=None, sets=None):
    """Tables 3.3, 3.4 and 3.5 on the sets at hand, and what became of the claims.

    Parameters
    ----------
    repeats : int, default=None
        How often the data are halved, 5 in the thesis.
    data : path, default=None
        Directory with the public sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets : sequence of str, default=None
        Names out of Table 3.2; None: all that are at hand.

    Returns
    -------
    Reproduction
    """
    repeats = 5 if repeats is None else repeats
    say = progress or (lambda line: None)
    found = {}
    for name in list(SETS) if sets is None else sets:
        found[name] = _one_set(*load_set(name, data), repeats)
        say(f"{name}: " + ", ".join(f"{k} {np.mean(v['auc']):.3f}" for k, v in found[name].items()))
    absent = f"Not at hand: {', '.join(MISSING)}. {NOTE} Mean over {repeats} x 2 folds."
    return Reproduction(
        name="ccpdt",
        paper="Class confidence proportion decision trees (W. Liu's thesis, Chapter 3)",
        command="stakes reproduce ccpdt",
        tables=[
            _table("Table 3.3: AUC, unpruned", found, CRITERIA, "auc", AUC_UNPRUNED, absent),
            _table("Table 3.4: AUC, pruned", found, PRUNED, "auc", AUC_PRUNED, ""),
            _table("Table 3.5: leaves", found, PRUNED, "leaves", LEAVES, ""),
        ],
        claims=_claims(found),
    )


def _one_set(X, y, repeats):
    """AUC and leaves of every tree in every fold."""
    found = {name: {"auc": [], "leaves": []} for name in (*CRITERIA, *BARE.values(), *PRUNED)}
    for repeat in range(repeats):
        halves = StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)
        for train, test in halves:
            for name, criterion in OURS.items():
                model = ConfidenceTreeClassifier(criterion, pruning=None, min_samples_leaf=2)
                full = model.fit(X[train], y[train]).trees_[0]
                ones = np.ones(len(train))
                examples = (np.ascontiguousarray(X[train]), y[train] == 1, ones, ones)
                _keep(found[name], full, X[test], y[test])
                if name in BARE:
                    _keep(found[BARE[name]], full, X[test], y[test], smoothing=0.0)
                for how, word in (("error", "error"), ("fisher", "Fisher")):
                    if f"{name}, {word}" in found:
                        pruned = prune(full, how, P_VALUE, examples)
                        _keep(found[f"{name}, {word}"], pruned, X[test], y[test])
    return found


def _keep(into, nodes, X, y, smoothing=1.0):
    weight = nodes.weight + smoothing  # Laplace
    score = weight[:, 1] / weight.sum(axis=1)
    into["auc"].append(roc_auc_score(y, score[nodes.leaves(X)]))
    into["leaves"].append(int(nodes.is_leaf.sum()))


def _table(title, found, names, measure, printed, note):
    cells = []
    for name, of_set in found.items():
        for tree, paper in zip(names, printed[name], strict=True):
            values = of_set[tree][measure]
            cells.append(Cell(name, tree, float(np.mean(values)), float(np.std(values)), paper))
        if names is CRITERIA:
            for tree in BARE.values():
                values = of_set[tree][measure]
                cells.append(Cell(name, tree, float(np.mean(values)), float(np.std(values))))
    ours = np.array(
        [[np.mean(of_set[tree][measure]) for tree in names] for of_set in found.values()]
    )
    paper = np.array([printed[name] for name in found])
    sign = -1.0 if measure == "auc" else 1.0
    for tree, mine, theirs in zip(
        names, average_ranks(sign * ours), average_ranks(sign * paper), strict=True
    ):
        cells.append(Cell("average rank", tree, float(mine), paper=float(theirs)))
    return Table(title, cells, note)


def friedman_of_two(first, second):
    """Friedman's test for two learners: a chi-square of wins less losses.

    Examples
    --------
    >>> wins, losses, p = friedman_of_two([1.0] * 18 + [0.0], [0.5] * 19)
    >>> wins, losses, float(f"{p:.1e}")  # the thesis's 9.6E-5
    (18, 1, 9.6e-05)
    """
    difference = np.asarray(first) - np.asarray(second)
    wins, losses = int(np.sum(difference > 0)), int(np.sum(difference < 0))
    if wins + losses == 0:
        return wins, losses, 1.0
    return wins, losses, float(chi2.sf((wins - losses) ** 2 / (wins + losses), 1))


def _claims(found):
    pairs = [
        ("CCP-C4.5 beats C4.5 unpruned (Table 3.3, p = 9.6E-5).", "CCP-C4.5", "C4.5"),
        ("CCP-CART beats CART unpruned (Table 3.3, p = 9.6E-5).", "CCP-CART", "CART"),
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
    return [_claim(found, *pair) for pair in pairs] + [_smoothing_claim(found, n) for n in BARE]


def _claim(found, text, better, other):
    means = [
        [np.mean(of_set[name]["auc"]) for of_set in found.values()] for name in (better, other)
    ]
    wins, losses, p = friedman_of_two(*means)
    gain = float(np.mean(np.subtract(*means)))
    if wins > losses and p < 0.05:
        verdict = "reproduced"
    else:
        verdict = "partly reproduced" if wins > losses and gain > 0 else "not reproduced"
    return Claim(
        text,
        verdict,
        f"better on {wins}, worse on {losses} of {len(means[0])} sets, mean gain {gain:+.4f}, "
        f"Friedman p = {p:.2g}",
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
