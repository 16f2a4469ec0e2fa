"""Base of all SVMs: which examples count, the fit in the dual, scores, dual quantities."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import COST_CONSTRAINTS, CostSensitiveClassifier, at_stake
from stakes._core.intake import check_weights
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    COUNT,
    FEATURES,
    FIGURE,
    Array,
    Either,
    Flag,
    Number,
    Part,
    Sometimes,
    labels,
)
from stakes._core.stored.state import same_input
from stakes.svm._docs import documented
from stakes.svm._dual import solve_dual
from stakes.svm._gram import KERNELS, Gram, resolve_gamma
from stakes.svm._interior import solve_linear
from stakes.svm._libsvm import solve_libsvm

KERNEL_CONSTRAINTS = COST_CONSTRAINTS | {
    "C": [Interval(Real, 0, None, closed="neither")],
    "kernel": [StrOptions(set(KERNELS))],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "solver": [StrOptions({"smo", "libsvm"})],
    "approximation": [None, StrOptions({"nystroem", "fourier"})],
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "cache_size": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
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


_MAPS = (
    "sklearn.kernel_approximation.Nystroem",
    "sklearn.kernel_approximation.RBFSampler",
)


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class PricedSVC(CostSensitiveClassifier):
    """Base of all SVMs: only examples whose misclassification costs something are fitted."""

    _file_state = FEATURES | {
        "classes_": labels(2),
        "constant_": Flag(),
        "coef_": Sometimes(Array("f8", (1, "columns"))),
        "intercept_": Array("f8", (1,)),
        "kappa_": Either((Number(), Array("f8", (None,)))),
        "expensive_class_": Number(-1, 1, whole=True),
        "n_iter_": COUNT,
        **dict.fromkeys(("objective_", "duality_gap_"), FIGURE),
        "kkt_residual_": Sometimes(FIGURE),
        "threshold_": Sometimes(Number()),
        "gamma_": Sometimes(Number(0)),
        "support_": Sometimes(Array("i", ("s",), low=0)),
        "support_vectors_": Sometimes(Array("f8", ("s", "d"), sparse=True)),
        "dual_coef_": Sometimes(Array("f8", (1, "s"))),
        "_support_margins": Sometimes(Array("f8", ("s",))),
        "n_support_": Sometimes(Array("i8", (2,), low=0)),
        "feature_map_": Sometimes(Part(_MAPS)),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "intercept_" not in state:
            return
        if "feature_map_" in state:
            width = len(state["feature_map_"].state.get("random_offset_", ()))
            width = width or len(state["feature_map_"].state.get("component_indices_", ()))
            scope.bind("columns", width)
            same_input(state["feature_map_"], scope)
            return
        if "approximation" in state and state["approximation"] is None:
            if not {"support_vectors_", "dual_coef_"} <= state.keys():
                raise Damaged("an SVM has no support vectors")
            return
        if state.get("approximation") is not None and not state["constant_"]:
            raise Damaged("an SVM has no feature map")
        if "approximation" not in state:
            scope.bind("columns", scope.sizes["d"])
            if "coef_" not in state:
                raise Damaged("an SVM has no coefficients")

    C: float = 1.0
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    random_state: int | np.random.RandomState | None = None

    _accept_sparse = "csr"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, features on one scale.
        y : array-like of shape (n,)
            Their labels, of two classes.
        sample_weight : array-like of shape (n,), default=None
            Factors on the penalties of the examples; None: all one.
        [fit_costs]

        Returns
        -------
        self
        """
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # a fit of another kind leaves other attributes
        X, y = self._validate_Xy(X, y)
        regret = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost).regret(y > 0)
        weight = check_weights(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        rows = np.flatnonzero(at_stake(regret * weight))
        if len(rows) < len(y):
            X, y, regret, weight = X[rows], y[rows], regret[rows], weight[rows]
        self.constant_ = bool(np.all(y == y[0]))
        if self.constant_:
            self._fit_constant(X, y[0])
        else:
            self._fit_priced(X, y, regret, weight, rows)
        return self

    def decision_function(self, X):
        """Score each row; above zero means the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._validate_X(X)
        if self.constant_:
            return np.full(X.shape[0], self.intercept_[0])
        return self._raw_scores(X) + self.intercept_[0]

    def _keep_linear(self, found):
        self.coef_, self.intercept_ = found.w[None, :], np.array([found.b])
        self.n_iter_ = max(1, found.n_iter)
        self.objective_, self.duality_gap_ = found.primal, found.gap

    def _fit_constant(self, X, sign):
        """Always decide for the only class whose mistakes cost something."""
        self.intercept_, self.n_iter_ = np.array([float(sign)]), 1
        self.kappa_, self.expensive_class_ = 1.0, int(sign)
        self.duality_gap_ = self.objective_ = 0.0


@dataclass(kw_only=True, eq=False, repr=False)
class KernelSVC(PricedSVC):
    """Base of the kernel SVMs, which differ in `_penalties`."""

    kernel: str = "rbf"
    gamma: float | str = "scale"
    coef0: float = 0.0
    degree: int = 3
    solver: str = "smo"
    approximation: str | None = None
    n_components: int = 300
    tol: float = 1e-3
    max_iter: int = 10_000_000
    cache_size: float = 200

    def dual_view(self):
        """Count support vectors and l1 norms per class, see :class:`DualView`."""
        check_is_fitted(self)
        if self.approximation is not None:
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

    def _raw_scores(self, X):
        if self.approximation is not None:
            return self.feature_map_.transform(X) @ self.coef_[0]
        gram = Gram(self.support_vectors_, self.kernel, self.gamma_, self.coef0, self.degree)
        return gram.score(X, self.dual_coef_[0])

    def _fit_constant(self, X, sign):
        super()._fit_constant(X, sign)
        self.support_ = np.empty(0, dtype=np.intp)
        self.support_vectors_, self.dual_coef_ = X[:0], np.empty((1, 0))
        self._support_margins = np.empty(0)
        self.n_support_ = np.zeros(2, dtype=np.int64)
        self.kkt_residual_ = 0.0

    def _fit_priced(self, X, y, regret, weight, rows):
        self.gamma_ = resolve_gamma(self.gamma, X, weight)
        penalties = self._penalties(X, y, regret, weight)
        self.expensive_class_, self.kappa_ = penalties.expensive, penalties.kappa
        if self.approximation is not None:
            self.feature_map_, found = self._solve_features(X, y, penalties)
            self._keep_linear(found)
            return
        _, found = self._solve(X, y, penalties)
        used = np.flatnonzero(found.beta)
        self.support_, self.support_vectors_ = rows[used], X[used]
        self.dual_coef_, self._support_margins = found.beta[None, used], penalties.margin[used]
        self.n_support_ = np.array([np.sum(y[used] < 0), np.sum(y[used] > 0)])
        self.intercept_, self.n_iter_ = np.array([found.intercept]), max(1, found.n_iter)
        self.kkt_residual_, self.duality_gap_ = found.kkt_residual, found.gap
        self.objective_ = found.primal

    def _held_out_scores(self, X, y, penalties, train, test):
        """Scores of the test rows by a fit on the training rows."""
        part = penalties.take(train)
        if self.approximation is not None:
            features, found = self._solve_features(X[train], y[train], part)
            return features.transform(X[test]) @ found.w + found.b
        gram, found = self._solve(X[train], y[train], part)
        return gram.score(X[test], found.beta) + found.intercept

    def _solve(self, X, y, penalties):
        """Kernel of these rows, and the solution of the dual."""
        gram = Gram(X, self.kernel, self.gamma_, self.coef0, self.degree)
        options = dict(tol=self.tol, max_iter=self.max_iter, cache_mib=self.cache_size)
        weight, margin = self.C * penalties.weight, penalties.margin
        if self.solver == "libsvm":
            return gram, solve_libsvm(gram, X, y, weight, margin, **options)
        return gram, solve_dual(gram, y, weight, margin, **options)

    def _solve_features(self, X, y, penalties):
        """Random features of these rows, and the linear SVM on them."""
        options = dict(gamma=self.gamma_, random_state=self.random_state)
        if self.approximation == "nystroem":
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
        return features, solve_linear(Z, y, weight, margin, tol=self.tol)
