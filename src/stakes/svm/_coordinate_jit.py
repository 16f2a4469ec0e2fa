"""Compiled loops of _coordinate.py; checked arrays in, changed in place, no checks here."""

import numpy as np
from numba import njit


@njit(cache=True)
def descend(
    data, indices, indptr, norms, along, target, lower, upper, beta, w, state, order, bounds
):
    """One pass over the rows in `order`, each multiplier set to its best value given the others.

    Minimises 1/2 |Z'b|^2 + c/2 (sum b)^2 + offset sum b - t'b in a box, Z = X - 1m' the rows
    without their mean m. Z is never made: w = X'b and state = [sum b, m'w, offset, c, m'm] are
    kept, `norms` are those of Z and `along` is Xm. Dense rows have no `indices`. A row at a bound
    whose gradient points outwards by more than `bounds`, the extremes of the pass before, is put
    to the end of `order`. Returns the rows left and the least and largest projected gradient.
    """
    dense = len(indices) == 0 and len(data) > 0
    c, mm = state[3], state[4]
    least, most = np.inf, -np.inf
    active, at = len(order), 0
    while at < active:
        i = order[at]
        row = data[indptr[i] : indptr[i + 1]]
        if dense:
            g = np.dot(row, w)
        else:
            columns = indices[indptr[i] : indptr[i + 1]]
            g = 0.0
            for k in range(len(row)):
                g += row[k] * w[columns[k]]
        g += state[2] - state[1] + state[0] * (c + mm - along[i]) - target[i]
        if (beta[i] <= lower[i] and g > bounds[1]) or (beta[i] >= upper[i] and g < bounds[0]):
            active -= 1
            order[at], order[active] = order[active], i
            continue
        at += 1
        pull = g
        if beta[i] <= lower[i]:
            pull = min(g, 0.0)
        elif beta[i] >= upper[i]:
            pull = max(g, 0.0)
        least, most = min(least, pull), max(most, pull)
        if pull != 0.0:
            new = min(max(beta[i] - g / (norms[i] + c), lower[i]), upper[i])
            step = new - beta[i]
            beta[i] = new
            state[0] += step
            state[1] += step * along[i]
            if dense:
                for k in range(len(row)):
                    w[k] += step * row[k]
            else:
                for k in range(len(row)):
                    w[columns[k]] += step * row[k]
    return active, least, most
