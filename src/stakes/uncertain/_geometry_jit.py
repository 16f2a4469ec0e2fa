"""Compiled loops of _geometry.py: rows of the Newton system, one look at each entry."""

from numba import njit


@njit(cache=True)
def axes_rows(M, D2, w, signed, minus, plus, weight, lag, P, Q, stiff, drift):
    """P, Q = signed * M - minus * D2 * w, signed * M - plus * D2 * w, and the intercept's column.

    With A and B such that the system is A'A - B'B, these are A - B and A + B: the symmetric part
    of P'Q, one product of matrices instead of two. To `stiff` and `drift` are added the sums of
    weight * D2 and lag * D2 over the rows.
    """
    n, d = M.shape
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
    """The same for moves E that are kept: signed * (M + E) -+ bend * E where E is free."""
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
    """The sums over the rows of weight * A where A is free."""
    n, d = A.shape
    for i in range(n):
        v = weight[i]
        for j in range(d):
            out[j] += v * free[i, j] * A[i, j]
