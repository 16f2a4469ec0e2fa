"""Maximum-margin classification of uncertain measurements."""

import warnings
from numbers import Integral, Real

import numpy as np

from stakes._core.base import COST_CONSTRAINTS, LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES
from stakes.uncertain._formulations import FORMULATIONS, require, uncertainty_set
from stakes.uncertain._information import NAMES, MissingAsSet
from stakes.uncertain._moments import Moments
from stakes.uncertain._points import UncertainPoints
from stakes.uncertain._problem import MarginProblem
from stakes.uncertain._solve import solve


class UncertainMarginClassifier(UncertainPoints):
    r"""Linear classifier that gets each example right with probability 1 - epsilon, if it can.

    Each example is a set :math:`U_i`: its measurement with what is known of its error. Solves

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + C\sum_i c_i
              \left(1 - \min_{x \in U_i} y_i(w^\top x + b)\right)_+ ,

    with the set chosen so that a margin of one there makes
    :math:`P(y_i(w^\top X_i + b) \le 1 - \xi_i) \le \varepsilon` for every distribution of
    :math:`X_i` that agrees with what is known of it.

    Parameters
    ----------
    formulation : str, default="MM-SMV-I"
        The set. MM-M: the mean alone. MM-R: the replicates as points. MM-S: the support. MM-MC:
        mean and (co)variance by Chebyshev's bound. By Bernstein's bound, for independent
        features: MM-SMV (support, mean, variance), MM-SM (support, mean), MM-SBMV and MM-SBM
        (bounds on the means instead); with -I intersected with the support, which is never worse.
    epsilon : float, default=0.1
        Probability :math:`\varepsilon` with which an example may be on the wrong side.
    C : float, default=1.0
        Weight of the slacks.
    confidence : float, default=0.95
        Of the bounds on moments that are estimated from replicates.
    solver : {"auto", "interior", "conic"}, default="auto"
        "auto" tries the fast method and falls back to the cone programme where its certificate
        stays open.
    tol : float, default=1e-6
        Relative duality gap to reach; a fit that does not reach it warns.
    max_iter : int, default=100
        Most iterations of the fast method.
    normalize_costs : bool, default=True
        Divide the costs by their mean, so that only their ratios count.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        What the four outcomes cost; :math:`c_i` is the regret of getting example i wrong.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Weights w.
    intercept_ : ndarray of shape (1,)
        Offset b; the paper's b is its negative.
    objective_ : float
        Value of the problem.
    duality_gap_ : float
        Certificate, relative: `objective_` is at most this share above the best value.
    solver_ : str
        The method that gave the result.
    n_iter_ : int
        Its iterations.
    missing_ : MissingAsSet
        What stands for a missing entry: the feature's support and moments.
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] A. Ben-Tal, S. Bhadra, C. Bhattacharyya, J. S. Nath. "Chance Constrained Uncertain
       Classification via Robust Optimization". Mathematical Programming 127, 2011.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [2.0, 0.0]]), [0, 1]
    >>> exact = UncertainMarginClassifier(formulation="MM-M", C=10).fit(X, y)
    >>> unsure = UncertainMarginClassifier(formulation="MM-S", C=10).fit(X, y, lower=X - 0.5, upper=X + 0.5)
    >>> (2 / np.linalg.norm([exact.coef_[0], unsure.coef_[0]], axis=1)).round(3)
    array([2., 1.])
    >>> unsure.predict_certificate(X, lower=X - 2, upper=X + 2).round(3)
    array([0.882, 0.882])
    """

    _info = LearnerInfo(
        family="uncertain",
        gives_probability=False,
        grid={"C": [0.01, 0.1, 1.0, 10.0]},
    )
    __metadata_request__fit = dict.fromkeys((*COST_NAMES, *NAMES, "sets"), True)
    _parameter_constraints = {
        "formulation": [StrOptions(set(FORMULATIONS))],
        "epsilon": [Interval(Real, 0, 1, closed="both")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "solver": [StrOptions({"auto", "interior", "conic"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "normalize_costs": ["boolean"],
        **COST_CONSTRAINTS,
    }

    def __init__(
        self,
        formulation="MM-SMV-I",
        *,
        epsilon=0.1,
        C=1.0,
        confidence=0.95,
        solver="auto",
        tol=1e-6,
        max_iter=100,
        normalize_costs=True,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.formulation = formulation
        self.epsilon = epsilon
        self.C = C
        self.confidence = confidence
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.normalize_costs = normalize_costs
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X,
        y,
        *,
        lower=None,
        upper=None,
        var=None,
        mean_lower=None,
        mean_upper=None,
        replicates=None,
        sets=None,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Fit to examples and what is known of their errors.

        Parameters
        ----------
        X : array-like of shape (n, d) or None
            The measurements, taken as means; NaN where one is missing. None: their place is read
            from the replicates or the support. Without any of the following they are exact.
        y : array-like of shape (n,)
            Labels of two classes.
        lower, upper : array-like of shape (n, d), default=None
            Support of each measurement.
        var : array-like of shape (n, d) or (n, d, d), default=None
            Variances, or for MM-MC covariance matrices.
        mean_lower, mean_upper : array-like of shape (n, d), default=None
            Bounds on the means.
        replicates : array-like of shape (n, r, d), default=None
            Repeated measurements; all that is not given is estimated from them.
        sets : UncertaintySet of length n, default=None
            Instead of all of these and of the formulation: your own sets.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost.

        Returns
        -------
        self
        """
        given = dict(lower=lower, upper=upper, var=var, mean_lower=mean_lower)
        given |= dict(mean_upper=mean_upper, replicates=replicates)
        if X is None:
            X = sets.center if sets is not None else self._read(None, given).mean
        X, y = self._validate_Xy(X, y)
        regret = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost).regret(y > 0)
        known = self._read(X, given)
        self.missing_ = MissingAsSet(known)
        rows = np.flatnonzero(regret > 0)
        if len(np.unique(y[rows])) < 2:
            raise ValueError(
                "Mistakes cost nothing in one of the classes, so that the other is always the "
                "answer; give both fp_cost and fn_cost where there is a decision."
            )
        C = self.C * (regret / regret[rows].mean() if self.normalize_costs else regret)
        if sets is not None:
            if len(sets) != len(y):
                raise ValueError(f"sets must hold {len(y)} sets. Got {len(sets)} instead.")
            problem = MarginProblem(sets[rows], y[rows], C[rows])
        else:
            problem = self._problem(known, y, C, rows, replicates)
        solution = solve(problem, self.solver, self.tol, self.max_iter)
        self.coef_, self.intercept_ = solution.coef[None, :], np.array([solution.intercept])
        self.objective_, self.duality_gap_ = solution.objective, solution.gap
        self.solver_, self.n_iter_ = solution.solver, solution.n_iter
        positive = problem.y > 0
        constant = 2 * min(problem.C[positive].sum(), problem.C[~positive].sum())
        if self.objective_ >= (1 - 1e-6) * constant:
            warnings.warn(
                "The best classifier is constant: the uncertainty is too large for any direction. "
                "Use a larger epsilon, a formulation that knows more (with -I), or a larger C.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _problem(self, known, y, C, rows, replicates):
        """The rows that count, as a problem; for MM-R with one example per replicate."""
        if self.formulation == "MM-R":
            if replicates is None and known.keywords():
                raise ValueError("MM-R needs replicates; use another formulation without them.")
            if replicates is not None:
                R = np.asarray(replicates, np.float64)[rows]
                there = ~np.isnan(R).any(axis=2)
                owner = np.repeat(rows, R.shape[1])[there.ravel()]
                points = R.reshape(-1, R.shape[2])[there.ravel()]
                sets = uncertainty_set(Moments(points), "MM-M", self.epsilon)
                return MarginProblem(sets, y[owner], C[owner])
        known = self.missing_.fill(known)
        known = require(known, self.formulation).take(rows)
        sets = uncertainty_set(known, self.formulation, self.epsilon)
        return MarginProblem(sets, y[rows], C[rows])
