"""Compiled exact CVaR of all values so far, O(log n) per value: two heaps and a running sum.

The state is four arrays that the caller owns and may save as they are. `top` is a heap of the
floor(tail * n) largest values, `rest` a heap of the others, negated, so that the two values at the
boundary are on top. Before a loop of m steps call :func:`cvar_reserve` for m, then
:func:`cvar_push` in the loop.
"""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.heap import heap_pop, heap_push

N_TOP, N_REST = 0, 1  # slots of `sizes`: values in each heap
# slots of `sums`: the sum of `top` with what rounding lost of it, and the largest value
SUM, LOST, LARGEST = 0, 1, 2


@njit(cache=True, **ENTRY)
def cvar_state():
    """State before any value: (top, rest, sizes, sums)."""
    return np.empty(0), np.empty(0), np.zeros(2, np.int64), np.array([0.0, 0.0, -np.inf])


@njit(cache=True, **ENTRY)
def cvar_reserve(m, tail, top, rest, sizes):
    """Both heaps with room for m more values; arrays that must grow at least double."""
    n = sizes[N_TOP] + sizes[N_REST] + m
    # `top` may hold more than its share, until the next value, after a change of `tail`
    most = max(sizes[N_TOP], int(tail * n))
    return _grown(top, sizes[N_TOP], most + 2), _grown(rest, sizes[N_REST], n + 1)


@njit(cache=True, **ENTRY)
def cvar_push(value, tail, top, rest, sizes, sums):
    """Add one value and return the mean of the `tail` share of largest values."""
    n_top, n_rest = sizes[N_TOP], sizes[N_REST]
    if n_top > 0 and value > top[0]:
        heap_push(top, n_top, value)
        _add(sums, value)
        n_top += 1
    else:
        heap_push(rest, n_rest, -value)
        n_rest += 1
    # restore n_top = floor(tail * n): at most one move, or many after a change of `tail`
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
    sizes[N_TOP], sizes[N_REST] = n_top, n_rest
    sums[LARGEST] = max(sums[LARGEST], value)
    return cvar_now(tail, top, rest, sizes, sums)


@njit(cache=True, **ENTRY)
def cvar_now(tail, top, rest, sizes, sums):
    """CVaR of the values so far; NaN before any value."""
    n_top, n_rest = sizes[N_TOP], sizes[N_REST]
    if n_top + n_rest == 0:
        return np.nan
    k = tail * (n_top + n_rest)
    boundary = -rest[0] if n_rest > 0 else top[0]
    # the value at the boundary counts for the fraction of k that is left
    total = sums[SUM] + sums[LOST] + (k - n_top) * boundary
    # rounding must not lift it above the largest value: learners compare a value with its CVaR
    return min(max(total / k, boundary), sums[LARGEST])


@njit(cache=True, **ENTRY)
def cvar_pass(values, tail, top, rest, sizes, sums, out):
    """Push all values; `out` gets the CVaR after each. The heaps must have room."""
    for t in range(len(values)):
        out[t] = cvar_push(values[t], tail, top, rest, sizes, sums)


@njit(**INNER)
def _add(sums, value):
    """Neumaier's compensated sum: SUM + LOST is exact to one rounding."""
    total = sums[SUM] + value
    if abs(sums[SUM]) >= abs(value):
        sums[LOST] += (sums[SUM] - total) + value
    else:
        sums[LOST] += (value - total) + sums[SUM]
    sums[SUM] = total


@njit(**INNER)
def _grown(heap, n, needed):
    if needed <= len(heap):
        return heap
    larger = np.empty(max(needed, 2 * len(heap), 16))
    larger[:n] = heap[:n]
    return larger
