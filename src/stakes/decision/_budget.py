"""Decisions with a limited number of alerts, and with reviews."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.utils.metadata_routing import UNUSED

from stakes._core.docs import documented
from stakes._core.sklearn_private import Interval
from stakes.costs import COST_NAMES
from stakes.decision._bayes import BayesDecisionClassifier
from stakes.decision._capacity import Capacity
from stakes.decision._wrapper import two_classes

_LIMIT = [Interval(Integral, 0, None, closed="left"), Interval(Real, 0, 1, closed="both")]


@dataclass(frozen=True, eq=False)
class Decisions:
    """Three-way decisions and their expected costs.

    Attributes
    ----------
    action : ndarray of shape (n,) of int
        1: positive (alert); 0: negative; -1: review.
    expected_cost : ndarray of shape (n,)
        Expected cost of the action, including the cost of a review.
    probability : ndarray of shape (n,)
        Probability of the positive class.
    """

    action: np.ndarray
    expected_cost: np.ndarray
    probability: np.ndarray

    def __len__(self):
        return len(self.action)


@documented()
class BudgetDecisionClassifier(BayesDecisionClassifier):
    r"""Any two-class classifier with a limited number of alerts, and with reviews.

    In one call of `predict`, at most `max_alerts` rows are positive: those with the largest
    expected saving of an alert,

    .. math:: a_i = p_i\,(fn_i - tp_i) - (1 - p_i)(fp_i - tn_i) ,

    and only where :math:`a_i > 0`. `decide` has a third action: a review costs `review_cost` and
    finds the true class, so its expected saving is :math:`r_i = p_i\,(fn_i - tp_i) - review_i`. It
    is chosen where either decision has a higher expected cost. With limits on both, the total
    saving is optimal, not greedy.

    Parameters
    ----------
    estimator : classifier
        As in :class:`BayesDecisionClassifier`, two classes only.
    max_alerts : int or float, default=1.0
        Maximum number (int) or share (float in [0, 1], rounded down) of positive decisions in one
        call. 1 is one alert, 1.0 is no limit.
    review_cost : float, default=None
        Cost of a review; None: no reviews unless `decide` is given a cost.
    max_reviews : int or float, default=1.0
        Maximum number or share of reviews in one call.
    calibration, cv, prior, training_prior, costs_in_training
        As in :class:`BayesDecisionClassifier`.
    [costs]
    cost_matrix : array-like of shape (2, 2), default=None
        The four costs as a matrix, row: true class, column: decision.
    random_state : int, RandomState or None, default=None
        As in :class:`BayesDecisionClassifier`.

    Attributes
    ----------
    estimator_, classes_, prior_, training_prior_, n_features_in_, feature_names_in_
        As in :class:`BayesDecisionClassifier`.

    Notes
    -----
    The limits are per call: the decision on a row depends on the other rows of the call. Among
    rows with equal savings at the limit, the first ones win. Without limits, `predict` is that of
    :class:`BayesDecisionClassifier`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = BudgetDecisionClassifier(LogisticRegression(), max_alerts=1).fit(X, y)
    >>> model.predict(X, fn_cost=[90.0, 5.0, 5.0, 5.0])
    array([1, 0, 0, 0])
    >>> model.decide(X, fp_cost=4.0, fn_cost=4.0, review_cost=1.5).action
    array([ 0, -1, -1,  1])
    """

    _parameter_constraints = {
        **BayesDecisionClassifier._parameter_constraints,
        "max_alerts": _LIMIT,
        "max_reviews": _LIMIT,
        "review_cost": [Interval(Real, 0, None, closed="left"), None],
    }

    __metadata_request__predict = {"cost_matrix": UNUSED}  # two classes only
    __metadata_request__score = {"cost_matrix": UNUSED}

    actions = None

    def __init__(
        self,
        estimator,
        *,
        max_alerts=1.0,
        review_cost=None,
        max_reviews=1.0,
        calibration=None,
        cv=5,
        prior=None,
        training_prior=None,
        costs_in_training=True,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        cost_matrix=None,
        random_state=None,
    ):
        super().__init__(
            estimator,
            calibration=calibration,
            cv=cv,
            prior=prior,
            training_prior=training_prior,
            costs_in_training=costs_in_training,
            fp_cost=fp_cost,
            fn_cost=fn_cost,
            tp_cost=tp_cost,
            tn_cost=tn_cost,
            cost_matrix=cost_matrix,
            random_state=random_state,
        )
        del self.actions  # the class attribute remains: a budget is one of two classes
        self.max_alerts = max_alerts
        self.review_cost = review_cost
        self.max_reviews = max_reviews

    def predict(
        self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None, max_alerts=None
    ):
        """Decide for each row of X with at most `max_alerts` positive decisions and no reviews.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Rows that share the alerts.
        [predict_costs]
        max_alerts : int or float, default=None
            Limit of this call; None: the constructor's.

        Returns
        -------
        ndarray of shape (n,)
            Labels from `classes_`.
        """
        given = fp_cost, fn_cost, tp_cost, tn_cost
        action = self._act(X, given, max_alerts, None, 0).action
        return self.classes_[action]

    def _predict_from(self, probabilities, **given):
        given = [given.get(name) for name in COST_NAMES]
        return self.classes_[self._allot(probabilities[:, 1], given, None, None, 0).action]

    def expected_cost(
        self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None, max_alerts=None
    ):
        """Expected cost of the decision of `predict` for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Rows that share the alerts.
        [predict_costs]
        max_alerts : int or float, default=None
            Limit of this call; None: the constructor's.

        Returns
        -------
        ndarray of shape (n,)
        """
        given = fp_cost, fn_cost, tp_cost, tn_cost
        return self._act(X, given, max_alerts, None, 0).expected_cost

    def decide(
        self,
        X,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        review_cost=None,
        max_alerts=None,
        max_reviews=None,
    ):
        """Choose between a positive decision, a negative decision and a review.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Rows that share the alerts and the reviews.
        [predict_costs]
        review_cost : float or array-like of shape (n,), default=None
            Cost of a review; None: the constructor's.
        max_alerts, max_reviews : int or float, default=None
            Limits of this call; None: the constructor's.

        Returns
        -------
        Decisions
            With `action` (1 positive, 0 negative, -1 review), `expected_cost`, `probability`.
        """
        given = fp_cost, fn_cost, tp_cost, tn_cost
        review_cost = self.review_cost if review_cost is None else review_cost
        max_reviews = self.max_reviews if max_reviews is None else max_reviews
        return self._act(X, given, max_alerts, review_cost, max_reviews)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _check_labels(self, y):
        two_classes(y)

    def _compare_with_trivial(self, *training):
        pass  # "always positive" would exceed the limit

    def _act(self, X, given, max_alerts, review_cost, max_reviews):
        limits = max_alerts, review_cost, max_reviews
        return self._allot(self.predict_proba(X)[:, 1], given, *limits)

    def _allot(self, p, given, max_alerts, review_cost, max_reviews):
        costs = self._settle_costs(len(p), **dict(zip(COST_NAMES, given, strict=True)))
        max_alerts = self.max_alerts if max_alerts is None else max_alerts
        capacity = Capacity(max_alerts, review_cost, max_reviews)
        action = capacity.act(p, costs)
        return Decisions(action, capacity.expected(costs, p, action), p)
