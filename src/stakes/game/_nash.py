"""Nash equilibria of games in normal form."""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from scipy.optimize import linprog

_ROUNDING = 1e-9
_MOST = 200_000  # maximum number of linear systems


@dataclass(frozen=True)
class Nash:
    """A Nash equilibrium.

    Attributes
    ----------
    strategies : tuple of ndarray
        Probability of each plan of each player.
    payoffs : tuple of float
        Expected payoff of each player.
    """

    strategies: tuple
    payoffs: tuple

    @property
    def pure(self):
        """Whether all strategies are pure."""
        return all(np.isclose(strategy.max(), 1.0) for strategy in self.strategies)


def pure_equilibria(payoffs):
    """Index of each combination of plans from which no player gains by deviating alone.

    Parameters
    ----------
    payoffs : ndarray of shape (k, n_1, ..., n_k)
        Payoffs of k players.
    """
    stable = np.ones(payoffs.shape[1:], dtype=bool)
    for k, own in enumerate(payoffs):
        stable &= own >= own.max(axis=k, keepdims=True)
    return [tuple(int(i) for i in index) for index in np.argwhere(stable)]


def best_commitment(A, B):
    """The mixed strategy to which a leader best commits, and the reply of the follower.

    For each plan of the follower, a linear program finds the best mixture of the leader to which
    that plan is a best reply; the best of these is a strong Stackelberg equilibrium: an indifferent
    follower does what the leader prefers.

    Parameters
    ----------
    A, B : array-like of shape (m, n)
        Payoffs of the leader, who chooses the row, and of the follower.

    Returns
    -------
    Nash
        Strategies and payoffs of the leader and the follower.

    References
    ----------
    .. [1] V. Conitzer, T. Sandholm. "Computing the Optimal Strategy to Commit to". EC 2006.

    Examples
    --------
    >>> found = best_commitment([[2.0, 4.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> found.strategies[0].round(2).tolist(), round(found.payoffs[0], 2)
    ([0.5, 0.5], 3.5)
    """
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    m, n = A.shape
    best = None
    for j in range(n):
        found = linprog(-A[:, j], (B - B[:, [j]]).T, np.zeros(n), np.ones((1, m)), [1.0])
        if found.success and (best is None or -found.fun > best.payoffs[0] + _ROUNDING):
            x = found.x
            best = Nash((x, np.eye(n)[j]), (float(x @ A[:, j]), float(x @ B[:, j])))
    return best


def extreme_equilibria(A, B):
    r"""All extreme Nash equilibria of a game of two players.

    A mixed strategy x of the row player is, up to scale, a point of
    :math:`\{x \ge 0,\ B^\top x \le 1\}` (payoffs shifted to be positive). In an equilibrium each
    plan of either player is unused or a best reply, so the equilibria are the pairs of vertices
    whose tight constraints together cover all plans. Other equilibria of a degenerate game are
    mixtures of these.

    Parameters
    ----------
    A, B : array-like of shape (m, n)
        Payoffs of the row and of the column player.

    Returns
    -------
    list of Nash

    Examples
    --------
    >>> found = extreme_equilibria([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    >>> [equilibrium.strategies[0].round(3).tolist() for equilibrium in found]
    [[0.0, 1.0], [0.6, 0.4], [1.0, 0.0]]
    """
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    m, n = A.shape
    if comb(m + n, m) > _MOST:
        raise ValueError(
            f"A game of {m} x {n} plans is too large to enumerate its equilibria "
            f"({comb(m + n, m)} linear systems); drop some plans, or use rollback()."
        )
    rows = _corners((B - B.min() + 1.0).T)  # labels: own plans 0..m-1, the others m..m+n-1
    columns = _corners(A - A.min() + 1.0)
    everything = set(range(m + n))
    found = []
    for x, x_labels in rows:
        for y, y_labels in columns:
            # own plans come first in both label sets: renumber those of the column player
            named = x_labels | {(label + m) if label < n else (label - n) for label in y_labels}
            if named == everything:
                x_share, y_share = x / x.sum(), y / y.sum()
                payoffs = float(x_share @ A @ y_share), float(x_share @ B @ y_share)
                found.append(Nash((x_share, y_share), payoffs))
    return sorted(found, key=lambda nash: [strategy.tolist() for strategy in nash.strategies])


def _corners(M):
    """Vertices other than zero of {z >= 0, M z <= 1}, each with its tight constraints.

    Constraint j below the dimension is z_j = 0, those after it are the rows of M.
    """
    k = M.shape[1]
    left = np.vstack([np.eye(k), M])
    right = np.concatenate([np.zeros(k), np.ones(len(M))])
    corners = {}
    for tight in combinations(range(len(left)), k):  # a vertex solves k tight constraints
        system = left[list(tight)]
        if abs(np.linalg.det(system)) < 1e-12:
            continue
        z = np.linalg.solve(system, right[list(tight)])
        if z.max() <= _ROUNDING or z.min() < -_ROUNDING or (M @ z).max() > 1.0 + _ROUNDING:
            continue
        z = np.where(np.abs(z) < _ROUNDING, 0.0, z)
        # a degenerate vertex has more than k tight constraints and is found several times
        slack = np.abs(left @ z - right)
        labels = set(np.flatnonzero(slack < _ROUNDING).tolist())
        corners.setdefault(tuple(np.round(z, 9)), (z, labels))
    return list(corners.values())
