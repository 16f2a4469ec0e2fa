"""Input of all metrics: which examples are positive, decisions or scores, weights."""

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes._core.labels import positive_mask
from stakes._core.words import shown
from stakes.costs import in_class_order, matrix_labels


def read_decisions(y_true, y_pred, pos_label=None, cost_matrix=None):
    """Return which examples are positive, and which were called positive.

    The positive class is `pos_label`, else the larger of the labels in either array, so that
    decisions that are all the same are read correctly. A `cost_matrix` is only checked against
    the order of the classes that it implies.

    Examples
    --------
    >>> positive, decided = read_decisions([0, 1], [0, 0])
    >>> positive.tolist(), decided.tolist()
    ([False, True], [False, False])
    """
    y_true, y_pred = read_labels(y_true, y_pred)
    mask = _positive(np.concatenate([y_true, y_pred]), pos_label, cost_matrix)
    return mask[: len(y_true)], mask[len(y_true) :]


def read_labels(y_true, y_pred):
    """Return labels and predictions as columns of the same, positive length."""
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    check_not_empty(y_true)
    return y_true, y_pred


def read_scores(y_true, y_score, pos_label=None, cost_matrix=None):
    """Return which examples are positive, and their scores as finite float64 numbers."""
    y_true = column_or_1d(y_true)
    check_not_empty(y_true)
    positive = _positive(y_true, pos_label, cost_matrix)
    scores = positive_column(y_score, y_true, pos_label)
    check_consistent_length(y_true, scores)
    return positive, scores


def read_probabilities(y_true, y_prob, pos_label=None, cost_matrix=None):
    """Return which examples are positive, and their probabilities of being positive."""
    positive, p = read_scores(y_true, y_prob, pos_label, cost_matrix)
    check_probabilities(p)
    return positive, p


def check_probabilities(p):
    """Raise unless all values are probabilities; NaN is none."""
    low, high = p.min(), p.max()
    if not (low >= 0 and high <= 1):
        raise ValueError(
            f"y_prob must lie in [0, 1]. Got values from {low:.4g} to {high:.4g} instead; "
            "calibrate the scores first."
        )


def positive_column(y_score, labels, pos_label=None):
    """Return the scores of the positive class, from a vector or both columns of `predict_proba`.

    Examples
    --------
    >>> positive_column([[0.9, 0.1]], labels=["bad", "good"], pos_label="bad")
    array([0.9])
    """
    scores = np.asarray(y_score, dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 2:
        place = _place(pos_label, labels)
        if place is None:
            raise ValueError(
                f"All labels are {shown(pos_label)}, so its column among the two is unknown; pass "
                "that column only."
            )
        scores = scores[:, place]
    scores = column_or_1d(scores)
    if not np.isfinite(scores).all():
        raise ValueError("The scores contain missing or infinite values; drop these rows first.")
    return scores


def read_weights(sample_weight, n):
    """Return the weights of n examples as float64, or None if there are none."""
    if sample_weight is None:
        return None
    weight = np.asarray(column_or_1d(sample_weight), dtype=np.float64)
    if len(weight) != n:
        raise ValueError(f"sample_weight must have {n} values. Got {len(weight)} instead.")
    if not ((weight >= 0) & np.isfinite(weight)).all() or not weight.any():
        raise ValueError("sample_weight must be finite, not negative, and not all zero.")
    return weight


def mean_or_total(values, sample_weight=None, normalize=True):
    """Return the weighted mean of the values, or their weighted total.

    Examples
    --------
    >>> mean_or_total(np.array([1.0, 4.0]), [2, 1]), mean_or_total(np.array([1.0, 4.0]))
    (2.0, 2.5)
    """
    weight = read_weights(sample_weight, len(values))
    if weight is None:
        return float(values.mean() if normalize else values.sum())
    total = weight @ values
    return float(total / weight.sum() if normalize else total)


def check_not_empty(y):
    """Raise if there is no example."""
    if len(y) == 0:
        raise ValueError("y_true is empty; a metric needs at least one example.")


def _positive(labels, pos_label, cost_matrix=None):
    mask = positive_mask(labels, pos_label)
    if pos_label is not None and not mask.any() and len(np.unique(labels)) == 2:
        raise ValueError(
            f"pos_label={shown(pos_label)} is neither of the two labels "
            f"{np.unique(labels).tolist()}; use one of them."
        )
    if cost_matrix is not None:
        _check_matrix_labels(cost_matrix, labels)
    if cost_matrix is not None and _place(pos_label, labels) == 0:
        raise ValueError(
            "cost_matrix has its classes in the order of the sorted labels, so the larger one is "
            f"positive. Got pos_label={shown(pos_label)} instead; reverse both axes of the matrix "
            "and omit pos_label."
        )
    return mask


def _check_matrix_labels(cost_matrix, labels):
    """Raise if a labeled cost matrix is about other classes than the data."""
    found = np.unique(labels)
    if matrix_labels(cost_matrix) and len(found) == 2:
        in_class_order(cost_matrix, found)


def _place(pos_label, labels):
    """Position of the positive class among the two sorted classes; None if unknown."""
    if pos_label is None:
        return 1
    others = [label for label in np.unique(labels) if label != pos_label]
    if others:
        return int(pos_label > others[0])
    if pos_label in (-1, 0, 1):
        return int(pos_label == 1)
    return None
