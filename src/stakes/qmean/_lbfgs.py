"""L-BFGS, for problems with too many parameters for a full Hessian."""

import numpy as np
from scipy.optimize import minimize


def lbfgs(problem, W, smoothing, gtol, max_iter):
    """Minimise J, smoothed, from W until no entry of the gradient exceeds gtol.

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
