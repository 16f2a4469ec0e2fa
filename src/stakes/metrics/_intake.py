"""What all metrics read: which examples are positive, what was decided or scored, the prices."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes._core.labels import positive_mask
from stakes.costs import Costs


def read_decisions(y_true, y_pred, pos_label=None, cost_matrix=None):
    """Which examples are positive, and which were called positive.

    The positive class is `pos_label`, else the larger of the labels found in either array, so
    that decisions of one kind only are read rightly. A `cost_matrix` is only looked at for the
    order that it implies.

    Examples
    --------
    >>> positive, decided = read_decisions([0, 1], [0, 0])
    >>> positive.tolist(), decided.tolist()
    ([False, True], [False, False])
    """
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    check_some(y_true)
    both = np.concatenate([y_true, y_pred])
    mask = _positive(both, pos_label, cost_matrix)
    return mask[: len(y_true)], mask[len(y_true) :]


def read_scores(y_true, y_score, pos_label=None, cost_matrix=None):
    """Which examples are positive, and their scores as finite float64 numbers."""
    y_true = column_or_1d(y_true)
    check_some(y_true)
    positive = _positive(y_true, pos_label, cost_matrix)
    scores = positive_column(y_score, y_true, pos_label)
    check_consistent_length(y_true, scores)
    return positive, scores


def read_probabilities(y_true, y_prob, pos_label=None, cost_matrix=None):
    """Which examples are positive, and their probabilities of being so."""
    positive, p = read_scores(y_true, y_prob, pos_label, cost_matrix)
    check_probabilities(p)
    return positive, p


def check_probabilities(p):
    """Refuse what is no probability, NaN too."""
    low, high = p.min(), p.max()
    if not (low >= 0 and high <= 1):
        raise ValueError(
            f"y_prob must lie in [0, 1]. Got values from {low:.4g} to {high:.4g} instead; "
            "calibrate the scores first."
        )


def positive_column(y_score, labels, pos_label=None):
    """Scores of the positive class, out of a vector or of the two columns of `predict_proba`.

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
                f"All labels are {pos_label!r}, which does not tell its column of the two; give "
                "that column alone."
            )
        scores = scores[:, place]
    scores = column_or_1d(scores)
    if not np.isfinite(scores).all():
        raise ValueError("The scores hold missing or infinite values; drop these rows first.")
    return scores


def rows_of(name, value, n):
    """How many of n rows are meant by a number of them, or by a share."""
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= 0:
        return min(int(value), n)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 <= value <= 1:
        return int(value * n + 1e-9)
    raise ValueError(
        f"{name} must be a number of rows (an integer from 0) or a share of them (a float from 0 "
        f"to 1). Got {value!r} instead."
    )


def read_costs(n, given):
    """The costs of n examples out of a dict with any of the four names or `cost_matrix`."""
    return Costs.of(n, **{name: value for name, value in given.items() if value is not None})


def _positive(labels, pos_label, cost_matrix=None):
    mask = positive_mask(labels, pos_label)
    if pos_label is not None and not mask.any() and len(np.unique(labels)) == 2:
        raise ValueError(
            f"pos_label={pos_label!r} is none of the two labels "
            f"{np.unique(labels).tolist()}; name one of them."
        )
    if cost_matrix is not None and _place(pos_label, labels) == 0:
        raise ValueError(
            "cost_matrix has its classes in the order of the sorted labels, so the larger one is "
            f"positive. Got pos_label={pos_label!r} instead; turn the matrix round and leave "
            "pos_label out."
        )
    return mask


def _place(pos_label, labels):
    """Where the positive class stands among the two sorted classes; None if that is not told."""
    if pos_label is None:
        return 1
    others = [label for label in np.unique(labels) if label != pos_label]
    if others:
        return int(pos_label > others[0])
    if pos_label in (-1, 0, 1):
        return int(pos_label == 1)
    return None


def check_some(y):
    """Refuse an empty sample."""
    if len(y) == 0:
        raise ValueError("y_true is empty; a metric needs at least one example.")
