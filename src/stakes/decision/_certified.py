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
    review_cost,
    max_reviews=1.0,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
):
    r"""Keep decisions whose certificate is strong enough for their costs; review the others.

    A decision that is wrong with a probability of at most :math:`\varepsilon_i` has an expected
    regret of at most :math:`\varepsilon_i (fp_i - tn_i)` if it is positive and
    :math:`\varepsilon_i (fn_i - tp_i)` if it is negative. It is reviewed where

    .. math:: \varepsilon_i\, \text{regret}_i > \text{review}_i .

    Parameters
    ----------
    decided : array-like of bool of shape (n,)
        Which rows were decided positive.
    certificate : array-like of shape (n,)
        Bounds :math:`\varepsilon_i`, such as `UncertainMarginClassifier.predict_certificate`.
    review_cost : float or array-like of shape (n,)
        Cost of a review, which finds the true class.
    max_reviews : int or float, default=1.0
        Maximum number (int) or share (float) of reviews; rows with the largest gain come first.
    [metric_costs]

    Returns
    -------
    Decisions
        `action`: 1 positive, 0 negative, -1 review; `probability` of the positive class in the
        worst case that the certificate allows; `expected_cost` under it, including reviews.

    Notes
    -----
    A decision is never reversed: its certificate bounds how often it is wrong, and says nothing
    about the opposite decision. A certificate for an uncertain measurement covers measurement
    error only.

    Examples
    --------
    >>> done = decide_certified([True, False, False], [0.1, 0.1, 0.001], fn_cost=50, review_cost=2)
    >>> done.action
    array([ 1, -1,  0])
    """
    decided = column_or_1d(np.asarray(decided))
    n = len(decided)
    if decided.dtype != bool:
        raise ValueError(
            "decided must be boolean, true where the decision is positive: "
            "model.predict(X) == model.classes_[1]."
        )
    certificate = check_certificate(certificate, n)
    costs = Costs.of(n, fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    prices = review_prices(review_cost, n)
    gain = certificate * costs.regret(~decided) - prices
    reviews = allocate(np.full(n, -np.inf), gain, 0, row_limit("max_reviews", max_reviews, n))
    action = np.where(reviews == REVIEW, REVIEW, decided.astype(np.intp))
    p = np.where(decided, 1 - certificate, certificate)
    expected = costs.expected(p, decided) - np.where(action == REVIEW, gain, 0.0)
    return Decisions(action, expected, p)
