"""Fast method, certificate, exact fallback: the road that every fit takes."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stakes.uncertain._conic import solve_conic


@dataclass(frozen=True)
class Solution:
    """A classifier with the certified relative duality gap at which it was found."""

    coef: np.ndarray
    intercept: float
    objective: float
    gap: float
    solver: str
    n_iter: int


def solve(problem, solver="auto", tol=1e-6, max_iter=100):
    """Solve a MarginProblem to a certified relative gap, or warn that it is open."""
    solution = _conic(problem, tol)
    if not solution.gap <= tol:
        warnings.warn(
            f"The relative duality gap is {solution.gap:.1e}, above tol={tol:.1e}; scale the "
            "features or allow a larger tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return solution


def _conic(problem, tol):
    coef, intercept, alpha, moves, n_iter = solve_conic(problem, tol / 10)
    primal = problem.primal(coef, intercept)
    gap = (primal - problem.dual(alpha, moves)) / primal
    return Solution(coef, intercept, primal, gap, "conic", n_iter)
