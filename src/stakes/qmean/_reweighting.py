"""Quadratic mean by reweighting: any learner with sample weights, fitted a few times."""

import inspect
import warnings
from dataclasses import dataclass, field
from numbers import Integral, Real

import numpy as np
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from stakes._core.docs import documented
from stakes._core.intake import checked_for
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions
from stakes.qmean._base import QuadraticMeanBase, log_weights
from stakes.qmean._losses import classification_loss
from stakes.qmean._mean import mean_weights, power_mean

_LEAST = 1e-6  # probability below which log odds are cut off


@documented()
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class QuadraticMeanReweighting(QuadraticMeanBase):
    r"""Minimizes the quadratic mean of the class losses with any learner that takes weights.

    A learner that minimizes :math:`\Omega(f) + \sum_i w_i l(f(x_i), y_i)` is fitted with the
    weights :math:`w_i = n\, u_g c_i / \sum_{j \in g} c_j`, and the class weights u are moved
    towards the gradient of the mean at the resulting class losses,

    .. math:: s_g = \frac{\partial M_p}{\partial m_g} \propto m_g^{p-1} .

    This is the Frank-Wolfe method on the concave dual
    :math:`D(u) = \min_f \Omega(f)/n + \sum_g u_g m_g(f)`: its gradient is :math:`m`, s is the best
    point of the dual ball, and :math:`M_p(m) - u^\top m` is the duality gap. If the gap is zero,
    the weights are proportional to the class losses (p = 2) and f minimizes
    :math:`\Omega(f)/n + M_p(m(f))`. The steps are extrapolated as in a secant method; for the
    minimax of two classes, the weight at which both losses are equal is bracketed instead.

    Parameters
    ----------
    estimator : classifier with `sample_weight`, and `decision_function` or `predict_proba`
        Learner to reweight; the gap is a proof only if it minimizes `loss`. Probabilities, such as
        those of forests and XGBClassifier, count as scores by their log odds, between -14 and 14.
        The class losses are those on the training rows, so a learner that fits them perfectly
        needs a limit on its depth or leaves; one that is random needs a larger `tol`.
    loss : {"logistic", "hinge", "huber"}, default="logistic"
        Loss that determines the class weights.
    p : float, default=2.0
        Power of the mean, from 1 to `numpy.inf`.
    huber_width : float, default=0.01
        Half the width of the rounded kink of the Huber loss.
    tol : float, default=1e-4
        Gap at which to stop, relative to the mean.
    max_iter : int, default=50
        Maximum number of fits.
    [costs]

    Attributes
    ----------
    estimator_ : classifier
        Learner fitted with the final weights.
    classes_ : ndarray of shape (k,)
        Labels.
    class_losses_, class_weights_ : ndarray of shape (k,)
        Class losses m, and the weights u of the last fit.
    duality_gap_ : float
        Relative duality gap :math:`(M_p(m) - u^\top m) / M_p(m)`.
    n_iter_ : int
        Number of fits.
    [seen]

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(1000, weights=[0.95], random_state=0)
    >>> model = QuadraticMeanReweighting(LogisticRegression()).fit(X, y)
    >>> m, u = model.class_losses_, model.class_weights_
    >>> [round(float(value[1] / value[0]), 2) for value in (m, u)]
    [0.98, 0.98]
    """

    estimator: object = field(kw_only=False)
    tol: float = 1e-4
    max_iter: int = 50

    _accept_sparse = "csr"
    _parameter_constraints = {
        **{
            name: QuadraticMeanBase._parameter_constraints[name]
            for name in ("p", "tol", "huber_width", "fp_cost", "fn_cost", "tp_cost", "tn_cost")
        },
        "estimator": [
            HasMethods(["fit", "predict", "decision_function"]),
            HasMethods(["fit", "predict", "predict_proba"]),
        ],
        "loss": [StrOptions({"logistic", "hinge", "huber"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _fit_rows(self, X, index, weight, regret):
        fit = inspect.signature(self.estimator.fit).parameters.values()
        if not any(one.name == "sample_weight" or one.kind is one.VAR_KEYWORD for one in fit):
            raise ValueError(
                f"{type(self.estimator).__name__} takes no sample_weight in fit, so it cannot be "
                "reweighted; use another learner."
            )
        X = checked_for(self.estimator, X, fitting=True)
        k = len(self.classes_)
        share, p = np.full(k, 1.0 / k), float(self.p)
        steps = equal_losses() if np.isinf(p) and k == 2 else towards_slope(share, p)
        u, fits = next(steps), 0
        while True:
            m = self._losses_at(X, index, weight, regret, u)
            fits += 1
            mean = power_mean(m, share, p)
            gap = mean - u @ m
            if gap <= self.tol * mean or fits >= self.max_iter:
                break
            u = steps.send(m)
        self.class_losses_, self.class_weights_ = m, u
        self.duality_gap_ = float(gap / mean) if gap else 0.0
        self.n_iter_ = fits
        self._log_weight = log_weights(u, np.bincount(index, weight))
        if gap > self.tol * mean:
            warnings.warn(
                f"The class weights did not converge in {fits} fits: the gap is "
                f"{gap / mean:.1e} of the mean, above tol={self.tol:.1e}; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _scores(self, X):
        return _scores_of(self.estimator_, X)

    def _has_probability(self):
        return hasattr(getattr(self, "estimator_", self.estimator), "predict_proba")

    def _probabilities(self, X):
        X = self._validate_X(X)  # raises first if there is no estimator_ yet
        P = self.estimator_.predict_proba(X)
        P = P * np.exp(self._log_weight.min() - self._log_weight)
        return P / P.sum(axis=1, keepdims=True)

    def _losses_at(self, X, index, weight, regret, u):
        """Fit with class weights u; return the class losses."""
        c = weight * regret
        shares = c / np.bincount(index, c)[index]
        self.estimator_ = clone(self.estimator).fit(
            X, self.classes_[index], sample_weight=weight.sum() * u[index] * shares
        )
        k = len(self.classes_)
        loss = classification_loss(self.loss, k, self.huber_width)
        coded = np.where(index == 1, 1.0, -1.0) if k == 2 else index
        scores = _scores_of(self.estimator_, X)
        return np.bincount(index, shares * loss.parts(scores, coded)[0])


def _scores_of(estimator, X):
    """Decision function, or log odds (two classes) or logarithms of the probabilities."""
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    P = np.clip(np.asarray(estimator.predict_proba(X), dtype=np.float64), _LEAST, 1.0 - _LEAST)
    return logit(P[:, 1]) if P.shape[1] == 2 else np.log(P)


# Generators of class weights to try: they yield weights and are sent the class losses.


def towards_slope(share, p):
    r"""Move the weights u towards the slope s of the mean at the losses that u gives.

    The fixed point u = s(m(u)) is extrapolated from the last few points by least squares on their
    residuals (Anderson mixing, a secant method). If that does not halve the gap
    :math:`(s - u)^\top m`, a Frank-Wolfe step from the same point increases the dual instead.

    Examples
    --------
    >>> steps = towards_slope(np.array([0.5, 0.5]), 2.0)
    >>> next(steps).tolist()
    [0.5, 0.5]
    >>> steps.send(np.array([3.0, 4.0])).round(4).tolist()
    [0.4243, 0.5657]
    """
    u, points = share, []
    m = yield u
    while True:
        way = mean_weights(m, share, p) - u
        gap = m @ way
        points = [*points, (u, way)][-len(share) - 1 :]
        mixed = _mixed(points, share, p) if np.isfinite(p) and len(points) > 1 else None
        if mixed is not None:
            m_mixed = yield mixed
            way_mixed = mean_weights(m_mixed, share, p) - mixed
            if m_mixed @ way_mixed <= 0.5 * gap:
                u, m = mixed, m_mixed
                continue
            points.append((mixed, way_mixed))
        length = 1.0
        while True:
            m = yield u + length * way
            slope = m @ way  # of the dual along the step; negative: past its maximum
            if slope >= -0.5 * gap:
                break
            length *= max(gap / (gap - slope), 0.25)
        u = u + length * way


def equal_losses():
    r"""Minimax of two classes: find the weights at which both losses are equal.

    The second loss minus the first falls as the second weight grows; its zero is bracketed on the
    scale of log odds, then found by the Illinois variant of regula falsi. If no weight makes the
    losses equal, the odds grow until the gap is small.

    Examples
    --------
    >>> steps = equal_losses()
    >>> next(steps).tolist()
    [0.5, 0.5]
    >>> bool(steps.send(np.array([1.0, 2.0]))[1] > 0.5)
    True
    """
    z, step = 0.0, 1.0
    excess = -np.subtract(*(yield _odds(z)))
    while True:  # double the step until the sign changes
        old_z, old = z, excess
        z += step if excess > 0 else -step
        step *= 2.0
        excess = -np.subtract(*(yield _odds(z)))
        if excess * old <= 0.0:
            break
    while True:
        flat = excess == old
        new_z = 0.5 * (z + old_z) if flat else z - excess * (z - old_z) / (excess - old)
        new = -np.subtract(*(yield _odds(new_z)))
        if new * excess < 0.0:
            old_z, old = z, excess
        else:
            old *= 0.5  # the same end was kept twice: pull the next point towards it
        z, excess = new_z, new


def _odds(z):
    return np.array([expit(-z), expit(z)])


def _mixed(points, share, p):
    """Combination of the points with the smallest residual, on the dual ball; None if outside."""
    U, R = (np.array(part) for part in zip(*points, strict=True))
    mix = np.linalg.lstsq(np.diff(R, axis=0).T, R[-1], rcond=1e-10)[0]
    u = U[-1] + R[-1] - mix @ (np.diff(U, axis=0) + np.diff(R, axis=0))
    if not np.isfinite(u).all() or u.min() <= 0.0:
        return None
    return u / dual_norm(u, share, p)


def dual_norm(u, share, p):
    """Norm whose unit ball contains all gradients of the power mean.

    Examples
    --------
    >>> round(float(dual_norm(mean_weights(np.array([3.0, 4.0]), np.full(2, 0.5), 2.0),
    ...                       np.full(2, 0.5), 2.0)), 12)
    1.0
    """
    ratio = u / share
    if p == 1.0:
        return ratio.max()
    q = p / (p - 1.0)
    return (share @ ratio**q) ** (1.0 / q)
