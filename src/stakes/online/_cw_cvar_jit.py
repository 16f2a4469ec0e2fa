"""Compiled cost buffer of CW-CVaR: which examples are expensive (Eq. 13).

An example is expensive if its cost reaches the CVaR of all costs so far, its own included; with
STRICT it must exceed the CVaR, so that among equal costs none is expensive. Costs are divided by
the first one, so that the currency cannot move a cost across a cell boundary of the sketch.

The rest of the state is that of `_core/jit/cvar.py` (exact) or `_core/jit/cvar_sketch.py` (bounded
memory). A sketch is one array: these settings, then `place`, then `cells`.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.cvar import cvar_push
from stakes._core.jit.cvar_sketch import (
    COUNT,
    FIRST,
    LARGEST,
    LEAST,
    N_ROWS,
    N_VALUES,
    SUM,
    cell_index,
    sketch_bounds,
    sketch_push,
    sketch_put,
)
from stakes.online._gaussian_csr_jit import learn_known_sparse_row
from stakes.online._gaussian_jit import learn_known_row
from stakes.online._state import HEAD, MOST, OMEGA, SCALE

# Slots of `numbers`, and of the head of a sketch
TAIL = 0  # share of the largest costs whose mean is the CVaR
EXPENSIVE = 1  # omega of expensive examples
CHEAP = 2  # omega of the others
STRICT = 3  # 1: costs equal to the CVaR are cheap
UNIT = 4  # the first cost; 0 before it
WIDTH = 5  # log width of a cell of the sketch
# a sketch only
PLACE = 6  # three int64, stored in the bytes of three float64
CELLS = 9


@njit(error_model="numpy", **INNER)
def in_units(c, numbers):
    """A cost in units of the first one."""
    if numbers[UNIT] == 0.0:
        numbers[UNIT] = c
    return c / numbers[UNIT]


@njit(**INNER)
def factor_of(c, cvar, numbers):
    """Omega of an example of cost c."""
    return numbers[EXPENSIVE if cvar < c or (cvar == c and numbers[STRICT] == 0.0) else CHEAP]


@njit(cache=True, **ENTRY)
def exact_factor(c, numbers, top, rest, sizes, sums):
    """Add one cost to the heaps; its factor omega."""
    if c <= 0.0:  # not learned, so not part of the distribution
        return numbers[CHEAP]
    c = in_units(c, numbers)
    return factor_of(c, cvar_push(c, numbers[TAIL], top, rest, sizes, sums), numbers)


@njit(cache=True, **ENTRY)
def sketch_parts(sketch):
    """Views of the one array of a sketch: numbers, cells, place."""
    place = sketch[PLACE:CELLS].view(np.int64)
    cells = sketch[CELLS:].reshape(N_ROWS, (sketch.size - CELLS) // N_ROWS)
    return sketch[:PLACE], cells, place


@njit(cache=True, **ENTRY)
def sketch_factor(c, sketch):
    """Add one cost to the sketch; its factor omega."""
    numbers, cells, place = sketch_parts(sketch)
    if c <= 0.0:
        return numbers[CHEAP]
    c = in_units(c, numbers)
    sketch_push(c, numbers[WIDTH], cells, place)
    low, high = sketch_bounds(numbers[TAIL], cells, place)
    return factor_of(c, 0.5 * (low + high), numbers)


@njit(cache=True, **ENTRY)
def exact_factors(c, numbers, top, rest, sizes, sums):
    """Add many costs in order; the factor of each. The heaps must have room."""
    out = np.empty(len(c))
    for t in range(len(c)):
        out[t] = exact_factor(c[t], numbers, top, rest, sizes, sums)
    return out


@njit(cache=True, error_model="numpy", **ENTRY)
def sketch_factors(c, sketch):
    """Add many costs in order; the factor of each."""
    numbers, cells, place = sketch_parts(sketch)
    out, last, index = np.empty(len(c)), 0.0, 0
    for t in range(len(c)):
        if c[t] <= 0.0:
            out[t] = numbers[CHEAP]
            continue
        value = in_units(c[t], numbers)
        if value != last:  # costs repeat, and a logarithm takes as long as all the rest
            last, index = value, cell_index(value, numbers[WIDTH])
        sketch_put(value, index, cells, place)
        low, high = sketch_bounds(numbers[TAIL], cells, place)
        out[t] = factor_of(value, 0.5 * (low + high), numbers)
    return out


@njit(cache=True, error_model="numpy", **ENTRY)
def sketch_repeat(c, n, sketch):
    """Add one cost n times if the sketch holds no other; its factor, or NaN and nothing is added.

    The first cost is the unit, so the sum in the cell is a count, and adding it at once is exact.
    """
    numbers, cells, place = sketch_parts(sketch)
    if c <= 0.0:
        return numbers[CHEAP]
    value = in_units(c, numbers)
    if value != 1.0:
        return math.nan
    index = cell_index(value, numbers[WIDTH])
    if place[N_VALUES] > 0:
        j = index - place[FIRST]
        if not 0 <= j < cells.shape[1]:
            return math.nan
        if cells[COUNT, j] != place[N_VALUES] or cells[LEAST, j] != cells[LARGEST, j]:
            return math.nan
    sketch_put(value, index, cells, place)
    j = index - place[FIRST]
    cells[COUNT, j] += n - 1.0
    cells[SUM, j] += n - 1.0
    place[N_VALUES] += n - 1
    return factor_of(value, value, numbers)


@njit(cache=True, **ENTRY)
def sketch_join(sketch, other):
    """Add all costs of another sketch, cell by cell: each counts as the mean of its cell."""
    numbers, cells, place = sketch_parts(sketch)
    theirs, more, _ = sketch_parts(other)
    for j in range(more.shape[1]):
        n = more[COUNT, j]
        if n > 0.0:
            mean = in_units(theirs[UNIT] * (more[SUM, j] / n), numbers)
            sketch_push(mean, numbers[WIDTH], cells, place)
            # the other n - 1 go to the same cell
            k = max(cell_index(mean, numbers[WIDTH]) - place[FIRST], 0) if mean > 0.0 else 0
            cells[COUNT, k] += n - 1.0
            cells[SUM, k] += (n - 1.0) * mean
            place[N_VALUES] += int(n) - 1


@njit(cache=True, **ENTRY)
def learn_sketched_row(x, y, c_pos, c_neg, knows, sketch):
    """Add the cost of one dense row to the sketch and learn it; its score before.

    NaN if the row or its squares are not finite; its cost is not added.
    """
    v, first = 0.0, knows.shape[0] - x.shape[0] - 1  # where sigma begins; the intercept is last
    for j in range(x.shape[0]):
        v += min(knows[first + j] * knows[SCALE], knows[MOST]) * x[j] * x[j]
    if not math.isfinite(v):
        return math.nan
    knows[OMEGA] = sketch_factor(c_pos if y > 0.0 else c_neg, sketch)
    return learn_known_row(x, y, c_pos, c_neg, knows)


@njit(cache=True, **ENTRY)
def learn_sketched_sparse_row(index, x, y, c_pos, c_neg, knows, sketch, fading):
    """Add the cost of one sparse row to the sketch and learn it, as `learn_sketched_row` does."""
    v, first = 0.0, HEAD + 1  # variances stand next to their means
    for k in range(x.shape[0]):
        v += min(knows[first + 2 * index[k]] * knows[SCALE], knows[MOST]) * x[k] * x[k]
    if not math.isfinite(v):
        return math.nan
    knows[OMEGA] = sketch_factor(c_pos if y > 0.0 else c_neg, sketch)
    return learn_known_sparse_row(index, x, y, c_pos, c_neg, knows, fading)
