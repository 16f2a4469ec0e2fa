"""Stackelberg games with continuous actions, their payoffs given as functions."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import differential_evolution

from stakes._core.words import shown
from stakes.game._search import line_maxima

_TIE = 1e-9  # replies whose payoffs differ by less, relative to their range, are equally good
_POINTS = 129  # of the first grid over a single number


@dataclass(frozen=True)
class InfiniteEquilibrium:
    """Actions and payoffs of both players.

    Attributes
    ----------
    leader_action, follower_action : ndarray
        What the leader does, and the follower's best reply to it.
    leader_payoff, follower_payoff : float
        What they get.
    """

    leader_action: np.ndarray
    follower_action: np.ndarray
    leader_payoff: float
    follower_payoff: float


class InfiniteGame:
    r"""Two players with continuous actions: the leader commits, the follower sees it and replies.

    The leader's action u and the follower's w are points of boxes. The equilibrium is

    .. math:: u^* = \arg\max_u\ J_L(u, w(u)), \qquad w(u) = \arg\max_w\ J_F(u, w) .

    Parameters
    ----------
    leader_payoff, follower_payoff : callable
        :math:`J_L(u, w)` and :math:`J_F(u, w)`, functions of two arrays, of shape (p,) and (q,),
        that return a number. A larger one is better.
    leader_bounds, follower_bounds : sequence of (float, float)
        Lower and upper bound of each number of an action.
    ties : {"worst", "best"}, default="worst"
        Which of several best replies the follower takes: the worst for the leader, so that the
        payoff is guaranteed, or the best, the usual assumption of the literature.
    random_state : int, default=0
        Seed of the search over actions of two and more numbers.

    Notes
    -----
    An action of one number is searched on a grid that is refined around every local maximum, and
    is exact if the payoff has no peaks narrower than two cells of 1/128 of the range. Actions of
    two and more numbers are searched by differential evolution, which can miss the best;
    :meth:`regret` tests an equilibrium by random actions.

    References
    ----------
    .. [1] W. Liu. "Advanced Algorithms for Knowledge Discovery from Imbalanced and Adversarial
       Data". Thesis, The University of Sydney, 2011. Section 6.3.

    Examples
    --------
    Two firms sell the same good. The price falls with what both produce, 12 - u - w, and a unit
    costs 2 to make. The firm that commits first makes 5 units; if both moved at once, each would
    make 10/3.

    >>> def profit(mine, other):
    ...     return mine[0] * (12 - mine[0] - other[0] - 2)
    >>> game = InfiniteGame(profit, lambda u, w: profit(w, u), [(0, 10)], [(0, 10)])
    >>> found = game.solve()
    >>> found.leader_action.round(3), found.follower_action.round(3), round(found.leader_payoff, 3)
    (array([5.]), array([2.5]), 12.5)
    """

    def __init__(
        self,
        leader_payoff,
        follower_payoff,
        leader_bounds,
        follower_bounds,
        *,
        ties="worst",
        random_state=0,
    ):
        if ties not in ("worst", "best"):
            raise ValueError(f"ties must be 'worst' or 'best'. Got {ties!r} instead.")
        self.leader_payoff, self.follower_payoff = leader_payoff, follower_payoff
        self.leader_bounds = _bounds(leader_bounds, "leader_bounds")
        self.follower_bounds = _bounds(follower_bounds, "follower_bounds")
        self.ties, self.random_state = ties, random_state

    def reply(self, leader_action):
        """Best action of the follower.

        Parameters
        ----------
        leader_action : array-like of shape (p,)
            What the leader does.

        Returns
        -------
        ndarray of shape (q,)
        """
        u = np.atleast_1d(np.asarray(leader_action, dtype=np.float64))
        found = self._maxima(
            lambda w: self._value(self.follower_payoff, u, w), self.follower_bounds
        )
        values = np.array([value for _, value in found])
        near = values >= values.max() - _TIE * max(1.0, np.abs(values).max())
        equal = [w for (w, _), best in zip(found, near, strict=True) if best]
        sign = 1.0 if self.ties == "best" else -1.0
        return max(equal, key=lambda w: sign * self._value(self.leader_payoff, u, w))

    def solve(self):
        """Find the Stackelberg equilibrium.

        Returns
        -------
        InfiniteEquilibrium
        """
        found = self._maxima(self._gain, self.leader_bounds)
        u = max(found, key=lambda one: one[1])[0]
        w = self.reply(u)
        return InfiniteEquilibrium(
            u, w, self._value(self.leader_payoff, u, w), self._value(self.follower_payoff, u, w)
        )

    def regret(self, equilibrium, n=1000):
        """What either player would gain by the best of n random actions; zero if none is better.

        Parameters
        ----------
        equilibrium : InfiniteEquilibrium
            Actions to test.
        n : int, default=1000
            Number of random actions of each player; to the leader's, the follower replies.

        Returns
        -------
        tuple of two float
            Of the leader and of the follower.
        """
        rng = np.random.default_rng(self.random_state)
        U, W = (rng.uniform(*b.T, (n, len(b))) for b in (self.leader_bounds, self.follower_bounds))
        leads = max(self._gain(u) for u in U) - equilibrium.leader_payoff
        replies = max(self._value(self.follower_payoff, equilibrium.leader_action, w) for w in W)
        return max(leads, 0.0), max(replies - equilibrium.follower_payoff, 0.0)

    def _gain(self, u):
        """What the leader gets by an action after the best reply."""
        return self._value(self.leader_payoff, u, self.reply(u))

    def _maxima(self, function, bounds):
        """Local maxima of a function over a box: (point, value)."""
        if len(bounds) == 1:
            on_grid = line_maxima(
                lambda grid: np.array([function(np.array([x])) for x in grid]), *bounds[0], _POINTS
            )
            return [(np.array([x]), value) for x, value in on_grid]
        best = differential_evolution(
            lambda x: -function(x), bounds, seed=self.random_state, tol=1e-10, polish=True
        )
        return [(best.x, -float(best.fun))]

    @staticmethod
    def _value(payoff, u, w):
        value = float(payoff(u, w))
        if not np.isfinite(value):
            raise ValueError(
                f"A payoff is {value} at u = {u.tolist()}, w = {w.tolist()}; payoffs must be "
                "finite in the whole box."
            )
        return value


def _bounds(bounds, name):
    table = np.asarray(bounds, dtype=np.float64)
    if table.ndim != 2 or table.shape[1:] != (2,) or not len(table):
        raise ValueError(
            f"{name} must be a list of (lower, upper) pairs. Got {shown(bounds)} instead."
        )
    if not np.isfinite(table).all() or (table[:, 0] > table[:, 1]).any():
        raise ValueError(
            f"{name} must be finite, the lower bound first. Got {shown(bounds)} instead."
        )
    return table
