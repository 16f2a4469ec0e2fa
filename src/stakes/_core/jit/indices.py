"""Compiled search for the largest index of a sparse matrix: every table is asked for it."""

from numba import config, njit


@njit(cache=True)
def _largest(indices):
    most = indices[0]
    for i in range(indices.size):
        most = max(most, indices[i])
    return most


def largest_index(indices):
    """The largest of some unsigned indices.

    Examples
    --------
    >>> import numpy as np
    >>> int(largest_index(np.array([3, 7, 5], np.uint32)))
    7
    """
    return indices.max() if config.DISABLE_JIT else _largest(indices)
