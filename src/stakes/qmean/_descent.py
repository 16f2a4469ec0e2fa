"""Newton and quasi-Newton methods for smoothed problems."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.optimize import minimize

_ARMIJO = 1e-4
# `python -m benchmarks.qmean_steps`, 16 other sets than those of the races: with 1/12 and 40 pairs
# 0.77 times the gradients of plain L-BFGS on average and never more; 1/6: 0.78, at most 1.16 times
_SCALING = 1 / 12  # power of the curvature by which L-BFGS scales the parameters
_MEMORY = 2_000_000  # numbers in the memory of L-BFGS, between 10 and 40 pairs of vectors


def newton(problem, W, smoothing, tol, max_iter):
    """Minimize J, smoothed, by damped Newton steps until the decrement is below tol * J.

    The scores are linear in the step length, so the line search needs no product with X.

    Returns
    -------
    (W, scores, number of steps)
    """
    f = problem.scores(W)
    parts = problem.parts(f, smoothing)
    value = problem.value(W, f, smoothing, parts)
    for step in range(1, max_iter + 1):
        gradient, H = problem.gradient_and_hessian(W, parts, smoothing)
        direction = -newton_step(H, gradient).reshape(W.shape)
        decrease = -float(gradient @ direction.ravel())
        f_direction = problem.scores(direction)
        if decrease <= tol * abs(value):
            return *_polished(problem, W, f, direction, f_direction, gradient, smoothing), step
        length = 1.0
        while True:
            new_f, new_W = f + length * f_direction, W + length * direction
            parts = problem.parts(new_f, smoothing)
            new_value = problem.value(new_W, new_f, smoothing, parts)
            if new_value <= value - _ARMIJO * length * decrease:
                break
            length *= 0.5
            if length < 1e-12:  # the decrease is lost in rounding
                return W, f, step
        W, f, value = new_W, new_f, new_value
    return W, f, max_iter


def lbfgs(problem, W, smoothing, gtol, max_iter):
    """Minimize J, smoothed, by L-BFGS until no entry of the gradient exceeds gtol.

    Parameters are scaled by a low power of their curvature: full scaling (1/2) is far better for
    columns of different frequency but far worse where the curvature vanishes at the minimum.

    Returns
    -------
    (W, scores, number of steps)
    """
    scale, largest = 1.0, np.inf
    if problem.outputs is None:
        scale = problem.curvature_diagonal(W, smoothing) ** _SCALING

    def fun(v):
        nonlocal largest
        w = (v / scale).reshape(W.shape)
        value, gradient = problem.value_and_gradient(w, None, smoothing)
        largest = np.abs(gradient).max()
        return value, gradient.ravel() / scale

    def stop(intermediate_result):
        if largest <= gtol:
            raise StopIteration

    found = minimize(
        fun,
        W.ravel() * scale,
        jac=True,
        method="L-BFGS-B",
        callback=stop,
        options={
            "gtol": 0.0,
            "ftol": 64 * np.finfo(float).eps,
            "maxiter": max_iter,
            "maxls": 50,
            "maxcor": int(np.clip(_MEMORY // W.size, 10, 40)),
        },
    )
    W = (found.x / scale).reshape(W.shape)
    return W, problem.scores(W), int(found.nit)


def _polished(problem, W, f, direction, f_direction, gradient, smoothing):
    """Take one more full step if it shrinks the gradient; J itself is flat to rounding here."""
    new_W, new_f = W + direction, f + f_direction
    _, new_gradient = problem.value_and_gradient(new_W, new_f, smoothing)
    better = np.abs(new_gradient).max() < np.abs(gradient).max()
    return (new_W, new_f) if better else (W, f)


def newton_step(H, g):
    """H^-1 g, of minimum norm if H is singular."""
    try:
        return cho_solve(cho_factor(H, check_finite=False), g, check_finite=False)
    except np.linalg.LinAlgError:  # singular: a minimum-norm step
        return lstsq(H, g, check_finite=False)[0]
