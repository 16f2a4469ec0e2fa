"""Quadratic mean with a kernel: exact up to some number of examples, Nystroem beyond."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import check_random_state

from stakes._core.base import LearnerInfo
from stakes._core.docs import documented
from stakes._core.intake import LARGEST
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.qmean._base import QuadraticMeanBase
from stakes.qmean._solve import gram_features


@documented()
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class KernelQuadraticMeanClassifier(QuadraticMeanBase):
    r"""Kernel classifier that minimizes the quadratic mean of the class losses.

    Solves the problem of :class:`QuadraticMeanClassifier` in the Hilbert space of the kernel,

    .. math:: \min_{f \in \mathcal{H},\, b}\ \alpha (\|f\|^2 + b^2) + M_p(m_1, \dots, m_k) ,

    with the solution :math:`f(x) = \sum_i \beta_i K(x_i, x)`. Up to `n_components` examples the sum
    runs over all of them and is exact; beyond that, over random landmarks (Nystroem).

    Parameters
    ----------
    loss : {"logistic", "hinge", "huber"}, default="logistic"
        Loss of one example.
    alpha : float, default=1e-3
        Ridge penalty.
    kernel : str or callable, default="rbf"
        Name of a kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, or a function of two
        tables of shape (n, d) and (m, d) that returns the kernel matrix of shape (n, m).
    gamma : {"scale"} or float, default="scale"
        Coefficient of the rbf, polynomial and sigmoid kernels; "scale" is 1 / (d Var(X)).
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    n_components : int, default=1000
        Maximum number of examples in the sum.
    p, huber_width, class_share, fit_intercept, regularize_intercept, tol, max_iter
        As in :class:`QuadraticMeanClassifier`.
    random_state : int, RandomState instance or None, default=None
        Random state of the landmarks.
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        Labels.
    landmarks_ : ndarray of shape (m, d)
        Examples in the sum.
    dual_coef_ : ndarray of shape (1, m) or (k, m)
        Coefficients :math:`\beta`.
    intercept_ : ndarray of shape (1,) or (k,)
        Intercept.
    gamma_ : float
        Value of gamma.
    class_losses_, class_weights_, objective_, duality_gap_, gradient_norm_, gaps_, n_iter_
        As in :class:`QuadraticMeanClassifier`.
    [seen]

    References
    ----------
    .. [1] W. Liu's thesis, Section 8.2 (future work); C. Williams, M. Seeger. "Using the Nystroem
       Method to Speed Up Kernel Machines". NIPS 2000.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles((180, 20), noise=0.1, factor=0.4, random_state=0)
    >>> model = KernelQuadraticMeanClassifier(loss="hinge").fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    alpha: float = 1e-3
    kernel: str | Callable = "rbf"
    gamma: str | float = "scale"
    degree: float = 3
    coef0: float = 0.0
    n_components: int = 1000
    class_share: str = "equal"
    fit_intercept: bool = True
    regularize_intercept: bool = True
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints = {
        **{
            name: rule
            for name, rule in QuadraticMeanBase._parameter_constraints.items()
            if name != "solver"
        },
        "kernel": [StrOptions(set(PAIRWISE_KERNEL_FUNCTIONS)), callable],
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Real, 0, 1000, closed="both")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }
    solver = "newton"
    _info = LearnerInfo(
        family="qmean",
        speed="medium",
        grid={"alpha": [1e-5, 1e-4, 1e-3, 1e-2]},
    )

    def _fit_rows(self, X, index, weight, regret):
        self.landmarks_, self.gamma_ = self._landmarks(X), self._gamma(X, weight)
        _, back = gram_features(self._K(self.landmarks_))
        W = self._fit_features(self._K(X) @ back, index, weight, regret)
        self.dual_coef_ = np.atleast_2d((back @ W[:-1]).T)
        self.intercept_ = np.atleast_1d(W[-1])
        return self

    def _scores(self, X):
        return self._K(X) @ self.dual_coef_.T + self.intercept_

    def _landmarks(self, X):
        if len(X) <= self.n_components:
            return X.copy()  # the caller may modify X later
        rows = check_random_state(self.random_state).choice(
            len(X), self.n_components, replace=False
        )
        return X[np.sort(rows)]

    def _gamma(self, X, weight):
        if self.gamma != "scale":
            return float(self.gamma)
        weight = np.repeat(weight, X.shape[1])
        mean = np.average(X.ravel(), weights=weight)
        variance = np.average((X.ravel() - mean) ** 2, weights=weight)
        if 0 < variance < 1e-200:
            raise ValueError(
                f"The variance of X is {variance:.1g}, so its kernel coefficient overflows; scale "
                "the features."
            )
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0

    def _K(self, X):
        if callable(self.kernel):
            K = np.asarray(self.kernel(X, self.landmarks_), dtype=np.float64)
            if K.shape != (len(X), len(self.landmarks_)):
                raise ValueError(
                    f"kernel must return a matrix of shape {(len(X), len(self.landmarks_))} for "
                    f"tables of {len(X)} and {len(self.landmarks_)} rows. Got shape {K.shape} "
                    "instead."
                )
            return K
        settings = dict(gamma=self.gamma_, degree=self.degree, coef0=self.coef0)
        with np.errstate(over="ignore", invalid="ignore"):
            K = pairwise_kernels(
                X, self.landmarks_, metric=self.kernel, filter_params=True, **settings
            )
        if self.kernel == "poly" and not np.abs(K).max(initial=0.0) <= LARGEST:
            raise ValueError(
                f"kernel='poly' with degree={self.degree} has values beyond {LARGEST:g} for these "
                "rows, or the root of a negative number: scale the features, or lower degree, "
                "gamma or coef0."
            )
        return K
