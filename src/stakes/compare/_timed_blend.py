"""A blend that uses the time it has: quick members first, then better ones."""

import time
import warnings
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.deciding import row_count, take_rows
from stakes._core.intake import checked_for
from stakes._core.labels import code_labels
from stakes._core.log_odds import SMALLEST, LogOddsBlend, clipped_log_odds
from stakes._core.sklearn_private import Interval, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import MEMBERS, PROBABLE, Array, Listed, Number, Text, labels
from stakes._core.stored.state import same_classes, same_input
from stakes.decision import blend_weights

SAMPLED = 50_000  # rows of the first part of a larger table
SHARE = 0.8  # of the time budget in which fits may end
TRIAL = 0.1  # share of the rows that a member is timed on
SLOW = 2.0  # a fit may take this much longer than was estimated


class TimedBlendClassifier(LogOddsBlend):
    r"""Blend of as many classifiers as fit into a time budget.

    Members are taken in the given order, so the first ones should be quick. Each is trained once
    per fold, and its probabilities of the held-out rows go into the blend of
    :class:`~stakes.decision.BlendClassifier`. A member is skipped if it would not be finished in
    time, judged by a fit on a tenth of the rows and by its first fold. The models of the folds are
    kept and averaged, so nothing is trained again at the end:

    .. math:: p(x) = \sigma\Bigl(b + \sum_k \frac{w_k}{F}\sum_f \log\frac{p_{kf}(x)}{1 - p_{kf}(x)}
              \Bigr) .

    A table of more than 50,000 rows is sampled first: members and weights are found on 50,000 rows
    in half of the time, and the members with the largest weights are then trained on all rows, as
    many as can be. An interruption (Ctrl-C) after the first member ends the fit early.

    Parameters
    ----------
    estimators : list of (str, classifier)
        Members, quick ones first; X is passed to them unchanged. A parameter `max_seconds`, also of
        the last step of a pipeline, is set to the time that is left.
    time_budget : float, default=60.0
        Seconds for `fit`. The first member is finished in any case.
    alpha : float, default=0.01
        Penalty on the distance of the weights from their mean.
    cv : int or splitter, default=5
        Folds; at least two must be finished in time for a member to count.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the sample.

    Attributes
    ----------
    estimators_ : list of list of classifier
        Models of each member that was finished in time: one per fold, or one for all rows; none
        if its weight is zero.
    names_ : list of str
        Their names.
    weights_ : ndarray of shape (n_members,)
        Weights :math:`w`.
    intercept_ : float
        Intercept :math:`b`.
    held_out_loss_ : ndarray of shape (n_members,)
        Log loss of the blend on held-out rows after each member.
    seconds_ : ndarray of shape (n_members,)
        Time since the start at which each member was finished.
    classes_ : ndarray of shape (2,)
        Labels; `classes_[1]` is the positive class.

    Notes
    -----
    What can be finished depends on the machine, so results cannot be repeated exactly.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
    >>> TimedBlendClassifier(members, time_budget=20, random_state=0).fit(X, y).names_
    ['bayes', 'tree']
    """

    _file_state = {
        "estimators": MEMBERS,
        "classes_": labels(2),
        "intercept_": Number(),
        "weights_": Array("f8", ("m",)),
        "held_out_loss_": Array("f8", ("m",)),
        "seconds_": Array("f8", ("m",)),
        "names_": Listed(Text(), "m"),
        "estimators_": Listed(Listed(PROBABLE), "m"),
    }

    @staticmethod
    def _check_file_state(state, scope):
        weights = state.get("weights_", ())
        for member, weight in zip(state.get("estimators_", ()), weights, strict=True):
            if bool(member) != (weight > 0):
                raise Damaged("a member of a blend has a weight but no models, or no weight")
            for model in member:
                same_input(model, scope)
                same_classes(model, scope)

    _parameter_constraints = {
        "estimators": [list],
        "time_budget": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    def __init__(self, estimators, *, time_budget=60.0, alpha=0.01, cv=5, random_state=None):
        self.estimators = estimators
        self.time_budget = time_budget
        self.alpha = alpha
        self.cv = cv
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit as many members as the time allows, and their weights.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            Examples in any form that the members take.
        y : array-like of shape (n,)
            Labels of two classes.

        Returns
        -------
        self
        """
        start = time.monotonic()
        X = checked_for(self, X)
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        signs, n = code_labels(y)[1], row_count(X)
        end = start + SHARE * self.time_budget
        rows = None
        if n > SAMPLED:
            rows = _sample(signs, SAMPLED, self.random_state)
            self._blend(take_rows(X, rows), y[rows], signs[rows], start, (start + end) / 2)
            self._finish(X, y, start, end, n / len(rows))
        else:
            self._blend(X, y, signs, start, end)
        self.estimators_ = [
            models if weight > 0 else []
            for models, weight in zip(self.estimators_, self.weights_, strict=True)
        ]
        return self

    def decision_function(self, X):
        """Blended log-odds of the positive class.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = checked_for(self, X)
        used = [k for k, weight in enumerate(self.weights_) if weight > 0]
        total = np.full(row_count(X), float(self.intercept_))
        for k in used:
            models = self.estimators_[k]
            total += self.weights_[k] * np.mean([_log_odds(m, X) for m in models], axis=0)
        return total

    def log_odds_terms(self):
        """The sum that :meth:`decision_function` computes.

        Returns
        -------
        (float, float, list of (float, classifier))
            As in :class:`~stakes.decision.BlendClassifier`; one term for the model of each fold.
        """
        check_is_fitted(self)
        terms = [
            (float(weight) / len(models), model)
            for weight, models in zip(self.weights_, self.estimators_, strict=True)
            for model in models
        ]
        return float(self.intercept_), SMALLEST, terms

    def _blend(self, X, y, signs, start, end):
        """Members in order, while there is time; the weights after each."""
        cv = self.cv
        if isinstance(cv, int):
            few = int(min((signs > 0).sum(), (signs < 0).sum()))
            cv = StratifiedKFold(max(2, min(cv, few)), shuffle=True, random_state=self.random_state)
        folds = list(cv.split(X, y))
        held = np.concatenate([test for _, test in folds])
        found, columns, losses, seconds, self._each = [], [], [], [], []
        try:
            for name, member in self.estimators:
                now = time.monotonic()
                if found and (now >= end or not _worth_a_try(member, X, y, folds, end)):
                    continue
                done = _fit_folds(member, X, y, folds, end, must=not found)
                if done is None:
                    continue
                models, column, each = done
                found.append((name, models))
                columns.append(column)
                self._each.append(each)
                Z, t = np.column_stack(columns), signs[held]
                self.intercept_, self.weights_, _ = blend_weights(Z, t, self.alpha)
                losses.append(np.logaddexp(0, -t * (self.intercept_ + Z @ self.weights_)).mean())
                seconds.append(time.monotonic() - start)
        except KeyboardInterrupt:
            if not losses:
                raise
            warnings.warn("Interrupted: the members that were finished are used.", stacklevel=3)
            found = found[: len(losses)]
        self.names_ = [name for name, _ in found]
        self.estimators_ = [models for _, models in found]
        self.held_out_loss_, self.seconds_ = np.array(losses), np.array(seconds)
        self._take_over(self.estimators_[0][0])

    def _finish(self, X, y, start, end, factor):
        """Train the members with the largest weights on all rows; the others keep their models."""
        members = dict(self.estimators)
        for k in np.argsort(-self.weights_, kind="stable"):
            left = end - time.monotonic()
            if self.weights_[k] <= 0 or self._each[k] * factor * SLOW > left:
                continue
            member = _within(clone(members[self.names_[k]]), left)
            self.estimators_[k] = [member.fit(X, y)]
            self.seconds_[k] = time.monotonic() - start

    def __getstate__(self):
        return {key: value for key, value in super().__getstate__().items() if key != "_each"}


def _worth_a_try(member, X, y, folds, end):
    """Whether all folds would be finished in time, judged by a fit on a tenth of the rows."""
    train = folds[0][0]
    if len(train) < 5_000:  # the first fold says it soon enough
        return True
    rows = train[:: int(1 / TRIAL)]
    if len(np.unique(y[rows])) < 2:
        return True
    before = time.monotonic()
    _within(clone(member), (end - before) / 4).fit(take_rows(X, rows), y[rows])
    took = time.monotonic() - before
    return took / TRIAL * 0.5 * len(folds) < end - time.monotonic()


def _fit_folds(member, X, y, folds, end, must):
    """Models and held-out log-odds of all folds, and the time of one; None if time runs out."""
    models, column, each = [], [], 0.0
    for done, (train, test) in enumerate(folds):
        before = time.monotonic()
        if done and not must and before + each * (len(folds) - done) > end:
            return None
        limit = max((end - before) / (len(folds) - done), 1.0)
        model = _within(clone(member), limit).fit(take_rows(X, train), y[train])
        each = max(each, time.monotonic() - before)
        models.append(model)
        column.append(_log_odds(model, take_rows(X, test)))
    return models, np.concatenate(column), each


def _within(member, seconds):
    """A member that stops in time, if it has a parameter for that."""
    names = [name for name in member.get_params() if name.split("__")[-1] == "max_seconds"]
    return member.set_params(**dict.fromkeys(names, float(seconds)))


def _log_odds(model, X):
    return clipped_log_odds(model.predict_proba(X)[:, 1])


def _sample(signs, size, random_state):
    """A stratified sample of the rows, in order."""
    rng = np.random.default_rng(random_state if isinstance(random_state, int) else None)
    sides = [np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)]
    share = size / len(signs)
    drawn = [rng.choice(s, max(1, round(share * len(s))), replace=False) for s in sides]
    return np.sort(np.concatenate(drawn))
