"""Compiled cost buffer of CW-CVaR: which examples are dear (Eq. 13).

An example is dear if its cost reaches the CVaR of all costs so far, its own among them; `strict`:
if it exceeds it, so that among equal costs none is dear. `numbers` has the tail tau, the factors
omega for dear and cheap examples, whether `strict`, the first cost and the sketch's cell width. The
rest of the state is that of `_jit/_cvar.py` (exact) or `_jit/_cvar_sketch.py` (bounded); costs come
in units of the first one, so that the currency cannot move a cost across a cell of the sketch. A
sketch is one array: the numbers, `place`, `cells`.
"""

import numpy as np
from numba import njit

from stakes._core.jit.cvar import cvar_push
from stakes._core.jit.cvar_sketch import sketch_bounds, sketch_push
from stakes.online._gaussian_jit import learn_known_row
from stakes.online._state import OMEGA

TAIL, DEAR, CHEAP, STRICT, UNIT, WIDTH = range(6)
PLACE, CELLS = 6, 9


@njit(cache=True)
def in_units(c, numbers):
    """A cost in units of the first one."""
    if numbers[UNIT] == 0.0:
        numbers[UNIT] = c
    return c / numbers[UNIT]


@njit(cache=True)
def exact_factor(c, numbers, top, rest, sizes, sums):
    """Take one cost into the heaps and return its factor."""
    if c <= 0.0:
        return numbers[CHEAP]
    c = in_units(c, numbers)
    star = cvar_push(c, numbers[TAIL], top, rest, sizes, sums)
    return numbers[DEAR if star < c or (star == c and numbers[STRICT] == 0.0) else CHEAP]


@njit(cache=True)
def sketch_parts(sketch):
    """Views of the one array of a sketch: numbers, cells, place."""
    place = sketch[PLACE:CELLS].view(np.int64)
    return sketch[:PLACE], sketch[CELLS:].reshape(4, (sketch.size - CELLS) // 4), place


@njit(cache=True)
def sketch_factor(c, sketch):
    """Take one cost into the sketch and return its factor."""
    numbers, cells, place = sketch_parts(sketch)
    if c <= 0.0:
        return numbers[CHEAP]
    c = in_units(c, numbers)
    sketch_push(c, numbers[WIDTH], cells, place)
    low, high = sketch_bounds(numbers[TAIL], cells, place)
    star = 0.5 * (low + high)
    return numbers[DEAR if star < c or (star == c and numbers[STRICT] == 0.0) else CHEAP]


@njit(cache=True)
def exact_factors(c, numbers, top, rest, sizes, sums):
    """The same for many costs in order; the heaps must have room."""
    out = np.empty(len(c))
    for t in range(len(c)):
        out[t] = exact_factor(c[t], numbers, top, rest, sizes, sums)
    return out


@njit(cache=True)
def sketch_factors(c, sketch):
    """The same for many costs in order."""
    out = np.empty(len(c))
    for t in range(len(c)):
        out[t] = sketch_factor(c[t], sketch)
    return out


@njit(cache=True)
def learn_sketched_row(x, y, c_pos, c_neg, knows, sketch):
    """Take the cost of one dense row into the sketch, then learn it; return its score before."""
    knows[OMEGA] = sketch_factor(c_pos if y > 0.0 else c_neg, sketch)
    return learn_known_row(x, y, c_pos, c_neg, knows)
