"""Compiled loops of _features.py: a fixed number of features whose inner product is a kernel.

Every row is computed by itself and in one order of additions, so that a batch has the same bits as
its rows one by one.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER

# Taylor series of sin(u) / u in u^2, good to 4e-14 for |u| <= pi / 2; its terms compile to vector
# instructions, which calls of sin and cos do not
S1, S2, S3, S4 = -1 / 6, 1 / 120, -1 / 5040, 1 / 362880
S5, S6, S7, S8 = -1 / 39916800, 1 / 6227020800, -1 / 1307674368000, 1 / 355687428096000
TURN = 1.0 / (2.0 * math.pi)


@njit(cache=True, nogil=True, **ENTRY)
def fourier_rows(X, W, scale, out):
    """Random Fourier features of dense rows."""
    for t in range(len(X)):
        h = out[t, : W.shape[1]]
        h[:] = 0.0
        for k in range(X.shape[1]):
            if X[t, k] != 0.0:
                _add(h, W[k], X[t, k])
        _waves(out[t], W.shape[1], scale)


@njit(cache=True, nogil=True, **ENTRY)
def fourier_entries(indptr, indices, data, W, scale, out):
    """Random Fourier features of compressed rows."""
    for t in range(indptr.size - 1):
        h = out[t, : W.shape[1]]
        h[:] = 0.0
        for i in range(indptr[t], indptr[t + 1]):
            _add(h, W[indices[i]], data[i])
        _waves(out[t], W.shape[1], scale)


@njit(**INNER)
def _add(h, w, x):
    for j in range(h.size):
        h[j] += x * w[j]


@njit(**INNER)
def _waves(out, n, scale):
    """Replace n projections by their cosines and write their sines next to them."""
    height = math.sqrt(1.0 / n)
    for j in range(n):
        turns = out[j] * scale * TURN
        out[j] = height * _sine(turns + 0.25)
        out[n + j] = height * _sine(turns)


@njit(**INNER)
def _sine(turns):
    """Sine of an angle in turns."""
    t = turns - np.floor(turns + 0.5)  # in [-1/2, 1/2]
    t = 0.5 - t if t > 0.25 else (-0.5 - t if t < -0.25 else t)  # the same sine within a quarter
    u = 2.0 * math.pi * t
    v = u * u
    low = 1.0 + v * (S1 + v * (S2 + v * (S3 + v * S4)))
    v4 = v * v
    return u * (low + v * v4 * v4 * (S5 + v * (S6 + v * (S7 + v * S8))))


@njit(cache=True, nogil=True, **ENTRY)
def landmark_rows(X, L, norms, U, m, gamma, tol, may_join, out):
    """Nystroem features of dense rows, z = U'^-1 k, k the kernel of x with the landmarks.

    `L` has the m landmarks as columns, `U` the upper Cholesky factor of their Gram matrix. A row of
    which a share of more than `tol` lies outside of their span becomes a landmark itself while
    there is room: it adds a feature for the rows after it and changes no other. Return the new m.
    """
    room = L.shape[1]
    for t in range(len(X)):
        x, z = X[t], out[t]
        z[:] = 0.0
        norm = 0.0
        for k in range(x.size):
            norm += x[k] * x[k]
            if x[k] != 0.0:
                _add(z[:m], L[k, :m], x[k])
        for j in range(m):
            z[j] = math.exp(-gamma * max(norm + norms[j] - 2.0 * z[j], 0.0))
        rest = 1.0
        for j in range(m):  # forward substitution, column by column
            z[j] /= U[j, j]
            rest -= z[j] * z[j]
            _add(z[j + 1 : m], U[j, j + 1 : m], -z[j])
        if m < room and rest > tol and may_join[t]:
            for k in range(x.size):
                L[k, m] = x[k]
            norms[m] = norm
            for j in range(m):
                U[j, m] = z[j]
            U[m, m] = math.sqrt(rest)
            m += 1
    return m
