"""The linear CS-SVM: dense or sparse rows, a free bias, few features or very many."""

from numbers import Integral, Real

import numpy as np

from stakes._core.base import CostSensitiveClassifier, LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.svm._base import PricedSVC
from stakes.svm._coordinate import solve_coordinate
from stakes.svm._cost_sensitive import MARGIN_CONSTRAINTS, choose_penalties
from stakes.svm._docs import documented
from stakes.svm._interior import solve_linear

WIDE = 2000  # with more features than this a pass over the rows is cheaper than a d x d solve
PATIENCE = {"interior": 100, "coordinate": 1000}


@documented
class LinearCostSensitiveSVC(PricedSVC):
    r"""Linear SVM on the cost-sensitive hinge, for many rows, dense or CSR.

    The problem of :class:`~stakes.svm.CostSensitiveSVC` with :math:`\varphi(x) = x`; the bias is
    free in both solvers. `kappa=1.0` is the linear BP-SVM.

    Parameters
    ----------
    C : float, default=1.0
        Penalty against the norm of w, :math:`C`.
    kappa : float, "search" or None, default=None
        Margin of the cheaper class. None: :math:`1/(2c_i - 1)` from the costs; a number: one for
        all; "search": the one with the least cost in cross-validation.
    slope : {"paper", "consistent"}, default="paper"
        Penalty of the cheaper class, :math:`1/\kappa_i` or :math:`c_i`; see the Notes of
        :class:`~stakes.svm.CostSensitiveSVC`.
    conditions : {"check", "ignore"}, default="check"
        Whether Eq. 50 is asked for where there is one cost per class.
    [costs]
    [normalize]
    solver : {"auto", "interior", "coordinate"}, default="auto"
        "interior": an interior point, :math:`O(n d^2)` an iteration, few iterations;
        "coordinate": dual coordinate descent, O(nonzeros) a pass; "auto": the second with more
        than 2,000 features.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int or None, default=None
        Iterations or passes after which a `ConvergenceWarning` is given; None: 100 or 1,000.
    random_state : int, RandomState instance or None, default=None
        For the order in which coordinate descent reads the rows.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        :math:`w`.
    intercept_ : ndarray of shape (1,)
        :math:`b`.
    [margin]
    objective_, duality_gap_ : float
        The minimum; certificate: at most which share of it lies above the best value.
    n_iter_ : int
        Steps of the solver.
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

    _parameter_constraints = (
        CostSensitiveClassifier._parameter_constraints
        | MARGIN_CONSTRAINTS
        | {
            "C": [Interval(Real, 0, None, closed="neither")],
            "solver": [StrOptions({"auto", *PATIENCE})],
            "tol": [Interval(Real, 0, None, closed="neither")],
            "max_iter": [None, Interval(Integral, 1, None, closed="left")],
            "random_state": ["random_state"],
        }
    )
    _info = LearnerInfo(
        family="svm",
        speed="fast",
        gives_probability=False,
        recommended=True,
        grid={"C": [0.01, 1.0, 100.0], "slope": ["paper", "consistent"]},
    )

    def __init__(
        self,
        C=1.0,
        *,
        kappa=None,
        slope="paper",
        conditions="check",
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        normalize_costs=True,
        solver="auto",
        tol=1e-6,
        max_iter=None,
        random_state=None,
    ):
        self.C = C
        self.kappa = kappa
        self.slope = slope
        self.conditions = conditions
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.normalize_costs = normalize_costs
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit_priced(self, X, y, regret, rows):
        penalties = choose_penalties(self, X, y, regret)
        found = self._solve(X, y, penalties)
        self._keep_linear(found)
        self.kappa_, self.dear_class_ = penalties.kappa, penalties.dear

    def _fit_constant(self, X, sign):
        super()._fit_constant(X, sign)
        self.coef_ = np.zeros((1, X.shape[1]))

    def _raw_scores(self, X):
        return X @ self.coef_[0]

    def _held_out_scores(self, X, y, penalties, train, test):
        """Scores of some rows by a fit on others."""
        found = self._solve(X[train], y[train], penalties.take(train))
        return X[test] @ found.w + found.b

    def _solve(self, X, y, penalties):
        name = self.solver
        if name == "auto":
            name = "interior" if X.shape[1] <= WIDE else "coordinate"
        max_iter = PATIENCE[name] if self.max_iter is None else self.max_iter
        options = dict(tol=self.tol, max_iter=max_iter)
        weight, margin = self.C * penalties.weight, penalties.margin
        if name == "interior":
            return solve_linear(X, y, weight, margin, **options)
        return solve_coordinate(X, y, weight, margin, random_state=self.random_state, **options)
