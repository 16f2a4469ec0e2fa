"""Any learner that can be fitted to a table in parts, by the way that suits it."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from stakes.decision import BayesDecisionClassifier, adopt_fitted
from stakes.errors import InputError
from stakes.qmean import QuadraticMeanClassifier
from stakes.scale._booster import fit_booster
from stakes.scale._by_part import fit_forest, fit_one_pass
from stakes.scale._exact import fit_logistic, fit_mean, merge_states, nothing
from stakes.scale._packed import packed
from stakes.tables import ModelMatrix, TableEncoder, prepare
from stakes.tree import ConfidenceForestClassifier


@dataclass(frozen=True)
class PartsFit:
    """A model that was fitted to a table in parts.

    Attributes
    ----------
    model : Pipeline
        Encoder and learner, as for a table in memory.
    certificate : dict
        What proves that the learner is at its optimum over all rows: the relative `gap`, the
        `gradient_norm` and the number of `passes`. Empty if it has none.
    held_out : int
        Number of rows that were kept for the calibration.
    """

    model: object
    certificate: dict = field(default_factory=dict)
    held_out: int = 0


def fit_parts(learner, table, *, scale=None, one_hot=None, priced=False, n_jobs=1):
    """Fit a learner to all rows of a table that need not fit into memory.

    Parameters
    ----------
    learner : classifier
        One of: LogisticRegression and :class:`~stakes.qmean.QuadraticMeanClassifier` (exact, by
        Newton steps over sums of all rows), a linear learner of :mod:`stakes.online` (one pass by
        part, then merged), :class:`~stakes.tree.ConfidenceForestClassifier` (trees by part), or
        XGBClassifier (external memory). The first and the last may be inside a
        :class:`~stakes.decision.BayesDecisionClassifier`, the last with a calibration.
    table : SurveyedTable
        The table, from :func:`survey`.
    scale, one_hot : bool, default=None
        As in :func:`stakes.tables.prepare`.
    priced : bool, default=False
        Whether logistic regression weights rows by their regrets. Leave it off if the decision
        uses the costs.
    n_jobs : int, default=1
        Number of parts in work at the same time; for XGBoost, threads.

    Returns
    -------
    PartsFit

    Examples
    --------
    >>> import tempfile
    >>> from stakes.datasets import load
    >>> from stakes.scale import survey
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     loans = load("german")
    ...     rows = loans.X.with_columns(bad=loans.y)
    ...     for k in range(4):
    ...         rows[250 * k : 250 * (k + 1)].write_parquet(f"{folder}/{k}.parquet")
    ...     fitted = fit_parts(LogisticRegression(), survey(folder, "bad"))
    >>> fitted.certificate["gap"] < 1e-12, round(fitted.model.score(loans.X, loans.y), 3)
    (True, 0.786)
    """
    wrapped = isinstance(learner, BayesDecisionClassifier)
    inner = learner.estimator if wrapped else learner
    fit = _way_of(inner)
    if fit is None or (wrapped and (learner.calibration is not None) != (fit is _boosted)):
        raise InputError(
            f"{type(inner).__name__} cannot be trained on a table in parts in this form; take "
            "logistic regression or a calibrated XGBoost with the Bayes decision, "
            "QuadraticMeanClassifier, ConfidenceForestClassifier or a linear learner of "
            "stakes.online; or train on a sample."
        )
    how = dict(scale=scale, one_hot=one_hot)
    pipeline = prepare(clone(learner), TableEncoder(kinds=table.kinds), **how)
    first, last = pipeline.steps[0][1], pipeline.steps[-1][1]
    settings = dict(priced=True) if priced and fit is _logistic else {}
    inner = last.estimator if wrapped else last
    encoder = fit_categories(first, table)
    if fit in (_logistic, _mean):
        with packed(table, encoder, n_jobs) as rows:
            fitted_first = fit_scales(encoder, rows, n_jobs)
            found, facts, calibration = fit(inner, table, rows, fitted_first, n_jobs, **settings)
    else:
        fitted_first = fit_scales(encoder, table, n_jobs)
        found, facts, calibration = fit(inner, table, fitted_first, n_jobs)
    if wrapped:
        found = adopt_fitted(last, found, *calibration)
    pipeline.steps = [(pipeline.steps[0][0], fitted_first), (pipeline.steps[-1][0], found)]
    return PartsFit(pipeline, facts, len(calibration[0]) if calibration else 0)


def can_fit(learner):
    """Whether :func:`fit_parts` takes a learner."""
    wrapped = isinstance(learner, BayesDecisionClassifier)
    fit = _way_of(learner.estimator if wrapped else learner)
    return fit is not None and (
        not wrapped or (learner.calibration is not None) == (fit is _boosted)
    )


def fit_categories(first, table):
    """The first step of a pipeline with the categories that the survey found; no scales yet."""
    encoder = first.encoder if isinstance(first, ModelMatrix) else first
    encoder = clone(encoder).fit_facts(table.facts)
    return clone(first).begin(encoder) if isinstance(first, ModelMatrix) else encoder


def fit_scales(encoder, rows, n_jobs=1):
    """The first step of a pipeline with the scales of all rows, in one pass if it needs any."""
    if not isinstance(encoder, ModelMatrix):
        return encoder
    add = _AddMoments(encoder)
    return encoder.fit_sums(rows.fold(nothing, add, merge_states, n_jobs=n_jobs))


@dataclass(frozen=True)
class _AddMoments:
    matrix: object

    def __call__(self, sums, rows):
        return merge_states(sums, self.matrix.sums_of(rows.encoded(self.matrix)))


def _way_of(learner):
    if isinstance(learner, LogisticRegression):
        return _logistic
    if isinstance(learner, QuadraticMeanClassifier):
        return _mean
    if isinstance(learner, ConfidenceForestClassifier):
        return _forest
    if type(learner).__name__ == "XGBClassifier":
        return _boosted
    if hasattr(learner, "partial_fit") and hasattr(learner, "merge"):
        return _one_pass
    return None


def _logistic(learner, table, rows, matrix, n_jobs, priced=False):
    model, found = fit_logistic(learner, table, rows, matrix, n_jobs, priced)
    facts = dict(gap=found.relative_gap, gradient_norm=found.gradient_norm, passes=found.n_passes)
    return model, facts, ()


def _mean(learner, table, rows, matrix, n_jobs):
    model = fit_mean(learner, table, rows, matrix, n_jobs)
    facts = dict(gap=model.duality_gap_, gradient_norm=model.gradient_norm_, passes=model.n_iter_)
    return model, facts, ()


def _one_pass(learner, table, matrix, n_jobs):
    return fit_one_pass(learner, table, matrix, n_jobs), {}, ()


def _forest(learner, table, encoder, n_jobs):
    return fit_forest(learner, table, encoder, n_jobs), {}, ()


def _boosted(learner, table, encoder, n_jobs):
    model, scores, y = fit_booster(learner, table, encoder, n_jobs)
    if len(y) and len(np.unique(y)) < 2:
        raise InputError("The rows that are held out for the calibration are of one class only.")
    return model, {}, (scores, y)
