"""Class confidence weighted neighbours (Chapter 4 of W. Liu's thesis), Tables 4.1 and 4.2."""

from functools import partial

import numpy as np

from stakes.compare import average_ranks, friedman_test
from stakes.reproduce._pairs import friedman_of_two
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Cell, Reproduction, Table
from stakes.reproduce._rows import StoredRows
from stakes.reproduce.ccw._claims import claims_of, mean_of
from stakes.reproduce.ccw._data import MISSING, NOTE, SETS, load_set
from stakes.reproduce.ccw._example import example
from stakes.reproduce.ccw._runs import METRICS, run_set, today

COMPETITORS_NOTE = (
    "WDkNN, LMNN and DNet are the thesis's numbers, not run: no maintained library has WDkNN "
    "or DNet, and metric-learn 0.7's LMNN passes an argument that scikit-learn has removed. "
    "SMOTE is `SafeLevelSMOTE` before MI; CCPDT and HDDT are pruned by Fisher's test at "
    "p = 0.01 and have the leaves of `ConfidenceTreeClassifier`, smoothed towards their parents, "
    "not by Laplace's rule."
)


def run(*, repeats=None, data=None, progress=None, sets=None, rows=None):
    """Tables 4.1 and 4.2, Figures 4.1 and 4.2 on the available sets, and verdicts on the claims.

    Parameters
    ----------
    repeats : int, default=None
        Repeats of the two-fold cross-validation, 5 in the thesis.
    data : path, default=None
        Folder with the public data sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets : sequence of str, default=None
        Data sets of Table 4.1; None: all that are available.
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
    found, rows = {}, StoredRows(rows)
    for name in list(SETS) if sets is None else sets:
        key = f"{name}, {repeats} repeats"
        stored = rows.get(key, partial(_stored_set, name, data, repeats), today)
        found[name] = {(a, int(k), m): v for (a, k, m), v in ((c.split("/"), v) for c, v in stored)}
        means = {key: np.mean(values) for key, values in found[name].items()}
        say(f"{name}: " + ", ".join(f"{k[0]}/{k[1]}/{k[2]} {v:.3f}" for k, v in means.items()))
    setup = (
        f"Area under the precision-recall curve, interpolated (Davis and Goadrich), mean over "
        f"{repeats} x 2 folds. {NOTE} Not available: {', '.join(MISSING)}. Confidence by one "
        "Bayesian network over the columns and the class, as in the thesis, with at most one "
        "parent in sets with more than 500 columns, otherwise two."
    )
    drawn, of_drawn = example()
    left = [name for name in SETS if name not in found]
    if left:
        setup = f"Available but left out of this run: {', '.join(left)}. {setup}"
    return Reproduction(
        name="ccw",
        paper="Class confidence weighted nearest neighbours (W. Liu's thesis, Chapter 4)",
        command=f"stakes.reproduce.ccw.run(sets={list(found)})" if left else "stakes reproduce ccw",
        tables=[
            _table("Table 4.1: k = 1", found, 1, setup),
            _table("Table 4.2: k = 11", found, 11, COMPETITORS_NOTE),
            drawn,
            *(_figure(found, k) for k in (1, 11)),
        ],
        claims=claims_of(found) + of_drawn,
    )


def _stored_set(name, data, repeats):
    found = run_set(*load_set(name, data), repeats)
    return [["/".join(map(str, key)), values] for key, values in found.items()]


def _table(title, found, k, note):
    numbers = printed("ccw")[title.split()[1].rstrip(":")]
    cells = []
    for name, of_set in found.items():
        for learner, paper in numbers[name].items():
            values = of_set.get((learner, k, "l2"))
            ours = (
                (None, None) if values is None else (float(np.mean(values)), float(np.std(values)))
            )
            cells.append(Cell(name, learner, *ours, paper=paper))
    ran = [learner for learner in numbers[name] if (learner, k, "l2") in of_set]
    ours = np.column_stack([mean_of(found, learner, k) for learner in ran])
    paper = np.array([[numbers[name][learner] for learner in ran] for name in found])
    for learner, mine, theirs in zip(ran, average_ranks(-ours), average_ranks(-paper), strict=True):
        cells.append(Cell("average rank of those run", learner, float(mine), paper=float(theirs)))
    for base in ("CCW_MI", "CCW_AI"):
        for learner in ran:
            if learner != base:
                pair = [ran.index(base), ran.index(learner)]
                p = [friedman_of_two(*table[:, pair].T)[2] for table in (ours, paper)]
                cells.append(Cell(f"Friedman p, base {base}", learner, p[0], paper=p[1]))
    if len(found) > 1:
        p = friedman_test(-ours).p_value, friedman_test(-paper).p_value
        note = (
            f"Friedman's test over all that were run: p = {p[0]:.2g} (thesis's {p[1]:.2g}). {note}"
        )
    return Table(title, cells, note)


def _figure(found, k):
    """Figure 4.2 prints no numbers: only ours, the gain of CCW_MI over MI with each metric."""
    cells = []
    for metric, word in METRICS.items():
        gains = mean_of(found, "CCW_MI", k, metric) - mean_of(found, "MI", k, metric)
        cells += [Cell(name, word, float(g)) for name, g in zip(found, gains, strict=True)]
    return Table(f"Figure 4.2: gain of CCW_MI over MI, k = {k}", cells)
