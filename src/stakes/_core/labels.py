"""Two-class labels, and which features are categorical."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from stakes._core.words import shown

_SMALL_RANGE = 1000  # of whole numbers as labels


def code_labels(y):
    """Encode two-class labels as (classes, signs); the larger label, `classes[1]`, is +1.

    Examples
    --------
    >>> classes, signs = code_labels(np.array(["good", "bad", "good"]))
    >>> classes.tolist(), signs.tolist()
    (['bad', 'good'], [1.0, -1.0, 1.0])
    """
    classes, positive = code_positive(y)
    return classes, np.where(positive, 1.0, -1.0)


def code_positive(y):
    """The two sorted labels and a mask of the second; raise if y does not have two classes.

    Examples
    --------
    >>> code_positive([3, 7, 7])[1].tolist()
    [False, True, True]
    """
    y = column_or_1d(y)
    if y.dtype.kind in "biu" and len(y):
        least, most = y.min(), y.max()
        positive = y == most
        if least != most and (positive | (y == least)).all():
            return np.array([least, most]), positive
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}; wrap the learner in sklearn's OneVsRestClassifier."
        )
    if len(classes) < 2:
        found = f"only one class, {shown(classes[0])}" if len(classes) else "no rows"
        raise ValueError(f"y has {found}; a classifier needs examples of both classes.")
    return classes, index == 1


def class_indices(y):
    """Sorted labels and the index of each row's label, as `numpy.unique` with its inverse.

    Labels that are whole numbers in a small range, the usual case, are not sorted.

    Examples
    --------
    >>> classes, index = class_indices(np.array([5, 3, 5]))
    >>> classes.tolist(), index.tolist()
    ([3, 5], [1, 0, 1])
    """
    if y.dtype.kind in "iu" and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < _SMALL_RANGE and high <= np.iinfo(np.int64).max:
            shifted = y.astype(np.int64) - low
            present = np.bincount(shifted) > 0
            classes = (np.flatnonzero(present) + low).astype(y.dtype)
            return classes, (np.cumsum(present) - 1)[shifted]
    return np.unique(y, return_inverse=True)


def stream_classes(classes):
    """The two sorted labels of a stream; raise if there are not exactly two.

    Examples
    --------
    >>> stream_classes(["yes", "no"]).tolist()
    ['no', 'yes']
    """
    classes = np.unique(classes)
    if len(classes) != 2:
        raise ValueError(
            f"A stream needs both classes before it starts. Got {classes.tolist()}; pass both "
            "as classes=."
        )
    return classes


def check_same_classes(given, classes):
    """Raise if `given` is not None and differs from the classes the stream started with.

    Examples
    --------
    >>> check_same_classes([0, 2], [0, 1])
    Traceback (most recent call last):
    ValueError: classes must be the ones the stream started with, [0, 1]. Got [0, 2] instead.
    """
    if given is not None and set(np.asarray(given).tolist()) != set(classes):
        raise ValueError(
            f"classes must be the ones the stream started with, {shown(list(classes))}. "
            f"Got {np.asarray(given).tolist()} instead."
        )


def positive_among(y, classes):
    """Mask of the labels equal to `classes[1]`; raise if a label is in neither class.

    Examples
    --------
    >>> positive_among(np.array([0, 1]), np.array([0, 1])).tolist()
    [False, True]
    """
    positive = y == classes[1]
    if not (positive | (y == classes[0])).all():
        raise ValueError(f"y contains a label that is not in classes {classes.tolist()}.")
    return positive


def positive_mask(y, pos_label=None):
    """Mask of the positive labels: those equal to `pos_label`, by default the larger class.

    Examples
    --------
    >>> positive_mask([0, 1, 1]).tolist()
    [False, True, True]
    """
    y = column_or_1d(y)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            f"y must have two classes. Got {len(classes)} instead; for more classes use cost_loss "
            "or expected_cost_loss with a cost_matrix."
        )
    if pos_label is not None:
        return y == pos_label
    if len(classes) == 1 and classes[0] not in (-1, 0, 1):
        raise ValueError(
            f"y has only one class, {shown(classes[0])}; pass pos_label to say which label is "
            "positive."
        )
    return y == (max(classes[-1], 1) if len(classes) == 1 else classes[1])


def category_mask(given, d, names=()):
    """Mask of the categorical features, from the value of `categorical_features`.

    Parameters
    ----------
    given : array-like of bool, int or str, or None
        Mask, indices or names of the categorical features; None means there are none.
    d : int
        Number of features.
    names : sequence of str, default=()
        Feature names.

    Returns
    -------
    ndarray of bool of shape (d,)

    Examples
    --------
    >>> category_mask(["kind"], 2, ["amount", "kind"]).tolist()
    [False, True]
    """
    mask = np.zeros(d, dtype=bool)
    if given is None:
        return mask
    chosen = np.asarray(given)
    if chosen.dtype == bool:
        if len(chosen) != d:
            raise ValueError(f"categorical_features has {len(chosen)} entries for {d} features.")
        return chosen
    if chosen.dtype.kind in "UO":
        names = list(names)
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise ValueError(
                f"categorical_features contains {str(unknown[0])!r}, which is not a column of X."
            )
        chosen = np.array([names.index(name) for name in chosen], dtype=np.intp)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= d):
        raise ValueError(
            f"categorical_features must contain column indices from 0 to {d - 1}. "
            f"Got {chosen.min()} to {chosen.max()} instead."
        )
    mask[chosen.astype(np.intp)] = True
    return mask
