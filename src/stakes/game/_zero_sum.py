r"""Game of Eq. 7.10 between a linear classifier and adversaries that move its positives.

.. math:: \Phi(a, w) = \alpha\|w\|^2 + \sum_i c_i\, l(y_i f(x_i + a_{k(i)}))
          - \sum_k \pi_k \sum_j p_{kj} a_{kj}^2

with shares :math:`c_i` of the costs and :math:`\pi_k` the share of adversary k. The classifier
minimizes it, the adversaries maximize it. It is convex in w for any moves, hence so is its maximum
over the moves: the classifier solves a convex problem even if the adversary's is not concave.
"""

import copy
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from stakes._core.intake import check_weights, checked_sparse
from stakes._core.labels import code_labels
from stakes.game._equilibrium import minimax, pure
from stakes.game._response import margin_loss, moving_ease, respond
from stakes.qmean import QuadraticMeanProblem, classification_loss, minimize_quadratic_mean

_NEWTON = 300  # number of features up to which the classifier is fitted with a full Hessian


@dataclass(eq=False)
class MovedProblem(QuadraticMeanProblem):
    """Mean loss plus ridge of Eq. 7.5 for rows x_i + moves[which_i], which are never formed.

    Parameters
    ----------
    which : ndarray of int of shape (n,)
        Index of the move of each row.
    moves : ndarray of shape (m, d)
        Moves; sparse rows stay sparse.
    """

    which: np.ndarray = None
    moves: np.ndarray = None

    def at(self, moves):
        """The same rows with other moves."""
        other = copy.copy(self)
        other.moves = moves
        return other

    def unmoved_scores(self, W):
        """Scores of the rows before the moves."""
        return super().scores(W)

    def scores(self, W, unmoved=None):
        """Scores of the moved rows; pass those before the moves if they are known."""
        unmoved = self.unmoved_scores(W) if unmoved is None else unmoved
        return unmoved + (self.moves @ W[:-1])[self.which]

    def pull(self, B):
        """Transpose of `scores`."""
        out = super().pull(B)
        sums = np.bincount(self.which, B.ravel(), minlength=len(self.moves))  # B has one column
        out[:-1] += (self.moves.T @ sums).reshape(out[:-1].shape)
        return out

    def with_ones(self, rows):
        """Dense moved rows with the column of the intercept."""
        out = super().with_ones(rows)
        out[:, :-1] += self.moves[self.which[rows]]
        return out


