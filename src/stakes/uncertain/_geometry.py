"""Products with the worst points of all examples, never stored for ellipsoids along the axes.

With x_i the worst point of example i at w, J has the rows (y_i x_i, y_i, -h_i): the gradient of
its margin in (w, b, t), t being what bounds abs(w) for the box parts.
"""

import numpy as np

BLOCK_BYTES = 1 << 20  # a block of rows stays in the cache


def geometry_of(problem):
    """The products for the kind of set at hand."""
    sets = problem.sets
    if sets.factor is None and (sets.axes is None or not sets.axes.any()):
        return Points(problem)
    if sets.axes is not None and sets.above is None:
        return Axes(problem)
    return Stored(problem)


class Points:
    """Sets without an ellipsoid: points and boxes."""

    order = "F"

    def __init__(self, problem):
        # column by column: products with a vector over the examples then run along memory
        self.y, self.M = problem.y, np.asarray(problem.sets.center, order=self.order)
        half = problem.sets.half_width
        self.R = None if half is None else np.asarray(half, order=self.order)
        self.n, self.d = self.M.shape
        self.size = self.d + 1 + (0 if self.R is None else self.d)
        rows = max(64, BLOCK_BYTES // (8 * self.size))
        self.blocks = [slice(k, min(k + rows, self.n)) for k in range(0, self.n, rows)]
        self.work = np.empty((min(rows, self.n), self.size), order=self.order)

    def move_to(self, z, smooth=0.0, length=None):
        """Set w, b, t and the smoothing; return the margins, which smoothing makes smaller.

        With a length, z is where that share of the step last given to `times` leads, and the
        product with the centres is not made again.
        """
        self.w, self.smooth = z[: self.d].copy(), smooth
        self.share = 0.0  # by how much a margin falls with the smoothing
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

    def assemble(self, theta, alpha, V):
        """All that one look at the examples gives, block by block.

        Returns
        -------
        K : ndarray of shape (size, size)
            J' diag(theta) J.
        curved : ndarray of shape (d, d)
            The curvature of the margins, weighted by alpha and negated.
        JV : ndarray of shape (size, k)
            J' V.
        """
        K, curved = np.zeros((self.size, self.size)), np.zeros((self.d, self.d))
        JV, root = np.zeros((self.size, V.shape[1])), np.sqrt(theta)
        V = V / root[:, None]
        signed = self.y * root
        for rows in self.blocks:
            A = self.work[: rows.stop - rows.start]
            np.multiply(self.M[rows], signed[rows, None], out=A[:, : self.d])
            A[:, self.d] = signed[rows]
            if self.R is not None:
                np.multiply(self.R[rows], -root[rows, None], out=A[:, self.d + 1 :])
            self._curve(curved, A, rows, root, alpha)
            K += A.T @ A
            JV += A.T @ V[rows]
        return K, curved, JV

    def extent(self):
        """Mean extent of the ellipsoid parts along w."""
        return 0.0

    def _curved_margin(self):
        return 0.0

    def _curved_times(self, dw):
        return 0.0

    def _curved_transposed(self, v):
        return 0.0

    def _curve(self, curved, A, rows, root, alpha):
        pass


class Axes(Points):
    """Whole ellipsoids along the axes: e_i = -y_i D_i^2 w / s_i with s_i = |D_i w|."""

    def __init__(self, problem):
        super().__init__(problem)
        self.D2 = np.square(problem.sets.axes, order="F")
        self.bent, self.spare = (np.empty((len(self.work), self.d), order="F") for _ in range(2))

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

    def _curve(self, curved, A, rows, root, alpha):
        B, D2, over = self.bent[: len(A)], self.D2[rows], self.over[rows]
        np.multiply(D2, self.w, out=B)
        np.multiply(B, (over * root[rows])[:, None], out=self.spare[: len(A)])
        A[:, : self.d] -= self.spare[: len(A)]
        weight = alpha[rows] * over
        B *= (over * np.sqrt(weight))[:, None]
        curved -= B.T @ B
        at = np.arange(self.d)
        curved[at, at] += weight @ D2


class Stored(Points):
    """Ellipsoids cut off by a box, and general ones: the moves e_i are kept."""

    order = "C"  # as the moves come

    def __init__(self, problem):
        super().__init__(problem)
        self.sets = problem.sets
        self.D2 = None if self.sets.axes is None else self.sets.axes**2
        if self.sets.factor is not None:
            self.S = self.sets.factor @ np.swapaxes(self.sets.factor, 1, 2)

    def extent(self):
        return float(np.mean(np.abs(self.E @ self.w)))

    def _curved_margin(self):
        self.E, length, self.radius, self.free = self.sets.offsets(
            self.w[None, :], -self.y, self.smooth
        )
        self.over = np.where(length > 0, 1 / np.maximum(length, 1e-150), 0.0)
        self.share = self.smooth * self.radius * self.over
        return self.y * (self.E @ self.w) - self.smooth * self.share

    def _curved_times(self, dw):
        return self.y * (self.E @ dw)

    def _curved_transposed(self, v):
        return self.E.T @ (self.y * v)

    def _curve(self, curved, A, rows, root, alpha):
        E = self.E[rows]
        A[:, : self.d] += E * (self.y * root)[rows, None]
        # alpha r/s (A A' - u u') on the free coordinates, u = e / r
        weight = alpha[rows] * self.over[rows]
        B = E * np.sqrt(weight / np.maximum(self.radius[rows], 1e-150))[:, None]
        if self.free is None:
            curved += np.tensordot(weight, self.S[rows], axes=1)
        else:
            B *= self.free[rows]
            at = np.arange(self.d)
            curved[at, at] += (weight * self.radius[rows]) @ (self.D2[rows] * self.free[rows])
        curved -= B.T @ B
