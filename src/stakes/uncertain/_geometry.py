"""Products with the worst points of all examples, which axis-parallel ellipsoids never store.

With x_i the worst point of example i at w, J has the rows (y_i x_i, y_i, -h_i): the gradient of
the margin in (w, b, t), where t bounds abs(w) for the box parts.
"""

import numpy as np

from stakes.uncertain._geometry_jit import Scales, axes_rows, free_sums, moved_rows

WIDE = 100  # fewer features are always solved by the matrix
BLOCK_BYTES = 1 << 19  # a block of rows that stays in the cache


def geometry_of(problem):
    """The class of products that fits the sets of a problem."""
    sets = problem.sets
    if sets.factor is None and (sets.axes is None or not sets.axes.any()):
        return Points(problem)
    if sets.axes is not None and sets.above is None:
        return Axes(problem)
    return Stored(problem)


class Points:
    """Sets without an ellipsoid: points and boxes."""

    def __init__(self, problem):
        self.y, self.M, self.R = problem.y, problem.sets.center, problem.sets.half_width
        self.n, self.d = self.M.shape
        self.size = self.d + 1 + (0 if self.R is None else self.d)
        rows = max(64, BLOCK_BYTES // (8 * self.size))
        self.blocks = [slice(k, min(k + rows, self.n)) for k in range(0, self.n, rows)]
        width = -(-self.size // 4) * 4  # a third faster at multiples of four
        self.P, self.Q = (np.zeros((min(rows, self.n), width)) for _ in range(2))

    def move_to(self, z, smooth=0.0, length=None):
        """Set w, b, t and the smoothing; returns the margins, which smoothing reduces.

        With a length, z is that share of the step last given to `times` ahead, and the product
        with the centers is updated instead of recomputed.
        """
        self.w, self.smooth = z[: self.d].copy(), smooth
        self.share = 0.0  # derivative of the margin in the smoothing, negated
        self.Mw = self.M @ self.w if length is None else self.Mw + length * self.Mdw
        margins = self.y * (self.Mw + z[self.d]) + self._curved_margin()
        return margins if self.R is None else margins - self.R @ z[self.d + 1 :]

    def times(self, z):
        """J z."""
        self.Mdw = self.M @ z[: self.d]
        out = self.y * (self.Mdw + z[self.d]) + self._curved_times(z[: self.d])
        return out if self.R is None else out - self.R @ z[self.d + 1 :]

    def transposed(self, v):
        """J' v."""
        out = np.empty(self.size)
        yv = self.y * v
        out[: self.d] = self.M.T @ yv + self._curved_transposed(v)
        out[self.d] = yv.sum()
        if self.R is not None:
            out[self.d + 1 :] = -(self.R.T @ v)
        return out

    def assemble(self, theta, alpha):
        """The Newton matrix, block by block.

        Returns
        -------
        K : ndarray of shape (size, size)
            J' diag(theta) J, minus the curvature of the margins weighted by alpha.
        drift : ndarray of shape (d,)
            The curvature part times w.
        """
        product, root = 0.0, np.sqrt(theta)
        for rows in self.blocks:
            count = rows.stop - rows.start
            P, Q = self.P[:count], self.Q[:count]
            if self.R is not None:
                box = slice(self.d + 1, self.size)
                np.multiply(self.R[rows], -root[rows, None], out=P[:, box])
                Q[:, box] = P[:, box]
            self._fill(P, Q, rows, root, alpha)
            product = product + P.T @ Q
        K = (product + product.T)[: self.size, : self.size] / 2
        stiff = self._stiff(alpha)
        K[: self.d, : self.d] += np.diag(stiff) if np.ndim(stiff) == 1 else stiff
        return K, self._drift(alpha)

    def rows(self, theta, alpha):
        """The Newton matrix by its rows, see `_newton`: A, B, the diagonal and the drift."""
        P, Q = np.zeros((2, self.n, self.size))
        root = np.sqrt(theta)
        if self.R is not None:
            P[:, self.d + 1 :] = Q[:, self.d + 1 :] = -root[:, None] * self.R
        self._fill(P, Q, slice(0, self.n), root, alpha)
        stiff = np.broadcast_to(self._stiff(alpha), (self.d,))
        return (P + Q) / 2, (Q - P)[:, : self.d] / 2, stiff, self._drift(alpha)

    @property
    def wide(self):
        """Whether rows are cheaper than the matrix: many more features than examples."""
        return self.d > max(2 * self.n, WIDE)

    def extent(self):
        """Mean extent of the ellipsoid parts along w."""
        return 0.0

    def _curved_margin(self):
        return 0.0

    def _curved_times(self, dw):
        return 0.0

    def _curved_transposed(self, v):
        return 0.0

    def _fill(self, P, Q, rows, root, alpha):
        """Rows P and Q whose product is J' diag(theta) J minus the curved part of rank one."""
        signed = (self.y * root)[rows]
        np.multiply(self.M[rows], signed[:, None], out=P[:, : self.d])
        P[:, self.d] = signed
        Q[:, : self.d + 1] = P[:, : self.d + 1]

    def _stiff(self, alpha):
        """The rest of the curvature, diagonal but for general ellipsoids."""
        return 0.0

    def _drift(self, alpha):
        return np.zeros(self.d)


class Axes(Points):
    """Whole axis-parallel ellipsoids: e_i = -y_i D_i^2 w / s_i with s_i = |D_i w|."""

    def __init__(self, problem):
        super().__init__(problem)
        self.D2 = np.square(problem.sets.axes)

    def extent(self):
        return float(np.mean(1 / self.over))

    def _curved_margin(self):
        s = np.sqrt(self.D2 @ self.w**2 + self.smooth**2)
        self.over = 1 / np.maximum(s, 1e-150)
        self.share = self.smooth * self.over
        return -s

    def _curved_times(self, dw):
        return -(self.D2 @ (self.w * dw)) * self.over

    def _curved_transposed(self, v):
        return -self.w * (self.D2.T @ (v * self.over))

    def assemble(self, theta, alpha):
        self.stiff, self.drift = np.zeros((2, self.d))
        return super().assemble(theta, alpha)

    def rows(self, theta, alpha):
        self.stiff, self.drift = np.zeros((2, self.d))
        return super().rows(theta, alpha)

    def _fill(self, P, Q, rows, root, alpha):
        over, root = self.over[rows], root[rows]
        weight = alpha[rows] * over
        bend, ahead = over * np.sqrt(weight), over * root
        lag = weight * self.share[rows] ** 2
        scales = Scales(self.y[rows] * root, ahead + bend, ahead - bend, weight, lag)
        axes_rows(self.M[rows], self.D2[rows], self.w, scales, P, Q, self.stiff, self.drift)

    def _stiff(self, alpha):
        return self.stiff

    def _drift(self, alpha):
        return self.w * self.drift


class Stored(Points):
    """Ellipsoids truncated by a box, and general ones: the moves e_i are stored."""

    def __init__(self, problem):
        super().__init__(problem)
        self.sets, self.memory = problem.sets, None
        self.D2 = None if self.sets.axes is None else np.square(self.sets.axes)
        if self.sets.factor is not None:
            self.S = self.sets.factor @ np.swapaxes(self.sets.factor, 1, 2)
            self.all_free = np.ones((self.n, self.d), np.uint8)

    @property
    def wide(self):
        return self.sets.factor is None and super().wide

    def extent(self):
        return float(np.mean(np.abs(self.E @ self.w)))

    def _curved_margin(self):
        self.E, length, self.radius, self.free = self.sets.offsets(
            self.w[None, :], -self.y, self.smooth, self.memory
        )
        if self.free is None:
            self.free = self.all_free
        self.memory = self.E, self.free  # fresh pages cost more than the worst points
        self.over = np.where(length > 0, 1 / np.maximum(length, 1e-150), 0.0)
        self.share = self.smooth * self.radius * self.over
        return self.y * (self.E @ self.w) - self.smooth * self.share

    def _curved_times(self, dw):
        return self.y * (self.E @ dw)

    def _curved_transposed(self, v):
        return self.E.T @ (self.y * v)

    def _fill(self, P, Q, rows, root, alpha):
        # alpha r/s (A A' - u u') on the free coordinates, u = e / r
        radius = np.maximum(self.radius[rows], 1e-150)
        bend = np.sqrt(alpha[rows] * self.over[rows] / radius)
        moves = self.M[rows], self.E[rows], self.free[rows]
        moved_rows(*moves, (self.y * root)[rows], bend, P, Q)

    def _stiff(self, alpha):
        weight = alpha * self.radius * self.over
        if self.sets.factor is not None:
            return np.tensordot(weight, self.S, axes=1)
        return self._free_sums(weight, self.D2)

    def _drift(self, alpha):
        return self._free_sums(-self.y * alpha * (self.smooth * self.over) ** 2, self.E)

    def _free_sums(self, weight, A):
        out = np.zeros(self.d)
        free_sums(weight, A, self.free, out)
        return out
