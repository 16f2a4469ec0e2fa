"""Cost of decisions, and the share of a baseline policy's cost that they save."""

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes.costs import CostMatrix, Costs, matrix_labels
from stakes.metrics._docs import documented
from stakes.metrics._intake import (
    check_not_empty,
    check_probabilities,
    mean_or_total,
    read_decisions,
    read_labels,
    read_probabilities,
    read_weights,
)


@documented
def example_costs(
    y_true,
    y_pred,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    labels=None,
    actions=None,
    pos_label=None,
):
    """Cost of each decision; :func:`cost_loss` is their mean.

    Parameters
    ----------
    [decisions]
    [money_of_classes]

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> example_costs([0, 1, 1], [1, 0, 1], fp_cost=2, fn_cost=[1, 10, 1])
    array([ 2., 10.,  0.])
    """
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    if _has_many_classes(cost_matrix, labels, actions, given):
        truth, decided, costs, _ = _read_many(y_true, y_pred, cost_matrix, labels, actions)
        return costs.paid(truth, decided)
    positive, decided = read_decisions(y_true, y_pred, pos_label, cost_matrix)
    return Costs.of(len(positive), **given, cost_matrix=cost_matrix).paid(positive, decided)


@documented
def cost_loss(
    y_true,
    y_pred,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    labels=None,
    actions=None,
    pos_label=None,
    sample_weight=None,
    normalize=True,
):
    r"""Mean or total cost of the decisions.

    .. math:: \frac{1}{n}\sum_{i: y_i = 1} (tp_i\, d_i + fn_i (1 - d_i))
              + \frac{1}{n}\sum_{i: y_i = 0} (fp_i\, d_i + tn_i (1 - d_i)) ,

    where :math:`d_i` is one if example i was called positive.

    Parameters
    ----------
    [decisions]
    [money_of_classes]
    [weights]
    [normalize]

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> cost_loss([0, 0, 1, 1], [0, 1, 0, 1], fp_cost=5, fn_cost=[0, 0, 100, 20])
    26.25
    >>> cost_loss(["a", "b", "c"], ["a", "c", "a"], cost_matrix=[[0, 1, 1], [2, 0, 4], [9, 1, 0]])
    4.333...
    """
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    classes = dict(cost_matrix=cost_matrix, labels=labels, actions=actions, pos_label=pos_label)
    paid = example_costs(y_true, y_pred, **given, **classes)
    return mean_or_total(paid, sample_weight, normalize)


@documented
def expected_cost_loss(
    y_true,
    y_prob,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    labels=None,
    actions=None,
    pos_label=None,
    under="truth",
    sample_weight=None,
    normalize=True,
):
    r"""Mean cost of the decisions that minimize the expected cost under given probabilities.

    For two classes the decision is positive above the break-even probability
    :math:`p_i^* = (fp_i - tn_i)/(fp_i - tn_i + fn_i - tp_i)`. The decisions are priced with the
    labels or, with `under="model"`, with the probabilities themselves:

    .. math:: \frac{1}{n}\sum_i \min(p_i\,tp_i + (1 - p_i)fp_i,\ p_i\,fn_i + (1 - p_i)tn_i) .

    If the model's own figure is below the actual one, its probabilities are too optimistic.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels.
    y_prob : array-like of shape (n,) or (n, k)
        Probability of the positive class, or all columns of `predict_proba`.
    [money_of_classes]
    under : {"truth", "model"}, default="truth"
        Whether labels or probabilities price the decisions.
    [weights]
    [normalize]

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> expected_cost_loss([0, 1, 1], [0.1, 0.3, 0.05], fp_cost=1, fn_cost=9)
    3.0
    >>> expected_cost_loss([0, 1, 1], [0.1, 0.3, 0.05], fp_cost=1, fn_cost=9, under="model")
    0.683...
    """
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    classes = dict(cost_matrix=cost_matrix, labels=labels, actions=actions, pos_label=pos_label)
    paid = expected_example_costs(y_true, y_prob, **given, **classes, under=under)
    return mean_or_total(paid, sample_weight, normalize)


