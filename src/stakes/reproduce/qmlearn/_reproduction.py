"""Quadratic-mean learning (thesis of W. Liu, Chapter 5) re-run: its tables and figures."""

import numpy as np

from stakes.compare import average_ranks
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Cell, Reproduction, Table
from stakes.reproduce.qmlearn import _learners as learners
from stakes.reproduce.qmlearn._boundaries import boundaries
from stakes.reproduce.qmlearn._claims import claims_of, pairwise
from stakes.reproduce.qmlearn._data import CLASSES, MISSING_5_2, MISSING_5_4, NUMBERS, OWN_TARGETS
from stakes.reproduce.qmlearn._features import figure_5_8, figure_5_9
from stakes.reproduce.qmlearn._runs import LIGHT, REGRESSIONS, Rows, one_set, one_target

PICTURES = {
    "qmlearn_targets.svg": "Figure 5.1: skewed dependent variables.",
    "qmlearn_boundaries.svg": "Figures 5.2 and 5.3: boundaries of the arithmetic and the quadratic "
    "mean, with lambda = 0.001.",
    "qmlearn_risks.svg": "Figures 5.4 and 5.5: the arithmetic and the quadratic mean of the 0/1 "
    "loss; only the former changes with the class sizes.",
}
FIGURES = ("A.agnostic", "oh0", "Ailerons", "Pol", "card limits", "gifts")


def run(
    *, repeats=None, data=None, progress=None, sets=None, targets=None, features=None, rows=None
):
    """Re-run the chapter's experiments.

    Parameters
    ----------
    repeats : int, default=None
        Repeats of the two-fold cross-validation, 5 in the thesis.
    data : path, default=None
        Folder with the public data sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets, targets, features : sequence of str, default=None
        Data sets of Tables 5.2 and 5.4 and of Figures 5.8 and 5.9; None: all that are available.
    rows : path, default=None
        File of scores, a line per set and column. Scores that it contains are not computed again,
        new ones are appended, so that an interrupted run can be resumed.

    Returns
    -------
    Reproduction
    """
    repeats = 5 if repeats is None else repeats
    say = progress or (lambda line: None)
    rows = Rows(rows)
    found, errors, picked = {}, {}, {}
    for name in CLASSES if sets is None else sets:
        found[name] = one_set(name, repeats, data, rows)
        say(f"{name}: " + ", ".join(f"{c} {s.mean:.3f}" for c, s in found[name].items()))
    known = [*NUMBERS, "Planes", "Fried", "diabetes", *OWN_TARGETS]
    for name in known if targets is None else targets:
        errors[name] = one_target(name, repeats, data, rows)
        say(f"{name}: " + ", ".join(f"{c} {s.mean:.3f}" for c, s in errors[name].items()))
    tables = [table_5_2(found), scaling_table(found), tuned_table(found), table_5_3(found)]
    tables += regression_tables(errors)
    for name in FIGURES if features is None else features:
        figure = figure_5_8 if name in CLASSES else figure_5_9
        table, picked[name] = figure(name, repeats, data, rows)
        tables.append(table)
        say(f"{table.title}: done")
    table, boundary_claim = boundaries()
    return Reproduction(
        name="qmlearn",
        paper="A Quadratic Mean based Supervised Learning Model (W. Liu, S. Chawla; thesis, ch. 5)",
        command="stakes reproduce qmlearn",
        tables=[*(one for one in tables if one.cells), table],
        claims=[*claims_of(found, errors, picked), boundary_claim],
        figures=PICTURES,
    )


def table_5_2(found):
    """The thesis's settings: lambda = 1/2 on weights and intercept, features in [0, 1]."""
    cells = []
    columns = list(printed("qmlearn")["5.2"]["average rank"])
    for name, scores in found.items():
        for column in columns:
            cells.append(_cell(name, column, scores.get(column), _paper(name, column)))
    note = (
        "AUC-PR (average precision), 5 x 2 folds, features in [0, 1]. The thesis does not say how "
        "features were scaled, and the next table shows how much depends on it. SDC, GP and ASVM "
        "are the thesis's numbers, not run here. Last rows: average rank, and Friedman's test of "
        "each learner against LogRQ, as in the thesis (whose ranks are among twelve learners). "
        + MISSING_5_2
        + "."
    )
    cells += _ranks(found, columns, "5.2", "LogRQ")
    return Table("Table 5.2, as in the thesis", cells, note)


