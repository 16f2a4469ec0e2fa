r"""Solvers of the Newton system: by its matrix, or by its rows if there are fewer of them.

The matrix is :math:`K = D + A^\top A - B^\top B`, where D has no entries between features and A
and B have one row per example. With many more features than examples, K is never formed: Woodbury's
identity needs one system of two unknowns per example.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lu_factor, lu_solve

REFINEMENTS = 2


class Dense:
    """Cholesky factor of the matrix, with a small ridge if it is singular to rounding."""

    def __init__(self, K):
        at = np.arange(len(K))
        for ridge in (0.0, 1e-12, 1e-9):
            K[at, at] *= 1 + ridge
            try:
                self.factor = cho_factor(K, check_finite=False)
                return
            except (LinAlgError, ValueError):
                continue
        raise LinAlgError("not positive definite")

    def solve(self, rhs):
        """The solution of K z = rhs."""
        return cho_solve(self.factor, rhs, check_finite=False)


class Wide:
    """The system from its rows.

    Parameters
    ----------
    A : ndarray of shape (n, d + 1) or (n, 2 d + 1)
        Scaled gradients of the margins in w, b and, with boxes, t.
    B : ndarray of shape (n, d)
        Rank-one part of their curvature, in w.
    D : ndarray of shape (d,)
        Diagonal of w.
    T : (ndarray, ndarray) of shape (d,), or None
        Diagonal of t, and the entries between each w_j and t_j.
    """

    def __init__(self, A, B, D, T):
        n, self.d = B.shape
        d = self.d
        self.A, self.B, self.D, self.T = A, B, D, T
        self.U = np.zeros((2 * n, d if T is None else 2 * d))
        self.U[:n, :d], self.U[n:, :d] = A[:, :d], B
        if T is not None:
            self.U[:n, d:] = A[:, d + 1 :]
            self.determinant = D * T[0] - T[1] ** 2
        core = self.U @ self._over(self.U.T)
        at = np.arange(2 * n)
        core[at, at] += np.where(at < n, 1.0, -1.0)
        self.core = lu_factor(core, check_finite=False)
        # b has no entry in D: it is eliminated last
        self.border = self.U[:n].T @ A[:, d]
        self.to_border = self._without_b(self.border)
        self.pivot = A[:, d] @ A[:, d] - self.border @ self.to_border
        if not self.pivot > 0:
            raise LinAlgError("not positive definite")

    def solve(self, rhs):
        """The solution of K z = rhs, refined: D is small next to the rows near the end."""
        z = self._solve(rhs)
        for _ in range(REFINEMENTS):
            z = z + self._solve(rhs - self._times(z))
        return z

    def _times(self, z):
        d, w = self.d, z[: self.d]
        out = self.A.T @ (self.A @ z)
        out[:d] += self.D * w - self.B.T @ (self.B @ w)
        if self.T is not None:
            out[:d] += self.T[1] * z[d + 1 :]
            out[d + 1 :] += self.T[0] * z[d + 1 :] + self.T[1] * w
        return out

    def _solve(self, rhs):
        d = self.d
        first = self._without_b(np.delete(rhs, d))
        b = (rhs[d] - self.border @ first) / self.pivot
        rest = first - b * self.to_border
        return np.concatenate([rest[:d], [b], rest[d:]])

    def _over(self, V):
        """The inverse of D, and of the blocks of two with boxes, times the columns of V."""
        V = V if V.ndim == 2 else V[:, None]
        if self.T is None:
            return V / self.D[:, None]
        w, t, d = V[: self.d], V[self.d :], self.determinant[:, None]
        (T, between), D = self.T, self.D[:, None]
        T, between = T[:, None], between[:, None]
        return np.concatenate([(T * w - between * t) / d, (D * t - between * w) / d])

    def _without_b(self, v):
        plain = self._over(v)[:, 0]
        return plain - self._over(self.U.T @ lu_solve(self.core, self.U @ plain))[:, 0]
