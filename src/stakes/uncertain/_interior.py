r"""Primal-dual interior point for maximum margins over sets, without storing any cone.

With slacks :math:`s_i, \xi_i > 0` in :math:`m_i(w, b) - 1 + \xi_i = s_i`, multipliers
:math:`\alpha_i + \beta_i = C_i` and a path :math:`\alpha_i s_i = \beta_i\xi_i = \tau`, one step is

.. math:: \left(Q - \sum_i\alpha_i\nabla^2 m_i + J^\top\Theta J\right) dz
          = J^\top(\alpha + \Theta k) - Qz, \quad
          \Theta_i^{-1} = \frac{s_i}{\alpha_i} + \frac{\xi_i}{\beta_i} ,

one system of d + 1 unknowns (2 d + 1 with box parts, where t >= abs(w) is a variable) for any
number of examples, or of two unknowns per example if that is smaller (:mod:`._newton`).
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from stakes.uncertain._geometry import geometry_of
from stakes.uncertain._newton import Dense, Wide

STEP = 0.995  # share of the way to the boundary
SMOOTH = 1.0  # smoothing of the worst points, relative to tau per multiplier
HASTY = 0.2  # share of the sets' extent that is smoothed at the start, unless careful
ROOM = 1.5  # initial slacks, in units of the mean distance from the margin
LAG = 0.1  # tolerated dual residual, in units of the gap
PATIENCE = 12  # iterations without a better gap before the path stops


def solve_interior(problem, tol=1e-6, max_iter=100, careful=False):
    """Solve a MarginProblem by Mehrotra's predictor-corrector method, to a relative gap of `tol`.

    If `careful`, the path waits for the worst points from the start: more iterations, but it also
    converges where w tends to zero. Returns the best classifier (coef, intercept), the best
    multipliers alpha, the weights and the smoothing whose worst points certify them, and the number
    of iterations.
    """
    with np.errstate(all="ignore"):  # a step that breaks down leaves the certificate open
        return _Path(problem, careful).follow(tol, max_iter)


class _Step(NamedTuple):
    """Step of z, and of each pair of multipliers and slacks."""

    dz: np.ndarray
    pairs: list


class _System(NamedTuple):
    """Solver of the Newton system, effect of a change of the smoothing, and J' alpha."""

    solver: object
    drift: np.ndarray
    gradient: np.ndarray


