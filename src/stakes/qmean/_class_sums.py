"""Exact minimization for rows that do not fit into memory: each pass adds up sums over all rows."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stakes.qmean._descent import newton_step
from stakes.qmean._losses import classification_loss
from stakes.qmean._mean import mean_curvature, mean_weights, power_mean

_ARMIJO = 1e-4
_LOSS = classification_loss("logistic")


@dataclass
class ClassSums:
    r"""Sums over the rows of each of two classes, at weights w with the intercept last.

    Attributes
    ----------
    rows, weight : ndarray of shape (2,)
        Number of rows with a positive weight, and the sum of the weights :math:`a_i`.
    loss, gradient, hessian : ndarray of shape (2, ...)
        Sums of :math:`a_i l_i`, and their derivatives in w, of the logistic loss.
    offset : ndarray of shape (2,)
        Sums of :math:`a_i o_i`, where :math:`l'_i f + o_i` bounds the loss from below for all f.

    Examples
    --------
    >>> Z, sign = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> parts = [ClassSums.of(Z[k], sign[k], np.ones(len(k)), np.zeros(2)) for k in ([0], [1, 2])]
    >>> both = parts[0].merge(parts[1])
    >>> both.rows.tolist(), both.loss.round(4).tolist()
    ([2.0, 1.0], [1.3863, 0.6931])
    """

    rows: np.ndarray
    weight: np.ndarray
    loss: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray
    offset: np.ndarray

    @classmethod
    def of(cls, Z, sign, weight, W):
        """Sums over the rows of Z, of which `sign` is +1 for positives and -1 for others."""
        n = np.count_nonzero(sign < 0)
        if not (sign[:n] < 0).all():  # each class as one slice, which needs no copy below
            order = np.concatenate([np.flatnonzero(sign < 0), np.flatnonzero(sign > 0)])
            Z, sign, weight = Z[order], sign[order], weight[order]
        values, slope, curvature = _LOSS.parts(Z @ W[:-1] + W[-1], sign)
        offset, found = _LOSS.offset(slope, sign), []
        for rows in (slice(n), slice(n, None)):
            a, X = weight[rows], Z[rows]
            s, c = a * slope[rows], a * curvature[rows]
            R = X * np.sqrt(c)[:, None]
            H = np.empty((len(W), len(W)))
            H[:-1, :-1] = R.T @ R  # half of the products: numpy sees that it is symmetric
            H[-1, :-1] = H[:-1, -1] = c @ X
            H[-1, -1] = c.sum()
            sums = np.count_nonzero(a), a.sum(), a @ values[rows], np.append(s @ X, s.sum()), H
            found.append((*sums, a @ offset[rows]))
        return cls(*(np.array(part, dtype=np.float64) for part in zip(*found, strict=True)))

    def merge(self, other):
        """Sums over the rows of both."""
        return ClassSums(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )


@dataclass(frozen=True)
class LogisticObjective:
    r"""Weighted logistic regression as in scikit-learn: :math:`\|w\|^2 / 2C + \sum_i a_i l_i`.

    The intercept is not penalized. The lower bound holds for intercepts up to ten times (one plus)
    the present one.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the penalty.
    """

    C: float = 1.0

    def parts(self, sums, W):
        """Value, gradient, Hessian and lower bound at W."""
        penalty = np.append(np.full(len(W) - 1, 1.0 / self.C), 0.0)
        value = 0.5 * penalty @ W**2 + sums.loss.sum()
        s = sums.gradient.sum(axis=0)
        bound = sums.offset.sum() - 0.5 * self.C * s[:-1] @ s[:-1]
        bound -= 10.0 * (1.0 + abs(W[-1])) * abs(s[-1])
        return value, s + penalty * W, sums.hessian.sum(axis=0) + np.diag(penalty), bound


@dataclass(frozen=True)
class MeanObjective:
    r"""The problem of :class:`QuadraticMeanClassifier`: :math:`\alpha\|w\|^2 + M_p(m)`.

    Parameters
    ----------
    alpha, p, class_share
        As in :class:`QuadraticMeanClassifier`.
    """

    alpha: float = 1e-3
    p: float = 2.0
    class_share: str = "equal"

    def share(self, sums):
        """Weight of each class in the mean."""
        if self.class_share == "equal":
            return np.full(2, 0.5)
        share = sums.weight / sums.rows
        return share / share.sum()

    def weights(self, sums):
        """Loss of each class, and its weight in the gradient of the mean."""
        m = sums.loss / sums.weight
        return m, mean_weights(m, self.share(sums), self.p)

    def parts(self, sums, W):
        """Value, gradient, Hessian and lower bound at W."""
        m, u = self.weights(sums)
        share = self.share(sums)
        G, a = sums.gradient / sums.weight[:, None], u / sums.weight
        s = u @ G
        H = np.tensordot(a, sums.hessian, 1) + G.T @ mean_curvature(m, share, self.p) @ G
        H[np.diag_indices_from(H)] += 2.0 * self.alpha
        value = self.alpha * W @ W + power_mean(m, share, self.p)
        bound = a @ sums.offset - s @ s / (4.0 * self.alpha)
        return value, s + 2.0 * self.alpha * W, H, bound


@dataclass(frozen=True)
class SumsSolution:
    """Minimizer, with certificates over all rows.

    Attributes
    ----------
    W : ndarray of shape (d + 1,)
        Weights, the intercept last.
    sums : ClassSums
        The sums at W.
    objective, relative_gap, gradient_norm : float
        Value, its distance from a lower bound relative to it, and the largest entry of the
        gradient relative to the value.
    n_passes : int
        Number of times that all rows were read.
    """

    W: np.ndarray
    sums: ClassSums
    objective: float
    relative_gap: float
    gradient_norm: float
    n_passes: int


def minimize_sums(evaluate, objective, n_features, *, start=None, tol=1e-9, max_passes=100):
    """Minimize by damped Newton steps, of which each reads all rows once.

    Parameters
    ----------
    evaluate : callable
        `evaluate(W)` returns the :class:`ClassSums` of all rows.
    objective : LogisticObjective or MeanObjective
        What to minimize.
    n_features : int
        Number of columns.
    start : ndarray of shape (n_features + 1,), default=None
        Where to start, such as the minimizer of a sample, which saves passes. None: zero.
    tol : float, default=1e-9
        Stop when the next step would change no weight by more than this (times the largest weight,
        if that is above one).
    max_passes : int, default=100
        Maximum number of passes; warns if that is not enough.

    Returns
    -------
    SumsSolution

    Examples
    --------
    >>> Z, sign = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> found = minimize_sums(
    ...     lambda W: ClassSums.of(Z, sign, np.ones(3), W), LogisticObjective(), 1
    ... )
    >>> found.W.round(4).tolist(), found.n_passes, found.relative_gap < 1e-12
    ([0.7016, -1.4492], 5, True)
    """
    W = np.zeros(n_features + 1) if start is None else start
    sums, passes = evaluate(W), 1
    if sums.weight.min() <= 0:
        raise ValueError("Both classes need examples of positive weight and cost.")
    while True:
        value, gradient, H, bound = objective.parts(sums, W)
        direction = -newton_step(H, gradient)
        small = np.abs(direction).max() <= tol * max(1.0, np.abs(W).max())
        length, found = 1.0, None
        while not small and passes < max_passes and length > 1e-10:
            step = W + length * direction
            found, passes = evaluate(step), passes + 1
            new = objective.parts(found, step)[0]
            # beyond rounding, the value must fall
            if new <= value + _ARMIJO * length * (gradient @ direction) + 1e-14 * abs(value):
                break
            found, length = None, 0.5 * length
        if found is None:
            break
        W, sums = step, found
    if not small:
        warnings.warn(
            f"Newton's method did not converge in {passes} passes over the rows; scale the "
            "features or raise the penalty.",
            ConvergenceWarning,
            stacklevel=3,
        )
    gap = max(value - bound, 0.0) / abs(value)
    norm = np.abs(gradient).max() / abs(value)
    return SumsSolution(W, sums, float(value), float(gap), float(norm), passes)
