"""Choosing a solver, rounding kinks less and less, and the certificate at the end."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stakes.qmean._bundle import bundle
from stakes.qmean._lbfgs import lbfgs
from stakes.qmean._mean import mean_weights
from stakes.qmean._minimax import minimax_steps
from stakes.qmean._newton import newton
from stakes.qmean._problem import Smoothing

SOLVERS = ("auto", "newton", "lbfgs", "bundle")
_FULL_MATRIX = 1000  # parameters up to which the full matrix of second derivatives is formed
_LAST_STAGE = 10


@dataclass
class Solution:
    """Parameters, and what says how good they are."""

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
        """The gap as a share of the objective, as `tol` is."""
        return self.gap / abs(self.objective) if self.gap else 0.0

    @property
    def relative_gaps(self):
        """The same of the gap after each iteration."""
        return [gap / abs(self.objective) for gap in self.gaps]


def solve(problem, solver="auto", tol=1e-6, max_iter=1000, start=None):
    """Minimise J to a relative duality gap of `tol`, and warn if that was not reached.

    Parameters
    ----------
    problem : Problem
        What to minimise.
    solver : {"auto", "newton", "lbfgs", "bundle"}, default="auto"
        "auto": Newton if the smaller side of X is small, else L-BFGS; also L-BFGS for smooth
        losses on sparse X with more features than rows.
    tol : float, default=1e-6
        The duality gap, relative to the objective, at which to stop.
    max_iter : int, default=1000
        Steps (of each stage, where kinks are rounded).
    start : ndarray, default=None
        Where to start.

    Returns
    -------
    Solution
    """
    if solver == "auto":
        solver = _chosen(problem)
    if solver == "newton" and problem.d > problem.n:
        return _solve_in_span(problem, tol, max_iter)
    W = problem.start() if start is None else start
    small = problem.small() if problem.smooth and solver == "newton" and start is None else None
    if small is not None:
        W, *_ = _stages(small, W, solver, 1e-3, max_iter)
    gaps = []
    if solver == "bundle":
        W, gaps, u = bundle(problem, W, tol, max_iter)
        n_iter, gap = len(gaps), gaps[-1]
    else:
        W, u, gap, n_iter = _stages(problem, W, solver, tol, max_iter)
    return _certified(problem, W, u, gap, n_iter, gaps, tol)


def _chosen(problem):
    parameters = (min(problem.d, problem.n) + 1) * (problem.outputs or 1)
    wide_and_sparse = problem.sparse and problem.d > problem.n and problem.smooth
    return "newton" if parameters <= _FULL_MATRIX and not wide_and_sparse else "lbfgs"


def _stages(problem, W, solver, tol, max_iter):
    """Solve with kinks rounded less and less, until the gap of the unrounded problem is small."""
    stages = range(1) if problem.smooth else range(_LAST_STAGE)
    done = 0
    best = W, None, np.inf
    for stage in stages:
        h = 0.0 if problem.loss.smooth else problem.scale * 10.0**-stage
        p = problem.p if np.isfinite(problem.p) else 4.0 * 10.0**stage
        smoothing = Smoothing(h, p)
        for tighter in (1.0, 0.1, 0.01):
            if solver == "newton":
                inner = 0.1 * tol * tighter if problem.smooth else 1e-13
                W, steps = newton(problem, W, smoothing, inner, max_iter)
            else:
                gtol = tighter * _gradient_for(problem, W, max(tol, 0.1 * h / problem.scale))
                W, steps = lbfgs(problem, W, smoothing, gtol, max_iter)
            done += steps
            u, value, gap = _gap(problem, W, smoothing)
            best = min(best, (W, u, gap), key=lambda found: found[2])
            rounding = abs(value - problem.value(W, None, smoothing))
            if gap <= max(tol * abs(value), 2.0 * rounding):
                break
        if solver == "newton" and np.isinf(problem.p):
            exact_W, exact_u = minimax_steps(problem, W, u, h)
            _, value, gap = _gap(problem, exact_W, Smoothing(h, np.inf), exact_u)
            best = min(best, (exact_W, exact_u, gap), key=lambda found: found[2])
        if best[2] <= tol * abs(value):
            break
    return *best, done


def _gap(problem, W, smoothing, u=None):
    """Group weights, the value of the unrounded problem, and how far it may be from its minimum."""
    f = problem.scores(W)
    if u is None:
        m = problem.group_losses(problem.loss.parts(f, problem.y, smoothing.h)[0])
        u = problem.group_weights(m, smoothing)
    value = problem.value(W, f)
    return u, value, value - problem.lower_bound(f, smoothing, W, u)


def _gradient_for(problem, W, tol):
    """How small the largest slope must be for a gap of tol * J: the gap is |slope|^2 / 4 alpha."""
    return np.sqrt(4.0 * problem.alpha * tol * problem.value(W) / W.size)


def _certified(problem, W, u, gap, n_iter, gaps, tol):
    value, gradient = problem.value_and_gradient(W)
    if not problem.fit_intercept:
        W[-1] = 0.0
    if gap > tol * abs(value):
        warnings.warn(
            f"The duality gap is {gap / abs(value):.1e} of the objective, above tol={tol:.1e}; "
            "raise max_iter or tol, scale the features, or raise alpha.",
            ConvergenceWarning,
            stacklevel=4,
        )
    m = problem.group_losses(problem.loss.parts(problem.scores(W), problem.y)[0])
    return Solution(
        W=W,
        objective=float(value),
        gap=float(gap),
        gradient_norm=float(np.abs(gradient).max()),
        group_losses=m,
        group_weights=mean_weights(m, problem.share, problem.p) if np.isfinite(problem.p) else u,
        n_iter=n_iter,
        gaps=gaps,
    )


def _solve_in_span(problem, tol, max_iter):
    """With fewer rows than features the weights are a sum of rows: solve for n numbers instead."""
    K = problem.X @ problem.X.T
    K = K.toarray() if problem.sparse else K
    F, back = gram_features(K)
    small = replace(problem, X=F)
    found = solve(small, "newton", tol, max_iter)
    w = problem.Xt @ (back @ found.W[:-1])
    found.W = np.concatenate([w, found.W[-1:]])
    return found


def gram_features(K):
    """Features F with F F' = K, and the matrix that turns their weights into those of the rows.

    Examples
    --------
    >>> F, back = gram_features(np.array([[4.0, 0.0], [0.0, 1.0]]))
    >>> np.allclose(F @ F.T, [[4.0, 0.0], [0.0, 1.0]])
    True
    """
    values, U = np.linalg.eigh(K)
    keep = values > values[-1] * len(K) * np.finfo(float).eps
    root = np.sqrt(values[keep])
    return np.ascontiguousarray(U[:, keep] * root), U[:, keep] / root
