"""Compiled loops of _coordinate.py; checked arrays in, changed in place, no checks here."""

from typing import NamedTuple

import numpy as np
from numba import njit

# slots of the running state: sum of beta, m'w with m the mean row, the multiplier b_k of the sum
SUM, MEAN_SCORE, MULTIPLIER = range(3)


class Rows(NamedTuple):
    """The rows of X as CSR arrays, `indices` empty if they are dense; Z = X - 1m' has mean zero.

    `norms` are the squared norms of the rows of Z, `along` is Xm and `mean_norm` is m'm.
    """

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    norms: np.ndarray
    along: np.ndarray
    mean_norm: float


class Box(NamedTuple):
    """Linear term of the dual, bounds of the multipliers, and the curvature c of their sum."""

    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    c: float


@njit(cache=True)
def descend(rows, box, beta, w, state, order, extremes):
    """One pass over the rows in `order`, each multiplier set to its best value given the others.

    Minimises 1/2 |Z'b|^2 + c/2 (sum b)^2 + multiplier sum b - t'b in a box. Z would be dense, so
    it is never formed: w = X'b and `state` give its products. A row at a bound whose gradient
    points outwards by more than `extremes`, the least and largest projected gradient of the pass
    before, is moved to the end of `order` (shrinking, as in LIBLINEAR). Returns the number of rows
    left and the new extremes.
    """
    lower, upper, c = box.lower, box.upper, box.c
    dense = len(rows.indices) == 0 and len(rows.data) > 0
    least, most = np.inf, -np.inf
    active, at = len(order), 0
    while at < active:
        i = order[at]
        row = rows.data[rows.indptr[i] : rows.indptr[i + 1]]
        columns = rows.indices[rows.indptr[i] : rows.indptr[i + 1]]  # empty if dense
        if dense:
            g = np.dot(row, w)
        else:
            g = 0.0
            for k in range(len(row)):
                g += row[k] * w[columns[k]]
        # (x_i - m)'(w - m sum b) + c sum b + multiplier - t_i
        g += (
            state[MULTIPLIER]
            - state[MEAN_SCORE]
            + state[SUM] * (c + rows.mean_norm - rows.along[i])
            - box.target[i]
        )
        at_lower, at_upper = beta[i] <= lower[i], beta[i] >= upper[i]
        if (at_lower and g > extremes[1]) or (at_upper and g < extremes[0]):
            active -= 1
            order[at], order[active] = order[active], i
            continue
        at += 1
        pull = g  # the projected gradient: zero where the box stops a step
        if at_lower:
            pull = min(g, 0.0)
        elif at_upper:
            pull = max(g, 0.0)
        least, most = min(least, pull), max(most, pull)
        if pull != 0.0:
            new = min(max(beta[i] - g / (rows.norms[i] + c), lower[i]), upper[i])
            step = new - beta[i]
            beta[i] = new
            state[SUM] += step
            state[MEAN_SCORE] += step * rows.along[i]
            if dense:
                for k in range(len(row)):
                    w[k] += step * row[k]
            else:
                for k in range(len(row)):
                    w[columns[k]] += step * row[k]
    return active, least, most
