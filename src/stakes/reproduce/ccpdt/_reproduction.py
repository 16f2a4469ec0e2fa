"""Class confidence proportion decision trees (Chapter 3 of W. Liu's thesis) re-run."""

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from stakes.compare import average_ranks
from stakes.reproduce._result import Cell, Reproduction, Table
from stakes.reproduce.ccpdt import _classes as many
from stakes.reproduce.ccpdt import _paper_later as later
from stakes.reproduce.ccpdt import _rules as rules
from stakes.reproduce.ccpdt import _sampling as sampling
from stakes.reproduce.ccpdt._claims import BARE, claims
from stakes.reproduce.ccpdt._data import MISSING, NOTE, SETS, load_set
from stakes.reproduce.ccpdt._paper import (
    AUC_PRUNED,
    AUC_UNPRUNED,
    CRITERIA,
    LEAVES,
    PRUNED,
    SPARCCC,
)
from stakes.tree import ConfidenceTreeClassifier
from stakes.tree._prune import prune

OURS = dict(zip(CRITERIA, ("entropy", "ccp_entropy", "gini", "ccp_gini", "hellinger"), strict=True))
P_VALUE = 0.01  # Section 3.7.2


def run(*, repeats=None, data=None, progress=None, sets=None, sampled=None, classes=None):
    """Tables 3.3 to 3.6, 3.8 and 3.9 on the sets at hand, and what became of the claims.

    Parameters
    ----------
    repeats : int, default=None
        How often the data are halved, 5 in the thesis.
    data : path, default=None
        Directory with the public sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets, sampled, classes : sequence of str, default=None
        Which sets of Tables 3.3 to 3.5, of Table 3.6, and of Tables 3.8 and 3.9; None: all that
        are at hand.

    Returns
    -------
    Reproduction
    """
    repeats = 5 if repeats is None else repeats
    say = progress or (lambda line: None)
    trees, wrapped, several = {}, {}, {}
    for name in list(SETS) if sets is None else sets:
        X, y = load_set(name, data)
        trees[name] = _one_set(X, y, repeats) | {rules.SPARCCC: rules.rules_set(X, y, repeats)}
        say(_line(name, trees[name]))
    for name in list(SETS) if sampled is None else sampled:
        wrapped[name] = sampling.sampled_set(*load_set(name, data), repeats)
        say(_line(f"{name}, sampled", wrapped[name]))
    for name in list(many.FILES) if classes is None else classes:
        several[name] = many.classes_set(*many.load_classes(name, data), repeats)
        say(_line(f"{name}, smallest class", several[name]))
    return report(trees, wrapped, several, repeats)


def report(trees, wrapped, several, repeats):
    """The tables and claims of what was found, set -> learner -> values in each fold."""
    absent = (
        f"Not at hand: {', '.join(MISSING)}. {NOTE} {rules.NOTE} Mean over {repeats} x 2 folds."
    )
    unpruned = {name: (*printed, SPARCCC[name]) for name, printed in AUC_UNPRUNED.items()}
    columns = (*CRITERIA, rules.SPARCCC)
    tables = []
    if trees:
        tables += [
            _table("Table 3.3: AUC, unpruned", trees, columns, "auc", unpruned, absent),
            _table("Table 3.4: AUC, pruned", trees, PRUNED, "auc", AUC_PRUNED, ""),
            _table("Table 3.5: leaves", trees, PRUNED, "leaves", LEAVES, ""),
        ]
        tables[0].cells += _bare_cells(trees)
    if wrapped:
        note = f"{sampling.NOTE} {sampling.levels_told(wrapped)}"
        title, printed = "Table 3.6: AUC after sampling", later.AUC_SAMPLED
        tables.append(_table(title, wrapped, sampling.SAMPLED, "auc", printed, note))
    if several:
        title, printed = "Table 3.8: AUC of the smallest of many classes", later.AUC_CLASSES
        tables.append(_table(title, several, many.TREES, "auc", printed, many.NOTE))
        title, printed = "Table 3.9: leaves, many classes", later.LEAVES_CLASSES
        tables.append(_table(title, several, many.TREES, "leaves", printed, many.LEAVES_NOTE))
    return Reproduction(
        name="ccpdt",
        paper="Class confidence proportion decision trees (W. Liu's thesis, Chapter 3)",
        command="stakes reproduce ccpdt",
        tables=tables,
        claims=claims(trees, wrapped, several),
    )


def _one_set(X, y, repeats):
    """AUC and leaves of every tree in every fold."""
    found = {name: {"auc": [], "leaves": []} for name in (*CRITERIA, *BARE.values(), *PRUNED)}
    for repeat in range(repeats):
        halves = StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)
        for train, test in halves:
            for name, criterion in OURS.items():
                model = ConfidenceTreeClassifier(
                    criterion=criterion, pruning=None, min_samples_leaf=2
                )
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


def _bare_cells(found):
    """The plain trees without smoothing, which the thesis does not print."""
    return [
        Cell(name, tree, float(np.mean(of_set[tree]["auc"])), float(np.std(of_set[tree]["auc"])))
        for name, of_set in found.items()
        for tree in BARE.values()
    ]


def _line(name, found):
    return f"{name}: " + ", ".join(f"{k} {np.mean(v['auc']):.3f}" for k, v in found.items())