class _Path:
    """State of the central path: z = (w, b, t) and the pairs alpha s = beta xi = gamma h = tau.

    Every iterate satisfies m - 1 + xi = s and alpha + beta = C exactly, so that both bounds of the
    duality gap hold at any time. Only stationarity in z is approached.
    """

    def __init__(self, problem, careful):
        self.problem, self.g = problem, geometry_of(problem)
        self.C, self.d = problem.C, self.g.d
        self.boxed = self.g.R is not None
        positive = problem.y > 0
        up, down = self.C[positive].sum(), self.C[~positive].sum()
        # half of C, reduced for the heavier class so that alpha . y = 0 holds from the start
        share = np.where(positive, min(1, down / up), min(1, up / down))
        self.z, self.smooth, self.wait = self._start(positive), 0.0, careful
        self.margins = self.g.move_to(self.z)
        self.alpha = 0.5 * self.C * share
        self.beta = self.C - self.alpha
        away = self.margins - 1
        room = ROOM * max(1.0, np.abs(away).mean())
        self.s, self.xi = np.maximum(away, 0) + room, np.maximum(-away, 0) + room
        if self.boxed:
            typical = np.abs(self.z[: self.d]).mean() + 1e-12
            self.gamma = np.full(2 * self.d, 0.5 * (self.g.R.T @ self.alpha).mean() + 1e-12)
            self.z[self.d + 1 :] += typical
            self.h = self._hard(self.z)
        tau = (self.alpha @ self.s + self.beta @ self.xi) / (2 * self.g.n)
        # as much smoothing as tau allows, but not more than the extent of the sets
        scale = tau * self._per_multiplier()
        extent = (1.0 if careful else HASTY) * self.g.extent()
        self.rounding = min(SMOOTH, extent / scale)
        self.smooth = self.rounding * scale
        self.margins = self.g.move_to(self.z, self.smooth)
        self.s, self.xi = self._restore(self.s, self.xi)

    def follow(self, tol, max_iter):
        """Step until the gap is closed or stops improving."""
        best_primal, best_dual, patience = np.inf, -np.inf, PATIENCE
        best, alpha, near = self.z.copy(), self.alpha.copy(), (self.g.w, self.smooth)
        for n_iter in range(max_iter + 1):
            gradient = self.g.transposed(self.alpha)
            primal, dual = self._primal(), self._dual(gradient)
            better = primal < best_primal * (1 - 1e-9) or dual > best_dual + 1e-9 * abs(primal)
            patience = PATIENCE if better else patience - 1
            self.wait = self.wait or patience < PATIENCE - 1
            if primal < best_primal:
                best_primal, best = primal, self.z.copy()
            if dual > best_dual:
                best_dual, alpha, near = dual, self.alpha.copy(), (self.g.w, self.smooth)
            if best_primal - best_dual <= tol * best_primal or patience == 0:
                break
            if n_iter == max_iter or not self._step(self._system(gradient)):
                break
        return best[: self.d], best[self.d], alpha, near, n_iter

    def _start(self, positive):
        """Difference of the class means, scaled to a margin of one between them."""
        M, z = self.g.M, np.zeros(self.g.size)
        up, down = (side / side.sum() @ M for side in (positive, ~positive))
        gap = up - down
        norm2 = gap @ gap
        if norm2 <= 1e-12 * (up @ up + down @ down + 1e-300):
            gap, norm2 = np.ones(self.d), float(self.d)
        w = 2 * gap / norm2
        z[: self.d], z[self.d] = w, -w @ (up + down) / 2
        if self.boxed:
            z[self.d + 1 :] = np.abs(w)
        return z

    def _primal(self):
        w = self.z[: self.d]
        margins = self.margins  # smoothed, so at most the true ones: an upper bound
        if self.boxed:
            margins = margins + self.g.R @ (self.z[self.d + 1 :] - np.abs(w))
        return 0.5 * w @ w + self.C @ np.maximum(1 - margins, 0)

    def _dual(self, gradient):
        """Lower bound; the points of the box parts are chosen to bring the sum nearest to zero."""
        v = gradient[: self.d].copy()
        if self.boxed:
            room = -gradient[self.d + 1 :]
            v -= np.clip(v, -room, room)
        return self.alpha.sum() - 0.5 * v @ v

    def _system(self, gradient):
        """What the predictor and the corrector share at the current point."""
        self.s_per_alpha, self.xi_per_beta = self.s / self.alpha, self.xi / self.beta
        self.theta = 1 / (self.s_per_alpha + self.xi_per_beta)
        try:
            solver, drift = (self._by_rows if self.g.wide else self._by_matrix)()
        except (LinAlgError, ValueError):
            return None
        return _System(solver, drift, gradient)

    def _by_matrix(self):
        K, drift = self.g.assemble(self.theta, self.alpha)
        at = np.arange(self.d)
        K[at, at] += 1.0
        if self.boxed:
            t = at + self.d + 1
            own, between = self._hard_blocks()
            K[at, at] += own
            K[t, t] += own
            K[at, t] += between
            K[t, at] += between
        return Dense(K), drift

    def _by_rows(self):
        A, B, stiff, drift = self.g.rows(self.theta, self.alpha)
        if not self.boxed:
            return Wide(A, B, 1.0 + stiff, None), drift
        own, between = self._hard_blocks()
        return Wide(A, B, 1.0 + stiff + own, (own, between)), drift

    def _step(self, system):
        """One predictor and one corrector step of Mehrotra; False if there is no progress."""
        if system is None:
            return False
        total = sum(a @ b for a, b in self._pairs())
        tau = total / sum(len(a) for a, _ in self._pairs())
        first = self._direction(0.0, -1.0, None, system)
        length = self._longest(first)
        second = [da * db for da, db in first.pairs]
        # a step of this length towards products of zero removes that share to first order
        after = (1 - length) * total + length**2 * sum(each.sum() for each in second)
        lag = self._lag(system.gradient) / total if self.wait else 0.0
        # centring: Mehrotra's cube, but tau must not shrink faster than the worst points follow
        sigma = max(min(1.0, max(after / total, 0.0)) ** 3, min(lag, 1.0))
        step = self._direction(sigma * tau, sigma - 1, second, system)
        if not np.isfinite(step.dz).all():
            return False
        length = min(1.0, STEP * self._longest(step))
        self._move(step, length, 1 + length * (sigma - 1))
        return length > 1e-10

    def _pairs(self):
        """Pairs of multipliers and slacks, whose products all tend to tau."""
        pairs = [(self.alpha, self.s), (self.beta, self.xi)]
        return [*pairs, (self.gamma, self.h)] if self.boxed else pairs

    def _direction(self, goal, shrink, second, system):
        """Newton step to products of `goal`, with their second-order terms if known.

        `shrink` is the relative change of the smoothing. The worst points depend on w / smooth
        only, so it moves them as a step of -shrink * w would.
        """
        to_s, to_xi = -self.s, -self.xi
        if second is not None:
            to_s += (goal - second[0]) / self.alpha
            to_xi += (goal - second[1]) / self.beta
        k = to_s - to_xi + self.smooth * shrink * self.g.share
        rhs = self.g.transposed(self.theta * k) + system.gradient
        rhs[: self.d] += shrink * system.drift - self.z[: self.d]
        if self.boxed:
            to_gamma = 0 * self.h if second is None else (goal - second[2]) / self.h
            up, down = np.split(to_gamma, 2)
            rhs[: self.d] += down - up
            rhs[self.d + 1 :] += up + down
        # the slacks are eliminated: first z, then the multipliers, then the slacks
        dz = system.solver.solve(rhs)
        dalpha = self.theta * (k - self.g.times(dz))
        pairs = [
            (dalpha, to_s - self.s_per_alpha * dalpha),
            (-dalpha, to_xi + self.xi_per_beta * dalpha),
        ]
        if self.boxed:
            dh = self._hard(dz)
            pairs.append((to_gamma - self.gamma * dh / self.h - self.gamma, dh))
        return _Step(dz, pairs)

    def _longest(self, step):
        """Largest step length, at most 1 / STEP, that keeps multipliers and slacks positive."""
        steepest = max(
            -float(np.min(dx / x))
            for pair, move in zip(self._pairs(), step.pairs, strict=True)
            for x, dx in zip(pair, move, strict=True)
        )
        return min(1 / STEP, 1 / steepest) if steepest > 0 else 1 / STEP

    def _move(self, step, length, shrunk):
        (dalpha, ds), (dbeta, dxi) = step.pairs[:2]
        self.z = self.z + length * step.dz
        self.alpha, self.beta = self.alpha + length * dalpha, self.beta + length * dbeta
        s, xi = self.s + length * ds, self.xi + length * dxi
        if self.boxed:
            self.gamma, self.h = self.gamma + length * step.pairs[2][0], self._hard(self.z)
        tau = (self.alpha @ s + self.beta @ xi) / (2 * self.g.n)
        self.smooth = max(self.smooth * shrunk, self.rounding * tau * self._per_multiplier())
        self.margins = self.g.move_to(self.z, self.smooth, length)
        self.s, self.xi = self._restore(s, xi)

    def _per_multiplier(self):
        """Inverse of the typical size of a multiplier, weighted by itself."""
        return self.alpha.sum() / (self.alpha @ self.alpha)

    def _hard(self, z):
        """Slacks of t - w >= 0 and t + w >= 0."""
        w, t = z[: self.d], z[self.d + 1 :]
        return np.concatenate([t - w, t + w])

    def _hard_blocks(self):
        """Barrier of t >= w and t >= -w per feature: the entry of w and t, and between them."""
        up, down = np.split(self.gamma / self.h, 2)
        return up + down, down - up

    def _lag(self, gradient):
        """Stationarity residual of w relative to the tolerated one: tau has to wait for it."""
        away = gradient[: self.d] - self.z[: self.d]
        if self.boxed:
            away = away + self.gamma[self.d :] - self.gamma[: self.d]
        return 0.5 * away @ away / LAG

    def _restore(self, s, xi):
        """Make m - 1 + xi = s exact: margins are concave, so they are overestimated by a step."""
        lack = s - xi - (self.margins - 1)
        from_s = (s > 2 * lack) | (lack < 0)
        return np.where(from_s, s - lack, s), np.where(from_s, xi, xi + lack)
