"""Costs of decisions among k classes, from a cost matrix."""

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes.costs import CostMatrix
from stakes.metrics._intake import check_not_empty, check_probabilities


def paid_of_many(y_true, y_pred, cost_matrix, labels):
    """Cost of each decision."""
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    check_not_empty(y_true)
    labels = _class_order(np.concatenate([y_true, y_pred]), cost_matrix, labels)
    costs = CostMatrix.of(cost_matrix, len(labels))
    return costs.paid(_index(y_true, labels), _index(y_pred, labels))


def expected_of_many(y_true, y_prob, cost_matrix, labels, under):
    """Cost of the decisions of least expected cost, under the labels or the model."""
    y_true, P = column_or_1d(y_true), np.asarray(y_prob, dtype=np.float64)
    check_consistent_length(y_true, P)
    check_not_empty(y_true)
    labels = _class_order(y_true, cost_matrix, labels)
    costs = CostMatrix.of(cost_matrix, len(labels))
    if P.shape != (len(y_true), len(labels)):
        raise ValueError(
            f"y_prob must have one column for each of the {len(labels)} classes. "
            f"Got shape {P.shape} instead."
        )
    check_probabilities(P)
    if under == "model":
        return costs.expected(P).min(axis=1)
    return costs.paid(_index(y_true, labels), costs.decide(P))


def _class_order(found, cost_matrix, labels):
    if labels is not None:
        return np.asarray(labels)
    labels = np.unique(found)
    if len(labels) < len(cost_matrix):
        raise ValueError(
            f"cost_matrix has {len(cost_matrix)} classes, the data have {len(labels)}: "
            "give all classes, in the order of the matrix, as labels."
        )
    return labels


def _index(y, labels):
    order = np.argsort(labels)
    place = np.searchsorted(labels[order], y).clip(max=len(labels) - 1)
    index = order[place]
    if (labels[index] != y).any():
        raise ValueError("The data contain a class that is not in labels; list all classes there.")
    return index
