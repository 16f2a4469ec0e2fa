"""Shapley values from their definition: the mean over all orders of the columns."""

from itertools import permutations

import numpy as np


def shapley(function, x, background):
    """Values of a function of a plain vector, against each row of a background."""
    d = len(x)
    values = np.zeros(d)
    orders = list(permutations(range(d)))
    for b in background:
        for order in orders:
            now = np.array(b, dtype=float)
            for j in order:
                before = function(now)
                now[j] = x[j]
                values[j] += function(now) - before
    return values / (len(orders) * len(background))
