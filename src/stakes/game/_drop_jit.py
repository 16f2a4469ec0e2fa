"""Compiled loop of _drop.py: the logistic loss of shifted scores, in one pass."""

import numpy as np
from numba import njit


@njit(cache=True)
def shifted_logistic(f, v, u):
    """Sum of v_i log(1 + exp(u - f_i)), with its first and second derivative in u."""
    value, slope, curvature = 0.0, 0.0, 0.0
    for i in range(len(f)):
        m = f[i] - u
        e = np.exp(-abs(m))  # at most one: no overflow for either sign of m
        p = (e if m > 0 else 1.0) / (1.0 + e)
        value += v[i] * (np.log1p(e) + (0.0 if m > 0 else -m))
        slope += v[i] * p
        curvature += v[i] * p * (1.0 - p)
    return value, slope, curvature
