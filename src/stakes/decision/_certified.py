"""Decisions that come with a bound on the probability that they are wrong."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from stakes._core.deciding import check_certificate, row_limit
from stakes.costs import Costs
from stakes.decision._allocation import REVIEW, allocate
from stakes.decision._budget import Decisions, review_prices


def decide_certified(
    decided,
    certificate,
    *,
    review_cost,
    max_reviews=1.0,
    fp_cost=1.0,
    fn_cost=1.0,
    tp_cost=0.0,
    tn_cost=0.0,
):
    r"""Keep a decision where its certificate is strong enough for its stakes, else send to review.

    A decision that is wrong with a probability of at most :math:`\varepsilon_i` has an expected
    regret of at most :math:`\varepsilon_i (fp_i - tn_i)` if it is positive and
    :math:`\varepsilon_i (fn_i - tp_i)` if it is negative. It is refused where

    .. math:: \varepsilon_i\, \text{regret}_i > \text{review}_i .

    Parameters
    ----------
    decided : array-like of bool of shape (n,)
        Which rows were decided positive.
    certificate : array-like of shape (n,)
        Bounds :math:`\varepsilon_i`, as of `UncertainMarginClassifier.predict_certificate`.
    review_cost : float or array-like of shape (n,)
        Price of a review, which finds the truth.
    max_reviews : int or float, default=1.0
        At most this number (int) or share (float) of the rows; those with most at stake come first.
    fp_cost, fn_cost : float or array-like of shape (n,), default=1.0
        What a false positive and a false negative cost.
    tp_cost, tn_cost : float or array-like of shape (n,), default=0.0
        What the right decisions cost.

    Returns
    -------
    Decisions
        `action`: 1 positive, 0 negative, -1 review; `probability` of the positive class in the
        worst case that the certificate allows, and `expected_cost` under it, the review included.

    Notes
    -----
    A decision is never turned round: a certificate bounds how often it is wrong, and says nothing
    for the other one. One from an uncertain measurement counts only the error of measurement.

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
            "decided must be booleans, true where the decision is the positive one: "
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
