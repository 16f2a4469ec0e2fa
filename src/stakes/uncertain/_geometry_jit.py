"""Compiled loops of _geometry.py: rows of the Newton system in one pass over the entries."""

from typing import NamedTuple

import numpy as np
from numba import njit


class Scales(NamedTuple):
    """Factors of each row: of its centre, of its move in P and in Q, and of both sums."""

    signed: np.ndarray
    minus: np.ndarray
    plus: np.ndarray
    weight: np.ndarray
    lag: np.ndarray


@njit(cache=True)
def axes_rows(M, D2, w, scales, P, Q, stiff, drift):
    """P, Q = signed * M - minus * D2 * w, signed * M - plus * D2 * w, and the intercept column.

    The system is A'A - B'B, where A holds the scaled gradients of the margins and B the rank-one
    part of their curvature. With P = A - B and Q = A + B it is the symmetric part of P'Q: one
    matrix product instead of two. `stiff` and `drift` accumulate the column sums of weight * D2
    and lag * D2 in the same pass, since memory traffic, not arithmetic, is the bottleneck.
    """
    n, d = M.shape
    signed, minus, plus, weight, lag = scales
    for i in range(n):
        s, low, high, u, v = signed[i], minus[i], plus[i], weight[i], lag[i]
        for j in range(d):
            at = s * M[i, j]
            bent = D2[i, j] * w[j]
            P[i, j] = at - low * bent
            Q[i, j] = at - high * bent
            stiff[j] += u * D2[i, j]
            drift[j] += v * D2[i, j]
        P[i, d] = s
        Q[i, d] = s


@njit(cache=True)
def moved_rows(M, E, free, signed, bend, P, Q):
    """As `axes_rows` for stored moves E: signed * (M + E) -+ bend * E, where E is free."""
    n, d = M.shape
    for i in range(n):
        s, b = signed[i], bend[i]
        for j in range(d):
            at = s * (M[i, j] + E[i, j])
            bent = b * free[i, j] * E[i, j]
            P[i, j] = at - bent
            Q[i, j] = at + bent
        P[i, d] = s
        Q[i, d] = s


@njit(cache=True)
def free_sums(weight, A, free, out):
    """Column sums of weight * A over the free entries; held ones have no curvature."""
    n, d = A.shape
    for i in range(n):
        v = weight[i]
        for j in range(d):
            out[j] += v * free[i, j] * A[i, j]
