"""Decisions with a bound on their error probability."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from stakes._core.deciding import check_certificate, row_limit
from stakes._core.docs import documented
from stakes.costs import Costs
from stakes.decision._allocation import REVIEW, allocate
from stakes.decision._budget import Decisions
from stakes.decision._capacity import review_prices


@documented()
def decide_certified(
    decided,
    certificate,
    *,
    probability,
    review_cost,
    max_reviews=1.0,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
):
    r"""Keep decisions whose certificate is strong enough for their costs; review the others.

    A decision can be wrong because the label is (with the probability :math:`q_i` that the model
    gives to the other class) and because a measurement error flipped it (with a probability of at
    most :math:`\varepsilon_i`, its certificate). Its regret is :math:`fp_i - tn_i` if it is
    positive and :math:`fn_i - tp_i` if it is negative. It is reviewed where

    .. math:: \max(q_i, \varepsilon_i)\, \text{regret}_i > \text{review}_i .

    Parameters
    ----------
    decided : array-like of bool of shape (n,)
        Which rows were decided positive.
    certificate : float or array-like of shape (n,)
        Bounds :math:`\varepsilon_i`, such as `UncertainMarginClassifier.predict_certificate`; 0
        to decide by the probabilities alone, which is cheapest in expectation.
    probability : array-like of shape (n,)
        Probability of the positive class given the measurement and its error bar, such as
        `UncertainMarginClassifier.predict_proba(X, std=std)[:, 1]`.
    review_cost : float or array-like of shape (n,)
        Cost of a review, which finds the true class.
    max_reviews : int or float, default=1.0
        Maximum number (int) or share (float) of reviews; rows with the largest gain come first.
    [metric_costs]

    Returns
    -------
    Decisions
        `action`: 1 positive, 0 negative, -1 review; `probability` as given; `expected_cost` under
        it, including reviews.

    Notes
    -----
    A decision is never reversed: its certificate says nothing about the opposite decision. A
    certificate for an uncertain measurement covers measurement error only, so that it is no
    probability of being wrong: with exact measurements it is zero, and mistakes remain.

    Examples
    --------
    >>> decided, bound, p = [True, False, False, False], [0.1, 0.1, 0.001, 0.001], [0.9, 0, 0, 0.1]
    >>> done = decide_certified(decided, bound, probability=p, fn_cost=50, review_cost=2)
    >>> done.action, done.expected_cost
    (array([ 1, -1,  0, -1]), array([0.1, 2. , 0. , 2. ]))
    """
    decided = column_or_1d(np.asarray(decided))
    n = len(decided)
    if decided.dtype != bool:
        raise ValueError(
            "decided must be boolean, true where the decision is positive: "
            "model.predict(X) == model.classes_[1]."
        )
    certificate = check_certificate(certificate, n)
    p = check_certificate(probability, n, "probability")
    costs = Costs.of(n, fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    prices = review_prices(review_cost, n)
    wrong, regret = np.where(decided, 1 - p, p), costs.regret(~decided)
    gain = np.maximum(wrong, certificate) * regret - prices
    reviews = allocate(np.full(n, -np.inf), gain, 0, row_limit("max_reviews", max_reviews, n))
    action = np.where(reviews == REVIEW, REVIEW, decided.astype(np.intp))
    saved = np.where(action == REVIEW, wrong * regret - prices, 0.0)
    return Decisions(action, costs.expected(p, decided) - saved, p)
