"""Compiled logistic loss of _losses.py: one pass for value, slope and curvature."""

import numpy as np
from numba import njit


@njit(cache=True)
def logistic_parts(f, y):
    """Value, slope and curvature of log(1 + exp(-y f)) at each f, for y of -1 and +1."""
    value, slope, curvature = np.empty_like(f), np.empty_like(f), np.empty_like(f)
    for i in range(len(f)):
        m = y[i] * f[i]
        e = np.exp(-abs(m))  # at most one: no overflow for either sign of m
        s = (e if m > 0 else 1.0) / (1.0 + e)  # probability of the other class
        value[i] = np.log1p(e) + (0.0 if m > 0 else -m)
        slope[i] = -y[i] * s
        curvature[i] = e / (1.0 + e) ** 2
    return value, slope, curvature
