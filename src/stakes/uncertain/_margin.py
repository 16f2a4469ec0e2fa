"""Maximum-margin classification of uncertain measurements."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from stakes._core.base import COST_CONSTRAINTS, LearnerInfo
from stakes._core.intake import check_weights
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.spec import COUNT, FEATURES, FIGURE, Array, Text, labels
from stakes.costs import COST_NAMES
from stakes.uncertain._calibration import (
    fit_calibration,
    held_out_folds,
    prior_only,
)
from stakes.uncertain._docs import documented
from stakes.uncertain._formulations import FORMULATIONS, require, uncertainty_set
from stakes.uncertain._information import NAMES, present
from stakes.uncertain._moments import Moments
from stakes.uncertain._points import UncertainPoints, rows_at_stake, with_covariances
from stakes.uncertain._problem import MarginProblem
from stakes.uncertain._solve import solve_margin, solve_roughly

CLASSICAL = ("MM-M", "MM-S", "MM-MC")  # formulations that do not need the mean of the true point


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class UncertainMarginClassifier(UncertainPoints):
    r"""Linear classifier that is right on each example with probability 1 - `max_error`.

    Each example is a set :math:`U_i`: its measurement with the known uncertainty. Solves

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + C\sum_i c_i
              \left(1 - \min_{x \in U_i} y_i(w^\top x + b)\right)_+ ,

    where a margin of one on the set implies
    :math:`P(y_i(w^\top X_i + b) \le 1 - \xi_i) \le \varepsilon` for every distribution of
    :math:`X_i` that agrees with the information.

    Parameters
    ----------
    formulation : str, default="MM-SMV-I"
        Uncertainty set. MM-M: the mean. MM-R: the replicates as points. MM-S: the support. MM-MC:
        mean and (co)variance, Chebyshev bound. Bernstein bound, for independent errors of the
        features: MM-SMV (support, mean, variance), MM-SM (support, mean), MM-SBMV and MM-SBM
        (bounds on the mean instead); with -I intersected with the support, which is never worse.
        With classical errors MM-M, MM-S and MM-MC.
    max_error : float, default=0.1
        Allowed probability :math:`\varepsilon` that an example is on the wrong side.
    C : float, default=1.0
        Weight of the slacks.
    [error_model]
    [independent]
    confidence_level : float, default=0.95
        Confidence level of moments and certificates that are estimated from replicates.
    solver : {"auto", "interior", "conic"}, default="auto"
        "auto": the interior point, then the cone program if the duality gap stays open.
    tol : float, default=1e-6
        Relative duality gap to reach; otherwise `fit` warns.
    max_iter : int, default=100
        Maximum number of iterations of the interior point.
    normalize_costs : bool, default=True
        Whether to divide the costs by their mean, so that only their ratios count.
    [costs]

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Weights w.
    intercept_ : ndarray of shape (1,)
        Intercept b, the negative of the paper's b.
    objective_ : float
        Value of the problem.
    duality_gap_ : float
        Certified bound on the relative distance of `objective_` from the optimum.
    solver_ : str
        Method that found the solution.
    n_iter_ : int
        Its number of iterations.
    calibration_ : ndarray of shape (3,)
        Slope a, offset c and spread k of the probability :math:`\Phi((at + c) /
        \sqrt{1 + ka^2\tau^2})` of a score t with variance :math:`\tau^2`, fitted to the scores of
        held-out examples.
    [learned]
    [seen]

    References
    ----------
    [paper]

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [2.0, 0.0]]), [0, 1]
    >>> exact = UncertainMarginClassifier(formulation="MM-M", C=10).fit(X, y)
    >>> unsure = UncertainMarginClassifier(formulation="MM-S", C=10)
    >>> unsure = unsure.fit(X, y, lower=X - 0.5, upper=X + 0.5)
    >>> (2 / np.linalg.norm([exact.coef_[0], unsure.coef_[0]], axis=1)).round(3)
    array([2., 1.])
    >>> unsure.predict_certificate(X, lower=X - 2, upper=X + 2).round(3)
    array([0.882, 0.882])
    >>> unsure.predict(X, std=0.3, fn_cost=5.0).tolist()
    [1, 1]
    """

    _file_state = (
        FEATURES
        | UncertainPoints._error_state
        | {
            "classes_": labels(2),
            "coef_": Array("f8", (1, "d")),
            "intercept_": Array("f8", (1,)),
            "calibration_": Array("f8", (3,), low=-1e100, high=1e100),
            "objective_": FIGURE,
            "duality_gap_": FIGURE,
            "solver_": Text(),
            "n_iter_": COUNT,
        }
    )

    _info = LearnerInfo(
        family="uncertain",
        grid={"C": [0.01, 0.1, 1.0, 10.0]},
    )
    __metadata_request__fit = dict.fromkeys((*COST_NAMES, *NAMES, "sets"), True)
    _parameter_constraints = {
        "formulation": [StrOptions(set(FORMULATIONS))],
        "max_error": [Interval(Real, 0, 1, closed="both")],
        "C": [Interval(Real, 0, None, closed="neither")],
        **UncertainPoints._error_constraints,
        "solver": [StrOptions({"auto", "interior", "conic"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "normalize_costs": ["boolean"],
        **COST_CONSTRAINTS,
    }

    formulation: str = "MM-SMV-I"
    max_error: float = 0.1
    C: float = 1.0
    error_model: str = "berkson"
    independent: bool = True
    confidence_level: float = 0.95
    solver: str = "auto"
    tol: float = 1e-6
    max_iter: int = 100
    normalize_costs: bool = True
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        *,
        lower=None,
        upper=None,
        var=None,
        std=None,
        cov=None,
        mean_lower=None,
        mean_upper=None,
        replicates=None,
        sets=None,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Fit to uncertain examples.

        Parameters
        ----------
        [training]
        [sample_weight]
        [uncertainty]
        sets : UncertaintySet of length n, default=None
            Custom sets that replace all of these and the formulation.
        [fit_costs]

        Returns
        -------
        self
        """
        given = present(lower=lower, upper=upper, var=var, std=std, cov=cov)
        given |= present(mean_lower=mean_lower, mean_upper=mean_upper, replicates=replicates)
        if self.error_model == "classical" and self.formulation not in CLASSICAL:
            raise ValueError(
                f"{self.formulation} needs the mean of the true point, and with classical errors a "
                f"measurement is not its mean; use one of {', '.join(CLASSICAL)}."
            )
        if sets is not None:
            X, given = (sets.center if X is None else X), {}
        known, y = self._validate_known(X, y, given)
        regret = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost).regret(y > 0)
        weight = check_weights(sample_weight, known.mean, ensure_non_negative=True)
        known = self._learn_truth(known, given, weight)
        rows = rows_at_stake(regret * weight, y)
        if self.normalize_costs:
            regret = regret / np.average(regret[rows], weights=weight[rows])
        C = self.C * regret * weight
        if sets is not None:
            if len(sets) != len(y):
                raise ValueError(f"sets must have length {len(y)}. Got {len(sets)} instead.")
            d, wanted = sets.center.shape[1], known.mean.shape[1]
            if d != wanted:
                raise ValueError(f"sets must have {wanted} features, as X. Got {d} instead.")
            problem = MarginProblem(sets[rows], y[rows], C[rows])
        else:
            problem, rows = self._problem(known, y, C, rows, given)
        solution = solve_margin(problem, self.solver, self.tol, self.max_iter)
        self.coef_, self.intercept_ = solution.coef[None, :], np.array([solution.intercept])
        self.objective_, self.duality_gap_ = solution.objective, solution.gap
        self.solver_, self.n_iter_ = solution.solver, solution.n_iter
        positive = problem.y > 0
        constant = 2 * min(problem.C[positive].sum(), problem.C[~positive].sum())
        if self.objective_ < (1 - 1e-6) * constant:
            self.calibration_ = self._calibrate(problem, known, given, rows, weight)
        else:
            self.calibration_ = prior_only(positive, weight[rows])
            warnings.warn(
                "The best classifier is constant: the uncertainty is too large in every direction. "
                "Use a larger max_error, a formulation with more information or -I, or a larger C.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _scoring_parts(self):
        """What is said of exact points with gaps, for the export of a model.

        Weights, intercept, means and variances that stand for missing entries, whether errors are
        independent, and the calibration.
        """
        gaps = self.missing_.mean, self.missing_.var
        return self.coef_[0], self.intercept_[0], gaps, self.independent, self.calibration_

    def _problem(self, known, y, C, rows, given):
        """Problem of the given rows and their owners; MM-R has one example per replicate."""
        replicates = given.get("replicates")
        if self.formulation == "MM-R":
            if replicates is None and given:
                raise ValueError("MM-R needs replicates; without them use another formulation.")
            if replicates is not None:
                R = np.asarray(replicates, np.float64)[rows]
                there = ~np.isnan(R).any(axis=2)
                owner = np.repeat(rows, R.shape[1])[there.ravel()]
                points = R.reshape(-1, R.shape[2])[there.ravel()]
                sets = uncertainty_set(Moments(points), "MM-M", self.max_error)
                return MarginProblem(sets, y[owner], C[owner]), owner
        if self.formulation == "MM-MC" and self.error_model == "berkson":
            known = with_covariances(known, given)
        known = require(known, self.formulation).take(rows)
        sets = uncertainty_set(
            known, self.formulation, self.max_error, independent=self.independent
        )
        return MarginProblem(sets, y[rows], C[rows]), rows

    def _calibrate(self, problem, known, given, owners, weight):
        """Probabilities from the scores of held-out examples, of at most a few thousand.

        `owners` are the examples of the rows of the problem, several of one with MM-R.
        """
        rows, first = np.unique(owners, return_index=True)
        fold, part = held_out_folds(problem.y[first] > 0)
        rows, y = rows[part], problem.y[first][part]
        heavier = len(first) / len(part)  # the penalty of a sample, as that of all examples
        score, variance = np.zeros((2, len(rows)))
        for k in range(fold.max() + 1):
            test = fold == k
            train = np.isin(owners, rows if fold.max() == 0 else rows[~test])
            less = MarginProblem(problem.sets[train], problem.y[train], heavier * problem.C[train])
            w, b = solve_roughly(less, self.max_iter)
            held = rows[test]
            score[test] = known.mean[held] @ w + b
            own = {n: np.asarray(a)[held] for n, a in given.items() if n == "replicates"}
            variance[test] = self._score_variance(known.take(held), own, w)
        return fit_calibration(score, variance, y > 0, weight[rows])

    def _calibrated_line(self):
        a, c, _ = self.calibration_
        return a * self.coef_[0], a * self.intercept_[0] + c
