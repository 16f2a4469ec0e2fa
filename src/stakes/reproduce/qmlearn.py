"""Quadratic-mean learning (thesis of W. Liu, Chapter 5) re-run: Tables 5.2 to 5.4, Figure 5.8."""

import numpy as np
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold, StratifiedKFold

from stakes.compare import average_ranks
from stakes.reproduce import _qmlearn_learners as learners
from stakes.reproduce._qmlearn_claims import claims
from stakes.reproduce._qmlearn_data import (
    CLASSES,
    MISSING_5_2,
    MISSING_5_4,
    OWN_TARGETS,
    load_classes,
    load_numbers,
)
from stakes.reproduce._qmlearn_features import figure_5_8
from stakes.reproduce._qmlearn_numbers import COLUMNS_5_2, COLUMNS_5_4, TABLE_5_4, printed
from stakes.reproduce._result import Cell, Reproduction, Table

SAMPLED = ("LogR-S", "Hinge-S", "Huber-S")
PAPER_ONLY = ("SDC", "GP", "ASVM")
REGRESSIONS = {
    "LR": ("squared", "arithmetic"),
    "LRQ": ("squared", "quadratic"),
    "SVR": ("epsilon_insensitive", "arithmetic"),
    "SVRQ": ("epsilon_insensitive", "quadratic"),
    "QR": ("quantile", "arithmetic"),
    "QRQ": ("quantile", "quadratic"),
}


def run(*, repeats=None, data=None, progress=None, sets=None, targets=None, features=None):
    """Re-run the chapter's experiments.

    Parameters
    ----------
    repeats : int, default=None
        Repeats of the two-fold cross-validation, 5 in the thesis.
    data : path, default=None
        Directory with the public sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets, targets, features : sequence of str, default=None
        Which sets of Tables 5.2 and 5.4 and of Figure 5.8; None: all that are at hand.

    Returns
    -------
    Reproduction
    """
    repeats = 5 if repeats is None else repeats
    say = progress or (lambda line: None)
    found, errors, picked = {}, {}, {}
    for name in CLASSES if sets is None else sets:
        found[name] = one_set(name, repeats, data)
        say(f"{name}: " + ", ".join(f"{c} {np.mean(s):.3f}" for c, s in found[name].items()))
    known = ["Planes", "Fried", "diabetes", *OWN_TARGETS]
    for name in known if targets is None else targets:
        errors[name] = one_target(name, repeats, data)
        say(f"{name}: " + ", ".join(f"{c} {np.mean(s):.3f}" for c, s in errors[name].items()))
    tables = [table_5_2(found), tuned_table(found), table_5_3(found), *regression_tables(errors)]
    for name in ("A.agnostic", "oh0") if features is None else features:
        table, picked[name] = figure_5_8(name, repeats, data)
        tables.append(table)
        say(f"Figure 5.8, {name}: done")
    return Reproduction(
        name="qmlearn",
        paper="A Quadratic Mean based Supervised Learning Model (W. Liu, S. Chawla; thesis, ch. 5)",
        command="stakes reproduce qmlearn",
        tables=[table for table in tables if table.cells],
        claims=claims(found, errors, picked),
    )


def one_set(name, repeats, data):
    """AUC-PR of every learner over 5 x 2 folds: column -> list."""
    X, y = load_classes(name, data)
    found = {}
    for repeat in range(repeats):
        folds = StratifiedKFold(2, shuffle=True, random_state=repeat)
        for train, test in folds.split(X, y):
            task = X[train], y[train], X[test]
            for column, scores in _all_scores(task, repeat):
                if scores is not None:
                    score = average_precision_score(y[test], scores)
                    found.setdefault(column, []).append(float(score))
    return found


def _all_scores(task, seed):
    for column in learners.THESIS:
        yield column, learners.thesis_scores(column, *task)
    yield "Liblinear", learners.liblinear_scores(*task)
    for column in ("CCPDT", "HDDT"):
        yield column, learners.tree_scores(column, *task)
    for column in SAMPLED:
        yield column, learners.sampled_scores(column, *task)
    for column in learners.TUNED:
        yield column, learners.tuned_scores(column, *task, seed)


