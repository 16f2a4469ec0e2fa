"""Compiled loops of _drop.py: the logistic loss of shifted scores, and scores by cells."""

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


@njit(cache=True)
def gathered(f, v, cells):
    """Sort scores into cells of equal width.

    Returns the cell of each score, the sums of v_i and of v_i f_i in each cell, the smallest
    score and the width of a cell.
    """
    low, high = f[0], f[0]
    for i in range(len(f)):
        low, high = min(low, f[i]), max(high, f[i])
    width = max((high - low) / (cells - 1), 1e-300)
    cell = np.empty(len(f), np.int64)
    weight, total = np.zeros(cells), np.zeros(cells)
    for i in range(len(f)):
        c = int((f[i] - low) / width)
        cell[i] = c
        weight[c] += v[i]
        total[c] += v[i] * f[i]
    return cell, weight, total, low, width
