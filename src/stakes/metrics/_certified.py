"""Error of predictions on uncertain points: observed and certified."""

import numpy as np

from stakes._core.deciding import check_certificate
from stakes.costs import Costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import mean_or_total, read_decisions, read_labels


@documented
def nominal_error(y_true, y_pred, *, sample_weight=None):
    """Share of wrong predictions if the points are taken as exact (Eq. 33, divided by 100).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels and predictions.
    [weights]

    Returns
    -------
    float
        Between 0 and 1; smaller is better.

    Examples
    --------
    >>> nominal_error([0, 1, 1, 1], [0, 1, 1, 0])
    0.25
    """
    y_true, y_pred = read_labels(y_true, y_pred)
    return mean_or_total(y_true != y_pred, sample_weight)


@documented
def certified_error(y_true, y_pred, certificate, *, sample_weight=None):
    r"""Bound on the mean probability of an error, including measurement error (Eqs. 34, 35).

    .. math:: \frac1n\sum_i \begin{cases} 1 & \hat y_i \ne y_i \\
              \varepsilon_i & \hat y_i = y_i \end{cases} ,

    where :math:`\varepsilon_i` bounds the probability that the true point lies on the other side.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels and predictions.
    certificate : array-like of shape (n,)
        Bounds :math:`\varepsilon_i` from `UncertainMarginClassifier.predict_certificate`; its
        `measure` "1" to "4" and "c" give the paper's OptErr of that name (divided by 100).
    [weights]

    Returns
    -------
    float
        Between the nominal error and 1; smaller is better.

    References
    ----------
    .. [1] A. Ben-Tal, S. Bhadra, C. Bhattacharyya, J. S. Nath. "Chance Constrained Uncertain
       Classification via Robust Optimization". Mathematical Programming 127, 2011.

    Examples
    --------
    >>> certified_error([0, 1, 1, 1], [0, 1, 1, 0], [0.0, 0.5, 0.1, 0.2])
    0.4
    """
    y_true, y_pred = read_labels(y_true, y_pred)
    certificate = check_certificate(certificate, len(y_true))
    return mean_or_total(np.where(y_true == y_pred, certificate, 1.0), sample_weight)


@documented
def certified_cost_loss(
    y_true,
    y_pred,
    certificate,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    pos_label=None,
    sample_weight=None,
    normalize=True,
):
    r"""Bound on the expected cost of decisions that a measurement error may flip.

    .. math:: \frac1n\sum_i \begin{cases} \text{wrong}_i & \hat y_i \ne y_i \\
              \text{right}_i + \varepsilon_i(\text{wrong}_i - \text{right}_i) & \hat y_i = y_i
              \end{cases} ,

    where :math:`\varepsilon_i` bounds the probability that the true point is decided otherwise.

    Parameters
    ----------
    [decisions]
    certificate : array-like of shape (n,)
        Bounds :math:`\varepsilon_i`, such as `predict_certificate` with the same costs.
    [money]
    [normalize]

    Returns
    -------
    float
        At least the cost of the decisions; with equal costs it is :func:`certified_error`.

    Examples
    --------
    >>> certified_cost_loss([0, 1, 1], [0, 1, 0], [0.1, 0.5, 0.2], fn_cost=10)
    5.0333...
    """
    positive, decided = read_decisions(y_true, y_pred, pos_label, cost_matrix)
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = Costs.of(len(positive), **given, cost_matrix=cost_matrix)
    certificate = check_certificate(certificate, len(positive))
    flip = np.where(positive == decided, certificate, 0.0)
    cost = costs.paid(positive, decided) + flip * costs.regret(positive)
    return mean_or_total(cost, sample_weight, normalize)
