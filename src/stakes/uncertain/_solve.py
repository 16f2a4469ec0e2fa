"""Interior point, certificate, exact fallback: the steps of every fit."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stakes.uncertain._conic import solve_conic
from stakes.uncertain._interior import solve_interior

METHODS = ("interior", "interior, careful", "conic")


@dataclass(frozen=True)
class MarginSolution:
    """A classifier with its certified relative duality gap."""

    coef: np.ndarray
    intercept: float
    objective: float
    gap: float
    solver: str
    n_iter: int


def solve_margin(problem, solver="auto", tol=1e-6, max_iter=100):
    """Solve a MarginProblem to a certified relative gap of `tol`, or warn that the gap is open.

    "auto" tries the interior point, the careful interior point and the cone program, each only if
    the gap of the one before stays open. `max_iter` limits the interior point.
    """
    problem, solutions = problem.simplified(), []
    for method in METHODS if solver == "auto" else [m for m in METHODS if m.startswith(solver)]:
        if method == "conic":
            found = _conic(problem, tol)
        else:
            found = _interior(problem, tol, max_iter, careful=method == "interior, careful")
        solutions.append(found)
        if found.gap <= tol:
            return found
    best = min(solutions, key=lambda found: found.objective)
    warnings.warn(
        f"The relative duality gap is {best.gap:.1e}, above tol={tol:.1e}; scale the features or "
        "increase tol.",
        ConvergenceWarning,
        stacklevel=3,
    )
    return best


def solve_roughly(problem, max_iter=100):
    """Weights and intercept of a MarginProblem to about four digits, without a certificate."""
    problem = problem.simplified()
    coef, intercept = solve_interior(problem, 1e-4, max_iter)[:2]
    return coef, intercept


def _interior(problem, tol, max_iter, careful):
    found = solve_interior(problem, tol, max_iter, careful)
    coef, intercept, alpha, (near, smooth), n_iter = found
    moves = problem.sets.offsets(near[None, :], -problem.y, smooth)[0]
    return _certified(problem, coef, intercept, alpha, moves, "interior", n_iter)


def _conic(problem, tol):
    coef, intercept, alpha, moves, n_iter = solve_conic(problem, tol / 10)
    return _certified(problem, coef, intercept, alpha, moves, "conic", n_iter)


def _certified(problem, coef, intercept, alpha, moves, solver, n_iter):
    """The solution with its gap, computed the same way for every method; NaN counts as open."""
    primal = problem.primal(coef, intercept)
    dual = problem.dual(alpha, moves if np.ndim(moves) else None)
    gap = (primal - dual) / primal
    gap = gap if np.isfinite(gap) else np.inf
    return MarginSolution(coef, intercept, primal, gap, solver, n_iter)
