"""A limited number of alerts and reviews in each period, and what more of them would be worth."""

from dataclasses import dataclass, replace

import numpy as np

from stakes._core.deciding import row_limit
from stakes.decision._allocation import NEGATIVE, POSITIVE, REVIEW, allocate


@dataclass(frozen=True, eq=False)
class Capacity:
    """How many alerts and reviews are possible, in all or in each period.

    Parameters
    ----------
    max_alerts : int or float, default=1.0
        Maximum number (int) or share (float in [0, 1]) of positive decisions in a period.
    review_cost : float, array-like of shape (n,) or None, default=None
        Cost of a review, which finds the true class; None: no reviews.
    max_reviews : int or float, default=1.0
        Maximum number or share of reviews in a period.

    Examples
    --------
    >>> from stakes.costs import Costs
    >>> capacity = Capacity(max_alerts=1, review_cost=2.0)
    >>> capacity.act([0.9, 0.8, 0.5, 0.1], Costs.of(4, fp_cost=5.0, fn_cost=9.0))
    array([ 1, -1, -1,  0])
    """

    max_alerts: int | float = 1.0
    review_cost: object = None
    max_reviews: int | float = 1.0

    def act(self, probability, costs, periods=None):
        """The actions of least expected cost: 1 positive, 0 negative, -1 review.

        Parameters
        ----------
        probability : array-like of shape (n,)
            Probability of the positive class.
        costs : Costs of length n
            Costs of the rows.
        periods : array-like of shape (n,), default=None
            Period of each row, such as its day; None: one period.

        Returns
        -------
        ndarray of shape (n,)
        """
        alert_gain, review_gain = gains(probability, costs, self.review_cost)
        action = np.zeros(len(alert_gain), dtype=np.intp)
        for rows in _parts(periods, len(action)):
            n = len(alert_gain[rows])
            reviews = 0 if self.review_cost is None else self.max_reviews
            most = row_limit("max_alerts", self.max_alerts, n)
            reviews = row_limit("max_reviews", reviews, n)
            action[rows] = allocate(alert_gain[rows], review_gain[rows], most, reviews)
        return action

    def cut(self, decided, scores, periods=None):
        """Decisions of a rule of its own, reduced to the alerts that are possible.

        Parameters
        ----------
        decided : array-like of bool of shape (n,)
            Which rows the rule calls positive.
        scores : array-like of shape (n,)
            The highest scores are kept; where they are equal or NaN, the first rows.
        periods : array-like of shape (n,), default=None
            Period of each row.

        Returns
        -------
        ndarray of shape (n,)
            1 and 0.
        """
        decided, scores = np.asarray(decided, bool), np.nan_to_num(np.asarray(scores, float))
        action = np.zeros(len(decided), dtype=np.intp)
        for rows in _parts(periods, len(decided)):
            index = np.arange(len(decided))[rows]
            alerts = index[decided[index]]
            alerts = alerts[np.argsort(-scores[alerts], kind="stable")]
            action[alerts[: row_limit("max_alerts", self.max_alerts, len(index))]] = POSITIVE
        return action

    def paid(self, costs, positive, action):
        """What each action cost, with the reviews, given which rows are positive."""
        positive, reviewed = np.asarray(positive, bool), np.asarray(action) == REVIEW
        paid = costs.paid(positive, np.where(reviewed, positive, np.asarray(action) == POSITIVE))
        return paid + np.where(reviewed, 0.0 if self.review_cost is None else self.review_cost, 0.0)

    def expected(self, costs, probability, action):
        """Expected cost of each action, with the reviews."""
        gain = gains(probability, costs, self.review_cost)
        nothing = costs.expected(probability, np.full(len(costs), NEGATIVE))
        return nothing - np.select([action == POSITIVE, action == REVIEW], gain, 0.0)

    def with_more(self, what, more):
        """The same capacity with more alerts ("max_alerts") or reviews ("max_reviews")."""
        now = getattr(self, what)
        return replace(self, **{what: now + more if isinstance(now, int) else min(1.0, now + more)})


def gains(probability, costs, review_cost=None):
    """Expected savings of an alert and of a review over doing nothing; without reviews -inf."""
    p = np.asarray(probability, dtype=np.float64)
    missed = p * costs.positive_regret
    alert = missed - (1 - p) * costs.negative_regret
    if review_cost is None:
        return alert, np.full(len(p), -np.inf)
    return alert, missed - review_prices(review_cost, len(p))


def review_prices(review_cost, n):
    """Return the costs of reviewing each of n rows, checked."""
    prices = np.asarray(review_cost, dtype=np.float64)
    if prices.ndim > 1 or (prices.ndim == 1 and len(prices) != n):
        raise ValueError(
            f"review_cost must be a number or have one value for each of the {n} examples. "
            f"Got shape {prices.shape} instead."
        )
    if not (prices >= 0).all() or not np.isfinite(prices).all():
        raise ValueError("review_cost must be finite and not negative in every row.")
    return prices


def _parts(periods, n):
    """The rows of each period."""
    if periods is None:
        return [slice(None)]
    codes = np.unique(np.asarray(periods), return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if n else []