class ZeroSumGame:
    """Zero-sum game of a linear classifier and the adversaries that move its positives.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Examples before any move.
    y : ndarray of shape (n,)
        Signs of the classes; the positives are moved.
    sample_weight : ndarray of shape (n,)
        Positive weights; only their shares matter.
    ease : ndarray of shape (K, d)
        One over the price of moving each feature, for each of K adversaries.
    share : ndarray of shape (K,)
        Share of every positive example that each adversary has; sums to one.
    loss : {"logistic", "hinge"}
        Loss of one example.
    alpha : float
        Ridge penalty, including the intercept.
    fit_intercept : bool, default=True
        Whether to fit an intercept.

    Examples
    --------
    Two points, and an adversary that pays 1 per squared unit of movement:

    >>> X, y, one = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]), np.ones(2)
    >>> game = ZeroSumGame(X, y, one, np.ones((1, 1)), np.ones(1), "logistic", 0.1)
    >>> found = game.solve()
    >>> bool(found.exploitability < 1e-4)
    True
    >>> bool(found.moves[0, 0, 0] < 0)  # towards the negatives
    True
    """

    def __init__(self, X, y, sample_weight, ease, share, loss, alpha, fit_intercept=True):
        self.loss, self.alpha, self.ease = loss, alpha, ease
        self.K, self.d = ease.shape
        self.positive = np.flatnonzero(y > 0)
        self.X_positive = X[self.positive]
        v = sample_weight[self.positive]
        total = v.sum()
        self.v = v / total if total > 0 else v
        self.share = share * total / sample_weight.sum()  # pi_k
        # each adversary has its own copy of the positives, with its part of their weight; move 0
        # of `which` is that of the negatives, who stay
        rows = np.concatenate([np.flatnonzero(y < 0), np.tile(self.positive, self.K)])
        which = np.zeros(len(rows), dtype=np.intp)
        which[len(y) - len(self.positive) :] = 1 + np.repeat(np.arange(self.K), len(self.positive))
        part = np.concatenate([[1.0], share])[which]
        self.base = MovedProblem(
            X[rows],
            y[rows],
            sample_weight[rows] * part,
            np.zeros(len(rows), dtype=np.intp),
            classification_loss(loss),
            np.ones(1),
            p=1.0,
            alpha=alpha,
            fit_intercept=fit_intercept,
            which=which,
            moves=np.zeros((self.K + 1, self.d)),
        )

    def best_moves(self, W, f=None):
        """Best move of each adversary against the classifier W, shape (K, d).

        f has the scores of the positives before any move, if they are known.
        """
        w, f = W[:-1], self.X_positive @ W[:-1] + W[-1] if f is None else f
        return np.array([respond(f, self.v, w, ease, self.loss).shift for ease in self.ease])

    def after(self, moves):
        """Problem of the classifier after the moves."""
        return self.base.at(np.vstack([np.zeros(self.d), moves]))

    def paid(self, moves):
        """Total price of the moves."""
        used = self.ease > 0
        squares = np.divide(moves**2, self.ease, out=np.zeros_like(moves), where=used)
        if np.any(moves[~used] != 0):
            return np.inf
        return float(self.share @ squares.sum(axis=1))

    def value(self, moves, W):
        """Phi: the objective of the classifier at W minus the price of the moves."""
        return self.after(moves).value(W) - self.paid(moves)

    def worst_case(self, W):
        """Largest mean loss minus price over all moves, its gradient in W, and the best moves."""
        unmoved = self.base.unmoved_scores(W)
        first = len(unmoved) - self.K * len(self.positive)
        moves = self.best_moves(W, unmoved[first : first + len(self.positive)])
        problem = self.after(moves)
        risk, slope = problem.risk(W, problem.scores(W, unmoved))
        return risk - self.paid(moves), slope, moves

    def positive_loss(self, moves, W):
        """Mean loss of the moved positives: the adversary's payoff in line 11 of Algorithm 8."""
        total = self.share.sum()
        if total == 0.0:
            return 0.0
        f = self.X_positive @ W[:-1] + W[-1]
        losses = [self.v @ margin_loss(f + move @ W[:-1], self.loss) for move in moves]
        return float(self.share @ losses / total)

    def ridge(self, W):
        """Value of the penalty."""
        return self.base.ridge(W)

    def value_and_gradient(self, W):
        """Worst-case objective of the classifier at W, and its gradient."""
        risk, slope, _ = self.worst_case(W)
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
        """Best classifier against given moves, with its duality gap."""
        newton = self.d <= min(_NEWTON, self.base.n)
        start = self.base.start() if start is None else start.copy()
        problem = self.after(moves)
        solver = "newton" if newton else "lbfgs"
        return minimize_quadratic_mean(problem, solver, tol, max_iter, start=start)


def exploitability(
    w,
    b,
    shift,
    X,
    y,
    *,
    loss="logistic",
    alpha=1e-3,
    movement_price=1.0,
    movable=None,
    sample_weight=None,
    tol=1e-6,
    max_iter=1000,
):
    """Measure the distance of a classifier and a move from an equilibrium.

    Parameters
    ----------
    w : array-like of shape (d,)
        Weights of the classifier.
    b : float
        Intercept of the classifier.
    shift : array-like of shape (d,)
        Move of the adversary, added to every positive example.
    X : {array-like, sparse matrix} of shape (n, d)
        Examples before the move.
    y : array-like of shape (n,)
        Labels; the larger one is positive.
    loss, alpha, movement_price, movable
        As in :class:`~stakes.game.StackelbergClassifier`.
    sample_weight : array-like of shape (n,), default=None
        Weights of the examples; None: all one.
    tol : float, default=1e-6
        Relative duality gap of the best classifier.
    max_iter : int, default=1000
        Maximum number of steps of its fit.

    Returns
    -------
    Equilibrium
        The given strategies with the possible gains; the gain of the learner is an upper bound,
        tight up to the duality gap of its fit.

    Examples
    --------
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> left = exploitability([1.0], 0.0, [0.0], X, y, alpha=0.1)
    >>> round(float(left.adversary_gain), 3), round(float(left.learner_gain), 3)
    (0.01, 0.006)
    """
    y = code_labels(y)[1]
    X = checked_sparse(X)
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    weight = check_weights(sample_weight, X, dtype=np.float64)
    ease = moving_ease(movement_price, X.shape[1], movable)[None]
    game = ZeroSumGame(X, y, weight, ease, np.ones(1), loss, alpha)
    W = np.append(np.asarray(w, dtype=np.float64).ravel(), float(b))
    moves = np.asarray(shift, dtype=np.float64).reshape(1, -1)
    return game.gains_at(moves, W, 100.0 * tol, max_iter)  # the fit gets a hundredth of it
