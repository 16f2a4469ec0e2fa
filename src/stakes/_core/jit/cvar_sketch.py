"""CVaR of all values so far in bounded memory, for values that are not negative.

`cells` has four rows (count, sum, least, largest) and one column for each cell of a logarithmic
grid; cell j holds values in [g^(i), g^(i+1)), i = first + j, with log g = `width`. `place` holds
(first, number of values, whether `first` is set). Values below the grid lie in cell 0; when a
value lies above it the grid slides up and what falls out below is added to cell 0.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def sketch_state(n_cells):
    """The state before any value: (cells, place)."""
    cells = np.zeros((4, n_cells))
    cells[2] = np.inf
    cells[3] = -np.inf
    return cells, np.zeros(3, np.int64)


@njit(cache=True)
def sketch_push(value, width, cells, place):
    """Add one value."""
    n_cells = cells.shape[1]
    if value > 0.0:
        index = int(np.floor(np.log(value) / width))
        if place[2] == 0:
            place[0], place[2] = index - n_cells + 1, 1
        if index > place[0] + n_cells - 1:
            _slide(index - n_cells + 1 - place[0], cells)
            place[0] = index - n_cells + 1
        j = max(index - place[0], 0)
    else:
        j = 0
    cells[0, j] += 1.0
    cells[1, j] += value
    cells[2, j] = min(cells[2, j], value)
    cells[3, j] = max(cells[3, j], value)
    place[1] += 1


@njit(cache=True)
def sketch_bounds(tail, cells, place):
    """A lower and an upper bound of the CVaR that hold for certain, whatever came."""
    n = place[1]
    if n == 0:
        return np.nan, np.nan
    k = tail * n
    above, total, largest = 0.0, 0.0, -np.inf
    j = cells.shape[1] - 1
    while j > 0 and above + cells[0, j] < k:
        above += cells[0, j]
        total += cells[1, j]
        largest = max(largest, cells[3, j])
        j -= 1
    largest = max(largest, cells[3, j])
    m, wanted = cells[0, j], min(k - above, cells[0, j])
    # the `wanted` largest of the m values of this cell, known by their sum, least and largest
    low = total + wanted * (cells[1, j] / m)
    high = total + min(wanted * cells[3, j], cells[1, j] - (m - wanted) * cells[2, j])
    # no rounding out of the range: learners compare a value with its CVaR
    low = min(max(low / k, cells[2, j]), largest)
    return low, min(max(high / k, low), largest)


@njit(cache=True)
def sketch_pass(values, tail, width, cells, place, out):
    """Push all values; `out` gets the middle of the bounds after each."""
    for t in range(len(values)):
        sketch_push(values[t], width, cells, place)
        low, high = sketch_bounds(tail, cells, place)
        out[t] = 0.5 * (low + high)


@njit(cache=True)
def _slide(shift, cells):
    n_cells = cells.shape[1]
    for j in range(1, n_cells):
        to = max(j - shift, 0)
        if to != j and cells[0, j] > 0.0:
            cells[0, to] += cells[0, j]
            cells[1, to] += cells[1, j]
            cells[2, to] = min(cells[2, to], cells[2, j])
            cells[3, to] = max(cells[3, to], cells[3, j])
            cells[0, j], cells[1, j] = 0.0, 0.0
            cells[2, j], cells[3, j] = np.inf, -np.inf
