"""What all metrics read: which examples are positive, what was decided or scored, the prices."""

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes.base import positive_mask
from stakes.costs import Costs


def read_decisions(y_true, y_pred, pos_label=None):
    """Which examples are positive, and which were called positive.

    The positive class is `pos_label`, else the larger of the labels found in either array, so
    that decisions of one kind only are read rightly.

    Examples
    --------
    >>> positive, decided = read_decisions([0, 1], [0, 0])
    >>> positive.tolist(), decided.tolist()
    ([False, True], [False, False])
    """
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    _check_some(y_true)
    both = np.concatenate([y_true, y_pred])
    mask = _positive(both, pos_label)
    return mask[: len(y_true)], mask[len(y_true) :]


def read_scores(y_true, y_score, pos_label=None):
    """Which examples are positive, and their scores as finite float64 numbers."""
    y_true = column_or_1d(y_true)
    scores = positive_column(y_score)
    check_consistent_length(y_true, scores)
    _check_some(y_true)
    return _positive(y_true, pos_label), scores


def read_probabilities(y_true, y_prob, pos_label=None):
    """Which examples are positive, and their probabilities of being so."""
    positive, p = read_scores(y_true, y_prob, pos_label)
    if p.min() < 0 or p.max() > 1:
        raise ValueError(
            f"y_prob must lie in [0, 1]. Got values from {p.min():.4g} to {p.max():.4g} instead; "
            "calibrate the scores first."
        )
    return positive, p


def positive_column(y_score):
    """Scores of the positive class, out of a vector or of the two columns of `predict_proba`."""
    scores = np.asarray(y_score, dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    scores = column_or_1d(scores)
    if not np.isfinite(scores).all():
        raise ValueError("The scores hold missing or infinite values; drop these rows first.")
    return scores


def read_costs(n, given):
    """The costs of n examples out of a dict with any of the four names or `cost_matrix`."""
    return Costs.of(n, **{name: value for name, value in given.items() if value is not None})


def _positive(labels, pos_label):
    mask = positive_mask(labels, pos_label)
    if pos_label is not None and not mask.any() and len(np.unique(labels)) == 2:
        raise ValueError(
            f"pos_label={pos_label!r} is none of the two labels "
            f"{np.unique(labels).tolist()}; name one of them."
        )
    return mask


def _check_some(y):
    if len(y) == 0:
        raise ValueError("y_true is empty; a metric needs at least one example.")
