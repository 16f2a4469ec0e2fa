"""What every threshold on a score would have cost, exactly, in one sort."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """Total cost as a function of the threshold; a score above it is decided positive.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        From plus infinity (nobody is positive) through the midpoints between neighbouring scores
        to minus infinity (everybody is).
    costs : ndarray of shape (m,)
        Total cost at each threshold.
    at_stake : float
        Weighted sum of the rows' regrets: what getting all of them wrong would cost more than
        getting them right.
    """

    thresholds: np.ndarray
    costs: np.ndarray
    at_stake: float

    @property
    def best(self):
        """Index of the least cost; of equal ones, that with the fewest positive decisions."""
        # sums in another currency round differently: what differs by rounding only is equal
        return int(np.argmax(self.costs <= self.costs.min() + 1e-12 * self.at_stake))


def threshold_curve(scores, positive, costs, sample_weight=None):
    """Cost of every threshold that decides the rows differently, in O(n log n).

    Parameters
    ----------
    scores : array-like of shape (n,)
        Greater means rather positive; finite.
    positive : array-like of bool of shape (n,)
        Which rows are positive.
    costs : Costs
        Of the n rows.
    sample_weight : array-like of shape (n,), default=None
        How often each row counts.

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
            f"scores has {(~np.isfinite(scores)).sum()} missing or infinite value(s), which no "
            "threshold can part; drop these rows or mend the scores."
        )
    weight = np.ones(len(scores))
    if sample_weight is not None:
        weight = np.asarray(sample_weight, np.float64)
    at_score, totals = costs.by_threshold(scores, positive, weight)
    above, below = at_score[1:-1], at_score[2:]
    middle = below + (above - below) / 2
    middle = np.where(middle >= above, below, middle)  # neighbouring floats have no middle
    return ThresholdCurve(
        np.concatenate([[np.inf], middle, [-np.inf]]),
        totals,
        float(np.abs(weight * costs.regret(positive)).sum()),
    )