def one_target(name, repeats, data, limit=4000):
    """RMSE of every regression over 5 x 2 folds, target in [0, 1]: column -> list."""
    X, y = load_numbers(name, data)
    y = (y - y.min()) / (y.max() - y.min())
    if len(y) > limit:  # a linear fit has converged long before
        rows = np.random.default_rng(0).permutation(len(y))[:limit]
        X, y = X[rows], y[rows]
    found = {}
    for repeat in range(repeats):
        for train, test in KFold(2, shuffle=True, random_state=repeat).split(X):
            for column, (loss, kind) in REGRESSIONS.items():
                unit = learners.unit_scaler(X).fit(X[train])
                model = learners.regression(loss, kind, learners.THESIS_LAMBDA, True)
                _rmse(found, column, model, unit, X, y, train, test)
                standard = learners.standard_scaler(X).fit(X[train])
                model = learners.regression(loss, kind, 1e-4, False)
                _rmse(found, f"{column}, alpha 1e-4", model, standard, X, y, train, test)
    return found


def _rmse(found, column, model, scaler, X, y, train, test):
    learners.fitted(model, scaler.transform(X[train]), y[train])
    miss = model.predict(scaler.transform(X[test])) - y[test]
    found.setdefault(column, []).append(float(np.sqrt(np.mean(miss**2))))


def table_5_2(found):
    """The thesis's set-up: lambda 1/2 on weights and intercept, features in [0, 1]."""
    cells = []
    for name, scores in found.items():
        for column in COLUMNS_5_2:
            cells.append(_cell(name, column, scores.get(column), printed(name, column)))
    note = (
        "AUC-PR (average precision), 5 x 2 folds. The thesis does not say how features were "
        "scaled; [0, 1] gives the printed collapse of the conventional learners. SDC, GP and ASVM "
        "are the thesis's numbers; '-' elsewhere: not yet run. " + MISSING_5_2 + "."
    )
    shown = [c for c in COLUMNS_5_2 if all(c in s for s in found.values())]
    cells += _ranks(found, shown, larger_is_better=True)
    return Table("Table 5.2, as in the thesis", cells, note)


def tuned_table(found):
    """What is left of the gain once the penalty is tuned and the intercept is free."""
    cells = [
        _cell(name, column, scores.get(column))
        for name, scores in found.items()
        for column in learners.TUNED
    ]
    cells += _ranks(found, list(learners.TUNED), larger_is_better=True)
    note = (
        "Standardised features, free intercept, alpha out of 1e-5 .. 1e-1 by a 3-fold search "
        "inside each training half. 'balanced': classes weigh the same (the mean with p = 1)."
    )
    return Table("Table 5.2, tuned", cells, note)


def table_5_3(found):
    """Safe-level SMOTE before a conventional learner, against the quadratic mean without."""
    cells = [
        _cell(name, column, scores.get(column), printed(name, column))
        for name, scores in found.items()
        for column in ("LogR-S", "LogRQ", "Hinge-S", "HingeQ", "Huber-S", "HuberQ")
    ]
    note = "AUC-PR, set-up as in Table 5.2; '-': safe-level SMOTE is not yet run."
    return Table("Table 5.3, after safe-level SMOTE", cells, note)


def regression_tables(errors):
    """Table 5.4 in the thesis's set-up, and with a small penalty and a free intercept."""
    cells = []
    for name, scores in errors.items():
        paper = dict(zip(COLUMNS_5_4, TABLE_5_4[name], strict=True)) if name in TABLE_5_4 else {}
        cells += [_cell(name, c, scores.get(c), paper.get(c)) for c in REGRESSIONS]
    cells += _ranks(errors, list(REGRESSIONS), larger_is_better=False)
    note = "RMSE of targets scaled to [0, 1], features in [0, 1], lambda 1/2; " + MISSING_5_4 + "."
    thesis = Table("Table 5.4, as in the thesis", cells, note)
    columns = [f"{c}, alpha 1e-4" for c in REGRESSIONS]
    cells = [_cell(name, c, scores.get(c)) for name, scores in errors.items() for c in columns]
    cells += _ranks(errors, columns, larger_is_better=False)
    note = "The same with standardised features, alpha = 1e-4 and a free intercept."
    return thesis, Table("Table 5.4, lightly penalised", cells, note)


def _ranks(found, columns, larger_is_better):
    if len(found) < 2 or not columns:
        return []
    means = np.array([[np.mean(scores[c]) for c in columns] for scores in found.values()])
    ranks = average_ranks(-means if larger_is_better else means)
    return [Cell("average rank", c, float(r)) for c, r in zip(columns, ranks, strict=True)]


def _cell(row, column, scores, paper=None):
    if not scores:
        return Cell(row, column, None, paper=paper)
    return Cell(row, column, float(np.mean(scores)), float(np.std(scores)), paper=paper)
