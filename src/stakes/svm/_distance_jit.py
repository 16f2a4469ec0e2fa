"""Compiled loop of _gram.py; checked arrays in, no checks here."""

import numpy as np
from numba import njit


@njit(cache=True)
def squared_distances(data_z, columns_z, ends_z, data_x, columns_x, ends_x):
    """|z_i - x_j|^2 of sparse rows with sorted columns, entry by entry, so that nothing cancels."""
    out = np.empty((len(ends_z) - 1, len(ends_x) - 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            a, a_end = ends_z[i], ends_z[i + 1]
            b, b_end = ends_x[j], ends_x[j + 1]
            total = 0.0
            while a < a_end or b < b_end:
                if b == b_end or (a < a_end and columns_z[a] < columns_x[b]):
                    difference = data_z[a]
                    a += 1
                elif a == a_end or columns_x[b] < columns_z[a]:
                    difference = data_x[b]
                    b += 1
                else:  # the same column
                    difference = data_z[a] - data_x[b]
                    a += 1
                    b += 1
                total += difference * difference
            out[i, j] = total
    return out
