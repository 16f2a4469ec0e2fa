"""Compiled loop of _bounds.py: the best f in hindsight, by dual coordinate ascent."""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY


@njit(cache=True, **ENTRY)
def dual_ascent(K, y, theta, C, max_sweeps, tol):
    """Maximise sum(g theta) - |f|^2 / 2 over 0 <= g_i <= C_i; return g, the primal value, the gap.

    Without an intercept there is no equality constraint, so each coordinate moves to its exact
    maximum: the gradient in g_i is theta_i - y_i f(x_i), the curvature k_ii.
    """
    n = y.size
    g, f = np.zeros(n), np.zeros(n)  # f: score of each example, kept up to date
    primal, gap = np.inf, np.inf
    for _ in range(max_sweeps):
        for i in range(n):
            if K[i, i] <= 0.0:
                continue
            new = min(max(g[i] + (theta[i] - y[i] * f[i]) / K[i, i], 0.0), C[i])
            step = y[i] * (new - g[i])
            if step != 0.0:
                g[i] = new
                f += step * K[i]
        size = np.sum(g * y * f)
        primal = 0.5 * size + np.sum(C * np.maximum(0.0, theta - y * f))
        gap = primal - (np.sum(g * theta) - 0.5 * size)
        if gap <= tol * primal:
            break
    return g, primal, gap
