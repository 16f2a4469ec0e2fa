"""Equilibria of the zero-sum game: minimax, mixed strategies, or rounds of best replies."""

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from stakes._core.simplex import simplex_qp

_TRIALS = 5  # evaluations of a step of the descent that make it a hard one
_HARD = 3  # hard steps at which it ends
_SEEDS = 30  # last points of the descent at which cutting planes start
_SHARPER = 0.01  # tolerance of a single fit relative to that of the game
_IDLE = 10  # iterations without weight after which a plane is dropped
_CAUTION = 0.2  # position of the second cut, between the best point and the new one


@dataclass
class Equilibrium:
    """Strategies of both players and what each could still gain.

    Attributes
    ----------
    W : ndarray of shape (d + 1,)
        Weights of the classifier, the intercept last.
    moves : ndarray of shape (m, K, d)
        Moves of the K adversaries; m is one in a pure equilibrium.
    probabilities : ndarray of shape (m,)
        Probability of each of the m moves.
    value : float
        Value of the game, Phi.
    adversary_gain, learner_gain : float
        Upper bounds on what each player could gain by deviating.
    payoffs : list of float
        Phi after each round or step.
    """

    W: np.ndarray
    moves: np.ndarray
    probabilities: np.ndarray
    value: float
    adversary_gain: float
    learner_gain: float
    payoffs: list = field(default_factory=list)

    @property
    def exploitability(self):
        """Sum of both gains relative to the value of the game."""
        return float((self.adversary_gain + self.learner_gain) / max(abs(self.value), 1e-300))


def minimax(game, tol, max_iter, start=None):
    """Find the classifier with the smallest worst-case loss, and the moves against it.

    Quasi-Newton steps on the maximum over moves, which is smooth for a smooth loss as long as the
    best move is unique. If they do not reach an equilibrium, cutting planes follow: their weights
    are the probabilities of a mixed strategy, and their gap is its exploitability.
    """
    no_move = np.zeros((game.K, game.d))
    W = game.best_classifier(no_move, _SHARPER * tol, max_iter, start).W
    payoffs = [game.value(no_move, W)]
    path = _descend(game, W, max_iter, payoffs)
    found = pure(game, game.best_moves(path[-1]), path[-1], tol, max_iter)
    if found.exploitability > tol:
        found = min(found, *_mixed(game, path, tol, max_iter, payoffs), key=_exploitability)
    found.payoffs = payoffs
    return found


def pure(game, moves, W, tol, max_iter):
    """Evaluate a pair of pure strategies."""
    best = game.best_moves(W)
    value = game.value(moves, W)
    reply = game.best_classifier(moves, _SHARPER * tol, max_iter, start=W)
    # the duality gap of the reply makes this a lower bound on what the learner can reach
    lowest = reply.objective - reply.gap - game.paid(moves)
    return Equilibrium(
        W=W,
        moves=moves[None],
        probabilities=np.ones(1),
        value=value,
        adversary_gain=max(0.0, game.value(best, W) - value),
        learner_gain=max(0.0, value - lowest),
    )


def play(game, tol, max_rounds, max_iter, improvement):
    """Play Algorithm 8: rounds of best replies of the adversary and the learner.

    Stops when the adversary's payoff, the mean loss of the moved positives, has not grown by
    `improvement`, or after `max_rounds`.
    """
    moves = np.zeros((game.K, game.d))
    W = game.best_classifier(moves, _SHARPER * tol, max_iter).W
    best = (game.positive_loss(moves, W), moves, W)
    payoffs = [best[0]]
    for _ in range(max_rounds):
        moves = game.best_moves(W)
        W = game.best_classifier(moves, _SHARPER * tol, max_iter, start=W).W
        payoffs.append(game.positive_loss(moves, W))
        if payoffs[-1] <= best[0] + improvement:
            break
        best = (payoffs[-1], moves, W)
    found = pure(game, best[1], best[2], tol, max_iter)
    found.payoffs = payoffs
    return found


def warn_if_exploitable(found, tol):
    """Warn if the exploitability is above the tolerance."""
    if found.exploitability > tol:
        warnings.warn(
            f"The players could still gain {found.exploitability:.1e} of the game's value, above "
            f"tol={tol:.1e}; raise max_iter, alpha or movement_price, or use solver='minimax'.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _descend(game, W, max_iter, payoffs):
    """Minimize the worst case by L-BFGS; return all iterates.

    At a kink, where the adversary is indifferent between two moves, each step takes many trials:
    the descent ends there, and cutting planes do the rest.
    """
    path, trials, hard = [W], 0, 0

    def fun(w):
        nonlocal trials
        trials += 1
        return game.value_and_gradient(w)

    def note(intermediate_result):
        nonlocal trials, hard
        payoffs.append(float(intermediate_result.fun))
        path.append(intermediate_result.x.copy())
        hard += trials > _TRIALS
        trials = 0
        if hard >= _HARD:
            raise StopIteration

    minimize(
        fun,
        W,
        jac=True,
        method="L-BFGS-B",
        callback=note,
        options={"gtol": 1e-9, "ftol": 64 * np.finfo(float).eps, "maxiter": max_iter, "maxls": 20},
    )
    return path


def _mixed(game, path, tol, max_iter, payoffs):
    """Mixed equilibrium from cutting planes, and the pure strategies of its mean move."""
    planes = _Planes(game, payoffs)
    planes.run(path[-_SEEDS:], 0.5 * tol, max_iter)
    worst, W = planes.best
    moves, q = _merged(np.array(planes.mixed[0]), planes.mixed[1])
    value = float(sum(p * game.value(move, W) for p, move in zip(q, moves, strict=True)))
    mixed = Equilibrium(
        W=W,
        moves=moves,
        probabilities=q,
        value=value,
        adversary_gain=max(0.0, worst - value),
        learner_gain=max(0.0, value - planes.lower),
    )
    mean = np.tensordot(q, moves, axes=1)
    # the mean move alone saves a mixed strategy, unless the adversary would gain more by another
    if worst - game.value(mean, W) > mixed.adversary_gain + mixed.learner_gain:
        return (mixed,)
    return pure(game, mean, W, tol, max_iter), mixed


def _exploitability(found):
    return found.exploitability


class _Planes:
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
        """Minimizer of the planes plus ridge; updates the lower bound and drops idle planes."""
        alpha = self.game.alpha
        gamma = simplex_qp(self.A @ self.A.T / (2.0 * alpha), self.b)
        pull = gamma @ self.A
        lower = float(self.b @ gamma - pull @ pull / (4.0 * alpha))
        used = gamma > 1e-7
        if lower > self.lower:
            self.lower = lower
            played = [move for move, yes in zip(self.moves, used, strict=True) if yes]
            self.mixed = played, gamma[used] / gamma[used].sum()
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
