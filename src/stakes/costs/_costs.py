"""The four prices of a two-class decision, one of each per example."""

from dataclasses import dataclass

import numpy as np

from stakes.costs._summary import summarize

COST_NAMES = ("fp_cost", "fn_cost", "tp_cost", "tn_cost")
# what is taken where nothing is said: a mistake costs one, a right decision nothing
NEUTRAL_COSTS = {"fp_cost": 1.0, "fn_cost": 1.0, "tp_cost": 0.0, "tn_cost": 0.0}


@dataclass(frozen=True, eq=False)
class Costs:
    r"""What each of the four outcomes costs, example by example.

    A negative cost is a benefit. What a mistake costs more than the right decision is its
    regret: :math:`fn_i - tp_i` on a positive example, :math:`fp_i - tn_i` on a negative one.
    With a probability :math:`p_i` of the positive class the expected cost is least for the
    positive decision if and only if :math:`p_i` exceeds the break-even probability

    .. math:: p_i^* = \frac{fp_i - tn_i}{(fp_i - tn_i) + (fn_i - tp_i)} .

    Parameters
    ----------
    fp, fn, tp, tn : ndarray of shape (n,)
        Cost of a false positive, false negative, true positive and true negative. Make them
        with :meth:`of`, which accepts every form and checks it.

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
        """Costs of `n` examples from numbers, arrays of one per example, or a 2 x 2 matrix.

        Parameters
        ----------
        n : int
            How many examples there are.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            None stands for 1 (a mistake) and 0 (a right decision).
        cost_matrix : array-like of shape (2, 2), default=None
            Row: true class, column: decision; instead of the other four.

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
        """The costs of some of the examples."""
        return Costs(self.fp[rows], self.fn[rows], self.tp[rows], self.tn[rows])

    def __mul__(self, factor):
        """All costs in another currency."""
        return Costs(*(price * factor for price in (self.fp, self.fn, self.tp, self.tn)))

    @property
    def positive_regret(self):
        """What missing a positive costs, more than catching it: fn - tp."""
        return self.fn - self.tp

    @property
    def negative_regret(self):
        """What a false alarm costs, more than leaving a negative alone: fp - tn."""
        return self.fp - self.tn

    @property
    def break_even(self):
        """Probability of the positive class above which the positive decision is cheaper.

        One where nothing is at stake, so that such an example is left alone.
        """
        at_stake = self.positive_regret + self.negative_regret
        return np.divide(self.negative_regret, at_stake, out=np.ones(len(self)), where=at_stake > 0)

    def regret(self, positive):
        """c_i: what getting example i wrong costs, given which examples are positive."""
        return np.where(positive, self.positive_regret, self.negative_regret)

    def decide(self, probability):
        """Whether the positive decision has the smaller expected cost; ties are negative."""
        return np.asarray(probability, dtype=np.float64) > self.break_even

    def paid(self, positive, decided):
        """What each example costs: `positive` says what it is, `decided` what we said."""
        positive, decided = np.asarray(positive, bool), np.asarray(decided, bool)
        right = np.where(positive, self.tp, self.tn)
        wrong = np.where(positive, self.fn, self.fp)
        return np.where(positive == decided, right, wrong)

    def expected(self, probability, decided):
        """What each decision is expected to cost under the given probabilities."""
        p, decided = np.asarray(probability, dtype=np.float64), np.asarray(decided, bool)
        return np.where(decided, p * self.tp + (1 - p) * self.fp, p * self.fn + (1 - p) * self.tn)

    def keywords(self):
        """The four costs by the names that `fit` and `predict` have for them."""
        return dict(fp_cost=self.fp, fn_cost=self.fn, tp_cost=self.tp, tn_cost=self.tn)

    def summary(self, positive=None):
        """What is at stake, in plain words and numbers.

        Parameters
        ----------
        positive : array-like of bool of shape (n,), default=None
            Which examples are positive; without it only the break-even is told.

        Returns
        -------
        CostSummary
        """
        return summarize(self, positive)


def _from_matrix(cost_matrix, given):
    if any(value is not None for value in given.values()):
        raise ValueError("Give either cost_matrix or fp_cost, fn_cost, tp_cost, tn_cost, not both.")
    matrix = np.asarray(cost_matrix, dtype=np.float64)
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
    return np.broadcast_to(price, (n,))


def _check_regret(wrong, right, regret):
    if len(regret) and regret.min() < 0:
        bad = regret < 0
        raise ValueError(
            f"{wrong} is smaller than {right} in {bad.sum()} row(s), the first in row "
            f"{int(bad.argmax())}: there the mistake would pay. Swap the labels or mend the costs."
        )
