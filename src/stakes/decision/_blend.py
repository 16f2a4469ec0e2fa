"""Several probabilities as one: a weighted sum of log-odds, weighted on rows not seen."""

from numbers import Integral, Real

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, check_cv, cross_val_predict
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from stakes._core.sklearn_private import BaseComposition, Interval, fit_context
from stakes.decision._wrapper import two_classes

_SMALLEST = 1e-4  # a member that is surer than this is not believed further


class BlendClassifier(ClassifierMixin, MetaEstimatorMixin, BaseComposition):
    r"""Blend the probabilities of several classifiers into one that is as good as the best.

    With the members' probabilities :math:`p_k(x)` of the positive class,

    .. math:: p(x) = \sigma\Bigl(b + \sum_k w_k \log\frac{p_k(x)}{1 - p_k(x)}\Bigr),
              \qquad w \ge 0 ,

    where :math:`b, w` minimise the log loss of the members' answers to rows that they were not
    trained on, plus :math:`\alpha \sum_k (w_k - 1/K)^2`, which draws the weights to the plain mean
    where the rows do not say otherwise. A member that is too sure of itself gets a smaller weight,
    one that the others make needless gets none: no choice between them has to be made.

    Parameters
    ----------
    estimators : list of (str, classifier)
        The members; each gives `predict_proba` and sees X as it comes.
    alpha : float, default=0.001
        How strongly the weights are drawn to the mean.
    cv : int, splitter or iterable, default=5
        The folds in which members answer for rows they have not seen. A number means stratified
        folds of shuffled rows: in a table sorted by time others would weigh the members' answers
        to another time.
    random_state : int, RandomState or None, default=0
        How rows are shuffled if `cv` is a number.

    Attributes
    ----------
    estimators_ : list of classifier
        The members, fitted on all rows.
    weights_ : ndarray of shape (n_members,)
        The weights :math:`w`.
    intercept_ : float
        The intercept :math:`b`.
    gradient_norm_ : float
        Largest entry of the projected gradient at the weights: zero at the minimum.
    classes_ : ndarray of shape (2,)
        Labels; `classes_[1]` is the positive one.
    n_features_in_, feature_names_in_ : int, ndarray
        Of the members, where they have them.

    Notes
    -----
    Members are trained :math:`K (\text{folds} + 1)` times in all. Probabilities beyond 0.0001 and
    0.9999 count as these.

    References
    ----------
    .. [1] L. Breiman. "Stacked Regressions". Machine Learning 24, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> members = [("stump", DecisionTreeClassifier(max_depth=1)),
    ...            ("ridge", LogisticRegression(solver="newton-cholesky"))]
    >>> BlendClassifier(members).fit(X, y).weights_.round(1)
    array([0. , 0.9])
    """

    _parameter_constraints = {
        "estimators": [list],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    def __init__(self, estimators, *, alpha=1e-3, cv=5, random_state=0):
        self.estimators = estimators
        self.alpha = alpha
        self.cv = cv
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Weigh the members on rows they have not seen, then fit them on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, as the members take them.
        y : array-like of shape (n,)
            Their labels, of two classes.

        Returns
        -------
        self
        """
        self._check_members()
        check_classification_targets(y)
        y, signs = two_classes(y)
        members = [member for _, member in self.estimators]
        cv = self.cv
        if isinstance(cv, Integral):
            cv = StratifiedKFold(cv, shuffle=True, random_state=self.random_state)
        folds = list(check_cv(cv, y, classifier=True).split(X, y))
        unseen = [
            cross_val_predict(clone(member), X, y, cv=folds, method="predict_proba")[:, 1]
            for member in members
        ]
        self.intercept_, self.weights_, self.gradient_norm_ = _weigh(
            _log_odds(unseen), signs, self.alpha
        )
        self.estimators_ = [clone(member).fit(X, y) for member in members]
        self.classes_ = self.estimators_[0].classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimators_[0], name):
                setattr(self, name, getattr(self.estimators_[0], name))
        return self

    def decision_function(self, X):
        """The blended log-odds of the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        given = [member.predict_proba(X)[:, 1] for member in self.estimators_]
        return self.intercept_ + _log_odds(given) @ self.weights_

    def predict_proba(self, X):
        """The blended probabilities of both classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        p = expit(self.decision_function(X))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        """The likelier class of each row; for prices see `BayesDecisionClassifier`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        likelier = (self.decision_function(X) > 0).astype(int)
        return self.classes_[likelier]

    def get_params(self, deep=True):
        """Parameters of the blend and, by their names, of its members."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params):
        """Set parameters of the blend or of its members."""
        self._set_params("estimators", **params)
        return self

    def _check_members(self):
        if not self.estimators:
            raise ValueError("estimators is empty; give at least one (name, classifier).")
        self._validate_names([name for name, _ in self.estimators])
        for name, member in self.estimators:
            if not hasattr(member, "predict_proba"):
                raise ValueError(
                    f"The member {name!r} gives no probabilities; wrap it in "
                    "BayesDecisionClassifier(..., calibration='sigmoid')."
                )

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        inner = [get_tags(member).input_tags for _, member in self.estimators]
        tags.input_tags.allow_nan = all(one.allow_nan for one in inner)
        tags.input_tags.sparse = all(one.sparse for one in inner)
        return tags


def _log_odds(probabilities):
    return logit(np.clip(np.column_stack(probabilities), _SMALLEST, 1 - _SMALLEST))


def _weigh(Z, signs, alpha):
    """Intercept, non-negative weights, and the norm of the projected gradient."""
    n, k = Z.shape
    signed = signs[:, None] * np.column_stack([np.ones(n), Z])
    mean = np.r_[0.0, np.full(k, 1 / k)]
    pulled = np.r_[0.0, np.full(k, alpha)]

    def loss(theta):
        margin = signed @ theta
        gradient = -signed.T @ expit(-margin) / n + 2 * pulled * (theta - mean)
        value = np.logaddexp(0, -margin).mean() + pulled @ (theta - mean) ** 2
        return value, gradient

    bounds = [(None, None)] + [(0, None)] * k
    found = minimize(
        loss, mean, jac=True, bounds=bounds, method="L-BFGS-B", options={"gtol": 1e-8, "ftol": 0}
    )
    theta, gradient = found.x, loss(found.x)[1]
    blocked = (theta <= 0) & (gradient > 0) & (np.arange(k + 1) > 0)
    return float(theta[0]), theta[1:], float(np.abs(np.where(blocked, 0, gradient)).max())
