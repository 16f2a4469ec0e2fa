"""Choice of solver, continuation in the smoothing, and the certificate."""

import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stakes.qmean._bundle import bundle
from stakes.qmean._descent import lbfgs, newton
from stakes.qmean._mean import mean_weights, power_mean
from stakes.qmean._minimax import minimax_steps
from stakes.qmean._problem import Smoothing

SOLVERS = ("auto", "newton", "lbfgs", "bundle")
_FULL_MATRIX = 1000  # number of parameters up to which the full Hessian is formed
_STAGES = 10  # of the continuation: the smoothing shrinks by ten in each


@dataclass
class QuadraticMeanSolution:
    """Minimizer of a :class:`QuadraticMeanProblem` with its certificates.

    Attributes
    ----------
    W : ndarray
        Parameters, the intercept last.
    objective, gap, gradient_norm : float
        Value of J, its duality gap, and the largest entry of the gradient.
    group_losses, group_weights : ndarray of shape (k,)
        Loss of each group, and its weight in the gradient of the mean.
    n_iter : int
        Number of steps.
    gaps : list of float
        Gap after each iteration of the bundle method.
    """

    W: np.ndarray
    objective: float
    gap: float
    gradient_norm: float
    group_losses: np.ndarray
    group_weights: np.ndarray
    n_iter: int
    gaps: list

    @property
    def relative_gap(self):
        """Gap relative to the objective, as `tol` is."""
        return self.gap / abs(self.objective) if self.gap else 0.0

    @property
    def relative_gaps(self):
        """Gaps after each iteration, relative to the objective."""
        return [gap / abs(self.objective) for gap in self.gaps]


def minimize_quadratic_mean(problem, solver="auto", tol=1e-6, max_iter=1000, start=None):
    """Minimize J to a relative duality gap of `tol`; warn if that is not reached.

    Parameters
    ----------
    problem : QuadraticMeanProblem
        Problem to solve.
    solver : {"auto", "newton", "lbfgs", "bundle"}, default="auto"
        "auto": Newton if the smaller side of X is small, else L-BFGS; also L-BFGS for smooth
        losses on sparse X with more features than rows.
    tol : float, default=1e-6
        Duality gap, relative to the objective, at which to stop.
    max_iter : int, default=1000
        Maximum number of steps (of each stage of the smoothing).
    start : ndarray, default=None
        Starting point; None: zero.

    Returns
    -------
    QuadraticMeanSolution

    Examples
    --------
    >>> from stakes.qmean import QuadraticMeanProblem, classification_loss
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> loss, share = classification_loss("logistic"), np.full(2, 0.5)
    >>> problem = QuadraticMeanProblem(X, y, np.ones(3), (y > 0).astype(int), loss, share)
    >>> minimize_quadratic_mean(problem).relative_gap < 1e-6
    True
    """
    if solver == "auto":
        solver = _chosen(problem)
    if solver == "newton" and problem.d > problem.n:
        return _solve_in_span(problem, tol, max_iter)
    W = problem.start() if start is None else start
    small = problem.small() if problem.smooth and solver == "newton" and start is None else None
    if small is not None:
        W = _stages(small, W, solver, 1e-3, max_iter)[0].W  # warm start
    gaps = []
    if solver == "bundle":
        W, gaps, u = bundle(problem, W, tol, max_iter)
        found, n_iter = _Point(W, problem.scores(W), u, gaps[-1]), len(gaps)
    else:
        found, n_iter = _stages(problem, W, solver, tol, max_iter)
    return _certified(problem, found, n_iter, gaps, tol)


class _Point(NamedTuple):
    """Parameters with their scores, the group weights of a lower bound, and the gap to it.

    `exact` has the value, gradient and group losses of the problem as stated, if they are known.
    """

    W: np.ndarray
    f: np.ndarray
    u: np.ndarray
    gap: float
    exact: tuple | None = None


def _chosen(problem):
    parameters = (min(problem.d, problem.n) + 1) * (problem.outputs or 1)
    wide_and_sparse = problem.sparse and problem.d > problem.n and problem.smooth
    return "newton" if parameters <= _FULL_MATRIX and not wide_and_sparse else "lbfgs"


