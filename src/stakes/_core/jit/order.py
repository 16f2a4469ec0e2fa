"""Order of values by a stable merge sort, a tenth of the time of numpy's to compile."""

import numpy as np
from numba import njit

from stakes._core.jit import INNER

RUN = 16  # length of the runs that are sorted by insertion before they are merged


@njit(**INNER)
def stable_order(x):
    """Order of ascending values, equal ones as given, NaN last; how many are not NaN."""
    order, spare = np.empty(len(x), dtype=np.int64), np.empty(len(x), dtype=np.int64)
    n, n_missing = 0, 0
    for i in range(len(x)):
        if x[i] == x[i]:
            order[n] = i
            n += 1
        else:
            spare[n_missing] = i
            n_missing += 1
    for j in range(n_missing):
        order[n + j] = spare[j]
    for j in range(n, len(x)):  # the two change roles below
        spare[j] = order[j]
    for first in range(0, n, RUN):
        for j in range(first + 1, min(first + RUN, n)):
            i, k = order[j], j
            while k > first and x[order[k - 1]] > x[i]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = i
    width = RUN
    while width < n:
        for first in range(0, n, 2 * width):
            middle, end = min(first + width, n), min(first + 2 * width, n)
            a, b = first, middle
            for k in range(first, end):
                if b >= end or (a < middle and x[order[a]] <= x[order[b]]):
                    spare[k] = order[a]
                    a += 1
                else:
                    spare[k] = order[b]
                    b += 1
        order, spare = spare, order
        width *= 2
    return order, n
