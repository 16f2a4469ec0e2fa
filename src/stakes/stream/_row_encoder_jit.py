"""Compiled loop of _row_encoder.py: numbers of many events, one after the other."""

from math import sqrt

from numba import njit


@njit(cache=True)
def standardize_rows(rows, columns, counts, means, squares):
    """Put the numbers of each row on the running scales of their fields, in place.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Numbers, then features; only the listed columns are read and changed.
    columns : ndarray of int
        The columns that hold numbers.
    counts, means, squares : ndarray of float
        Welford's sums of each of them, changed in place.
    """
    for i in range(len(rows)):
        for k in range(len(columns)):
            number = rows[i, columns[k]]
            counts[k] += 1.0
            before = number - means[k]
            means[k] += before / counts[k]
            after = number - means[k]
            squares[k] += before * after
            variance = squares[k] / counts[k]
            rows[i, columns[k]] = after / sqrt(variance) if variance > 0.0 else 0.0
