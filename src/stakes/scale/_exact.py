"""Learners that minimize a sum over all rows: exact, however many rows there are."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.base import clone

from stakes.qmean import ClassSums, LogisticObjective, minimize_sums


@dataclass(frozen=True)
class AddSums:
    """Adds the sums over a batch, at given weights of the features."""

    matrix: object
    W: np.ndarray
    priced: bool

    def __call__(self, sums, rows):
        weight = rows.regret if self.priced else np.ones(len(rows.y))
        Z = self.matrix.fill(rows.encoded(self.matrix))
        found = ClassSums.of(Z, np.where(rows.y == 1, 1.0, -1.0), weight, self.W)
        return found if sums is None else sums.merge(found)


def nothing():
    """The state of no rows."""
    return None


def merge_states(state, other):
    """Merge two states that know how; either may be None."""
    if state is None or other is None:
        return other if state is None else state
    return state.merge(other)


def evaluate(rows, matrix, n_jobs, priced, W):
    """The :class:`ClassSums` of all rows at W, in one pass."""
    add = AddSums(matrix, W, priced)
    return rows.fold(nothing, add, merge_states, n_jobs=n_jobs)


def evaluate_sample(table, matrix, priced):
    """The function W -> :class:`ClassSums` of the sample of a table.

    Where its optimum is, passes over all rows start. None if a class has no weight in the sample.
    """
    rows = table.reader.read(table.sampled)
    weight = rows.regret if priced else np.ones(len(rows.y))
    Z, sign = matrix.transform(rows.table), np.where(rows.y == 1, 1.0, -1.0)
    if min(weight[sign < 0].sum(), weight[sign > 0].sum()) <= 0:
        return None
    return lambda W: ClassSums.of(Z, sign, weight, W)


def fit_logistic(learner, table, rows, matrix, n_jobs, priced=False):
    """Fit scikit-learn's logistic regression to all rows.

    Parameters
    ----------
    learner : LogisticRegression
        The learner.
    table : SurveyedTable
        The table, of which the sample is used to start.
    rows : SurveyedTable or PackedTable
        All rows, as they are read in each pass.
    matrix : ModelMatrix
        What makes numbers of them.
    n_jobs : int
        Number of parts in work at the same time.
    priced : bool, default=False
        Whether rows are weighted by their regrets.

    Returns
    -------
    (LogisticRegression, SumsSolution)
    """
    if learner.l1_ratio not in (None, 0, 0.0) or learner.class_weight is not None:
        raise ValueError(
            "Logistic regression on a table in parts has the penalty l2 and no class_weight."
        )
    d = len(matrix.feature_names_out_)
    start, sample = None, evaluate_sample(table, matrix, priced)
    if sample is not None:  # the penalty of a row is the same: C weighs the sum over all rows
        C = learner.C * table.rows / table.sampled.height
        start = minimize_sums(sample, LogisticObjective(C), d).W
    objective, passes = LogisticObjective(learner.C), partial(evaluate, rows, matrix, n_jobs)
    found = minimize_sums(partial(passes, priced), objective, d, start=start)
    model = clone(learner)
    model.classes_, model.n_features_in_ = np.array([0, 1]), d
    model.coef_, model.intercept_ = found.W[None, :-1], found.W[-1:]
    model.n_iter_ = np.array([found.n_passes], dtype=np.int32)
    return model, found


def fit_mean(learner, table, rows, matrix, n_jobs):
    """Fit a :class:`~stakes.qmean.QuadraticMeanClassifier` to all rows, weighted by regrets."""
    d, sample = len(matrix.feature_names_out_), evaluate_sample(table, matrix, True)
    return clone(learner).fit_sums(partial(evaluate, rows, matrix, n_jobs, True), d, sample)
