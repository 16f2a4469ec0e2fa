r"""The game of Eq. 7.10 between a linear classifier and the adversaries that move its positives.

.. math:: \Phi(a, w) = \alpha\|w\|^2 + \sum_i c_i\, l(y_i f(x_i + a_{k(i)}))
          - \sum_k \pi_k \sum_j p_{kj} a_{kj}^2

with shares :math:`c_i` of the costs, and :math:`\pi_k` the share of adversary k. The classifier
wants it small, the adversaries large. It is convex in w for any moves, hence so is its maximum
over the moves: the classifier's side is a convex problem whatever the adversary's looks like.
"""

import numpy as np

from stakes.game._equilibrium import minimax, pure
from stakes.game._moved import MovedProblem
from stakes.game._response import margin_loss, respond
from stakes.qmean import classification_loss, minimize_quadratic_mean

_NEWTON = 300  # features up to which the learner's fit forms a full matrix


class ZeroSumGame:
    """Data, loss and prices; the oracles of both players.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The examples where they stood before any move.
    y : ndarray of shape (n,)
        Signs; those of the positives are moved.
    weight : ndarray of shape (n,)
        Positive weights, of which only the shares matter.
    ease : ndarray of shape (K, d)
        One over the price of each feature for each adversary.
    share : ndarray of shape (K,)
        Which part of every positive example each adversary has; sums to one.
    loss : {"logistic", "hinge"}
        The loss.
    alpha : float
        Ridge penalty, on the intercept too.
    fit_intercept : bool, default=True
        Whether there is an intercept.

    Examples
    --------
    Two points, an adversary that pays 1 per squared unit of movement:

    >>> X, y, one = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]), np.ones(2)
    >>> game = ZeroSumGame(X, y, one, np.ones((1, 1)), np.ones(1), "logistic", 0.1)
    >>> found = game.solve()
    >>> found.exploitability < 1e-4
    True
    >>> bool(found.moves[0, 0, 0] < 0)  # towards the negatives
    True
    """

    def __init__(self, X, y, weight, ease, share, loss, alpha, fit_intercept=True):
        self.loss, self.alpha, self.ease = loss, alpha, ease
        self.K, self.d = ease.shape
        self.positive = np.flatnonzero(y > 0)
        self.X_positive = X[self.positive]
        v = weight[self.positive]
        total = v.sum()
        self.v = v / total if total > 0 else v
        self.share = share * total / weight.sum()
        rows = np.concatenate([np.flatnonzero(y < 0), np.tile(self.positive, self.K)])
        which = np.zeros(len(rows), dtype=np.intp)
        which[len(y) - len(self.positive) :] = 1 + np.repeat(np.arange(self.K), len(self.positive))
        part = np.concatenate([[1.0], share])[which]
        self.base = MovedProblem(
            X[rows],
            y[rows],
            weight[rows] * part,
            np.zeros(len(rows), dtype=np.intp),
            classification_loss(loss),
            np.ones(1),
            p=1.0,
            alpha=alpha,
            fit_intercept=fit_intercept,
            which=which,
            moves=np.zeros((self.K + 1, self.d)),
        )

    def best_moves(self, W):
        """The best move of each adversary against the classifier W, shape (K, d)."""
        w, f = W[:-1], self.X_positive @ W[:-1] + W[-1]
        return np.array([respond(f, self.v, w, ease, self.loss).shift for ease in self.ease])

    def after(self, moves):
        """The learner's problem when the adversaries have moved."""
        return self.base.at(np.vstack([np.zeros(self.d), moves]))

    def paid(self, moves):
        """What the moves cost the adversaries together."""
        used = self.ease > 0
        squares = np.divide(moves**2, self.ease, out=np.zeros_like(moves), where=used)
        if np.any(moves[~used] != 0):
            return np.inf
        return float(self.share @ squares.sum(axis=1))

    def value(self, moves, W):
        """Phi, the learner's objective at W less what the moves cost."""
        return self.after(moves).value(W) - self.paid(moves)

    def worst_case(self, W):
        """The largest mean loss over all moves less their price, its slope in W, and the moves."""
        moves = self.best_moves(W)
        risk, slope = self.after(moves).risk(W)
        return risk - self.paid(moves), slope, moves

    def risk(self, W):
        """The first two of `worst_case`."""
        return self.worst_case(W)[:2]

    def positive_loss(self, moves, W):
        """The mean loss of the moved positives: the thesis's payoff of the adversary, line 11."""
        total = self.share.sum()
        if total == 0.0:
            return 0.0
        f = self.X_positive @ W[:-1] + W[-1]
        losses = [self.v @ margin_loss(f + move @ W[:-1], self.loss) for move in moves]
        return float(self.share @ losses / total)

    def ridge(self, W):
        """The penalty's value."""
        return self.base.ridge(W)

    def value_and_gradient(self, W):
        """What the learner must reckon with at W, and its slope."""
        risk, slope = self.risk(W)
        return self.ridge(W) + risk, slope + 2.0 * self.base.penalty * W

    def solve(self, tol=1e-4, max_iter=500):
        """Find the equilibrium at which the classifier has the smallest worst-case loss.

        Parameters
        ----------
        tol : float, default=1e-4
            Exploitability relative to the value of the game.
        max_iter : int, default=500
            Maximum number of steps of each solver.

        Returns
        -------
        Equilibrium
        """
        return minimax(self, tol, max_iter)

    def gains_at(self, moves, W, tol=1e-4, max_iter=500):
        """Measure what either player could still gain from a pair of strategies.

        Parameters
        ----------
        moves : ndarray of shape (K, d)
            Moves of the adversaries.
        W : ndarray of shape (d + 1,)
            Weights of the classifier, the intercept last.
        tol, max_iter
            As in `solve`.

        Returns
        -------
        Equilibrium
            The pair with the possible gains; it is an equilibrium if both are zero.
        """
        return pure(self, moves, W, tol, max_iter)

    def best_classifier(self, moves, tol, max_iter, start=None):
        """The learner's best reply to some moves, with a proven gap."""
        newton = self.d <= min(_NEWTON, self.base.n)
        start = self.base.start() if start is None else start.copy()
        problem = self.after(moves)
        solver = "newton" if newton else "lbfgs"
        return minimize_quadratic_mean(problem, solver, tol, max_iter, start=start)
