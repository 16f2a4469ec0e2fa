"""Cutting planes of the worst-case loss; their weights are a mixed strategy."""

import numpy as np

from stakes._core.simplex import simplex_qp

_IDLE = 10  # iterations without weight after which a plane is dropped
_CAUTION = 0.2  # position of the second cut, between the best point and the new one


class Planes:
    r"""Tangents of the worst-case loss, each from one set of moves.

    Any weights :math:`\gamma` of the simplex prove the lower bound
    :math:`b^\top\gamma - \|A\gamma\|^2/4\alpha` on what the learner can reach, even against an
    adversary that plays the moves of the planes with probabilities :math:`\gamma`.

    Parameters
    ----------
    game : ZeroSumGame
        Game.
    payoffs : list
        List to which the worst case at each point is appended.
    """

    def __init__(self, game, payoffs):
        self.game, self.payoffs = game, payoffs
        self.A, self.b = np.empty((0, game.d + 1)), np.empty(0)
        self.moves, self.idle = [], np.empty(0, dtype=np.int64)
        self.best = (np.inf, None)  # least worst case so far, and its W
        self.lower, self.mixed = -np.inf, None

    def add(self, W):
        """Add the tangent at W."""
        risk, slope, moves = self.game.worst_case(W)
        value = risk + self.game.ridge(W)
        self.payoffs.append(float(value))
        if value < self.best[0]:
            self.best = (float(value), W)
        self.A, self.b = np.vstack([self.A, slope]), np.append(self.b, risk - W @ slope)
        self.moves.append(moves)
        self.idle = np.append(self.idle, 0)

    def minimum(self):
        """Minimiser of the planes plus ridge; updates the lower bound and drops idle planes."""
        alpha = self.game.alpha
        gamma = simplex_qp(self.A @ self.A.T / (2.0 * alpha), self.b)
        pull = gamma @ self.A
        lower = float(self.b @ gamma - pull @ pull / (4.0 * alpha))
        used = gamma > 1e-7
        if lower > self.lower:
            self.lower = lower
            self.mixed = _merged(np.array(self.moves)[used], gamma[used] / gamma[used].sum())
        self.idle = np.where(used, 0, self.idle + 1)
        kept = self.idle < _IDLE
        self.A, self.b, self.idle = self.A[kept], self.b[kept], self.idle[kept]
        self.moves = [move for move, yes in zip(self.moves, kept, strict=True) if yes]
        return -pull / (2.0 * alpha)

    def run(self, starts, tol, max_iter):
        """Add planes until the gap between the best point and the lower bound is below tol."""
        for W in starts:
            self.add(W)
        for _ in range(max_iter):
            W = self.minimum()
            if self.best[0] - self.lower <= tol * abs(self.best[0]):
                break
            best = self.best[1]
            self.add(W)
            self.add(best + _CAUTION * (W - best))


def _merged(moves, q):
    """Merge equal moves."""
    flat, index = np.unique(moves.reshape(len(moves), -1), axis=0, return_inverse=True)
    return flat.reshape(-1, *moves.shape[1:]), np.bincount(index, q)
