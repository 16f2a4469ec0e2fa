"""A single threshold, tuned for the least cost on held-out scores."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from stakes._core.deciding import only_scores_count, row_count
from stakes._core.docs import documented
from stakes._core.intake import checked_for
from stakes._core.sklearn_private import fit_context
from stakes._core.stored.spec import FIGURE, Array, Number
from stakes.costs import COST_NAMES
from stakes.decision._held_out import folds_of, held_out, random_folds
from stakes.decision._wrapper import DecisionClassifier, check_costs_of_fit, two_classes


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """Total cost as a function of the threshold; a score above it is positive.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        From plus infinity (none positive) through the midpoints between neighboring scores to
        minus infinity (all positive).
    costs : ndarray of shape (m,)
        Total cost at each threshold.
    at_stake : float
        Weighted sum of the regrets: the cost of all wrong decisions minus that of all correct
        ones.
    """

    thresholds: np.ndarray
    costs: np.ndarray
    at_stake: float

    @property
    def best(self):
        """Index of the least cost; among equal ones, that with the fewest positive decisions."""
        # costs that differ by rounding only are equal, so the choice does not depend on the
        # currency
        return int(np.argmax(self.costs <= self.costs.min() + 1e-12 * self.at_stake))


def threshold_curve(scores, positive, costs, sample_weight=None):
    """Total cost of every threshold that decides the rows differently, in O(n log n).

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite scores, larger for the positive class.
    positive : array-like of bool of shape (n,)
        Which rows are positive.
    costs : Costs
        Costs of the n rows.
    sample_weight : array-like of shape (n,), default=None
        Factors on the costs of the rows; None: all one.

    Returns
    -------
    ThresholdCurve

    Examples
    --------
    >>> from stakes.costs import Costs
    >>> curve = threshold_curve([0.2, 0.4, 0.9], [False, True, True], Costs.of(3, fn_cost=5.0))
    >>> curve.thresholds.round(2).tolist(), curve.costs.tolist()
    ([inf, 0.65, 0.3, -inf], [10.0, 5.0, 0.0, 1.0])
    >>> curve.thresholds[curve.best].round(2).item()
    0.3
    """
    scores, positive = np.asarray(scores, np.float64), np.asarray(positive, bool)
    if not np.isfinite(scores).all():
        raise ValueError(
            f"scores has {(~np.isfinite(scores)).sum()} missing or infinite value(s); fix them or "
            "drop these rows."
        )
    weight = np.ones(len(scores))
    if sample_weight is not None:
        weight = np.asarray(sample_weight, np.float64)
    at_score, totals = costs.by_threshold(scores, positive, weight)
    above, below = at_score[1:-1], at_score[2:]
    middle = below + (above - below) / 2
    middle = np.where(middle >= above, below, middle)  # adjacent floats have no midpoint
    return ThresholdCurve(
        np.concatenate([[np.inf], middle, [-np.inf]]),
        totals,
        float(np.abs(weight * costs.regret(positive)).sum()),
    )


@documented()
class ThresholdDecisionClassifier(DecisionClassifier):
    r"""Any two-class classifier with the threshold of least cost.

    With held-out scores :math:`s_i` (cross-validation) it solves exactly, with one sort,

    .. math:: \min_\theta \sum_i w_i\, c_i(s_i > \theta) ,

    where :math:`c_i` is the cost of the decision on row i. Use it if all rows have the same costs
    or if costs are known for past rows only; if the costs of each row are known when it is
    decided, :class:`BayesDecisionClassifier` usually costs less.

    Parameters
    ----------
    estimator : classifier
        Classifier with `predict_proba` or `decision_function`; it need not be calibrated.
    cv : int, splitter or iterable, default=5
        Folds for the held-out scores; a number of stratified folds of random rows.
    [costs]
    random_state : int, RandomState or None, default=None
        Random state of the folds if `cv` is a number; None: always the same folds.

    Attributes
    ----------
    threshold_ : float
        Scores above it are positive; infinite if a constant policy was cheapest.
    cost_ : float
        Mean held-out cost at the threshold.
    thresholds_, costs_ : ndarray of shape (m,)
        All thresholds that decide the rows differently, and their mean held-out costs.
    estimator_ : estimator
        Inner estimator, fitted on all rows.
    classes_ : ndarray of shape (2,)
        Labels; `classes_[1]` is the positive class.
    n_features_in_, feature_names_in_
        Those of the inner estimator, if it has them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> y = X[:, 0] + rng.normal(size=200) > 1
    >>> model = ThresholdDecisionClassifier(LogisticRegression(), fn_cost=9.0).fit(X, y)
    >>> round(model.threshold_, 3), round(model.cost_, 2)
    (0.14, 0.45)
    """

    _file_state = {
        "threshold_": Number(infinite=True),
        "cost_": FIGURE,
        "thresholds_": Array("f8", ("t",), infinite=True),
        "costs_": Array("f8", ("t",)),
    }

    _parameter_constraints = {
        **DecisionClassifier._parameter_constraints,
        "random_state": ["random_state"],
    }
    # the threshold is fixed in fit, so predict takes no costs
    __metadata_request__predict = dict.fromkeys(COST_NAMES, UNUSED)

    def __init__(
        self,
        estimator,
        *,
        cv=5,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        random_state=None,
    ):
        self.estimator = estimator
        self.cv = cv
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Tune the threshold on held-out scores, then fit the inner estimator on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples in any form that the inner estimator takes.
        y : array-like of shape (n,)
            Labels.
        [sample_weight]
            Also passed to an inner estimator that takes it.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            Costs for which the threshold is tuned, also passed to an inner estimator that takes
            them; None: the constructor's.

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        X = checked_for(self.estimator, X, fitting=True)
        check_costs_of_fit(self, X, costs)
        y, signs = two_classes(y)
        params = self._fit_params(sample_weight, costs)
        method = self._score_method(self.estimator)
        with only_scores_count():
            folds = folds_of(random_folds(self.cv, self.random_state), X, y)
            rows, scores = held_out(self.estimator, X, y, *folds, method, params)
            self.estimator_ = clone(self.estimator).fit(X, y, **params)
        prices = self._costs_of(row_count(X), **costs)[rows]
        weight = np.ones(row_count(X)) if sample_weight is None else np.asarray(sample_weight)
        weight = weight[rows]
        curve = threshold_curve(_positive_column(scores), signs[rows] > 0, prices, weight)
        total = weight.sum()
        self.threshold_ = float(curve.thresholds[curve.best])
        self.thresholds_, self.costs_ = curve.thresholds, curve.costs / total
        self.cost_ = float(self.costs_[curve.best])
        self._take_over(self.estimator_)
        return self

    def predict(self, X):
        """Decide for each row of X with the tuned threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
            Labels from `classes_`.
        """
        positive = self._scores(X) > self.threshold_
        return self.classes_[positive.astype(np.intp)]

    def decision_function(self, X):
        """Distance of each score above the threshold; positive where the decision is.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
            Finite and in the order of the scores, even if the threshold is infinite.
        """
        scores = self._scores(X)
        if np.isfinite(self.threshold_):
            return scores - self.threshold_
        side = np.sign(self.threshold_)
        return -side * _always_positive(-side * scores)

    def _scores(self, X):
        check_is_fitted(self)
        X = checked_for(self.estimator, X)
        return _positive_column(getattr(self.estimator_, self._score_method(self.estimator_))(X))

    def _score_method(self, estimator):
        for method in ("predict_proba", "decision_function"):
            if hasattr(estimator, method):
                return method
        raise ValueError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function; a "
            "threshold needs one of them."
        )


def _positive_column(scores):
    scores = np.asarray(scores)
    return scores[:, 1] if scores.ndim == 2 else scores


def _always_positive(scores):
    """Increasing map from the scores to positive numbers."""
    return np.maximum(scores, 0.0) + 1.0 / (1.0 + np.maximum(-scores, 0.0))
