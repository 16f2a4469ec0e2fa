"""Compiled part of the search in blocks: the smallest lower bounds of squared distances."""

from numba import njit

from stakes._core.jit import INNER

CHUNK = 256


@njit(cache=True)
def keep_smallest(product, first, values, indices):
    """Update the smallest `product[q, j]` of each query q and their places.

    `values` (queries, m) are heaps with the largest on top, `indices` the rows of the points. A
    chunk without a candidate is only counted through, which the compiler vectorizes.
    """
    n_queries, n_points = product.shape
    for q in range(n_queries):
        worst = values[q, 0]
        for start in range(0, n_points, CHUNK):
            end = min(start + CHUNK, n_points)
            n_better = 0
            for j in range(start, end):
                n_better += product[q, j] < worst
            if n_better == 0:
                continue
            for j in range(start, end):
                if product[q, j] < worst:
                    replace_top(values[q], indices[q], product[q, j], first + j)
                    worst = values[q, 0]


@njit(**INNER)
def replace_top(values, indices, value, index):
    """Replace the largest entry of a heap."""
    m, at = len(values), 0
    while True:
        child = 2 * at + 1
        if child >= m:
            break
        if child + 1 < m and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[at], indices[at] = values[child], indices[child]
        at = child
    values[at], indices[at] = value, index


@njit(cache=True)
def lower_bounds(X, fill, shift, scale, slack, out):
    """Write (-2 x, |x|^2 (1 - slack)) for each point x = (row - shift) scale, gaps filled."""
    n, d = X.shape
    for i in range(n):
        square = 0.0
        for j in range(d):
            v = X[i, j]
            x = ((v if v == v else fill[j]) - shift[j]) * scale[j]
            square += x * x
            out[i, j] = -2.0 * x
        out[i, d] = square * (1.0 - slack)
