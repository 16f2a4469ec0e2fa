"""Contestants that use the error bars of a table."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from stakes._core.deciding import takes_costs
from stakes._core.stored.spec import Array, Part, labels
from stakes.compare._contestants import Contestant
from stakes.costs import COST_NAMES
from stakes.decision import BayesDecisionClassifier
from stakes.uncertain import (
    UncertainKernelClassifier,
    UncertainLogisticClassifier,
    UncertainMarginClassifier,
)

SHRUNK = "logistic regression on shrunk means, Bayes decision"
CHOSEN = "error-bar learner chosen by likelihood"
FOLDS = 3


def error_bar_contestants():
    """The learners that use error bars, and the baseline that they have to beat.

    Returns
    -------
    list of Contestant

    Examples
    --------
    >>> [c.name for c in error_bar_contestants()][1:-1]
    ['UncertainLogisticClassifier', 'UncertainMarginClassifier', 'UncertainKernelClassifier']
    """
    shrunk = Pipeline([("shrink", ShrunkMeans()), ("learner", LogisticRegression(max_iter=2000))])
    margin = UncertainMarginClassifier(
        formulation="MM-MC", max_error=0.95, C=0.1, error_model="classical"
    )
    kernel = UncertainKernelClassifier(error_model="classical")
    candidates = [
        clone(one).set_params(C=factor * one.C)
        for one in (UncertainLogisticClassifier(C=0.1), margin, kernel)
        for factor in (0.1, 1.0, 10.0)
    ]
    return [
        Contestant(
            SHRUNK,
            "baseline",
            BayesDecisionClassifier(shrunk),
            {"estimator__learner__C": [0.01, 0.1, 1.0]},
            error_bars=True,
        ),
        Contestant(
            "UncertainLogisticClassifier",
            "uncertain",
            ErrorColumnsClassifier(UncertainLogisticClassifier()),
            {"estimator__C": [0.01, 0.1, 1.0]},
            error_bars=True,
        ),
        Contestant(
            "UncertainMarginClassifier",
            "uncertain",
            ErrorColumnsClassifier(margin),
            {"estimator__C": [0.01, 0.1, 1.0], "estimator__max_error": [0.5, 0.8, 0.95, 1.0]},
            error_bars=True,
        ),
        Contestant(
            "UncertainKernelClassifier",
            "uncertain",
            ErrorColumnsClassifier(kernel),
            {"estimator__C": [0.1, 1.0, 10.0]},
            max_rows=5000,
            speed="slow",
            error_bars=True,
        ),
        Contestant(
            CHOSEN,
            "uncertain",
            ErrorColumnsSearch(candidates),
            max_rows=5000,
            speed="slow",
            error_bars=True,
        ),
    ]


class ErrorColumnsClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of uncertain points for matrices that hold values and error bars side by side.

    So error bars stay with their rows in every split, search and model file.

    Parameters
    ----------
    estimator : classifier of uncertain points
        Takes the error bars by name.
    error_form : {"std", "interval"}, default="std"
        Columns of the matrix: values and standard errors, or values, lower and upper bounds.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : ndarray of shape (2,)
        Class labels.

    Examples
    --------
    >>> Z = [[0.0, 0.1], [1.0, 0.1], [2.0, 0.1], [3.0, 0.1]]
    >>> model = ErrorColumnsClassifier(UncertainLogisticClassifier()).fit(Z, [0, 0, 1, 1])
    >>> model.predict([[2.5, 0.1]]).tolist(), model.predict_certificate([[2.5, 9.0]]) > 0.3
    ([1], array([ True]))
    """

    certifies_rows = True  # read by `certified`
    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__predict = dict.fromkeys(COST_NAMES, True)
    _file_state = {
        "estimator_": Part(
            (
                "stakes.uncertain._kernel.UncertainKernelClassifier",
                "stakes.uncertain._logistic.UncertainLogisticClassifier",
                "stakes.uncertain._margin.UncertainMarginClassifier",
            )
        ),
        "classes_": labels(2),
    }

    def __init__(self, estimator, *, error_form="std"):
        self.estimator = estimator
        self.error_form = error_form

    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Fit the classifier to the values and their error bars."""
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        self.estimator_ = clone(self.estimator)
        costs = costs if takes_costs(self.estimator_, "fit") else {}
        values, std = self._split(X)
        with warnings.catch_warnings():
            # of a search, which then takes other settings
            warnings.filterwarnings("ignore", "The best classifier is constant")
            self.estimator_.fit(values, y, std=std, **costs)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row, with costs by least expected cost."""
        check_is_fitted(self)
        values, std = self._split(X)
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self.estimator_.predict(values, **costs, std=std)

    def _predict_from(self, probabilities, **given):
        return self.estimator_._predict_from(probabilities, **given)

    def predict_proba(self, X):
        """Probability of each class, given the error bar of the row."""
        check_is_fitted(self)
        values, std = self._split(X)
        return self.estimator_.predict_proba(values, std=std)

    def predict_certificate(self, X, **costs):
        """Bound on the probability that the measurement error has flipped the decision.

        For standard errors that of Gaussian errors, for intervals 0 or 1.
        """
        check_is_fitted(self)
        values, *blocks = blocks_of(X, self.error_form)
        if self.error_form == "interval":
            known = dict(lower=blocks[0], upper=blocks[1])
            return self.estimator_.predict_certificate(None, **known, **costs)
        kernel = isinstance(self.estimator_, UncertainKernelClassifier)
        how = {} if kernel else {"measure": "gaussian"}  # the only one of a kernel
        return self.estimator_.predict_certificate(values, std=blocks[0], **how, **costs)

    def _split(self, X):
        values, *blocks = blocks_of(X, self.error_form)
        return values, standard_errors(blocks)


