"""Compiled cost buffer of CW-CVaR: which examples are dear (Eq. 13).

An example is dear if its cost reaches the CVaR of all costs so far, its own among them; `strict`:
if it exceeds it, so that among equal costs none is dear. `dear` and
`cheap` are the factors omega for both kinds. The state is that of `_jit/_cvar.py` (exact) or
`_jit/_cvar_sketch.py` (bounded); costs come in units of the first one, `unit[0]`, so that the
currency cannot move a cost across a cell of the sketch.
"""

import numpy as np
from numba import njit

from stakes._jit._cvar import cvar_push
from stakes._jit._cvar_sketch import sketch_bounds, sketch_push


@njit(cache=True)
def exact_factor(c, tail, dear, cheap, strict, unit, top, rest, sizes, sums):
    """Take one cost into the heaps and return its factor."""
    if c <= 0.0:
        return cheap
    if unit[0] == 0.0:
        unit[0] = c
    c /= unit[0]
    star = cvar_push(c, tail, top, rest, sizes, sums)
    return dear if star < c or (star == c and not strict) else cheap


@njit(cache=True)
def sketch_factor(c, tail, dear, cheap, strict, unit, width, cells, place):
    """Take one cost into the sketch and return its factor."""
    if c <= 0.0:
        return cheap
    if unit[0] == 0.0:
        unit[0] = c
    c /= unit[0]
    sketch_push(c, width, cells, place)
    low, high = sketch_bounds(tail, cells, place)
    star = 0.5 * (low + high)
    return dear if star < c or (star == c and not strict) else cheap


@njit(cache=True)
def exact_factors(c, tail, dear, cheap, strict, unit, top, rest, sizes, sums):
    """The same for many costs in order; the heaps must have room."""
    out = np.empty(len(c))
    for t in range(len(c)):
        out[t] = exact_factor(c[t], tail, dear, cheap, strict, unit, top, rest, sizes, sums)
    return out


@njit(cache=True)
def sketch_factors(c, tail, dear, cheap, strict, unit, width, cells, place):
    """The same for many costs in order."""
    out = np.empty(len(c))
    for t in range(len(c)):
        out[t] = sketch_factor(c[t], tail, dear, cheap, strict, unit, width, cells, place)
    return out
