"""Hashes: random numbers of rows, the same however a table is cut into parts; columns of names."""

import numpy as np
from sklearn.utils import murmurhash3_32

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def hash_rows(numbers, random_state=0):
    """Pseudo-random 64-bit numbers, one for each row number (splitmix64).

    Parameters
    ----------
    numbers : array-like of int
        Numbers of the rows.
    random_state : int, default=0
        Seed; another seed gives independent numbers.

    Returns
    -------
    ndarray of uint64

    Examples
    --------
    >>> (hash_rows([0, 1, 2]) >> np.uint64(60)).tolist()
    [10, 5, 6]
    """
    x = np.asarray(numbers).astype(np.uint64)
    with np.errstate(over="ignore"):
        for value in (np.uint64(random_state), None):
            x = (x if value is None else x + value * _STEP) + _STEP
            x = (x ^ (x >> np.uint64(30))) * _MIX[0]
            x = (x ^ (x >> np.uint64(27))) * _MIX[1]
            x ^= x >> np.uint64(31)
    return x


def hash_name(name, n):
    """Column below n for a name, and the sign of its values, so that names that meet cancel.

    Examples
    --------
    >>> hash_name("shop=17", 8)
    (4, 1.0)
    """
    h = murmurhash3_32(str(name))
    return abs(h) % n, 1.0 if h >= 0 else -1.0