def scaling_table(found):
    """The same learners on standardised features, and how far each scaling is from the thesis."""
    cells = []
    for name, scores in found.items():
        for column in learners.THESIS:
            score = scores.get(f"{column}, z-scores")
            cells.append(_cell(name, column, score, _paper(name, column)))
    for words, suffix in (("[0, 1]", ""), ("z-scores", ", z-scores")):
        for column in learners.THESIS:
            away = [
                abs(scores[column + suffix].mean - _paper(name, column))
                for name, scores in found.items()
                if _paper(name, column) is not None and column + suffix in scores
            ]
            if away:
                row = f"mean distance from the thesis, {words}"
                cells.append(Cell(row, column, float(np.mean(away))))
    note = (
        "As Table 5.2, with standardised features. Neither scaling is near the thesis in all "
        "columns: what is reproduced depends on the scaling, which the thesis does not state."
    )
    return Table("Table 5.2, standardised features", cells, note)


def tuned_table(found):
    """The gain that remains with a tuned penalty and an unpenalised intercept."""
    cells = [
        _cell(name, column, scores.get(column))
        for name, scores in found.items()
        for column in learners.TUNED
    ]
    cells += _ranks(found, learners.TUNED, None, "LogRQ tuned")
    note = (
        "Standardised features, unpenalised intercept, alpha from 1e-5 to 1e-1 by a 3-fold search "
        "within each training half (on its first 3,000 rows). 'balanced': classes weigh the same. "
        "Liblinear (squared hinge, at most 2,000 iterations) and 'Hinge balanced' (at most 1,000) "
        "are LIBLINEAR's, whose intercept is penalised."
    )
    return Table("Table 5.2, tuned", cells, note)


def table_5_3(found):
    """Conventional learners with safe-level SMOTE, against the quadratic mean without it."""
    columns = ("LogR-S", "LogRQ", "Hinge-S", "HingeQ", "Huber-S", "HuberQ")
    cells = [
        _cell(name, column, scores.get(column), _paper(name, column))
        for name, scores in found.items()
        for column in columns
    ]
    cells += _ranks(found, columns, "5.3", "LogRQ")
    note = (
        "AUC-PR, settings as in Table 5.2; '-S': trained on classes balanced by safe-level SMOTE "
        "(5 neighbours)."
    )
    return Table("Table 5.3, after safe-level SMOTE", cells, note)


def regression_tables(errors):
    """Table 5.4 with the thesis's settings, and with a small penalty and a free intercept."""
    cells = []
    for name, scores in errors.items():
        paper = printed("qmlearn")["5.4"].get(name, {})
        cells += [_cell(name, c, scores.get(c), paper.get(c)) for c in REGRESSIONS]
    cells += _ranks(errors, REGRESSIONS, "5.4", "QRQ", larger_is_better=False)
    note = "RMSE of targets scaled to [0, 1], features in [0, 1], lambda 1/2; " + MISSING_5_4 + "."
    thesis = Table("Table 5.4, as in the thesis", cells, note)
    cells = [_cell(name, c, scores.get(c)) for name, scores in errors.items() for c in LIGHT]
    cells += _ranks(errors, LIGHT, None, "QRQ, alpha 1e-4", larger_is_better=False)
    note = "The same with standardised features, alpha = 1e-4 and an unpenalised intercept."
    return thesis, Table("Table 5.4, lightly penalised", cells, note)


def _ranks(found, columns, table, base, larger_is_better=True):
    """Average ranks, and Friedman's test of every learner against the thesis's base learner."""
    columns = [c for c in columns if all(c in scores for scores in found.values())]
    if len(found) < 2 or not columns:
        return []
    means = np.array([[scores[c].mean for c in columns] for scores in found.values()])
    ranks = average_ranks(-means if larger_is_better else means)
    paper = printed("qmlearn").get(table, {"average rank": {}, "Friedman p": {}})
    cells = [
        Cell("average rank", c, float(r), paper=paper["average rank"].get(c))
        for c, r in zip(columns, ranks, strict=True)
    ]
    for column in columns:
        if column != base:
            p = pairwise(found, base, column, larger_is_better).p_value
            row = f"Friedman p, against {base}"
            cells.append(Cell(row, column, p, paper=paper["Friedman p"].get(column)))
    return cells


def _paper(name, column):
    """The printed number: Table 5.3 has the columns that Table 5.2 has lost for some sets."""
    for table in ("5.2", "5.3"):
        if column in printed("qmlearn")[table].get(name, {}):
            return printed("qmlearn")[table][name][column]
    return None


def _cell(row, column, score, paper=None):
    if score is None:
        return Cell(row, column, None, paper=paper)
    return Cell(row, column, score.mean, score.sd, paper=paper)
