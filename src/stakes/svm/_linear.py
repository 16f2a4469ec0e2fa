"""The linear CS-SVM: dense or sparse rows, a free bias, an interior point."""

from numbers import Integral, Real

import numpy as np

from stakes._sklearn import Interval, fit_context
from stakes.base import CostSensitiveClassifier, LearnerInfo
from stakes.svm._cost_sensitive import MARGIN_CONSTRAINTS, choose_penalties
from stakes.svm._dual import solve_dual
from stakes.svm._gram import Gram
from stakes.svm._interior import solve_linear

WIDE = 2000  # with more features than this the kernel solver is cheaper than a d x d solve


class LinearCostSensitiveSVC(CostSensitiveClassifier):
    r"""Linear SVM on the cost-sensitive hinge, for many rows, dense or CSR.

    The problem of :class:`~stakes.svm.CostSensitiveSVC` with :math:`\varphi(x) = x`, solved by an
    interior point in :math:`O(n d^2)` an iteration (with more than 2,000 features by the kernel
    solver); `kappa=1.0` is the linear BP-SVM.

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
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        Costs where `fit` is not given any.
    normalize_costs : bool, default=True
        Divide the regrets by the smallest one of the cheaper class.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=100
        Iterations of the interior point after which a `ConvergenceWarning` is given.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        :math:`w`.
    intercept_ : float
        :math:`b`.
    kappa_ : float or ndarray
        The margin of the cheaper class that was used.
    dear_class_ : int
        +1 or -1: the sign of the class with margin one.
    duality_gap_, objective_ : float
        Certificates: the relative gap and the primal value.
    classes_ : ndarray of shape (2,)
        The second one is positive.

    References
    ----------
    .. [1] H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-sensitive Support Vector
           Machines". arXiv:1212.0975.
    .. [2] M. Ferris, T. Munson. "Interior-point methods for massive support vector machines".
           SIAM Journal on Optimization 13, 2002.

    Examples
    --------
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> model = LinearCostSensitiveSVC(C=100.0, kappa=0.5, fn_cost=2.0).fit(X, y)
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([0.75]), 0.25)
    """

    _accept_sparse = "csr"
    _parameter_constraints = (
        CostSensitiveClassifier._parameter_constraints
        | MARGIN_CONSTRAINTS
        | {
            "C": [Interval(Real, 0, None, closed="neither")],
            "normalize_costs": ["boolean"],
            "tol": [Interval(Real, 0, None, closed="neither")],
            "max_iter": [Interval(Integral, 1, None, closed="left")],
        }
    )
    _info = LearnerInfo(
        family="svm",
        needs_scaling=True,
        speed="medium",
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
        tol=1e-6,
        max_iter=100,
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
        self.tol = tol
        self.max_iter = max_iter

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Fit on examples with a price for each mistake.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Two classes.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; the constructor's numbers where not given.

        Returns
        -------
        self
        """
        X, y = self._validate_Xy(X, y)
        regret = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost).regret(y > 0)
        rows = np.flatnonzero(regret > 0)
        if len(rows) == 0:
            raise ValueError("No example costs anything: all regrets are zero, nothing to learn.")
        if np.all(y[rows] == y[rows[0]]):
            return self._fit_constant(X, y[rows[0]])
        if len(rows) < len(y):
            X, y, regret = X[rows], y[rows], regret[rows]
        penalties = choose_penalties(self, X, y, regret, self._held_out_cost)
        w, b, found = self._solve(X, y, penalties.weight, penalties.margin)
        self.coef_, self.intercept_, self.n_iter_ = w, b, max(1, found.n_iter)
        self.kappa_, self.dear_class_ = penalties.kappa, penalties.dear
        self.duality_gap_, self.objective_ = found.gap, found.primal
        return self

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
        return X @ self.coef_ + self.intercept_

    def _solve(self, X, y, weight, margin):
        if X.shape[1] <= WIDE:
            found = solve_linear(
                X, y, self.C * weight, margin, tol=self.tol, max_iter=self.max_iter
            )
            return found.w, found.b, found
        found = solve_dual(Gram(X, "linear"), y, self.C * weight, margin, tol=1e-3)
        return np.asarray(X.T @ found.beta).ravel(), found.intercept, found

    def _held_out_cost(self, X, y, regret, penalties, train, test):
        weight, margin = penalties.weight[train], penalties.margin[train]
        w, b, _ = self._solve(X[train], y[train], weight, margin)
        return regret[test][(X[test] @ w + b > 0) != (y[test] > 0)].sum()

    def _fit_constant(self, X, sign):
        self.coef_, self.intercept_, self.n_iter_ = np.zeros(X.shape[1]), float(sign), 1
        self.kappa_, self.dear_class_ = 1.0, int(sign)
        self.duality_gap_ = self.objective_ = 0.0
        return self
