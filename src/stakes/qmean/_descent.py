"""Newton and quasi-Newton methods for smoothed problems."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.optimize import minimize

_ARMIJO = 1e-4


def newton(problem, W, smoothing, tol, max_iter):
    """Minimise J, smoothed, by damped Newton steps until the decrement is below tol * J.

    The scores are linear in the step length, so the line search needs no product with X.

    Returns
    -------
    (W, number of steps)
    """
    f = problem.scores(W)
    value = problem.value(W, f, smoothing)
    for step in range(1, max_iter + 1):
        gradient, H = problem.gradient_and_hessian(W, f, smoothing)
        direction = -newton_step(H, gradient).reshape(W.shape)
        decrease = -float(gradient @ direction.ravel())
        if decrease <= tol * abs(value):
            return _polished(problem, W, direction, gradient, smoothing), step
        f_direction = problem.scores(direction)
        length = 1.0
        while True:
            new_f, new_W = f + length * f_direction, W + length * direction
            new_value = problem.value(new_W, new_f, smoothing)
            if new_value <= value - _ARMIJO * length * decrease:
                break
            length *= 0.5
            if length < 1e-12:  # the decrease is lost in rounding
                return W, step
        W, f, value = new_W, new_f, new_value
    return W, max_iter


def lbfgs(problem, W, smoothing, gtol, max_iter):
    """Minimise J, smoothed, by L-BFGS until no entry of the gradient exceeds gtol.

    Returns
    -------
    (W, number of steps)
    """

    def fun(w):
        value, gradient = problem.value_and_gradient(w.reshape(W.shape), None, smoothing)
        return value, gradient.ravel()

    found = minimize(
        fun,
        W.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"gtol": gtol, "ftol": 64 * np.finfo(float).eps, "maxiter": max_iter, "maxls": 50},
    )
    return found.x.reshape(W.shape), int(found.nit)


def _polished(problem, W, direction, gradient, smoothing):
    """Take one more full step if it shrinks the gradient; J itself is flat to rounding here."""
    _, new_gradient = problem.value_and_gradient(W + direction, None, smoothing)
    better = np.abs(new_gradient).max() < np.abs(gradient).max()
    return W + direction if better else W


def newton_step(H, g):
    """H^-1 g, of minimum norm if H is singular."""
    try:
        return cho_solve(cho_factor(H, check_finite=False), g, check_finite=False)
    except np.linalg.LinAlgError:  # singular: a minimum-norm step
        return lstsq(H, g, check_finite=False)[0]
