"""Contestants that use the error bars of a table."""

import warnings

import numpy as np
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from stakes._core.deciding import takes_costs
from stakes._core.sklearn_private import HasMethods, StrOptions
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Listed, Part, labels
from stakes.compare._contestants import Contestant
from stakes.compare._error_blocks import blocks_of, standard_errors
from stakes.costs import COST_NAMES, Costs
from stakes.decision import BayesDecisionClassifier
from stakes.uncertain import (
    UncertainKernelClassifier,
    UncertainLogisticClassifier,
    UncertainMarginClassifier,
)

SHRUNK = "logistic regression on shrunk means, Bayes decision"
BLEND = "mean of error-bar learners"
FOLDS = 3
DRAWS = 2000  # of each true point, for a certificate
ERROR_FORM = [StrOptions({"std", "interval", "cov"})]
DRAWN_BADLY = 1e-6  # probability that draws are so good that the bound is too small


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
    groups = [
        [ErrorColumnsClassifier(clone(one).set_params(C=C), uses_errors=uses) for C in values]
        for one, values, uses in (
            (UncertainLogisticClassifier(), (0.01, 0.1, 1.0), True),
            (UncertainKernelClassifier(), (0.1, 1.0, 10.0), True),
            (UncertainKernelClassifier(), (0.1, 1.0, 10.0), False),
        )
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
            BLEND,
            "uncertain",
            ErrorColumnsBlend(groups),
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
    error_form : {"std", "interval", "cov"}, default="std"
        Columns of the matrix: values and standard errors; values, lower and upper bounds; or values
        and the covariance matrix of their errors.
    uses_errors : bool, default=True
        Whether the error bars are used; if not, there are no certificates for standard errors.

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

    certifies_rows = property(lambda self: self.uses_errors)  # read by `certified`
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

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict_proba"])],
        "error_form": ERROR_FORM,
        "uses_errors": ["boolean"],
    }

    def __init__(self, estimator, *, error_form="std", uses_errors=True):
        self.estimator = estimator
        self.error_form = error_form
        self.uses_errors = uses_errors

    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Fit the classifier to the values and their error bars."""
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        self.estimator_ = clone(self.estimator)
        costs = costs if takes_costs(self.estimator_, "fit") else {}
        values, known = self._split(X)
        with warnings.catch_warnings():
            # of a search, which then takes other settings
            warnings.filterwarnings("ignore", "The best classifier is constant")
            self.estimator_.fit(values, y, **known, **costs)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row, with costs by least expected cost."""
        check_is_fitted(self)
        values, known = self._split(X)
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self.estimator_.predict(values, **costs, **known)

    def _predict_from(self, probabilities, **given):
        return self.estimator_._predict_from(probabilities, **given)

    def predict_proba(self, X):
        """Probability of each class, given the error bar of the row."""
        check_is_fitted(self)
        values, known = self._split(X)
        return self.estimator_.predict_proba(values, **known)

    def predict_certificate(self, X, **costs):
        """Bound on the probability that the measurement error has flipped the decision.

        For standard errors that of Gaussian errors, for intervals 0 or 1.
        """
        check_is_fitted(self)
        if not (self.uses_errors or self.error_form == "interval"):
            raise ValueError("A certificate needs the error bars; use uses_errors=True.")
        values, *blocks = blocks_of(X, self.error_form)
        if self.error_form == "interval":
            known = dict(lower=blocks[0], upper=blocks[1])
            return self.estimator_.predict_certificate(None, **known, **costs)
        kernel = isinstance(self.estimator_, UncertainKernelClassifier)
        how = {} if kernel else {"measure": "gaussian"}  # the only one of a kernel
        known = {self.error_form: blocks[0]}
        return self.estimator_.predict_certificate(values, **known, **how, **costs)

    def _split(self, X):
        values, *blocks = blocks_of(X, self.error_form)
        if self.uses_errors and self.error_form == "cov":
            return values, {"cov": blocks[0]}
        std = standard_errors(blocks) if self.uses_errors else np.zeros_like(values)
        return values, {"std": std}


