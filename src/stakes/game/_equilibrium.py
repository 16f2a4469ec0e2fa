"""Equilibria of the zero-sum game: the convex side solved, a mixed reply, or rounds of play."""

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from stakes.game._planes import Planes

_SEEDS = 30  # last points of the descent at which planes are cut
_SHARPER = 0.01  # how much smaller than the game's tolerance that of one fit is


@dataclass
class Equilibrium:
    """Strategies of both players and what is left to gain.

    Attributes
    ----------
    W : ndarray of shape (d + 1,)
        Weights, the intercept last.
    moves : ndarray of shape (m, K, d)
        The moves that the K adversaries choose from.
    probabilities : ndarray of shape (m,)
        How often each is chosen; one move in a pure equilibrium.
    value : float
        Phi.
    adversary_gain, learner_gain : float
        What each player could still gain by playing otherwise; upper bounds.
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
        """What both players together could still gain, relative to the value of the game."""
        return (self.adversary_gain + self.learner_gain) / max(abs(self.value), 1e-300)


def minimax(game, tol, max_iter, start=None):
    """The classifier with the smallest worst-case loss, and the moves that make it so.

    Quasi-Newton steps on the maximum over moves, which is smooth for a smooth loss as long as the
    best move is unique. Where they do not end in an equilibrium: cutting planes, whose weights
    are the frequencies of a mixed strategy and whose gap is its exploitability.
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
    """A pair of strategies with what either player could still gain."""
    best = game.best_moves(W)
    value = game.value(moves, W)
    reply = game.best_classifier(moves, _SHARPER * tol, max_iter, start=W)
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
    """Algorithm 8: the adversary answers the last classifier, the learner the last move.

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
    """Say so where a player could still gain more than was asked for."""
    if found.exploitability > tol:
        warnings.warn(
            f"The players could still gain {found.exploitability:.1e} of the game's value, above "
            f"tol={tol:.1e}; raise max_iter, alpha or movement_price, or use solver='minimax'.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _descend(game, W, max_iter, payoffs):
    """Quasi-Newton steps on the worst case; the points on the way."""
    path = [W]

    def note(intermediate_result):
        payoffs.append(float(intermediate_result.fun))
        path.append(intermediate_result.x.copy())

    minimize(
        game.value_and_gradient,
        W,
        jac=True,
        method="L-BFGS-B",
        callback=note,
        options={"gtol": 1e-9, "ftol": 64 * np.finfo(float).eps, "maxiter": max_iter, "maxls": 50},
    )
    return path


def _mixed(game, path, tol, max_iter, payoffs):
    """A mixed equilibrium, and the pure one of its mean move."""
    planes = Planes(game, payoffs)
    planes.run(path[-_SEEDS:], 0.5 * tol, max_iter)
    worst, W = planes.best
    moves, q = planes.mixed
    value = float(sum(p * game.value(move, W) for p, move in zip(q, moves, strict=True)))
    mixed = Equilibrium(
        W=W,
        moves=moves,
        probabilities=q,
        value=value,
        adversary_gain=max(0.0, worst - value),
        learner_gain=max(0.0, value - planes.lower),
    )
    return pure(game, np.tensordot(q, moves, axes=1), W, tol, max_iter), mixed


def _exploitability(found):
    return found.exploitability
