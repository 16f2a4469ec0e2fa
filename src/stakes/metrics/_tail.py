"""What the worst decisions cost, and what a limited number of alerts can save."""

import numpy as np

from stakes.metrics._cost import example_costs
from stakes.metrics._intake import read_costs, read_scores, rows_of
from stakes.risk import conditional_value_at_risk


def tail_cost_loss(
    y_true,
    y_pred,
    *,
    tail=0.05,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    labels=None,
    pos_label=None,
):
    r"""Mean cost of the worst share of the decisions (CVaR of the cost of one decision).

    .. math:: \min_v\ v + \frac{1}{tail\cdot n}\sum_i (c_i - v)_+ ,

    with :math:`c_i` what decision i cost. Two policies with the same mean can differ much here.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels and decisions.
    tail : float, default=0.05
        Which share of the decisions is the worst, in (0, 1]; 1 is :func:`cost_loss`.
    fp_cost, fn_cost, tp_cost, tn_cost, cost_matrix, labels, pos_label
        As in :func:`cost_loss`.

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> tail_cost_loss([0, 0, 1, 1], [0, 1, 0, 1], tail=0.5, fp_cost=5, fn_cost=[0, 0, 100, 20])
    52.5
    """
    paid = example_costs(
        y_true,
        y_pred,
        fp_cost=fp_cost,
        fn_cost=fn_cost,
        tp_cost=tp_cost,
        tn_cost=tn_cost,
        cost_matrix=cost_matrix,
        labels=labels,
        pos_label=pos_label,
    )
    return conditional_value_at_risk(paid, tail)


def budget_cost_loss(
    y_true,
    y_score,
    *,
    budget,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    pos_label=None,
    normalize=True,
):
    r"""Mean cost when only so many alerts are raised, on the highest scores.

    .. math:: \frac{1}{n}\Big(\sum_{i \in top(k)} c_i(\text{alert})
              + \sum_{i \notin top(k)} c_i(\text{no alert})\Big)

    Where scores tie at the cut, the places left are shared equally: the value is the mean over
    all ways to break the tie, so the order of the rows plays no part.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels.
    y_score : array-like of shape (n,) or (n, 2)
        What alerts are ranked by: a score, a probability, or the expected gain of an alert.
    budget : int or float
        How many alerts (an integer), or which share of the examples (a float in [0, 1]).
    fp_cost, fn_cost, tp_cost, tn_cost, cost_matrix, pos_label, normalize
        As in :func:`cost_loss`, for two classes.

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> y, score = [0, 1, 0, 1], [0.9, 0.8, 0.2, 0.1]
    >>> [budget_cost_loss(y, score, budget=k, fp_cost=1, fn_cost=10) for k in range(5)]
    [5.0, 5.25, 2.75, 3.0, 0.5]
    """
    positive, scores = read_scores(y_true, y_score, pos_label, cost_matrix)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = read_costs(len(positive), given | {"cost_matrix": cost_matrix})
    alert = alert_shares(scores, rows_of("budget", budget, len(scores)))
    silent = costs.paid(positive, np.zeros_like(positive))
    raised = costs.paid(positive, np.ones_like(positive))
    paid = silent + alert * (raised - silent)
    return float(paid.mean() if normalize else paid.sum())


def alert_shares(scores, k):
    """Share of an alert that each example gets: 1 above the cut, 0 below, a fraction in a tie."""
    if k == 0:
        return np.zeros(len(scores))
    cut = np.partition(scores, len(scores) - k)[len(scores) - k]
    above, tied = scores > cut, scores == cut
    return np.where(tied, (k - above.sum()) / tied.sum(), above)
