"""Measures at class level: weighted rates, the risk of a decision, and the best threshold."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from stakes.metrics._intake import read_costs, read_decisions, read_scores


def weighted_sum_score(y_true, y_pred, *, positive_weight=0.5, pos_label=None):
    r"""Weighted sum of sensitivity and specificity (CSDUOL paper, Eq. 3.1).

    .. math:: \eta_p \cdot \text{sensitivity} + (1 - \eta_p) \cdot \text{specificity}

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels and decisions.
    positive_weight : float, default=0.5
        :math:`\eta_p` in [0, 1]; 0.5 is balanced accuracy.
    pos_label : label, default=None
        The positive class; by default the larger label.

    Returns
    -------
    float
        Larger is better; NaN with a warning where `y_true` has one class only.

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
        raise ValueError(f"positive_weight must lie in [0, 1]. Got {positive_weight!r} instead.")
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    if not both_classes(positive):
        return float("nan")
    sensitivity, specificity = decided[positive].mean(), (~decided[~positive]).mean()
    return float(positive_weight * sensitivity + (1 - positive_weight) * specificity)


def risk_loss(
    y_true,
    y_pred,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    positive_prior=None,
    pos_label=None,
):
    r"""Cost-sensitive zero-one risk under given class priors (CS-SVM paper, Eq. 67).

    .. math:: R = P_1 C_1 P_{FN} + P_{-1} C_{-1} P_{FP} ,

    with :math:`C_1` = `fn_cost`, :math:`C_{-1}` = `fp_cost` and the rates measured within each
    class. With costs per example, each product is the mean cost within the class. With the
    priors of the sample this is :func:`cost_loss`; other priors price the same decisions for
    another population.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels and decisions.
    fp_cost, fn_cost, tp_cost, tn_cost, cost_matrix, pos_label
        As in :func:`cost_loss`, for two classes.
    positive_prior : float, default=None
        :math:`P_1`; None: the share of positives in `y_true`.

    Returns
    -------
    float
        Smaller is better; NaN with a warning where a class with a positive prior is absent.

    References
    ----------
    H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-Sensitive Support Vector Machines".

    Notes
    -----
    Eqs. 68 and 69 of the paper pair :math:`P_{FP}` with :math:`C_1`; Eq. 67 is right.

    Examples
    --------
    >>> risk = risk_loss([0, 0, 1, 1], [0, 1, 0, 1], fp_cost=1, fn_cost=5, positive_prior=0.1)
    >>> round(risk, 6)
    0.7
    """
    positive, decided = read_decisions(y_true, y_pred, pos_label, cost_matrix)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = read_costs(len(positive), given | {"cost_matrix": cost_matrix})
    weight = prior_weights(positive, positive_prior)
    if weight is None:
        return float("nan")
    return float(weight @ costs.paid(positive, decided))


class MinimumRisk(NamedTuple):
    """The least risk over all thresholds; positive is called where score >= threshold."""

    value: float
    threshold: float


def minimum_risk(
    y_true,
    y_score,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    positive_prior=None,
    pos_label=None,
):
    r"""Least :func:`risk_loss` that any one threshold on the scores reaches, and that threshold.

    .. math:: \min_t\ R(\{i : s_i \ge t\})

    All thresholds are tried, "nobody is positive" included, in :math:`O(n\log n)`. On the data
    that choose it the value flatters; choose on one part and measure on another.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels.
    y_score : array-like of shape (n,) or (n, 2)
        Scores that grow with the belief in the positive class.
    fp_cost, fn_cost, tp_cost, tn_cost, cost_matrix, positive_prior, pos_label
        As in :func:`risk_loss`.

    Returns
    -------
    MinimumRisk
        `value` and `threshold`: the smallest score that is called positive, infinity if none is.
        Of equal risks the one with fewest alarms.

    Examples
    --------
    >>> minimum_risk([0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.9], fp_cost=1, fn_cost=5)
    MinimumRisk(value=0.2, threshold=0.3)
    """
    positive, scores = read_scores(y_true, y_score, pos_label, cost_matrix)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = read_costs(len(positive), given | {"cost_matrix": cost_matrix})
    weight = prior_weights(positive, positive_prior)
    if weight is None:
        return MinimumRisk(float("nan"), float("nan"))
    threshold = cheapest_threshold(scores, positive, costs, weight)
    return MinimumRisk(float(weight @ costs.paid(positive, scores >= threshold)), threshold)


def cheapest_threshold(scores, positive, costs, weight):
    """The threshold with the least weighted cost; of equal ones that with the fewest alarms."""
    thresholds, risks = risk_by_threshold(scores, positive, costs, weight)
    # a cumulative sum rounds: what is equal but for that counts as equal, whatever the currency
    slack = 1e-13 * len(risks) * np.abs(weight * costs.regret(positive)).sum()
    return float(thresholds[int((risks <= risks.min() + slack).argmax())])


def risk_by_threshold(scores, positive, costs, weight):
    """Thresholds from infinity ("nobody is positive") downwards, and the weighted cost at each."""
    order = np.argsort(-scores, kind="stable")
    never = weight * costs.paid(positive, np.zeros_like(positive))
    change = weight * costs.regret(positive) * np.where(positive, -1.0, 1.0)
    risks = never.sum() + np.concatenate([[0.0], np.cumsum(change[order])])
    ranked = scores[order]
    last_of_tie = np.append(ranked[1:] != ranked[:-1], True)
    return (
        np.concatenate([[np.inf], ranked[last_of_tie]]),
        np.concatenate([risks[:1], risks[1:][last_of_tie]]),
    )


def prior_weights(positive, positive_prior):
    """Weight of each example so that the positive class weighs its prior; None if undefined."""
    n, n_positive = len(positive), int(positive.sum())
    if positive_prior is None:
        return np.full(n, 1 / n)
    if not 0 <= positive_prior <= 1:
        raise ValueError(f"positive_prior must lie in [0, 1]. Got {positive_prior!r} instead.")
    if (n_positive == 0 and positive_prior > 0) or (n_positive == n and positive_prior < 1):
        both_classes(positive, stacklevel=4)
        return None
    return np.where(
        positive, positive_prior / max(n_positive, 1), (1 - positive_prior) / max(n - n_positive, 1)
    )


def both_classes(positive, stacklevel=3):
    """Whether both classes are there; warns if not, for the rates of one are undefined then."""
    if positive.any() and not positive.all():
        return True
    absent = "negative" if positive.any() else "positive"
    warnings.warn(
        f"y_true has no {absent} example, so its rate is undefined; the metric is NaN.",
        UndefinedMetricWarning,
        stacklevel=stacklevel,
    )
    return False