class ErrorColumnsSearch(ErrorColumnsClassifier):
    """The classifier of uncertain points that gives held-out labels the highest likelihood.

    Which one is best depends on the shape of the classes; likelihood tells small differences better
    than costs, and probabilities that have it are good for decisions at any costs.

    Parameters
    ----------
    estimators : list of classifiers of uncertain points
        What to choose from.
    error_form : {"std", "interval"}, default="std"
        As in :class:`ErrorColumnsClassifier`.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Attributes
    ----------
    estimator_ : classifier
        The chosen one, fitted to all rows.
    classes_ : ndarray of shape (2,)
        Class labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2))
    >>> Z, y = np.hstack([X, np.full_like(X, 0.1)]), (np.hypot(*X.T) > 1.2).astype(int)
    >>> members = [UncertainLogisticClassifier(), UncertainKernelClassifier()]
    >>> type(ErrorColumnsSearch(members, random_state=0).fit(Z, y).estimator_).__name__
    'UncertainKernelClassifier'
    """

    chooses_by_likelihood = True  # so that `compare` adds no further inner folds

    def __init__(self, estimators, *, error_form="std", random_state=None):
        self.estimators = estimators
        self.error_form = error_form
        self.random_state = random_state

    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Choose a classifier in inner folds, and fit it to all rows; costs count in `predict`."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        members = [
            ErrorColumnsClassifier(one, error_form=self.error_form) for one in self.estimators
        ]
        best = members[0]
        if np.unique(y, return_counts=True)[1].min() >= FOLDS:
            best = min(members, key=lambda one: self._held_out_loss(one, X, y))
        best.fit(X, y)
        self.estimator_, self.classes_ = best.estimator_, best.classes_
        return self

    def _held_out_loss(self, member, X, y):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.random_state)
        p = np.empty((len(y), 2))
        for train, test in folds.split(X, y):
            p[test] = member.fit(X[train], y[train]).predict_proba(X[test])
        return log_loss(y, p)


class ShrunkMeans(TransformerMixin, BaseEstimator):
    r"""Values shrunk to their mean by their error bars, feature by feature.

    .. math:: \mu_j + \frac{\sigma_j^2}{\sigma_j^2 + s_{ij}^2}(x_{ij} - \mu_j) ,

    where :math:`\sigma_j^2` is the variance of the values minus the mean of :math:`s_{ij}^2`.

    Parameters
    ----------
    error_form : {"std", "interval"}, default="std"
        As in :class:`ErrorColumnsClassifier`.

    Attributes
    ----------
    mean_, var_ : ndarray of shape (d,)
        Mean and variance of the true values.

    Examples
    --------
    >>> ShrunkMeans().fit_transform([[-1.0, 0.0], [1.0, 1.0]])
    array([[-1.        ],
           [ 0.33333333]])
    """

    _file_state = {"mean_": Array("f8", ("d",)), "var_": Array("f8", ("d",), low=0)}

    def __init__(self, *, error_form="std"):
        self.error_form = error_form

    def fit(self, X, y=None):
        """Find the mean and the variance of the true values."""
        values, error = self._split(X)
        self.mean_, total = values.mean(axis=0), values.var(axis=0)
        self.var_ = np.maximum(total - (error**2).mean(axis=0), 0.01 * total)
        return self

    def transform(self, X):
        """Shrink the values; the error bars are dropped."""
        check_is_fitted(self)
        values, error = self._split(X)
        total = self.var_ + error**2
        share = np.divide(self.var_, total, out=np.ones_like(total), where=total > 0)
        return self.mean_ + share * (values - self.mean_)

    def _split(self, X):
        values, *blocks = blocks_of(X, self.error_form)
        return values, standard_errors(blocks)


def blocks_of(X, error_form):
    """Values and error bars of a matrix that holds them side by side."""
    X = np.asarray(X, dtype=np.float64)
    return np.split(X, 3 if error_form == "interval" else 2, axis=1)


def standard_errors(blocks):
    """Standard errors from their columns, or those of uniform distributions in the intervals."""
    return blocks[0] if len(blocks) == 1 else (blocks[1] - blocks[0]) / np.sqrt(12)
