"""Quadratic mean by reweighting: any learner with sample weights, fitted a few times."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from stakes._core.docs import documented
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions
from stakes.qmean._base import QuadraticMeanBase
from stakes.qmean._losses import classification_loss
from stakes.qmean._mean import power_mean
from stakes.qmean._weight_steps import equal_losses, towards_slope


def _has_probability(model):
    return hasattr(getattr(model, "estimator_", model.estimator), "predict_proba")


@documented()
class QuadraticMeanReweighting(QuadraticMeanBase):
    r"""Minimises the quadratic mean of the class losses with any learner that takes weights.

    A learner that minimises :math:`\Omega(f) + \sum_i w_i l(f(x_i), y_i)` is fitted with the
    weights :math:`w_i = n\, u_g c_i / \sum_{j \in g} c_j`, and the class weights u are moved
    towards the gradient of the mean at the resulting class losses,

    .. math:: s_g = \frac{\partial M_p}{\partial m_g} \propto m_g^{p-1} .

    This is the Frank-Wolfe method on the concave dual
    :math:`D(u) = \min_f \Omega(f)/n + \sum_g u_g m_g(f)`: its gradient is :math:`m`, s is the best
    point of the dual ball, and :math:`M_p(m) - u^\top m` is the duality gap. If the gap is zero,
    the weights are proportional to the class losses (p = 2) and f minimises
    :math:`\Omega(f)/n + M_p(m(f))`. The steps are extrapolated as in a secant method; for the
    minimax of two classes, the weight at which both losses are equal is bracketed instead.

    Parameters
    ----------
    estimator : classifier with `sample_weight` and `decision_function`
        Learner to reweight; the gap is a proof only if it minimises `loss`.
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

    _accept_sparse = "csr"
    _parameter_constraints = {
        **{
            name: QuadraticMeanBase._parameter_constraints[name]
            for name in ("p", "tol", "huber_width", "fp_cost", "fn_cost", "tp_cost", "tn_cost")
        },
        "estimator": [HasMethods(["fit", "predict", "decision_function"])],
        "loss": [StrOptions({"logistic", "hinge", "huber"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator,
        *,
        loss="logistic",
        p=2.0,
        huber_width=0.01,
        tol=1e-4,
        max_iter=50,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.estimator = estimator
        self.loss = loss
        self.p = p
        self.huber_width = huber_width
        self.tol = tol
        self.max_iter = max_iter
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    def _fit_rows(self, X, index, weight, regret):
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
        with np.errstate(divide="ignore"):
            self._log_weight = np.log(u / np.bincount(index, weight))
        if gap > self.tol * mean:
            warnings.warn(
                f"The class weights did not converge in {fits} fits: the gap is "
                f"{gap / mean:.1e} of the mean, above tol={self.tol:.1e}; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def decision_function(self, X):
        """Scores of the learner: (n,) for two classes, else (n, k).

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray
        """
        X = self._validate_X(X)
        return self.estimator_.decision_function(X)

    @available_if(_has_probability)
    def predict_proba(self, X):
        """Probability of each class at the class frequencies of the training set.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n, k)
        """
        X = self._validate_X(X)
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
        scores = self.estimator_.decision_function(X)
        return np.bincount(index, shares * loss.parts(scores, coded)[0])
