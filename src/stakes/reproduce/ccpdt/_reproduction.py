"""Class confidence proportion decision trees (Chapter 3 of W. Liu's thesis) re-run."""

from functools import partial

import numpy as np

from stakes.compare import average_ranks
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Cell, Reproduction, Table
from stakes.reproduce._rows import StoredRows
from stakes.reproduce.ccpdt._claims import claims_of
from stakes.reproduce.ccpdt._data import (
    CLASS_FILES,
    MISSING,
    MISSING_CLASSES,
    NOTE,
    SETS,
    load_classes,
    load_set,
)
from stakes.reproduce.ccpdt._runs import BARE, SAMPLED, classes_set, sampled_set, today, trees_set

RULES_NOTE = (
    "SPARCCC is our AssociationRuleClassifier, CCR above 1.0 and p below 0.001 as in the thesis."
)
SAMPLED_NOTE = (
    "C4.5 is pruned by error, CART by cost-complexity, CCP trees by Fisher's test. The wrapper "
    "maximizes the AUC of unpruned trees in 5 x 2 folds of each training half, in steps of 10 % of "
    "the majority and 100 % of the minority; the tree fitted to its sample is pruned."
)
CLASSES_NOTE = (
    f"Not available: {', '.join(MISSING_CLASSES)}. Balance-scale is generated: all 625 scales with "
    "weights and distances from 1 to 5. One tree for all classes, AUC of its probability of the "
    "smallest class; C4.5 pruned by error, CART by cost-complexity, CCP trees by Fisher's test at "
    "0.01. A CCP split is as good as for the class that it separates best from the rest. C4.5 "
    "makes a branch for each category and sends missing values down all branches in fractions, as "
    "in Weka; CART and the CCP trees make two groups of categories."
)


def run(
    *, repeats=None, data=None, progress=None, sets=None, sampled=None, classes=None, rows=None
):
    """Tables 3.3 to 3.6, 3.8 and 3.9 on the available sets, and the verdicts on the claims.

    Parameters
    ----------
    repeats : int, default=None
        Repeats of the two-fold cross-validation, 5 in the thesis.
    data : path, default=None
        Folder with the public data sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets, sampled, classes : sequence of str, default=None
        Data sets of Tables 3.3 to 3.5, of Table 3.6, and of Tables 3.8 and 3.9; None: all that are
        available.
    rows : path, default=None
        File of results, a line per set. What it contains is not computed again, so that an
        interrupted run can be resumed, unless it was computed by learners that gave other results
        on a small table.

    Returns
    -------
    Reproduction
    """
    repeats = 5 if repeats is None else repeats
    say = progress or (lambda line: None)
    trees, wrapped, several, rows = {}, {}, {}, StoredRows(rows)
    parts = (
        (trees, SETS if sets is None else sets, load_set, trees_set, ""),
        (
            several,
            CLASS_FILES if classes is None else classes,
            load_classes,
            classes_set,
            " classes",
        ),
        (wrapped, SETS if sampled is None else sampled, load_set, sampled_set, " sampled"),
    )
    for found, names, load, of_set, word in parts:
        for name in names:
            key = f"{name}{word}, {repeats} repeats"
            compute = partial(_run, of_set, load, name, data, repeats)
            found[name] = rows.get(key, compute, partial(today, of_set))
            say(_line(name + word, found[name]))
    return Reproduction(
        name="ccpdt",
        paper="Class confidence proportion decision trees (W. Liu's thesis, Chapter 3)",
        command="stakes reproduce ccpdt",
        tables=_tables(trees, wrapped, several, repeats),
        claims=claims_of(trees, wrapped, several),
    )


def _run(of_set, load, name, data, repeats):
    return of_set(*load(name, data), repeats)


def _tables(trees, wrapped, several, repeats):
    """The tables of the results, each set -> learner -> values in each fold."""
    tables = []
    if trees:
        note = (
            f"Not available: {', '.join(MISSING)}. {NOTE} {RULES_NOTE} Mean over {repeats} x 2 "
            "folds."
        )
        tables += [
            _table("Table 3.3: AUC, unpruned", trees, "auc", note),
            _table("Table 3.4: AUC, pruned", trees, "auc"),
            _table("Table 3.5: leaves", trees, "leaves"),
        ]
        tables[0].cells += [
            _cell(name, tree, of_set[tree]["auc"])
            for name, of_set in trees.items()
            for tree in BARE.values()
        ]
    if wrapped:
        note = f"{SAMPLED_NOTE} {_levels(wrapped)}"
        tables.append(_table("Table 3.6: AUC after sampling", wrapped, "auc", note))
    if several:
        title = "Table 3.8: AUC of the smallest of many classes"
        tables.append(_table(title, several, "auc", CLASSES_NOTE))
        tables.append(_table("Table 3.9: leaves, many classes", several, "leaves"))
    return tables


def _table(title, found, measure, note=""):
    numbers = printed("ccpdt")[title.split()[1].rstrip(":")]
    names = list(next(iter(numbers.values())))
    cells = [
        _cell(name, tree, of_set[tree][measure], numbers[name][tree])
        for name, of_set in found.items()
        for tree in names
    ]
    ours = np.array(
        [[np.mean(of_set[tree][measure]) for tree in names] for of_set in found.values()]
    )
    paper = np.array([list(numbers[name].values()) for name in found])
    sign = -1.0 if measure == "auc" else 1.0
    for tree, mine, theirs in zip(
        names, average_ranks(sign * ours), average_ranks(sign * paper), strict=True
    ):
        cells.append(Cell("average rank", tree, float(mine), paper=float(theirs)))
    return Table(title, cells, note)


def _cell(row, column, values, paper=None):
    return Cell(row, column, float(np.mean(values)), float(np.std(values)), paper)


def _levels(wrapped):
    """The wrapper's average choice over all sets and folds."""
    levels = np.array(
        [level for of_set in wrapped.values() for n in SAMPLED for level in of_set[n]["levels"]]
    )
    kept, added = levels.mean(axis=0)
    alone = np.mean((levels[:, 0] == 1) & (levels[:, 1] == 0))
    return (
        f"On average it kept {kept:.0%} of the majority and added {added:.0%} of the minority; in "
        f"{alone:.0%} of the folds it left the data unchanged."
    )


def _line(name, found):
    return f"{name}: " + ", ".join(f"{k} {np.mean(v['auc']):.3f}" for k, v in found.items())
