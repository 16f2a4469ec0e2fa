"""The literal second-order cone program, solved by Clarabel: exact, and the fallback."""

import clarabel
import numpy as np
from scipy import sparse


def solve_conic(problem, tol=1e-9):
    """Solve a MarginProblem as a cone program.

    The variables are w, b, the slacks xi, t >= |w| for the box parts and, where a box truncates an
    ellipsoid, the split a_i, z_i of Lemma 3. Returns coef, intercept, the multipliers, the moves of
    the ellipsoid parts that certify them, and the number of iterations.
    """
    program = _Program(problem)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = min(tol, 1e-8)
    settings.max_threads = 1
    solution = clarabel.DefaultSolver(*program.matrices(), settings).solve()
    x, z = np.array(solution.x), np.array(solution.z)
    d = program.d
    return x[:d], x[d], z[program.rows["margin"]], program.moves(z), solution.iterations


class _Program:
    """Rows A x + s = rhs with s in a cone, collected block by block."""

    def __init__(self, problem):
        self.problem, self.sets = problem, problem.sets
        self.n, self.d = self.sets.center.shape
        self.blocks, self.rhs, self.cones, self.rows = [], [], [], {}
        n, d = self.n, self.d
        self.has_box = self.sets.half_width is not None
        self.curved = self.sets.axes is not None or self.sets.factor is not None
        self.cut = self.sets.above is not None
        # columns: w, b, xi, t (box part), eta (norms), a and z (the split of Lemma 3)
        sizes = dict(w=d, b=1, xi=n, t=d * self.has_box, eta=n * self.curved)
        sizes |= dict(a=n * d * self.cut, z=n * d * self.cut)
        ends = np.cumsum(list(sizes.values()))
        self.columns = {k: (e - s, e) for (k, s), e in zip(sizes.items(), ends, strict=True)}
        self.width = int(ends[-1])
        self._build()

    def matrices(self):
        """P, q, A, b and the cones for Clarabel."""
        P = sparse.diags_array(np.r_[np.ones(self.d), np.zeros(self.width - self.d)]).tocsc()
        P.eliminate_zeros()
        q = np.zeros(self.width)
        q[slice(*self.columns["xi"])] = self.problem.C
        A = sparse.vstack(self.blocks).tocsc()
        return P, q, A, np.concatenate(self.rhs), self.cones

    def moves(self, z):
        """Moves of the ellipsoid parts given by the multipliers of the cones, inside their sets."""
        if not self.curved:
            return None
        # the multiplier of cone i is alpha_i (1, -u), where u is the unit direction of the move
        cone = z[self.rows["cone"]].reshape(self.n, self.d + 1)
        u = -cone[:, 1:] / np.maximum(cone[:, :1], 1e-300)
        u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1.0)
        if self.cut:
            return np.clip(self.sets.axes * u, -self.sets.below, self.sets.above)
        if self.sets.factor is not None:
            return -self.problem.y[:, None] * np.einsum("njk,nk->nj", self.sets.factor, u)
        return -self.problem.y[:, None] * self.sets.axes * u

    def _build(self):
        n, d, y = self.n, self.d, self.problem.y
        eye = sparse.eye_array(n, format="csr")
        parts = dict(w=-(y[:, None] * self.sets.center), b=-y[:, None], xi=-eye)
        if self.has_box:
            parts["t"] = self.sets.half_width
        if self.curved:
            parts["eta"] = eye
        if self.cut:
            parts["z"] = sparse.kron(eye, np.ones((1, d)))
        self._add("margin", parts, -np.ones(n), "nonnegative")
        self._add("slack", dict(xi=-eye), np.zeros(n), "nonnegative")
        if self.has_box:
            one = sparse.eye_array(d, format="csr")
            self._add("up", dict(w=one, t=-one), np.zeros(d), "nonnegative")
            self._add("down", dict(w=-one, t=-one), np.zeros(d), "nonnegative")
        if self.cut:
            self._add_split()
        if self.curved:
            self._add_cones()

    def _add_split(self):
        """z_ij >= max(-below_ij r_ij, above_ij r_ij), where r = -y w - a is the box's share."""
        n, d, y = self.n, self.d, self.problem.y
        one = sparse.eye_array(n * d, format="csr")
        to_w = sparse.csr_array(
            (np.repeat(-y, d), (np.arange(n * d), np.tile(np.arange(d), n))), shape=(n * d, d)
        )
        for name, bound in (("above", self.sets.above), ("below", -self.sets.below)):
            scale = sparse.diags_array(bound.ravel()).tocsr()
            self._add(name, dict(w=scale @ to_w, a=-scale, z=-one), np.zeros(n * d), "nonnegative")

    def _add_cones(self):
        """(eta_i, A_i' w) in the second-order cone; a_i instead of w where a box truncates."""
        n, d = self.n, self.d
        top = np.arange(n) * (d + 1)
        rest = (top[:, None] + 1 + np.arange(d)).ravel()
        height = n * (d + 1)
        eta = sparse.csr_array((-np.ones(n), (top, np.arange(n))), shape=(height, n))
        parts = dict(eta=eta)
        if self.sets.factor is not None:
            rows = np.repeat(rest, d)
            values = -np.swapaxes(self.sets.factor, 1, 2).ravel()
            columns = np.tile(np.arange(d), n * d)
            parts["w"] = sparse.csr_array((values, (rows, columns)), shape=(height, d))
        else:
            name = "a" if self.cut else "w"
            columns = np.arange(n * d) if self.cut else np.tile(np.arange(d), n)
            shape = (height, n * d if self.cut else d)
            parts[name] = sparse.csr_array((-self.sets.axes.ravel(), (rest, columns)), shape=shape)
        self._add("cone", parts, np.zeros(height), "cone")

    def _add(self, name, parts, rhs, kind):
        start = sum(len(r) for r in self.rhs)
        self.rows[name] = slice(start, start + len(rhs))
        row = [
            parts.get(key, sparse.csr_array((len(rhs), end - begin)))
            for key, (begin, end) in self.columns.items()
            if end > begin
        ]
        self.blocks.append(sparse.hstack([sparse.csr_array(part) for part in row], format="csr"))
        self.rhs.append(rhs)
        if kind == "cone":
            self.cones += [clarabel.SecondOrderConeT(self.d + 1)] * self.n
        else:
            self.cones.append(clarabel.NonnegativeConeT(len(rhs)))
