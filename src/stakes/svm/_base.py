"""What all SVMs here share: which examples count, the fit in the dual, scores, dual quantities."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.kernel_approximation import Nystroem

from stakes._sklearn import Interval, StrOptions
from stakes.base import CostSensitiveClassifier
from stakes.svm._dual import solve_dual
from stakes.svm._gram import KERNELS, Gram, resolve_gamma
from stakes.svm._interior import solve_linear

KERNEL_CONSTRAINTS = {
    "C": [Interval(Real, 0, None, closed="neither")],
    "kernel": [StrOptions(set(KERNELS))],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "normalize_costs": ["boolean"],
    "n_components": [None, Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "cache_size": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
}


@dataclass(frozen=True)
class DualView:
    r"""A fitted SVM seen from its dual, Eq. 54.

    Attributes
    ----------
    n_negative, n_positive : int
        Support vectors of each class.
    imbalance : float
        Support vectors of the cheaper class for each one of the dearer class (Figure 3b).
    l1_negative, l1_positive : float
        :math:`\|\alpha^-\|_1` and :math:`\|\alpha^+\|_1`; equal, since :math:`y^\top\alpha = 0`.
    l1_penalty : float
        The extra term of the CS-SVM, :math:`\sum_i (1 - \kappa_i)\alpha_i` over the cheaper class.
    """

    n_negative: int
    n_positive: int
    imbalance: float
    l1_negative: float
    l1_positive: float
    l1_penalty: float


class KernelSVC(CostSensitiveClassifier):
    """Base of the kernel SVMs: fits given penalties and margins, and scores new rows."""

    _accept_sparse = "csr"

    def decision_function(self, X):
        """Signed score of each row; positive means the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._validate_X(X)
        return self._raw_scores(X) + self.intercept_

    def dual_view(self):
        """Support vectors and l1 norms per class, see :class:`DualView`."""
        if not hasattr(self, "dual_coef_"):
            raise ValueError("Only a fit without n_components has a dual view.")
        alpha = np.abs(self.dual_coef_)
        positive = self.dual_coef_ > 0
        n_positive, n_negative = int(positive.sum()), int((~positive).sum())
        cheap, dear = (n_negative, n_positive)[:: self.dear_class_]
        return DualView(
            n_negative=n_negative,
            n_positive=n_positive,
            imbalance=cheap / max(dear, 1),
            l1_negative=float(alpha[~positive].sum()),
            l1_positive=float(alpha[positive].sum()),
            l1_penalty=float(alpha @ (1.0 - self._support_margins)),
        )

    def _raw_scores(self, X):
        if self.constant_:
            return np.zeros(X.shape[0])
        if self.n_components is not None:
            return self.feature_map_.transform(X) @ self.coef_
        gram = Gram(self.support_vectors_, self.kernel, self.gamma_, self.coef0, self.degree)
        return gram.score(X, self.dual_coef_)

    def _at_stake(self, y, regret):
        """Indices of the examples that cost anything; one class only makes a constant."""
        rows = np.flatnonzero(regret > 0)
        if len(rows) == 0:
            raise ValueError("No example costs anything: all regrets are zero, nothing to learn.")
        self.constant_ = bool(np.all(y[rows] == y[rows[0]]))
        return rows

    def _fit_constant(self, X, sign):
        """Only one class is at stake: always decide for it."""
        self.intercept_, self.n_iter_, self.dear_class_ = float(sign), 1, int(sign)
        self.support_ = np.empty(0, dtype=np.intp)
        self.support_vectors_, self.dual_coef_ = X[:0], np.empty(0)
        self._support_margins = np.empty(0)
        self.n_support_ = np.zeros(2, dtype=np.int64)
        self.kkt_residual_ = self.duality_gap_ = self.objective_ = 0.0
        return self

    def _fit_penalties(self, X, y, rows, penalties):
        """Solve with these penalties on these rows, and store the solution."""
        self.dear_class_, self.kappa_ = penalties.dear, penalties.kappa
        weight, margin = self.C * penalties.weight, penalties.margin
        X, y = (X, y) if len(rows) == len(y) else (X[rows], y[rows])
        self.gamma_ = resolve_gamma(self.gamma, X)
        if self.n_components is not None:
            return self._fit_features(X, y, weight, margin)
        gram = Gram(X, self.kernel, self.gamma_, self.coef0, self.degree)
        options = dict(tol=self.tol, max_iter=self.max_iter, cache_mib=self.cache_size)
        found = solve_dual(gram, y, weight, margin, **options)
        used = np.flatnonzero(found.beta)
        self.support_, self.support_vectors_ = rows[used], X[used]
        self.dual_coef_, self._support_margins = found.beta[used], margin[used]
        self.n_support_ = np.array([np.sum(y[used] < 0), np.sum(y[used] > 0)])
        self.intercept_, self.n_iter_ = found.intercept, max(1, found.n_iter)
        self.kkt_residual_, self.duality_gap_ = found.kkt_residual, found.gap
        self.objective_ = found.primal
        return self

    def _fit_features(self, X, y, weight, margin):
        """Nystroem features and the linear solver, for more rows than a kernel matrix allows."""
        self.feature_map_ = Nystroem(
            kernel=self.kernel,
            n_components=min(self.n_components, X.shape[0]),
            random_state=self.random_state,
            **{"gamma": self.gamma_, "coef0": self.coef0, "degree": self.degree},
        )
        Z = np.ascontiguousarray(self.feature_map_.fit_transform(X))
        found = solve_linear(Z, y, weight, margin, tol=self.tol)
        self.coef_, self.intercept_, self.n_iter_ = found.w, found.b, max(1, found.n_iter)
        self.duality_gap_, self.objective_ = found.gap, found.primal
        return self
