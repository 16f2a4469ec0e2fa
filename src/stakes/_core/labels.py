"""Labels of two classes, and which features are categories."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d


def code_labels(y):
    """Turn two-class labels into (classes, signs); the larger label, `classes[1]`, is +1.

    Examples
    --------
    >>> classes, signs = code_labels(np.array(["good", "bad", "good"]))
    >>> classes.tolist(), signs.tolist()
    (['bad', 'good'], [1.0, -1.0, 1.0])
    """
    classes, positive = code_positive(y)
    return classes, np.where(positive, 1.0, -1.0)


def code_positive(y):
    """Both labels, sorted, and which of y are the second; a sentence where they are not two.

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
        raise ValueError(
            f"y has one class only, {classes[0]!r}; a decision needs examples of two classes."
        )
    return classes, index == 1


def stream_classes(classes):
    """Both labels of a stream, sorted; a sentence where they are not two.

    Examples
    --------
    >>> stream_classes(["yes", "no"]).tolist()
    ['no', 'yes']
    """
    classes = np.unique(classes)
    if len(classes) != 2:
        raise ValueError(
            f"A stream needs its two classes before it starts. Got {classes.tolist()}; give both "
            "by classes=."
        )
    return classes


def check_same_classes(given, classes):
    """Refuse classes, where some are given, that are not those a stream began with.

    Examples
    --------
    >>> check_same_classes([0, 2], [0, 1])
    Traceback (most recent call last):
    ValueError: classes must be those that the stream began with, [0, 1]. Got [0, 2] instead.
    """
    if given is not None and set(np.asarray(given).tolist()) != set(classes):
        raise ValueError(
            f"classes must be those that the stream began with, {list(classes)}. "
            f"Got {np.asarray(given).tolist()} instead."
        )


def positive_among(y, classes):
    """Which of the labels are `classes[1]`; a label that is neither of them is refused.

    Examples
    --------
    >>> positive_among(np.array([0, 1]), np.array([0, 1])).tolist()
    [False, True]
    """
    positive = y == classes[1]
    if not (positive | (y == classes[0])).all():
        raise ValueError(f"y has a label that is not in classes {classes.tolist()}.")
    return positive


def positive_mask(y, pos_label=None):
    """Which labels are positive: equal to `pos_label`, else to the larger of the two classes.

    Examples
    --------
    >>> positive_mask([0, 1, 1]).tolist()
    [False, True, True]
    """
    y = column_or_1d(y)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            f"Two classes are expected in y. Got {len(classes)} instead; for more of them, "
            "cost_loss and expected_cost_loss take a cost_matrix."
        )
    if pos_label is not None:
        return y == pos_label
    if len(classes) == 1 and classes[0] not in (-1, 0, 1):
        raise ValueError(
            f"y has one class only, {classes[0]!r}: say which label is positive with pos_label."
        )
    return y == (max(classes[-1], 1) if len(classes) == 1 else classes[1])


def category_mask(given, d, names=()):
    """A mask of the d features out of what `categorical_features` says.

    Parameters
    ----------
    given : array-like of bool, int or str, or None
        A mask, the numbers or the names of the features that are categories; None: none is.
    d : int
        How many features there are.
    names : sequence of str, default=()
        What they are called.

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
            raise ValueError(f"categorical_features names {str(unknown[0])!r}, no column of X.")
        chosen = np.array([names.index(name) for name in chosen], dtype=np.intp)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= d):
        raise ValueError(
            f"categorical_features must be columns from 0 to {d - 1}. "
            f"Got {chosen.min()} to {chosen.max()} instead."
        )
    mask[chosen.astype(np.intp)] = True
    return mask