def expected_example_costs(
    y_true,
    y_prob,
    *,
    cost_matrix=None,
    labels=None,
    actions=None,
    pos_label=None,
    under="truth",
    **given,
):
    """Cost of each decision of :func:`expected_cost_loss`."""
    if under not in ("truth", "model"):
        raise ValueError(f"under must be 'truth' or 'model'. Got {under!r} instead.")
    if _has_many_classes(cost_matrix, labels, actions, given):
        return _expected_of_many(y_true, y_prob, cost_matrix, labels, actions, under)
    positive, p = read_probabilities(y_true, y_prob, pos_label, cost_matrix)
    costs = Costs.of(len(p), **given, cost_matrix=cost_matrix)
    decided = costs.decide(p)
    return costs.expected(p, decided) if under == "model" else costs.paid(positive, decided)


@documented
def savings_score(
    y_true,
    y_pred,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    cost_matrix=None,
    labels=None,
    actions=None,
    baseline="best",
    pos_label=None,
    sample_weight=None,
):
    r"""Share of a baseline policy's cost that the decisions save.

    .. math:: \frac{B - C}{|B|}\qquad (= 1 - C/B \text{ where } B > 0) ,

    with :math:`C` the cost of the decisions and :math:`B` that of the baseline. One: no cost at
    all; zero: the same cost as the baseline; negative: a higher cost.

    Parameters
    ----------
    [decisions]
    [money_of_classes]
    baseline : {"best", "negative", "positive"} or array-like of shape (n,), default="best"
        Always negative, always positive, the cheaper of these on the given data, or the decisions
        of an existing policy. With more than two classes, "best" is the cheapest constant decision.
    [weights]

    Returns
    -------
    float
        Larger is better.

    Notes
    -----
    A negative :math:`B` is a baseline that earns money; the score is then the additional earnings
    relative to it. If the baseline costs exactly nothing, the share is undefined: the score is 0
    if the decisions cost nothing either, else NaN with a warning; use :func:`cost_loss` then.

    Examples
    --------
    >>> savings_score([0, 0, 1, 1], [0, 1, 0, 1], fp_cost=5, fn_cost=[0, 0, 3, 20])
    0.2
    >>> matrix = [[0, 1, 1], [2, 0, 4], [9, 1, 0]]
    >>> savings_score(["a", "b", "c"], ["a", "b", "a"], cost_matrix=matrix, baseline=["a"] * 3)
    0.181...
    """
    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    if _has_many_classes(cost_matrix, labels, actions, given):
        read = _read_many(y_true, y_pred, cost_matrix, labels, actions)
        return _savings_of_many(*read, baseline, sample_weight)
    positive, decided = read_decisions(y_true, y_pred, pos_label, cost_matrix)
    costs = Costs.of(len(positive), **given, cost_matrix=cost_matrix)
    weight = read_weights(sample_weight, len(positive))
    if weight is not None:
        costs = costs * weight
    base = baseline_costs(costs, positive, baseline, y_true, pos_label).sum()
    return savings(costs.paid(positive, decided).sum(), base)


