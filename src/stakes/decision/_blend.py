"""Blend of several classifiers: a weighted sum of their log-odds."""

from numbers import Integral, Real

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from stakes._core.intake import check_weights, checked_for
from stakes._core.log_odds import SMALLEST, LogOddsBlend, clipped_log_odds
from stakes._core.sklearn_private import Interval, fit_context, routing_enabled
from stakes._core.stored.spec import FIGURE, MEMBERS, PROBABLE, Array, Listed, Number, labels
from stakes._core.stored.state import same_classes, same_input
from stakes.decision._held_out import folds_of, held_out
from stakes.decision._wrapper import inner_fit_params, two_classes


class BlendClassifier(LogOddsBlend):
    r"""Blend of the probabilities of several classifiers.

    With the members' probabilities :math:`p_k(x)` of the positive class,

    .. math:: p(x) = \sigma\Bigl(b + \sum_k w_k \log\frac{p_k(x)}{1 - p_k(x)}\Bigr),
              \qquad w \ge 0 ,

    where :math:`b, w` minimize the log loss of held-out predictions plus
    :math:`\alpha \sum_k (w_k - 1/K)^2`, which pulls the weights towards the plain mean.
    Overconfident members get smaller weights, redundant ones get none, so no model has to be
    selected.

    Parameters
    ----------
    estimators : list of (str, classifier)
        Members, with `predict_proba`; X is passed to them unchanged.
    alpha : float, default=0.001
        Penalty on the distance of the weights from their mean.
    cv : int, splitter or iterable, default=5
        Folds for the held-out predictions. A number means stratified folds of shuffled rows, so
        that a table sorted by time is not split by time. Rows that the folds never hold out (see
        :class:`stakes.tables.TimeGroupSplit`) have no part in the weights.
    random_state : int, RandomState or None, default=None
        Random state of the shuffling if `cv` is a number.

    Attributes
    ----------
    estimators_ : list of classifier
        Members, fitted on all rows.
    weights_ : ndarray of shape (n_members,)
        Weights :math:`w`.
    intercept_ : float
        Intercept :math:`b`.
    gradient_norm_ : float
        Largest entry of the projected gradient at the solution; zero at the minimum.
    classes_ : ndarray of shape (2,)
        Labels; `classes_[1]` is the positive class.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of the members, if they have them.

    Notes
    -----
    The K members are trained :math:`K (\text{folds} + 1)` times in total. Their probabilities are
    clipped to [0.0001, 0.9999].

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
    >>> BlendClassifier(members, random_state=0).fit(X, y).weights_.round(1)
    array([0. , 0.9])
    """

    _file_state = {
        "estimators": MEMBERS,
        "classes_": labels(2),
        "intercept_": Number(),
        "weights_": Array("f8", ("m",)),
        "gradient_norm_": FIGURE,
        "estimators_": Listed(PROBABLE, "m"),
    }

    @staticmethod
    def _check_file_state(state, scope):
        for member in state.get("estimators_", ()):
            same_input(member, scope)
            same_classes(member, scope)

    _parameter_constraints = {
        "estimators": [list],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    def __init__(self, estimators, *, alpha=1e-3, cv=5, random_state=None):
        self.estimators = estimators
        self.alpha = alpha
        self.cv = cv
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Find the weights from held-out predictions, then fit the members on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples in any form that the members take.
        y : array-like of shape (n,)
            Labels of two classes.
        sample_weight : array-like of shape (n,), default=None
            Weights of the examples in the log loss; also passed to members that take them.

        Returns
        -------
        self
        """
        self._check_members()
        X = checked_for(self, X, fitting=True)
        check_classification_targets(y)
        y, signs = two_classes(y)
        members = [member for _, member in self.estimators]
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, X, ensure_non_negative=True)
        params = [_fit_params(member, sample_weight) for member in members]
        cv = self.cv
        if isinstance(cv, Integral):
            cv = StratifiedKFold(cv, shuffle=True, random_state=self.random_state)
        how = (*folds_of(cv, X, y), "predict_proba")
        found = [
            held_out(clone(member), X, y, *how, given)
            for member, given in zip(members, params, strict=True)
        ]
        rows = found[0][0]
        self.intercept_, self.weights_, self.gradient_norm_ = blend_weights(
            clipped_log_odds(np.column_stack([given[:, 1] for _, given in found])),
            signs[rows],
            self.alpha,
            None if sample_weight is None else sample_weight[rows],
        )
        return self._fit_members(X, y, params)

    def fit_members(self, X, y, sample_weight=None):
        """Fit the members again and keep the weights of the blend.

        For rows of which some are copies of others: held-out predictions would flatter the members
        that remember rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples in any form that the members take.
        y : array-like of shape (n,)
            Labels of the two classes.
        sample_weight : array-like of shape (n,), default=None
            Weights of the examples, passed to members that take them.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        X = checked_for(self, X)
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, X, ensure_non_negative=True)
        params = [_fit_params(member, sample_weight) for _, member in self.estimators]
        return self._fit_members(X, two_classes(y)[0], params)

    def _fit_members(self, X, y, params):
        self.estimators_ = [
            clone(member).fit(X, y, **given)
            for (_, member), given in zip(self.estimators, params, strict=True)
        ]
        self._take_over(self.estimators_[0])
        return self

    def decision_function(self, X):
        """Blended log-odds of the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = checked_for(self, X)
        given = [member.predict_proba(X)[:, 1] for member in self.estimators_]
        return self.intercept_ + clipped_log_odds(np.column_stack(given)) @ self.weights_

    def log_odds_terms(self):
        """The sum that :meth:`decision_function` computes.

        Returns
        -------
        (float, float, list of (float, classifier))
            The intercept; the smallest probability, to which those of the members are clipped, as
            to one minus it; and the weight of each fitted member.
        """
        check_is_fitted(self)
        terms = zip(self.weights_.tolist(), self.estimators_, strict=True)
        return float(self.intercept_), SMALLEST, list(terms)

    def _check_members(self):
        if not self.estimators:
            raise ValueError("estimators is empty; give at least one (name, classifier).")
        self._validate_names([name for name, _ in self.estimators])
        for name, member in self.estimators:
            if not hasattr(member, "predict_proba"):
                raise ValueError(
                    f"The member {name!r} does not predict probabilities; wrap it in "
                    "BayesDecisionClassifier(..., calibration='sigmoid')."
                )


def _fit_params(member, sample_weight):
    """Arguments of `fit`: by routing if enabled, else by its signature."""
    if routing_enabled():
        return {} if sample_weight is None else {"sample_weight": sample_weight}
    return inner_fit_params(member, sample_weight=sample_weight)


def blend_weights(Z, signs, alpha, sample_weight=None):
    """Weights of a blend that minimize its penalized log loss, see :class:`BlendClassifier`.

    Parameters
    ----------
    Z : ndarray of shape (n, k)
        Log-odds of the members for held-out rows.
    signs : ndarray of shape (n,)
        -1 or +1.
    alpha : float
        Penalty on the distance of the weights from their mean.
    sample_weight : ndarray of shape (n,), default=None
        Weights of the rows.

    Returns
    -------
    (float, ndarray of shape (k,), float)
        The intercept, the non-negative weights, and the norm of the projected gradient.
    """
    n, k = Z.shape
    total = n if sample_weight is None else sample_weight.sum()
    signed = signs[:, None] * np.column_stack([np.ones(n), Z])
    mean = np.r_[0.0, np.full(k, 1 / k)]
    pulled = np.r_[0.0, np.full(k, alpha)]

    def loss(theta):
        margin = signed @ theta
        pull, losses = expit(-margin), np.logaddexp(0, -margin)
        if sample_weight is not None:
            pull, losses = sample_weight * pull, sample_weight * losses
        gradient = -signed.T @ pull / total + 2 * pulled * (theta - mean)
        value = losses.sum() / total + pulled @ (theta - mean) ** 2
        return value, gradient

    bounds = [(None, None)] + [(0, None)] * k
    found = minimize(
        loss, mean, jac=True, bounds=bounds, method="L-BFGS-B", options={"gtol": 1e-8, "ftol": 0}
    )
    theta, gradient = found.x, loss(found.x)[1]
    # at a bound, only a gradient that points inside is left to follow
    blocked = (theta <= 0) & (gradient > 0) & (np.arange(k + 1) > 0)
    return float(theta[0]), theta[1:], float(np.abs(np.where(blocked, 0, gradient)).max())
