"""Class-level measures: weighted rates, risk under given priors, and the best threshold."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from stakes._core.words import shown
from stakes.costs import Costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import read_decisions, read_scores, read_weights


@documented
def weighted_sum_score(y_true, y_pred, *, positive_weight=0.5, pos_label=None, sample_weight=None):
    r"""Weighted sum of sensitivity and specificity (CSDUOL paper, Eq. 3.1).

    .. math:: \eta_p \cdot \text{sensitivity} + (1 - \eta_p) \cdot \text{specificity}

    Parameters
    ----------
    [decisions]
    positive_weight : float, default=0.5
        Weight :math:`\eta_p` of the sensitivity, in [0, 1]; 0.5 is balanced accuracy.
    [pos_label]
    [weights]

    Returns
    -------
    float
        Larger is better; NaN with a warning if `y_true` has a single class.

    References
    ----------
    P. Zhao, S. C. H. Hoi. "Cost-Sensitive Double Updating Online Learning and Its Application to
    Online Anomaly Detection". SDM 2013.

    Examples
    --------
    >>> weighted_sum_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0], positive_weight=0.75)
    0.5625
    """
    if not 0 <= positive_weight <= 1:
        raise ValueError(
            f"positive_weight must lie in [0, 1]. Got {shown(positive_weight)} instead."
        )
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    weight = read_weights(sample_weight, len(positive))
    if not both_classes(positive, weight):
        return float("nan")
    sensitivity, specificity = (
        np.average(decided[side] == called, weights=None if weight is None else weight[side])
        for side, called in ((positive, True), (~positive, False))
    )
    return float(positive_weight * sensitivity + (1 - positive_weight) * specificity)


@documented
def risk_loss(
    y_true,
    y_pred,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    prior=None,
    pos_label=None,
    sample_weight=None,
):
    r"""Cost-sensitive zero-one risk under given class priors (CS-SVM paper, Eq. 67).

    .. math:: R = P_1 C_1 P_{FN} + P_{-1} C_{-1} P_{FP} ,

    with :math:`C_1` = `fn_cost`, :math:`C_{-1}` = `fp_cost` and the error rates within each
    class. With costs per example, each product is the mean cost within the class. With the
    priors of the sample this is :func:`cost_loss`; other priors give the cost of the same
    decisions in another population.

    Parameters
    ----------
    [decisions]
    [money]
    prior : float, default=None
        Share of positives in the population, :math:`P_1`; None: that of `y_true`.

    Returns
    -------
    float
        Smaller is better; NaN with a warning if a class with a positive prior is absent.

    References
    ----------
    H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-Sensitive Support Vector Machines".

    Notes
    -----
    Eqs. 68 and 69 of the paper pair :math:`P_{FP}` with :math:`C_1`; Eq. 67 is correct.

    Examples
    --------
    >>> risk = risk_loss([0, 0, 1, 1], [0, 1, 0, 1], fp_cost=1, fn_cost=5, prior=0.1)
    >>> round(risk, 6)
    0.7
    """
    positive, decided = read_decisions(y_true, y_pred, pos_label, cost_matrix)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = Costs.of(len(positive), **given, cost_matrix=cost_matrix)
    weight = prior_weights(positive, prior, sample_weight)
    if weight is None:
        return float("nan")
    return float(weight @ costs.paid(positive, decided))


class MinimumRisk(NamedTuple):
    """Least risk over all thresholds; an example is positive where its score >= threshold."""

    value: float
    threshold: float


@documented
def minimum_risk(
    y_true,
    y_score,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    prior=None,
    pos_label=None,
    sample_weight=None,
):
    r"""Least :func:`risk_loss` over all thresholds on the scores, and the best threshold.

    .. math:: \min_t\ R(\{i : s_i \ge t\})

    All thresholds are tried, including "none positive", in :math:`O(n\log n)`. The value is
    optimistic on the data that choose the threshold: choose it on one part of the data and
    measure on another.

    Parameters
    ----------
    [scores]
    [money]
    prior : float, default=None
        Share of positives in the population; None: that of `y_true`.

    Returns
    -------
    MinimumRisk
        `value` and `threshold`: the lowest score called positive, infinity if none is. Among
        equal risks, the threshold with the fewest positives.

    Examples
    --------
    >>> minimum_risk([0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.9], fp_cost=1, fn_cost=5)
    MinimumRisk(value=0.2, threshold=0.3)
    """
    positive, scores = read_scores(y_true, y_score, pos_label, cost_matrix)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = Costs.of(len(positive), **given, cost_matrix=cost_matrix)
    weight = prior_weights(positive, prior, sample_weight)
    if weight is None:
        return MinimumRisk(float("nan"), float("nan"))
    threshold = cheapest_threshold(scores, positive, costs, weight)
    return MinimumRisk(float(weight @ costs.paid(positive, scores >= threshold)), threshold)


def cheapest_threshold(scores, positive, costs, weight):
    """Threshold with the least weighted cost; among equal ones, that with the fewest positives."""
    thresholds, risks = costs.by_threshold(scores, positive, weight)
    # risks that differ by the rounding of the cumulative sum are equal; the slack is relative
    # to the total regret, so the choice does not depend on the currency
    slack = 1e-13 * len(risks) * np.abs(weight * costs.regret(positive)).sum()
    return float(thresholds[int((risks <= risks.min() + slack).argmax())])


def prior_weights(positive, prior, sample_weight=None):
    """Weights that sum to one and give the positive class its prior; None if undefined."""
    n = len(positive)
    weight = read_weights(sample_weight, n)
    if prior is None:
        return np.full(n, 1 / n) if weight is None else weight / weight.sum()
    if not 0 <= prior <= 1:
        raise ValueError(f"prior must lie in [0, 1]. Got {shown(prior)} instead.")
    weight = np.ones(n) if weight is None else weight
    ones, zeros = weight[positive].sum(), weight[~positive].sum()
    if (ones == 0 and prior > 0) or (zeros == 0 and prior < 1):
        both_classes(positive, weight, stacklevel=4)
        return None
    # an absent class has prior zero here: dividing by one instead of zero gives it weight zero
    return weight * np.where(positive, prior / (ones or 1.0), (1 - prior) / (zeros or 1.0))


def both_classes(positive, weight=None, stacklevel=3):
    """Whether both classes are present; warns if not, because a rate is undefined then."""
    if weight is not None:
        positive = positive[weight > 0]
    if positive.any() and not positive.all():
        return True
    absent = "negative" if positive.any() else "positive"
    warnings.warn(
        f"y_true has no {absent} example, so its rate is undefined; the metric is NaN.",
        UndefinedMetricWarning,
        stacklevel=stacklevel,
    )
    return False
