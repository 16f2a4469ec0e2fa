"""Error of predictions on uncertain points: as counted, and as certified."""

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d


def nominal_error(y_true, y_pred):
    """Share of wrong predictions, as if the points were known (Eq. 33 of the paper, over 100).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels and predictions.

    Returns
    -------
    float
        Between 0 and 1; smaller is better.

    Examples
    --------
    >>> nominal_error([0, 1, 1, 1], [0, 1, 1, 0])
    0.25
    """
    y_true, y_pred = _labels(y_true, y_pred)
    return float(np.mean(y_true != y_pred))


def certified_error(y_true, y_pred, certificate):
    r"""Bound on the mean probability of an error, that of measurement included (Eqs. 34 and 35).

    .. math:: \frac1n\sum_i \begin{cases} 1 & \hat y_i \ne y_i \\
              \varepsilon_i & \hat y_i = y_i \end{cases} ,

    where :math:`\varepsilon_i` bounds the probability that the true point lies on the other side.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels and predictions.
    certificate : array-like of shape (n,)
        Bounds :math:`\varepsilon_i` from `UncertainMarginClassifier.predict_certificate`; its
        `measure` "1" to "4" and "c" give the paper's OptErr of these names (over 100).

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
    y_true, y_pred = _labels(y_true, y_pred)
    certificate = read_certificate(certificate, len(y_true))
    return float(np.mean(np.where(y_true == y_pred, certificate, 1.0)))


def read_certificate(certificate, n):
    """The bounds of n predictions, checked to be probabilities."""
    certificate = column_or_1d(np.asarray(certificate, dtype=np.float64))
    if len(certificate) != n:
        raise ValueError(f"certificate must have {n} values. Got {len(certificate)} instead.")
    if not ((certificate >= 0) & (certificate <= 1)).all():
        raise ValueError("certificate must hold probabilities between 0 and 1.")
    return certificate


def _labels(y_true, y_pred):
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    if len(y_true) == 0:
        raise ValueError("y_true is empty; a metric needs at least one example.")
    return y_true, y_pred
