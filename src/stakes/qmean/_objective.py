"""Quadratic mean as an objective for gradient boosting."""

import numpy as np
from scipy.special import expit

from stakes.qmean._losses import classification_loss
from stakes.qmean._mean import mean_weights, power_mean


class QuadraticMeanObjective:
    r"""Custom objective for LightGBM and XGBoost: the quadratic mean of the class losses.

    With scores f and the class losses :math:`m_g(f)` of :class:`QuadraticMeanClassifier`, returns
    n times the first and second derivative of :math:`M_p(m(f))` in each score,

    .. math:: g_i = n\, u_g a_i\, l'(f_i, y_i), \qquad h_i = n\, u_g a_i\, l''(f_i, y_i), \qquad
              u_g = \frac{\partial M_p}{\partial m_g} ,

    so that in each round the classes are weighted by their current losses (p = 2). The loss is
    logistic, or softmax with more than two classes.

    Parameters
    ----------
    p : float, default=2.0
        Power of the mean, from 1 to `numpy.inf`.

    Notes
    -----
    The full Hessian has another term of rank k, through the class losses. It is positive
    semi-definite but not diagonal; boosters take a diagonal only, so it is omitted.
    HistGradientBoostingClassifier takes no objective; use :class:`QuadraticMeanReweighting`.

    Examples
    --------
    >>> objective = QuadraticMeanObjective()
    >>> gradient, curvature = objective(np.array([0, 0, 0, 1]), np.zeros(4))
    >>> gradient.round(4).tolist()  # one positive weighs as much as three negatives
    [0.3333, 0.3333, 0.3333, -1.0]
    """

    def __init__(self, *, p=2.0):
        self.p = p

    def __call__(self, y_true, y_pred, sample_weight=None):
        """First and second derivative in each score, with the signature that boosters call.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels 0 .. k-1. In the native interfaces: the scores.
        y_pred : array-like of shape (n,) or (n, k)
            Raw scores. In the native interfaces: the data set, with `get_label`.
        sample_weight : array-like of shape (n,), default=None
            Weights or costs within each class.

        Returns
        -------
        (gradient, hessian)
            In the shape of the scores.
        """
        if hasattr(y_pred, "get_label"):
            y_true, y_pred, sample_weight = _native(y_true, y_pred)
        y, f, a, loss = self._read(y_true, y_pred, sample_weight)
        values, slope, curvature = loss.parts(f, _coded(y, f))
        m = np.bincount(y, a * values)
        u = mean_weights(m, np.full(len(m), 1.0 / len(m)), self.p)
        factor = len(y) * u[y] * a
        if f.ndim == 1:
            return factor * slope, factor * np.maximum(curvature, 1e-16)
        diagonal = np.maximum(np.einsum("ijj->ij", curvature), 1e-16)
        return factor[:, None] * slope, factor[:, None] * diagonal

    def value(self, y_true, y_pred, sample_weight=None):
        """Quadratic mean of the class losses at given raw scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels 0 .. k-1.
        y_pred : array-like of shape (n,) or (n, k)
            Raw scores.
        sample_weight : array-like of shape (n,), default=None
            Weights within each class.

        Returns
        -------
        float
        """
        m = self.class_losses(y_true, y_pred, sample_weight)
        return float(power_mean(m, np.full(len(m), 1.0 / len(m)), self.p))

    def class_losses(self, y_true, y_pred, sample_weight=None):
        """Mean loss of each class at given raw scores; parameters as in `value`."""
        y, f, a, loss = self._read(y_true, y_pred, sample_weight)
        return np.bincount(y, a * loss.parts(f, _coded(y, f))[0])

    def probability(self, y_pred, y_train, train_pred):
        """Probability of the positive class at the class frequencies of the training set.

        Parameters
        ----------
        y_pred : array-like of shape (m,)
            Raw scores.
        y_train, train_pred : array-like of shape (n,)
            Labels 0 and 1 of the training set and the booster's raw scores on it, from which the
            effect of the class weights on the log odds is computed.

        Returns
        -------
        ndarray of shape (m,)
        """
        y = np.asarray(y_train).astype(np.intp)
        m = self.class_losses(y, train_pred)
        u = mean_weights(m, np.full(2, 0.5), self.p)
        shift = np.log(u[1] / u[0]) - np.log(y.sum() / (len(y) - y.sum()))
        return expit(np.asarray(y_pred, dtype=np.float64) - shift)

    def _read(self, y_true, y_pred, sample_weight):
        y, f = np.asarray(y_true).astype(np.intp), np.asarray(y_pred, dtype=np.float64)
        k = 2 if f.ndim == 1 else f.shape[1]
        counts = np.bincount(y, minlength=k)
        if counts.min() == 0 or len(counts) > k:
            raise ValueError(
                f"The labels must be 0 .. {k - 1}, each present at least once, for {k} classes."
            )
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
        return y, f, weight / np.bincount(y, weight)[y], classification_loss("logistic", k)


def _coded(y, f):
    return np.where(y == 1, 1.0, -1.0) if f.ndim == 1 else y


def _native(scores, data):
    """Read what the native interfaces of LightGBM and XGBoost pass: scores and data set."""
    weight = data.get_weight()
    empty = weight is None or len(weight) == 0
    return data.get_label(), scores, None if empty else weight
