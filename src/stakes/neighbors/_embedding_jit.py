"""Compiled pass over a table: what its columns hold."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def column_facts(X, weight):
    """Mean, standard deviation, smallest and largest value of each column, without NaN."""
    n, d = X.shape
    count, mean, square = np.zeros(d), np.zeros(d), np.zeros(d)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for i in range(n):
        w = weight[i]
        for j in range(d):
            v = X[i, j]
            if v == v:
                count[j] += w
                mean[j] += w * v
                low[j], high[j] = min(low[j], v), max(high[j], v)
    for j in range(d):
        if count[j] == 0.0:
            low[j], high[j] = 0.0, 0.0
            count[j] = 1.0
        mean[j] /= count[j]
    for i in range(n):
        w = weight[i]
        for j in range(d):
            v = X[i, j]
            if v == v:
                square[j] += w * (v - mean[j]) ** 2
    for j in range(d):
        square[j] = math.sqrt(square[j] / count[j])
    return mean, square, low, high
