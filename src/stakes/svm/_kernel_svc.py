"""Base of the kernel SVMs: the fit in the dual or on random features, scores, dual quantities."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.utils.validation import check_is_fitted

from stakes._core.sklearn_private import Interval, StrOptions
from stakes.svm._base import SVM_CONSTRAINTS, PricedSVC
from stakes.svm._dual import solve_dual
from stakes.svm._gram import KERNELS, make_gram, resolve_gamma
from stakes.svm._interior import solve_linear
from stakes.svm._libsvm import solve_libsvm
from stakes.svm._loss_of_landmarks import landmark_loss

AUTO_ROWS = 50_000  # rows above which approximation="auto" takes landmarks
KERNEL_CONSTRAINTS = SVM_CONSTRAINTS | {
    "kernel": [StrOptions(set(KERNELS)), callable],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "solver": [StrOptions({"smo", "libsvm"})],
    "approximation": [None, StrOptions({"auto", "nystroem", "fourier"})],
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "cache_size": [Interval(Real, 0, None, closed="left")],
    "warm_start": ["boolean"],
}


@dataclass(frozen=True)
class DualView:
    r"""Dual quantities of a fitted SVM, Eq. 54.

    Attributes
    ----------
    n_negative, n_positive : int
        Support vectors of each class.
    imbalance : float
        Number of support vectors of the cheaper class over that of the other one (Figure 3b).
    l1_negative, l1_positive : float
        :math:`\|\alpha^-\|_1` and :math:`\|\alpha^+\|_1`; equal, since :math:`y^\top\alpha = 0`.
    l1_penalty : float
        Additional term of the CS-SVM, :math:`\sum_i (1 - \kappa_i)\alpha_i` over the cheaper class.
    """

    n_negative: int
    n_positive: int
    imbalance: float
    l1_negative: float
    l1_positive: float
    l1_penalty: float


@dataclass(kw_only=True, eq=False, repr=False)
class KernelSVC(PricedSVC):
    """Base of the kernel SVMs, which differ in `_plan`."""

    kernel: object = "rbf"
    gamma: float | str = "scale"
    coef0: float = 0.0
    degree: int = 3
    solver: str = "smo"
    approximation: str | None = "auto"
    n_components: int = 300
    tol: float = 1e-3
    max_iter: int = 10_000_000
    cache_size: float = 200
    warm_start: bool = False

    def dual_view(self):
        """Count support vectors and l1 norms per class, see :class:`DualView`."""
        check_is_fitted(self)
        if hasattr(self, "feature_map_"):
            raise ValueError("Only a fit with approximation=None has a dual view.")
        alpha, positive = np.abs(self.dual_coef_[0]), self.dual_coef_[0] > 0
        n_positive, n_negative = int(positive.sum()), int((~positive).sum())
        cheap, expensive = (n_negative, n_positive)[:: self.expensive_class_]
        return DualView(
            n_negative=n_negative,
            n_positive=n_positive,
            imbalance=cheap / max(expensive, 1),
            l1_negative=float(alpha[~positive].sum()),
            l1_positive=float(alpha[positive].sum()),
            l1_penalty=float(alpha @ (1.0 - self._support_margins)),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _raw_scores(self, X):
        if hasattr(self, "feature_map_"):
            return self.feature_map_.transform(X) @ self.coef_[0]
        beta = self.dual_coef_[0]
        if self.kernel == "precomputed":
            return np.asarray(X[:, self.support_] @ beta).ravel()
        gram = self._gram(self.support_vectors_)
        return gram.score(X, beta) + gram.shift(beta)

    def _fit_constant(self, X, sign):
        super()._fit_constant(X, sign)
        self.support_ = np.empty(0, dtype=np.intp)
        self.support_vectors_, self.dual_coef_ = X[:0], np.empty((1, 0))
        self._support_margins = np.empty(0)
        self.n_support_ = np.zeros(2, dtype=np.int64)
        self.kkt_residual_ = 0.0
        self._check_kernel()

    def _prepare(self, X, weight):
        self._check_kernel()
        self.gamma_ = 1.0 if self._has_own_kernel() else resolve_gamma(self.gamma, X, weight)

    def _keep(self, X, y, penalties, rows, start):
        if self._approximates(X):
            self.feature_map_, found = self._solve_features(X, y, penalties)
            self._keep_linear(found)
            if isinstance(self.feature_map_, Nystroem):
                self.approximation_loss_ = landmark_loss(self._gram(X), y * penalties.margin, found)
            return
        gram, found = self._solve(X, y, penalties, start)
        used = np.flatnonzero(found.beta)
        self.support_ = rows[used]
        if self.kernel != "precomputed":
            self.support_vectors_ = X[used]
        self.dual_coef_, self._support_margins = found.beta[None, used], penalties.margin[used]
        self.n_support_ = np.array([np.sum(y[used] < 0), np.sum(y[used] > 0)])
        self.intercept_ = np.array([found.intercept - gram.shift(found.beta)])
        self.n_iter_ = max(1, found.n_iter)
        self.kkt_residual_, self.duality_gap_ = found.kkt_residual, found.gap
        self.objective_ = found.primal

    def _fold_scores(self, X, y, plans, train, test):
        """Scores of the test rows by fits on the training rows, each starting from the last."""
        X_train, X_test = self._among(X, train), self._between(X, test, train)
        scores, start = [], None
        for plan in plans:
            part = plan.take(train)
            if self._approximates(X):
                features, found = self._solve_features(X_train, y[train], part)
                scores.append(features.transform(X_test) @ found.w + found.b)
            else:
                gram, found = self._solve(X_train, y[train], part, start)
                scores.append(gram.score(X_test, found.beta) + found.intercept)
                start = found.beta
        return np.array(scores)

    def _solve(self, X, y, penalties, start=None):
        """Kernel of these rows, and the solution of the dual."""
        gram = self._gram(X)
        options = dict(tol=self.tol, max_iter=self.max_iter, cache_mib=self.cache_size)
        weight, margin = self.C * penalties.weight, penalties.margin
        if self.solver == "libsvm":
            return gram, solve_libsvm(gram, X, y, weight, margin, **options)
        options |= dict(start=start, progress=self._progress())
        return gram, solve_dual(gram, y, weight, margin, **options)

    def _solve_features(self, X, y, penalties):
        """Random features of these rows, and the linear SVM on them."""
        options = dict(gamma=self.gamma_, random_state=self.random_state)
        if self.approximation != "fourier":
            n_components = min(self.n_components, X.shape[0])
            options |= dict(kernel=self.kernel, coef0=self.coef0, degree=self.degree)
            features = Nystroem(n_components=n_components, **options)
        elif self.kernel == "rbf":
            features = RBFSampler(n_components=self.n_components, **options)
        else:
            raise ValueError(
                "approximation='fourier' needs kernel='rbf'. Got "
                f"kernel={self.kernel!r} instead; use approximation='nystroem'."
            )
        Z = np.ascontiguousarray(features.fit_transform(X))
        weight, margin = self.C * penalties.weight, penalties.margin
        progress = self._progress()
        return features, solve_linear(Z, y, weight, margin, tol=self.tol, progress=progress)

    def _approximates(self, X):
        if self.approximation != "auto":
            return self.approximation is not None
        return X.shape[0] > AUTO_ROWS and not self._has_own_kernel() and self.solver == "smo"

    def _gram(self, X):
        return make_gram(X, self.kernel, self.gamma_, self.coef0, self.degree)

    def _has_own_kernel(self):
        return callable(self.kernel) or self.kernel == "precomputed"

    def _validate_Xy(self, X, y):
        X, y = super()._validate_Xy(X, y)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                "kernel='precomputed' needs the square kernel matrix of the training rows. Got "
                f"shape {X.shape} instead."
            )
        return X, y

    def _check_kernel(self):
        own = "precomputed" if self.kernel == "precomputed" else "a function"
        if self._has_own_kernel() and self.approximation not in (None, "auto"):
            raise ValueError(
                f"approximation={self.approximation!r} needs a kernel by name, and kernel is {own};"
                " set approximation=None."
            )
        if self._has_own_kernel() and self.solver == "libsvm":
            raise ValueError(f"solver='libsvm' needs a kernel by name, and kernel is {own}.")

    def _earlier_multipliers(self):
        if not self.warm_start or not hasattr(self, "dual_coef_"):
            return None
        return self.support_, self.dual_coef_[0]

    def _among(self, X, rows):
        return self._between(X, rows, rows)

    def _between(self, X, rows, columns):
        """Some rows; of a kernel matrix, their values with some of the training rows."""
        return X[rows][:, columns] if self.kernel == "precomputed" else X[rows]
