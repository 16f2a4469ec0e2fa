"""Cost of the worst decisions, and cost under a limited number of alerts."""

from numbers import Integral

import numpy as np

from stakes._core.deciding import row_limit
from stakes.costs import Costs
from stakes.metrics._cost import example_costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import mean_or_total, read_scores, read_weights
from stakes.risk import conditional_value_at_risk


@documented
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
    sample_weight=None,
):
    r"""Mean cost of the worst share of the decisions (CVaR of the cost of one decision).

    .. math:: \min_v\ v + \frac{1}{tail\cdot n}\sum_i (c_i - v)_+ ,

    with :math:`c_i` the cost of decision i. Policies with the same mean can differ a lot here.

    Parameters
    ----------
    [decisions]
    tail : float, default=0.05
        Share of the decisions in the tail, in (0, 1]; 1 is :func:`cost_loss`.
    [money_of_classes]
    [weights]

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> tail_cost_loss([0, 0, 1, 1], [0, 1, 0, 1], tail=0.5, fp_cost=5, fn_cost=[0, 0, 100, 20])
    52.5
    """
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    classes = dict(cost_matrix=cost_matrix, labels=labels, pos_label=pos_label)
    paid = example_costs(y_true, y_pred, **given, **classes)
    weight = read_weights(sample_weight, len(paid))
    return conditional_value_at_risk(paid, tail, sample_weight=weight)


@documented
def budget_cost_loss(
    y_true,
    y_score,
    *,
    max_alerts,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    pos_label=None,
    sample_weight=None,
    normalize=True,
):
    r"""Mean cost if the number of alerts is limited and the highest scores get them.

    .. math:: \frac{1}{n}\Big(\sum_{i \in top(k)} c_i(\text{alert})
              + \sum_{i \notin top(k)} c_i(\text{no alert})\Big)

    Scores that tie at the cut share the remaining alerts equally: the value is the mean over all
    ways to break the tie, so it does not depend on the order of the rows.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels.
    y_score : array-like of shape (n,) or (n, 2)
        Ranking of the alerts: a score, a probability, or the expected gain of an alert.
    max_alerts : int or float
        Number of alerts (an integer), or their share of the examples (a float in [0, 1]). With
        `sample_weight`, an alert uses as much of it as the example weighs.
    [money]
    [normalize]

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> y, score = [0, 1, 0, 1], [0.9, 0.8, 0.2, 0.1]
    >>> [budget_cost_loss(y, score, max_alerts=k, fp_cost=1, fn_cost=10) for k in range(5)]
    [5.0, 5.25, 2.75, 3.0, 0.5]
    """
    positive, scores = read_scores(y_true, y_score, pos_label, cost_matrix)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = Costs.of(len(positive), **given, cost_matrix=cost_matrix)
    weight = read_weights(sample_weight, len(scores))
    alert = alert_shares(scores, max_alerts, weight)
    silent = costs.paid(positive, np.zeros_like(positive))
    raised = costs.paid(positive, np.ones_like(positive))
    return mean_or_total(silent + alert * (raised - silent), weight, normalize)


def alert_shares(scores, max_alerts, weight=None):
    """Share of an alert that each example gets: 1 above the cut, 0 below, a fraction in a tie."""
    room = row_limit("max_alerts", max_alerts, len(scores))
    if weight is None:
        weight = np.ones(len(scores))
    else:  # the total need not be a whole number, so a share of it is not rounded down
        room = max_alerts * (1.0 if isinstance(max_alerts, Integral) else weight.sum())
    values, tie = np.unique(-scores, return_inverse=True)
    size = np.bincount(tie, weight, minlength=len(values))
    above = np.cumsum(size) - size
    alerts = np.clip(room - above, 0.0, size)
    return np.divide(alerts, size, out=np.zeros(len(size)), where=size > 0)[tie]
