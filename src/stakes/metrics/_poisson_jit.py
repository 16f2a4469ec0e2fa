"""Compiled loop of _one_pass.py: every row in every resample, a Poisson number of times."""

import numpy as np
from numba import njit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@njit(cache=True)
def add_resamples(keys, columns, below, sums):
    """Add the columns of each row to the sums of each resample, as often as it is drawn.

    One hash of the key and the pair of resamples gives two uniform numbers of 32 bits; a row is
    drawn k times where its number lies between below[k - 1] and below[k], the distribution function
    of the Poisson distribution of mean one, in units of 2^-32.
    """
    n, k = columns.shape
    for i in range(n):
        state = keys[i]
        for b in range(0, len(sums), 2):
            state = state + _STEP
            x = (state ^ (state >> _S30)) * _MIX1
            x = (x ^ (x >> _S27)) * _MIX2
            x = x ^ (x >> _S31)
            for half in range(2):
                u = x & _LOW if half == 0 else x >> _S32
                times = 0
                while times < len(below) and u >= below[times]:
                    times += 1
                if times > 0 and b + half < len(sums):
                    for j in range(k):
                        sums[b + half, j] += times * columns[i, j]
