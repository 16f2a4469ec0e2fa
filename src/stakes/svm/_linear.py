"""The linear CS-SVM: dense or sparse rows, a free bias, few features or very many."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.svm._base import SVM_CONSTRAINTS
from stakes.svm._coordinate import solve_coordinate
from stakes.svm._cost_sensitive import MARGIN_CONSTRAINTS, CostMargin
from stakes.svm._docs import documented
from stakes.svm._interior import solve_linear

WIDE = 2000  # with more features than this a pass over the rows is cheaper than a d x d solve
PATIENCE = {"interior": 100, "coordinate": 1000}


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LinearCostSensitiveSVC(CostMargin):
    r"""Linear SVM on the cost-sensitive hinge, for many rows, dense or CSR.

    The problem of :class:`~stakes.svm.CostSensitiveSVC` with :math:`\varphi(x) = x`; the bias is
    free in both solvers. `kappa=1.0` is the linear BP-SVM.

    Parameters
    ----------
    C : float, default=1.0
        Penalty on margin violations, relative to the norm of w.
    class_weight : dict, "balanced" or None, default=None
        Factors on the penalties of the classes, as in SVC.
    [cost_margin]
    [costs]
    [normalize]
    [probability]
    solver : {"auto", "interior", "coordinate"}, default="auto"
        "interior": interior point, :math:`O(n d^2)` per iteration, few iterations; "coordinate":
        dual coordinate descent, O(nonzeros) per pass; "auto": the latter with more than 2,000
        features.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int or None, default=None
        Maximum number of iterations or passes; a fit that needs more warns `ConvergenceWarning`.
        None: 100 or 1,000.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which coordinate descent reads the rows.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        :math:`w`.
    intercept_ : ndarray of shape (1,)
        :math:`b`.
    [margin]
    objective_, duality_gap_ : float
        Value of the objective, and an upper bound on its relative distance from the optimum.
    n_iter_ : int
        Number of iterations or passes.
    [labels]

    References
    ----------
    .. [1] H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-sensitive Support Vector
           Machines". arXiv:1212.0975.
    .. [2] M. Ferris, T. Munson. "Interior-point methods for massive support vector machines".
           SIAM Journal on Optimization 13, 2002.
    .. [3] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. Keerthi, S. Sundararajan. "A dual coordinate
           descent method for large-scale linear SVM". ICML 2008.

    Examples
    --------
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> model = LinearCostSensitiveSVC(C=100.0, kappa=0.5, fn_cost=2.0).fit(X, y)
    >>> model.coef_.round(3), model.intercept_.round(3)
    (array([[0.75]]), array([0.25]))
    """

    solver: str = "auto"
    tol: float = 1e-6
    max_iter: int | None = None

    _parameter_constraints = {
        **SVM_CONSTRAINTS,
        **MARGIN_CONSTRAINTS,
        "solver": [StrOptions({"auto", *PATIENCE})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [None, Interval(Integral, 1, None, closed="left")],
    }
    _info = LearnerInfo(
        family="svm",
        speed="fast",
        recommended=True,
        grid={"C": [0.01, 1.0, 100.0]},
    )

    def _keep(self, X, y, penalties, rows, start):
        self._keep_linear(self._solve(X, y, penalties))

    def _fit_constant(self, X, sign):
        super()._fit_constant(X, sign)
        self.coef_ = np.zeros((1, X.shape[1]))

    def _raw_scores(self, X):
        return X @ self.coef_[0]

    def _fold_scores(self, X, y, plans, train, test):
        """Scores of the test rows by fits on the training rows."""
        found = [self._solve(X[train], y[train], plan.take(train)) for plan in plans]
        return np.array([X[test] @ one.w + one.b for one in found])

    def _solve(self, X, y, penalties):
        name = self.solver
        if name == "auto":
            name = "interior" if X.shape[1] <= WIDE else "coordinate"
        max_iter = PATIENCE[name] if self.max_iter is None else self.max_iter
        options = dict(tol=self.tol, max_iter=max_iter, progress=self._progress())
        weight, margin = self.C * penalties.weight, penalties.margin
        if name == "interior":
            return solve_linear(X, y, weight, margin, **options)
        return solve_coordinate(X, y, weight, margin, random_state=self.random_state, **options)
