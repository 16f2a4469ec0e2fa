"""Compiled passes over a table: codes of its cells, and the probability of a row in a network."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stakes._core.jit import INNER


class Cuts(NamedTuple):
    """How cells become codes: by the number of `steps` below them, or by a search.

    `steps` has a row for each of the few cut points of the numbers, infinite where a column has
    fewer. The columns `searched` have their points in `points`, from `first[j]` to `first[j + 1]`.
    """

    steps: np.ndarray
    searched: np.ndarray
    categorical: np.ndarray
    points: np.ndarray
    first: np.ndarray


class Tables(NamedTuple):
    """The network of a class, all columns in a row.

    Parent q is column `parents[q]`, its child is column `children[q]`. The table of column i starts
    at `log_p[first_p[i]]` and has a row of `width[i]` numbers for each key, the sum of the parents'
    codes times `factor`. If there are too many keys, those that occur are in
    `keys[first_key[i]:first_key[i + 1]]`, in the order of the rows, and all others have the last.
    """

    parents: np.ndarray
    children: np.ndarray
    factor: np.ndarray
    width: np.ndarray
    keys: np.ndarray
    first_key: np.ndarray
    log_p: np.ndarray
    first_p: np.ndarray


@njit(**INNER)
def place_of(values, start, stop, value):
    """Number of the sorted values[start:stop] that are below the value."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low - start


@njit(**INNER)
def encode_row(x, cuts, code):
    """Write the codes of one row; a category that is not among the points comes after the last."""
    d = len(x)
    code[:d] = 0
    for b in range(len(cuts.steps)):
        step = cuts.steps[b]
        for j in range(d):
            code[j] += step[j] < x[j]
    for j in cuts.searched:
        start, stop = cuts.first[j], cuts.first[j + 1]
        at = place_of(cuts.points, start, stop, x[j])
        if cuts.categorical[j] and (start + at == stop or cuts.points[start + at] != x[j]):
            at = stop - start
        code[j] = at


@njit(cache=True)
def encode(X, cuts):
    """Codes of all cells."""
    out = np.empty(X.shape, dtype=np.int64)
    for t in range(len(X)):
        encode_row(X[t], cuts, out[t])
    return out


@njit(cache=True)
def network_log_p(X, rows, last, cuts, tables):
    """Log probability of some rows of X; `last` is the code of a column that X does not have."""
    d = X.shape[1]
    code, key = np.full(len(tables.width), last), np.empty(d, dtype=np.int64)
    out = np.empty(len(rows))
    for t in range(len(rows)):
        encode_row(X[rows[t]], cuts, code)
        key[:] = 0
        for q in range(len(tables.parents)):
            key[tables.children[q]] += tables.factor[q] * code[tables.parents[q]]
        if len(tables.keys) > 0:
            for i in range(d):
                start, stop = tables.first_key[i], tables.first_key[i + 1]
                if start < stop:
                    at = place_of(tables.keys, start, stop, key[i])
                    known = start + at < stop and tables.keys[start + at] == key[i]
                    key[i] = at if known else stop - start
        total = 0.0
        for i in range(d):
            total += tables.log_p[tables.first_p[i] + key[i] * tables.width[i] + code[i]]
        out[t] = total
    return out