def savings(cost, base):
    """Share of the baseline's total `base` that a total `cost` saves; see savings_score."""
    if base == 0 and cost != 0:
        warnings.warn(
            "The baseline costs nothing, so the share saved is undefined; use cost_loss instead.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return float("nan")
    return float((base - cost) / abs(base)) if base != 0 else 0.0


def baseline_costs(costs, positive, baseline, y_true, pos_label=None):
    """Cost of each example under a baseline policy."""
    if not isinstance(baseline, str):
        _, decided = read_decisions(y_true, baseline, pos_label)
        return costs.paid(positive, decided)
    never = costs.paid(positive, np.zeros_like(positive))
    always = costs.paid(positive, np.ones_like(positive))
    if baseline == "best":
        return never if never.sum() <= always.sum() else always
    if baseline not in ("negative", "positive"):
        raise ValueError(
            "baseline must be 'best', 'negative', 'positive' or an array of decisions. "
            f"Got {baseline!r} instead."
        )
    return never if baseline == "negative" else always


def _has_many_classes(cost_matrix, labels, actions, given):
    """Whether the costs are a table of classes and decisions, not the four costs."""
    if cost_matrix is None:
        if labels is not None or actions is not None:
            raise ValueError(
                "labels and actions name the rows and columns of cost_matrix; pass cost_matrix too."
            )
        return False
    if labels is None and actions is None and np.shape(cost_matrix) == (2, 2):
        return False
    if any(value is not None for value in given.values()):
        raise ValueError("Give either cost_matrix or the four costs, not both.")
    return True


def _read_many(y_true, y_pred, cost_matrix, labels, actions):
    """Indices of the classes and of the decisions, their costs, and the decisions by index."""
    y_true, y_pred = read_labels(y_true, y_pred)
    found = np.concatenate([y_true, y_pred]) if actions is None else y_true
    labels = _class_order(found, cost_matrix, labels)
    costs = CostMatrix.of(cost_matrix, len(labels), labels, actions, len(y_true))
    decisions = labels if actions is None else np.asarray(actions)
    what = "labels" if actions is None else "actions"
    return _index(y_true, labels), _index(y_pred, decisions, what), costs, decisions


def _savings_of_many(truth, decided, costs, decisions, baseline, sample_weight):
    weight = read_weights(sample_weight, len(truth))
    weight = np.ones(len(truth)) if weight is None else weight
    if not isinstance(baseline, str):
        base = weight @ costs.paid(truth, _index(read_labels(truth, baseline)[1], decisions))
    elif baseline == "best":
        base = min(
            weight @ costs.paid(truth, np.full_like(truth, j)) for j in range(len(decisions))
        )
    else:
        raise ValueError(
            "With more than two classes, baseline must be 'best' or an array of decisions. "
            f"Got {baseline!r} instead."
        )
    return savings(weight @ costs.paid(truth, decided), base)


def _expected_of_many(y_true, y_prob, cost_matrix, labels, actions, under):
    """Cost of the decisions of least expected cost, under the labels or the model."""
    truth, P, costs, _ = read_class_probabilities(y_true, y_prob, cost_matrix, labels, actions)
    if under == "model":
        return costs.expected(P).min(axis=1)
    return costs.paid(truth, costs.decide(P))


def read_class_probabilities(y_true, y_prob, cost_matrix, labels=None, actions=None):
    """Indices of the classes, probabilities and costs, checked, and the labels in order."""
    y_true, P = column_or_1d(y_true), np.asarray(y_prob, dtype=np.float64)
    check_consistent_length(y_true, P)
    check_not_empty(y_true)
    labels = _class_order(y_true, cost_matrix, labels)
    costs = CostMatrix.of(cost_matrix, len(labels), labels, actions, len(y_true))
    if P.shape != (len(y_true), len(labels)):
        raise ValueError(
            f"y_prob must have one column for each of the {len(labels)} classes. "
            f"Got shape {P.shape} instead."
        )
    check_probabilities(P)
    return _index(y_true, labels), P, costs, labels


def _class_order(found, cost_matrix, labels):
    if labels is not None:
        return np.asarray(labels)
    labels = np.unique(found)
    named = None if not hasattr(cost_matrix, "index") else np.unique(np.asarray(cost_matrix.index))
    if matrix_labels(cost_matrix) and named is not None and np.isin(labels, named).all():
        return named
    k = np.shape(cost_matrix)[-2] if np.ndim(cost_matrix) > 1 else len(cost_matrix)
    if len(labels) < k:
        raise ValueError(
            f"cost_matrix has {k} classes, the data have {len(labels)}: "
            "give all classes, in the order of the matrix, as labels."
        )
    return labels


def _index(y, labels, what="labels"):
    order = np.argsort(labels)
    place = np.searchsorted(labels[order], y).clip(max=len(labels) - 1)
    index = order[place]
    if (labels[index] != y).any():
        one = "an action" if what == "actions" else "a class"
        raise ValueError(f"The data contain {one} that is not in {what}; list all of them there.")
    return index