class ErrorColumnsBlend(ClassifierMixin, BaseEstimator):
    """Mean of the probabilities of several classifiers of uncertain points.

    Which one is best depends on the shape of the classes and on what the error bars mean; the mean
    of a few is nearly as good as the best, and steadier than a choice. The settings of each are
    those that give held-out labels the highest likelihood, which tells small differences better
    than costs.

    Parameters
    ----------
    groups : list of lists of ErrorColumnsClassifier
        One classifier of each group is chosen.
    error_form : {"std", "interval", "cov"}, default="std"
        As in :class:`ErrorColumnsClassifier`.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Attributes
    ----------
    estimators_ : list of ErrorColumnsClassifier
        The chosen ones, fitted to all rows.
    classes_ : ndarray of shape (2,)
        Class labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2))
    >>> Z, y = np.hstack([X, np.full_like(X, 0.1)]), (np.hypot(*X.T) > 1.2).astype(int)
    >>> kernels = [ErrorColumnsClassifier(UncertainKernelClassifier(C=C)) for C in (1e-3, 10.0)]
    >>> lines = [ErrorColumnsClassifier(UncertainLogisticClassifier())]
    >>> model = ErrorColumnsBlend([lines, kernels], random_state=0).fit(Z, y)
    >>> model.estimators_[1].estimator.C
    10.0
    """

    certifies_rows = True
    chooses_by_likelihood = True  # so that `compare` adds no further inner folds
    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__predict = dict.fromkeys(COST_NAMES, True)
    _file_state = {
        "estimators_": Listed(Part(("stakes.compare._error_bars.ErrorColumnsClassifier",))),
        "classes_": labels(2),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if not state.get("estimators_", [None]):
            raise Damaged("a blend has no members")

    _parameter_constraints = {
        "groups": [list],
        "error_form": ERROR_FORM,
        "random_state": ["random_state"],
    }

    def __init__(self, groups, *, error_form="std", random_state=None):
        self.groups = groups
        self.error_form = error_form
        self.random_state = random_state

    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Choose in inner folds, and fit what was chosen to all rows; costs count in `predict`."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.estimators_ = []
        for group in self.groups:
            group = [clone(one).set_params(error_form=self.error_form) for one in group]
            best = group[0]
            if len(group) > 1 and np.unique(y, return_counts=True)[1].min() >= FOLDS:
                best = min(group, key=lambda one: self._held_out_loss(one, X, y))
            self.estimators_.append(best.fit(X, y))
        self.classes_ = self.estimators_[0].classes_
        return self

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row: by least expected cost, without costs for the likelier class."""
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self._predict_from(self.predict_proba(X), **costs)

    def _predict_from(self, probabilities, **given):
        positive = probabilities[:, 1] > self._break_even(len(probabilities), given)
        return self.classes_[positive.astype(np.intp)]

    def predict_proba(self, X):
        """Probability of each class: the mean of all."""
        check_is_fitted(self)
        return np.mean([one.predict_proba(X) for one in self.estimators_], axis=0)

    def predict_certificate(self, X, **costs):
        """Bound on the probability that the measurement error has flipped the decision.

        For standard errors: true points are drawn as the first classifier sees them, with Gaussian
        errors, and the bound is the upper confidence limit of the share that is decided otherwise
        (Clopper and Pearson, exceeded with a probability of 1e-6), which is at least 0.007. For
        intervals 0 where every classifier is sure of the decision, and else 1.
        """
        decided = self.predict(X, **costs)
        if self.error_form == "interval":
            sure = [
                (one.predict_certificate(X, **costs) == 0) & (one.predict(X, **costs) == decided)
                for one in self.estimators_
            ]
            return np.where(np.all(sure, axis=0), 0.0, 1.0)
        values, errors = blocks_of(X, self.error_form)
        first, draw = self.estimators_[0].estimator_, np.random.default_rng(0).standard_normal
        normal = draw((DRAWS, values.shape[1]))
        positive, least = decided == self.classes_[1], self._break_even(len(values), costs)
        turned = [
            ((self._exact(points) > least[i]) != positive[i]).sum()
            for i, points in enumerate(
                first._true_points(values, normal, **{self.error_form: errors})
            )
        ]
        turned = np.array(turned, dtype=float)
        limit = beta.ppf(1 - DRAWN_BADLY, turned + 1, np.maximum(DRAWS - turned, 1))
        return np.where(turned < DRAWS, limit, 1.0)

    def _exact(self, points):
        """Probability of the positive class at exact points."""
        return np.mean([one.estimator_._exact_probability(points) for one in self.estimators_], 0)

    def _break_even(self, n, costs):
        if all(cost is None for cost in costs.values()):
            return np.full(n, 0.5)
        return np.broadcast_to(Costs.of(n, **costs).break_even, (n,))

    def _held_out_loss(self, member, X, y):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.random_state)
        p = np.empty((len(y), 2))
        for train, test in folds.split(X, y):
            p[test] = clone(member).fit(X[train], y[train]).predict_proba(X[test])
        return log_loss(y, p)


class ShrunkMeans(TransformerMixin, BaseEstimator):
    r"""Values shrunk to their mean by their error bars, feature by feature.

    .. math:: \mu_j + \frac{\sigma_j^2}{\sigma_j^2 + s_{ij}^2}(x_{ij} - \mu_j) ,

    where :math:`\sigma_j^2` is the variance of the values minus the mean of :math:`s_{ij}^2`.

    Parameters
    ----------
    error_form : {"std", "interval", "cov"}, default="std"
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
    _parameter_constraints = {"error_form": ERROR_FORM}

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
