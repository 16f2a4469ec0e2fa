"""The four costs of a two-class decision, per example."""

from dataclasses import dataclass

import numpy as np

from stakes.costs._matrix import LARGEST_COST, in_class_order
from stakes.costs._summary import CostSummary

COST_NAMES = ("fp_cost", "fn_cost", "tp_cost", "tn_cost")
# the defaults: a mistake costs one, a correct decision nothing
NEUTRAL_COSTS = {"fp_cost": 1.0, "fn_cost": 1.0, "tp_cost": 0.0, "tn_cost": 0.0}


@dataclass(frozen=True, eq=False)
class Costs:
    r"""Costs of the four outcomes, per example.

    A negative cost is a benefit. The regret of a mistake is its cost minus that of the correct
    decision: :math:`fn_i - tp_i` for a positive example, :math:`fp_i - tn_i` for a negative one.
    Given the probability :math:`p_i` of the positive class, the positive decision has the lower
    expected cost if and only if :math:`p_i` exceeds the break-even probability

    .. math:: p_i^* = \frac{fp_i - tn_i}{(fp_i - tn_i) + (fn_i - tp_i)} .

    Parameters
    ----------
    fp, fn, tp, tn : ndarray of shape (n,)
        Costs of a false positive, false negative, true positive and true negative. Use
        :meth:`of`, which accepts numbers, arrays or a matrix and checks them.

    Examples
    --------
    >>> costs = Costs.of(2, fp_cost=5.0, fn_cost=[20.0, 95.0])
    >>> costs.break_even
    array([0.2 , 0.05])
    >>> costs.decide([0.1, 0.1])
    array([False,  True])
    """

    fp: np.ndarray
    fn: np.ndarray
    tp: np.ndarray
    tn: np.ndarray

    @classmethod
    def of(cls, n, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None, cost_matrix=None):
        """Build the costs of `n` examples from numbers, arrays or a 2 x 2 matrix.

        Parameters
        ----------
        n : int
            Number of examples.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            Costs of the four outcomes; None: 1 for a mistake, 0 for a correct decision.
        cost_matrix : array-like of shape (2, 2), default=None
            The four costs as a matrix, row: true class, column: decision. A labeled data frame
            is read by its labels, of which the larger is the positive class.

        Returns
        -------
        Costs
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if cost_matrix is not None:
            given = _from_matrix(cost_matrix, given)
        prices = {
            name: _one_price(name, NEUTRAL_COSTS[name] if value is None else value, n)
            for name, value in given.items()
        }
        costs = cls(*(prices[name] for name in COST_NAMES))
        _check_regret("fn_cost", "tp_cost", costs.positive_regret)
        _check_regret("fp_cost", "tn_cost", costs.negative_regret)
        return costs

    def __len__(self):
        return len(self.fp)

    def __getitem__(self, rows):
        """Select the costs of some examples."""
        return Costs(self.fp[rows], self.fn[rows], self.tp[rows], self.tn[rows])

    def __mul__(self, factor):
        """Multiply all costs by a number, or by one number per example."""
        with np.errstate(over="ignore"):
            scaled = [price * factor for price in (self.fp, self.fn, self.tp, self.tn)]
        if not all(np.isfinite(price).all() for price in scaled):
            raise ValueError("sample_weight times the cost of an example overflows.")
        return Costs(*scaled)

    @property
    def positive_regret(self):
        """Regret of missing a positive, fn - tp."""
        return self.fn - self.tp

    @property
    def negative_regret(self):
        """Regret of a false alarm, fp - tn."""
        return self.fp - self.tn

    @property
    def break_even(self):
        """Probability of the positive class above which the positive decision is cheaper.

        One where nothing is at stake, so that the decision is negative.
        """
        at_stake = self.positive_regret + self.negative_regret
        return np.divide(self.negative_regret, at_stake, out=np.ones(len(self)), where=at_stake > 0)

    def regret(self, positive):
        """Regret c_i of misclassifying each example, given which examples are positive."""
        return np.where(positive, self.positive_regret, self.negative_regret)

    def decide(self, probability):
        """Whether the positive decision has the lower expected cost; ties are negative."""
        return np.asarray(probability, dtype=np.float64) > self.break_even

    def paid(self, positive, decided):
        """Cost of each decision, given which examples are positive and which were called so."""
        positive, decided = np.asarray(positive, bool), np.asarray(decided, bool)
        right = np.where(positive, self.tp, self.tn)
        wrong = np.where(positive, self.fn, self.fp)
        return np.where(positive == decided, right, wrong)

    def expected(self, probability, decided):
        """Expected cost of each decision under the given probabilities."""
        p, decided = np.asarray(probability, dtype=np.float64), np.asarray(decided, bool)
        return np.where(decided, p * self.tp + (1 - p) * self.fp, p * self.fn + (1 - p) * self.tn)

    def keywords(self):
        """The four costs as keyword arguments of `fit` and `predict`."""
        return dict(fp_cost=self.fp, fn_cost=self.fn, tp_cost=self.tp, tn_cost=self.tn)

    def summary(self, positive=None):
        """Summarize what is at stake.

        Parameters
        ----------
        positive : array-like of bool of shape (n,), default=None
            Which examples are positive; None: only the break-even probabilities are reported.

        Returns
        -------
        CostSummary
        """
        return CostSummary.of(self, positive)

    def by_threshold(self, scores, positive, sample_weight=None):
        """Total cost of every threshold that decides the examples differently, in O(n log n).

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Finite scores; an example is called positive where its score >= threshold.
        positive : ndarray of bool of shape (n,)
            Which examples are positive.
        sample_weight : ndarray of shape (n,), default=None
            Factors on the costs of the examples; None: all one.

        Returns
        -------
        (ndarray of shape (m,), ndarray of shape (m,))
            Thresholds from infinity (none positive) down to the lowest score (all positive), and
            the total cost at each.

        Examples
        --------
        >>> costs = Costs.of(3, fp_cost=1.0, fn_cost=5.0)
        >>> costs.by_threshold(np.array([0.2, 0.4, 0.9]), np.array([False, True, True]))
        (array([inf, 0.9, 0.4, 0.2]), array([10.,  5.,  0.,  1.]))
        """
        weight = np.ones(len(self)) if sample_weight is None else sample_weight
        order = np.argsort(-scores, kind="stable")
        never = weight * self.paid(positive, np.zeros_like(positive))
        # calling one more example positive saves a positive's regret and adds a negative's
        change = weight * self.regret(positive) * np.where(positive, -1.0, 1.0)
        totals = never.sum() + np.concatenate([[0.0], np.cumsum(change[order])])
        ranked = scores[order]
        # no threshold separates equal scores: keep the total after the last of them
        last_of_tie = np.append(ranked[1:] != ranked[:-1], True)
        return (
            np.concatenate([[np.inf], ranked[last_of_tie]]),
            np.concatenate([totals[:1], totals[1:][last_of_tie]]),
        )


def _from_matrix(cost_matrix, given):
    if any(value is not None for value in given.values()):
        raise ValueError("Give either cost_matrix or fp_cost, fn_cost, tp_cost, tn_cost, not both.")
    matrix = in_class_order(cost_matrix)
    if matrix.shape != (2, 2):
        raise ValueError(
            f"cost_matrix must have shape (2, 2) for two classes (row: true class, column: "
            f"decision). Got shape {matrix.shape} instead."
        )
    (tn, fp), (fn, tp) = matrix
    return dict(fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn)


def _one_price(name, value, n):
    try:
        price = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be a number or an array of one number per example. "
            f"Got {type(value).__name__} instead."
        ) from None
    if price.ndim == 2 and price.shape[1] == 1:
        price = price[:, 0]
    if price.ndim > 1 or (price.ndim == 1 and len(price) != n):
        raise ValueError(
            f"{name} must be a number or have one value for each of the {n} examples. "
            f"Got shape {price.shape} instead."
        )
    if not np.isfinite(price).all():
        bad = np.atleast_1d(~np.isfinite(price))
        raise ValueError(
            f"{name} has {bad.sum()} missing or infinite value(s), the first in row "
            f"{int(bad.argmax())}; fill them in or drop these rows."
        )
    if price.size and np.abs(price).max() > LARGEST_COST:
        raise ValueError(
            f"{name} has values beyond {LARGEST_COST:g}, whose sums overflow; give the costs in a "
            "larger unit."
        )
    return np.broadcast_to(price, (n,))


def _check_regret(wrong, right, regret):
    if len(regret) and regret.min() < 0:
        bad = regret < 0
        raise ValueError(
            f"{wrong} is smaller than {right} in {bad.sum()} row(s), the first in row "
            f"{int(bad.argmax())}: a mistake would be cheaper than the correct decision. Fix the "
            "costs, or swap the labels."
        )