def _stages(problem, W, solver, tol, max_iter):
    """Solve with less and less smoothing until the gap of the original problem is small.

    Each stage starts from the solution of the one before. Its gap cannot fall below the error of
    the smoothing itself; within that, the inner tolerance is tightened up to two times.
    """
    stages = range(1) if problem.smooth else range(_STAGES)
    done = 0
    best = None
    for stage in stages:
        # the kinks of the losses get width h, the maximum over groups becomes a power mean
        h = 0.0 if problem.loss.smooth else problem.scale * 10.0**-stage
        p = problem.p if np.isfinite(problem.p) else 4.0 * 10.0**stage
        smoothing = Smoothing(h, p)
        for tighter in (1.0, 0.1, 0.01):
            if solver == "newton":
                inner = 0.1 * tol * tighter if problem.smooth else 1e-13
                W, f, steps = newton(problem, W, smoothing, inner, max_iter)
            else:
                gtol = tighter * _gradient_for(problem, W, max(tol, 0.1 * h / problem.scale))
                W, f, steps = lbfgs(problem, W, smoothing, gtol, max_iter)
            done += steps
            value, point = _checked(problem, W, f, smoothing)
            best = point if best is None or point.gap < best.gap else best
            error = 0.0 if point.exact else abs(value - problem.value(W, f, smoothing))
            if point.gap <= max(tol * abs(value), 2.0 * error):
                break
        if solver == "newton" and np.isinf(problem.p):
            W_exact, u_exact = minimax_steps(problem, W, point.u, h)
            f_exact = problem.scores(W_exact)
            value, point = _checked(problem, W_exact, f_exact, Smoothing(h, np.inf), u_exact)
            best = point if best is None or point.gap < best.gap else best
        if best.gap <= tol * abs(value):
            break
    return best, done


def _checked(problem, W, f, smoothing, u=None):
    """Value of the original problem at W, and the point with its duality gap."""
    if u is None and smoothing == problem.exact:
        values, slope, _ = problem.parts(f, smoothing)
        exact, s = _exact(problem, W, values, slope)
        u = problem.group_weights(exact[2], smoothing)
        return exact[0], _Point(W, f, u, exact[0] - problem.lower_bound(slope, W, u, s), exact)
    values, slope, _ = problem.parts(f, smoothing)
    if u is None:
        u = problem.group_weights(problem.group_losses(values), smoothing)
    value = problem.value(W, f)
    return value, _Point(W, f, u, value - problem.lower_bound(slope, W, u))


def _exact(problem, W, values, slope):
    """Value, gradient and group losses at W; and the gradient without that of the ridge."""
    m = problem.group_losses(values)
    s = problem.risk_slope(mean_weights(m, problem.share, problem.p), slope)
    value = problem.ridge(W) + power_mean(m, problem.share, problem.p)
    return (value, s + 2.0 * problem.penalty * W, m), s


def _gradient_for(problem, W, tol):
    """Gradient tolerance for a gap of tol * J: the gap is |gradient|^2 / 4 alpha."""
    return np.sqrt(4.0 * problem.alpha * tol * problem.value(W) / W.size)


def _certified(problem, found, n_iter, gaps, tol):
    W, gap = found.W, found.gap
    if found.exact is None:
        values, slope, _ = problem.parts(found.f, problem.exact)
        (value, gradient, m), _ = _exact(problem, W, values, slope)
    else:
        value, gradient, m = found.exact
    if not problem.fit_intercept:
        W[-1] = 0.0
    if gap > tol * abs(value):
        warnings.warn(
            f"The duality gap is {gap / abs(value):.1e} of the objective, above tol={tol:.1e}; "
            "raise max_iter or tol, scale the features, or raise alpha.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return QuadraticMeanSolution(
        W=W,
        objective=float(value),
        gap=float(gap),
        gradient_norm=float(np.abs(gradient).max()),
        group_losses=m,
        group_weights=found.u if np.isinf(problem.p) else mean_weights(m, problem.share, problem.p),
        n_iter=n_iter,
        gaps=gaps,
    )


def _solve_in_span(problem, tol, max_iter):
    """With fewer rows than features, solve for the n coefficients of w as a sum of rows."""
    K = problem.X @ problem.X.T
    K = K.toarray() if problem.sparse else K
    F, back = gram_features(K)
    small = replace(problem, X=F)
    found = minimize_quadratic_mean(small, "newton", tol, max_iter)
    w = problem.Xt @ (back @ found.W[:-1])
    found.W = np.concatenate([w, found.W[-1:]])
    return found


def gram_features(K):
    """Features F with F F' = K, and the matrix that maps their weights to those of the rows.

    Examples
    --------
    >>> F, back = gram_features(np.array([[4.0, 0.0], [0.0, 1.0]]))
    >>> np.allclose(F @ F.T, [[4.0, 0.0], [0.0, 1.0]])
    True
    """
    values, U = np.linalg.eigh(K)
    # eigenvalues at rounding level carry no information and would be inverted below
    keep = values > values[-1] * len(K) * np.finfo(float).eps
    root = np.sqrt(values[keep])
    return np.ascontiguousarray(U[:, keep] * root), U[:, keep] / root
