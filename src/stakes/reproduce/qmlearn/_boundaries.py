"""Figures 5.2 and 5.3: boundaries of both kinds of means, with classes of different sizes."""

import numpy as np

from stakes.reproduce._result import Cell, Claim, Table, verdict_of
from stakes.reproduce.qmlearn._learners import THESIS, THESIS_LAMBDA, classifier, fitted

N_NEGATIVES = 1000
LIGHT_ALPHA = 1e-3
# figure -> conventional learner, its quadratic mean, and the negatives for each positive
PANELS = {"Figure 5.2": ("Hinge", "HingeQ", (1, 100)), "Figure 5.3": ("LogR", "LogRQ", (1, 10))}
_DRAWS = 20


def sample(negatives, seed=0):
    """Positives around (5, 1), negatives around (1, 5), with standard deviations of one."""
    rng = np.random.default_rng(seed)
    n = N_NEGATIVES // negatives
    X = np.vstack(
        [rng.normal([5.0, 1.0], 1.0, (n, 2)), rng.normal([1.0, 5.0], 1.0, (N_NEGATIVES, 2))]
    )
    return X, np.repeat([1, 0], [n, N_NEGATIVES])


def learned(column, X, y, alpha):
    """One learner of the chapter with penalty alpha on weights and intercept."""
    return fitted(classifier(*THESIS[column], y, alpha, True), X, y)


def boundaries(draws=_DRAWS):
    """Sensitivity and specificity on fresh data for each panel, and the claim about mistakes."""
    cells, held, parts = [], [], []
    for figure, (plain, mean, ratios) in PANELS.items():
        for negatives in ratios:
            for alpha in (THESIS_LAMBDA, LIGHT_ALPHA):
                row = f"{figure}, 1:{negatives}, lambda = {alpha:g}"
                for column in (plain, mean):
                    rates = np.array([_rates(column, negatives, alpha, k) for k in range(draws)])
                    for place, what in enumerate(("sensitivity", "specificity")):
                        values = rates[:, place]
                        name = f"{'QMLearn' if column == mean else 'conventional'}: {what}"
                        cells.append(Cell(row, name, float(values.mean()), float(values.std())))
                    if column == plain and negatives > 1:
                        missed, alarms = 1.0 - rates.mean(axis=0)
                        held.append(missed > alarms and alarms == 0.0)
                        parts.append(
                            f"{figure}, lambda = {alpha:g}: {missed:.1%} of the positives and "
                            f"{alarms:.2%} of the negatives are misclassified"
                        )
    note = (
        f"Means and deviations over {draws} draws of {N_NEGATIVES:,} negatives, on fresh examples; "
        "the thesis states neither the penalty nor the number of points of these figures."
    )
    claim = Claim(
        "With imbalanced classes all mistakes of conventional learners are positives (Figures 5.2b "
        "and 5.3b).",
        verdict_of(held),
        "; ".join(parts),
    )
    return Table("Figures 5.2 and 5.3: boundaries", cells, note), claim


def _rates(column, negatives, alpha, seed):
    model = learned(column, *sample(negatives, seed), alpha)
    X, y = sample(1, 10_000 + seed)
    positive = model.decision_function(X) > 0
    return float(positive[y == 1].mean()), float(1.0 - positive[y == 0].mean())
