"""One threshold for all rows, tuned on cost with scores of rows that the model has not seen."""

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from stakes._core.deciding import only_scores_count, row_count
from stakes._core.sklearn_private import fit_context
from stakes.costs import COST_NAMES
from stakes.decision._cost_curve import threshold_curve
from stakes.decision._wrapper import DecisionClassifier, check_costs_of_fit, two_classes


class ThresholdDecisionClassifier(DecisionClassifier):
    r"""Any two-class scorer with the one threshold that would have cost least.

    With scores :math:`s_i` of rows that the scoring model was not fitted on (cross-validation) it
    solves exactly, by one sort,

    .. math:: \min_\theta \sum_i w_i\, c_i(s_i > \theta) ,

    where :math:`c_i` is what the decision costs on row i. For prices that hold for all rows, or
    that are known for past rows only; where each row's price is known when it is decided,
    :class:`BayesDecisionClassifier` loses less.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba` or `decision_function`; it need not be calibrated.
    cv : int, splitter or iterable, default=5
        The folds whose held-out scores tune the threshold.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        Costs for a `fit` that is given none.

    Attributes
    ----------
    threshold_ : float
        A score above it is decided positive; infinite if a trivial policy was cheapest.
    cost_ : float
        Mean cost per (weighted) row at the threshold, out of fold.
    thresholds_, costs_ : ndarray of shape (m,)
        Every threshold that decides the rows differently, with its mean cost.
    estimator_ : estimator
        The inner estimator, fitted on all rows.
    classes_ : ndarray of shape (2,)
        Labels; `classes_[1]` is the positive one.
    n_features_in_, feature_names_in_
        Of the inner estimator, where it has them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> y = X[:, 0] + rng.normal(size=200) > 1
    >>> model = ThresholdDecisionClassifier(LogisticRegression(), fn_cost=9.0).fit(X, y)
    >>> round(model.threshold_, 3), round(model.cost_, 2)
    (0.151, 0.46)
    """

    # the threshold is one for all rows, so predict takes no costs
    __metadata_request__predict = dict.fromkeys(COST_NAMES, UNUSED)

    def __init__(self, estimator, *, cv=5, fp_cost=1.0, fn_cost=1.0, tp_cost=0.0, tn_cost=0.0):
        self.estimator = estimator
        self.cv = cv
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Tune the threshold out of fold, then fit the inner estimator on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, as the inner estimator takes them.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), default=None
            Handed on if the inner estimator takes it, and multiplied to the costs.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the threshold is tuned on; handed on if the inner estimator takes them.

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        check_costs_of_fit(self, X, costs)
        y, signs = two_classes(y)
        params = self._fit_params(sample_weight, costs)
        method = self._score_method(self.estimator)
        with only_scores_count():
            held_out = cross_val_predict(
                self.estimator, X, y, cv=self.cv, method=method, params=params or None
            )
            self.estimator_ = clone(self.estimator).fit(X, y, **params)
        prices = self._costs_of(row_count(X), **costs)
        curve = threshold_curve(_positive_column(held_out), signs > 0, prices, sample_weight)
        total = row_count(X) if sample_weight is None else np.asarray(sample_weight).sum()
        self.threshold_ = float(curve.thresholds[curve.best])
        self.thresholds_, self.costs_ = curve.thresholds, curve.costs / total
        self.cost_ = float(self.costs_[curve.best])
        self._take_over(self.estimator_)
        return self

    def predict(self, X):
        """Decide for each row of X by the tuned threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
            Labels out of `classes_`.
        """
        positive = self._scores(X) > self.threshold_
        return self.classes_[positive.astype(np.intp)]

    def decision_function(self, X):
        """How far each score lies above the threshold; positive where `predict` says positive.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
            Finite and in the order of the scores, also if the threshold is infinite.
        """
        scores = self._scores(X)
        if np.isfinite(self.threshold_):
            return scores - self.threshold_
        side = np.sign(self.threshold_)
        return -side * _always_positive(-side * scores)

    def _scores(self, X):
        check_is_fitted(self)
        return _positive_column(getattr(self.estimator_, self._score_method(self.estimator_))(X))

    def _score_method(self, estimator):
        for method in ("predict_proba", "decision_function"):
            if hasattr(estimator, method):
                return method
        raise ValueError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function, so there "
            "is no score to put a threshold on."
        )


def _positive_column(scores):
    scores = np.asarray(scores)
    return scores[:, 1] if scores.ndim == 2 else scores


def _always_positive(scores):
    """A map that rises with the scores and is positive everywhere."""
    return np.maximum(scores, 0.0) + 1.0 / (1.0 + np.maximum(-scores, 0.0))
