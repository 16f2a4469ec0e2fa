"""Compiled loop of _bounds.py: the best f in hindsight, by dual coordinate ascent."""

import numpy as np
from numba import njit


@njit(cache=True)
def dual_ascent(K, y, theta, C, max_sweeps, tol):
    """Maximise sum(g theta) - |f|^2 / 2 over 0 <= g <= C; return g, the primal value and the gap.

    Without an intercept the box is all there is, so each coordinate has its exact maximum.
    """
    n = y.size
    g, f = np.zeros(n), np.zeros(n)  # f: score of each example
    primal, gap = np.inf, np.inf
    for _ in range(max_sweeps):
        for i in range(n):
            if K[i, i] <= 0.0:
                continue
            new = min(max(g[i] + (theta[i] - y[i] * f[i]) / K[i, i], 0.0), C)
            step = y[i] * (new - g[i])
            if step != 0.0:
                g[i] = new
                f += step * K[i]
        size = np.sum(g * y * f)
        primal = 0.5 * size + C * np.sum(np.maximum(0.0, theta - y * f))
        gap = primal - (np.sum(g * theta) - 0.5 * size)
        if gap <= tol * primal:
            break
    return g, primal, gap
