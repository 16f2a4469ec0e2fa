"""Exact CVaR of all values so far, O(log n) a step: two heaps and a running sum.

The state is four arrays that the caller owns and may save as they are: `top` is a heap of the
floor(tail * n) largest values, `rest` a heap of the others, negated; `sizes` holds how many are in
each; `sums` holds the sum of `top` in two parts (compensated) and the largest value. Before a loop
of m steps call :func:`cvar_reserve` for m; then call :func:`cvar_push` inside it.
"""

import numpy as np
from numba import njit

from stakes._core.jit.heap import heap_pop, heap_push


@njit(cache=True)
def cvar_state():
    """The state before any value: (top, rest, sizes, sums)."""
    return np.empty(0), np.empty(0), np.zeros(2, np.int64), np.array([0.0, 0.0, -np.inf])


@njit(cache=True)
def cvar_reserve(m, tail, top, rest, sizes):
    """The two heaps with room for m more values; arrays at least double when they must grow."""
    n = sizes[0] + sizes[1] + m
    return _grown(top, sizes[0], int(tail * n) + 2), _grown(rest, sizes[1], n + 1)


@njit(cache=True)
def cvar_push(value, tail, top, rest, sizes, sums):
    """Add one value and return the mean of the `tail` share of largest values."""
    n_top, n_rest = sizes[0], sizes[1]
    if n_top > 0 and value > top[0]:
        heap_push(top, n_top, value)
        _add(sums, value)
        n_top += 1
    else:
        heap_push(rest, n_rest, -value)
        n_rest += 1
    k = tail * (n_top + n_rest)
    while n_top > int(k):
        moved = heap_pop(top, n_top)
        _add(sums, -moved)
        heap_push(rest, n_rest, -moved)
        n_top -= 1
        n_rest += 1
    while n_top < int(k):
        moved = -heap_pop(rest, n_rest)
        heap_push(top, n_top, moved)
        _add(sums, moved)
        n_top += 1
        n_rest -= 1
    sizes[0], sizes[1] = n_top, n_rest
    sums[2] = max(sums[2], value)
    return cvar_now(tail, top, rest, sizes, sums)


@njit(cache=True)
def cvar_now(tail, top, rest, sizes, sums):
    """The CVaR of the state as it is; NaN before any value."""
    n_top, n_rest = sizes[0], sizes[1]
    if n_top + n_rest == 0:
        return np.nan
    k = tail * (n_top + n_rest)
    boundary = -rest[0] if n_rest > 0 else top[0]
    total = sums[0] + sums[1] + (k - n_top) * boundary
    # rounding may not lift it above the largest value: learners compare a value with its CVaR
    return min(max(total / k, boundary), sums[2])


@njit(cache=True)
def cvar_pass(values, tail, top, rest, sizes, sums, out):
    """Push all values, `out` gets the CVaR after each; the heaps must have room."""
    for t in range(len(values)):
        out[t] = cvar_push(values[t], tail, top, rest, sizes, sums)


@njit(cache=True)
def _add(sums, value):
    """Neumaier's sum: what rounding drops from sums[0] is kept in sums[1]."""
    total = sums[0] + value
    if abs(sums[0]) >= abs(value):
        sums[1] += (sums[0] - total) + value
    else:
        sums[1] += (value - total) + sums[0]
    sums[0] = total


@njit(cache=True)
def _grown(heap, n, needed):
    if needed <= len(heap):
        return heap
    larger = np.empty(max(needed, 2 * len(heap), 16))
    larger[:n] = heap[:n]
    return larger
