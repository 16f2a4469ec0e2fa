"""Learners of matrices that hold values and error bars side by side."""

import warnings
from math import isqrt

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from stakes._core.deciding import takes_costs
from stakes._core.sklearn_private import HasMethods, StrOptions
from stakes._core.stored.spec import Array, Part, labels
from stakes.costs import COST_NAMES
from stakes.uncertain import UncertainKernelClassifier

ERROR_FORM = [StrOptions({"std", "interval", "cov"})]


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
    >>> from stakes.uncertain import UncertainLogisticClassifier
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


def blocks_of(X, error_form):
    """Values and error bars of a matrix that holds them side by side."""
    X = np.asarray(X, dtype=np.float64)
    width = X.shape[1]
    if error_form == "cov":
        d = (isqrt(1 + 4 * width) - 1) // 2
        _check_width(width, d + d * d, "covariance matrices")
        return [X[:, :d], X[:, d:].reshape(len(X), d, d)]
    blocks = 3 if error_form == "interval" else 2
    _check_width(width, blocks * (width // blocks), "intervals" if blocks == 3 else "error bars")
    return np.split(X, blocks, axis=1)


def _check_width(width, needed, what):
    if not width or width != needed:
        raise ValueError(f"X has {width} columns, which cannot be values and their {what}.")


def standard_errors(blocks):
    """Standard errors from their columns, or those of uniform distributions in the intervals."""
    if blocks[0].ndim == 3:
        return np.sqrt(np.diagonal(blocks[0], axis1=1, axis2=2))
    return blocks[0] if len(blocks) == 1 else (blocks[1] - blocks[0]) / np.sqrt(12)
