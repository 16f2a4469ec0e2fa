"""Compiled CVaR of all values so far in bounded memory, for values that are not negative.

Values are counted in the cells of a logarithmic grid: cell j holds values in [g^i, g^(i+1)) with
i = first + j and log g = `width`. Values below the grid go to cell 0. When a value lies above the
grid, the grid slides up and the cells that drop out are added to cell 0, so that the large values,
the ones that matter for the tail, always have narrow cells.
"""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER

COUNT, SUM, LEAST, LARGEST = range(4)  # rows of `cells`, one column per cell
N_ROWS = 4
FIRST, N_VALUES, PLACED = range(3)  # slots of `place`: i of cell 0, values seen, whether i is set
FARTHEST = 2.0**40  # of an i; a model file may hold any width, and an index must stay one


@njit(cache=True, error_model="numpy", **ENTRY)
def sketch_state(n_cells):
    """State before any value: (cells, place)."""
    cells = np.zeros((N_ROWS, n_cells))
    cells[LEAST] = np.inf
    cells[LARGEST] = -np.inf
    return cells, np.zeros(3, np.int64)


@njit(error_model="numpy", **INNER)
def cell_index(value, width):
    """The i of the cell of a positive value, also of an infinite one."""
    return int(min(max(np.floor(np.log(value) / width), -FARTHEST), FARTHEST))


@njit(error_model="numpy", **INNER)
def sketch_push(value, width, cells, place):
    """Add one value."""
    sketch_put(value, cell_index(value, width) if value > 0.0 else 0, cells, place)


@njit(error_model="numpy", **INNER)
def sketch_put(value, index, cells, place):
    """Add one value whose cell has this i, if the value is positive."""
    n_cells = cells.shape[1]
    if value > 0.0:
        if place[PLACED] == 0:
            place[FIRST], place[PLACED] = index - n_cells + 1, 1
        if index > place[FIRST] + n_cells - 1:
            _slide(index - n_cells + 1 - place[FIRST], cells)
            place[FIRST] = index - n_cells + 1
        j = max(index - place[FIRST], 0)
    else:
        j = 0
    cells[COUNT, j] += 1.0
    cells[SUM, j] += value
    cells[LEAST, j] = min(cells[LEAST, j], value)
    cells[LARGEST, j] = max(cells[LARGEST, j], value)
    place[N_VALUES] += 1


@njit(cache=True, error_model="numpy", **ENTRY)
def sketch_bounds(tail, cells, place):
    """Guaranteed lower and upper bounds of the CVaR."""
    n = place[N_VALUES]
    if n == 0:
        return np.nan, np.nan
    k = tail * n
    # whole cells from the top while they fit into the tail of k values
    above, total, largest = 0.0, 0.0, -np.inf
    j = cells.shape[1] - 1
    while j > 0 and above + cells[COUNT, j] < k:
        above += cells[COUNT, j]
        total += cells[SUM, j]
        largest = max(largest, cells[LARGEST, j])
        j -= 1
    largest = max(largest, cells[LARGEST, j])
    if cells[LEAST, j] == largest:  # no division: all costs are often equal
        return largest, largest
    m, wanted = cells[COUNT, j], min(k - above, cells[COUNT, j])
    # the sum of the `wanted` largest of the m values in this cell, of which only the sum, least
    # and largest are known: at least the mean each, at most the largest each or all but the least
    low = total + wanted * (cells[SUM, j] / m)
    high = total + min(wanted * cells[LARGEST, j], cells[SUM, j] - (m - wanted) * cells[LEAST, j])
    # rounding must not leave the range: learners compare a value with its CVaR
    low = min(max(low / k, cells[LEAST, j]), largest)
    return low, min(max(high / k, low), largest)


@njit(cache=True, error_model="numpy", **ENTRY)
def sketch_pass(values, tail, width, cells, place, out):
    """Push all values; `out` gets the midpoint of the bounds after each."""
    for t in range(len(values)):
        sketch_push(values[t], width, cells, place)
        low, high = sketch_bounds(tail, cells, place)
        out[t] = 0.5 * (low + high)


@njit(error_model="numpy", **INNER)
def _slide(shift, cells):
    """Move the grid up by `shift` cells; whatever drops out is added to cell 0."""
    n_cells = cells.shape[1]
    for j in range(1, n_cells):
        to = max(j - shift, 0)
        if to != j and cells[COUNT, j] > 0.0:
            cells[COUNT, to] += cells[COUNT, j]
            cells[SUM, to] += cells[SUM, j]
            cells[LEAST, to] = min(cells[LEAST, to], cells[LEAST, j])
            cells[LARGEST, to] = max(cells[LARGEST, to], cells[LARGEST, j])
            cells[COUNT, j], cells[SUM, j] = 0.0, 0.0
            cells[LEAST, j], cells[LARGEST, j] = np.inf, -np.inf
