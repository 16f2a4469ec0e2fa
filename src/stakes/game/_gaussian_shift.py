"""The game of Chapter 6: normal distributions that are moved, boundaries that follow."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from stakes.base import code_labels
from stakes.game._divergence import DIVERGENCES
from stakes.game._search import genetic, last_maximum, line_maxima

_GRID = 65  # boundaries among which a reply is first looked for
_HALVINGS = 40
_ZOOMS = 9  # of the grid over means and deviations
_LEAST_SD = 0.01  # of the pooled deviation: constant attributes have none of their own


@dataclass(frozen=True)
class ShiftEquilibrium:
    """Strategies and payoffs; arrays have one entry per attribute.

    Attributes
    ----------
    mean_shift, sd_shift : ndarray of shape (q,)
        The leader's move.
    boundary : ndarray of shape (q,)
        The follower's reply.
    leader_payoff, follower_payoff : float
        Means over the attributes, Eqs. 6.7 and 6.8.
    fnr, fpr : float
        Positives below and negatives beyond the boundary that are missed, as means.
    local : list
        For each attribute all local equilibria as (mean shift, payoff of the leader), the best
        first; exact solver without moved deviations only.
    trace : ndarray or None
        The genetic algorithm's best payoff in each generation.
    """

    mean_shift: np.ndarray
    sd_shift: np.ndarray
    boundary: np.ndarray
    leader_payoff: float
    follower_payoff: float
    fnr: float
    fpr: float
    local: list = field(default_factory=list)
    trace: np.ndarray | None = None

    @property
    def error_rate(self):
        """Mean of both error rates."""
        return 0.5 * (self.fnr + self.fpr)


class GaussianShiftGame:
    r"""A leader moves its class's normal distributions, a follower the boundary of each attribute.

    With the leader's class at :math:`N(\mu_1, \sigma_1)`, the other at :math:`N(\mu_2, \sigma_2)`,
    a move :math:`(u, s)` and the boundary :math:`w`, for each attribute

    .. math:: J_L = 1 - F(w; \mu_1 + u, \sigma_1 + s) - \alpha D, \qquad
              J_F = 2F(w; \mu_1 + u, \sigma_1 + s) - 2F(w; \mu_2, \sigma_2) - \beta(w - w_0)^2

    and :math:`w_0 = (\mu_1\sigma_2 + \mu_2\sigma_1)/(\sigma_1 + \sigma_2)`; the players get the
    means over the attributes. The leader goes from its mean at most to the other's, the boundary
    from :math:`w_0` at most to the other's mean. Attributes with :math:`\mu_1 > \mu_2` are
    mirrored.

    Parameters
    ----------
    leader_mean, leader_sd : array-like of shape (q,)
        The adversary's class.
    follower_mean, follower_sd : array-like of shape (q,)
        The other class.
    alpha : float, default=0.01
        Price of a divergence of one, :math:`\alpha`.
    beta : float, default=0.01
        Price of moving the boundary, :math:`\beta`.
    divergence : {"kl", "thesis"}, default="kl"
        :math:`D`, from the original to the moved distribution; "thesis" is the formula behind its
        Table 6.1, called with standard deviations as its Table 6.2 does.
    move_deviations : bool, default=False
        Whether the leader also moves deviations, from its own at most to the other's.

    Notes
    -----
    The payoffs are sums over attributes, so that every attribute is a game of its own. Tie rule:
    an indifferent follower takes the boundary farthest from its own class, the worst for the
    leader. With beta = 0 and full overlap it is indifferent between all of them.

    References
    ----------
    .. [1] W. Liu, S. Chawla. "A Game Theoretical Model for Adversarial Learning". ICDM Workshops
       2009. Chapter 6 of W. Liu's thesis.

    Examples
    --------
    >>> game = GaussianShiftGame([1.0], [2.0], [10.0], [2.0], alpha=0.1, beta=0.1)
    >>> found = game.solve()
    >>> found.mean_shift.round(3), found.boundary.round(3), round(found.leader_payoff, 4)
    (array([7.502]), array([6.201]), 0.1716)
    """

    def __init__(
        self,
        leader_mean,
        leader_sd,
        follower_mean,
        follower_sd,
        *,
        alpha=0.01,
        beta=0.01,
        divergence="kl",
        move_deviations=False,
    ):
        if divergence not in DIVERGENCES:
            names = sorted(DIVERGENCES)
            raise ValueError(f"divergence must be one of {names}. Got {divergence!r} instead.")
        arrays = (leader_mean, leader_sd, follower_mean, follower_sd)
        arrays = [np.atleast_1d(np.asarray(a, dtype=np.float64)) for a in arrays]
        if len({a.shape for a in arrays}) > 1 or arrays[0].ndim != 1:
            raise ValueError("Means and deviations must have one number for each attribute.")
        if min(arrays[1].min(), arrays[3].min()) <= 0 or alpha < 0 or beta < 0:
            raise ValueError("Deviations must be positive, alpha and beta at least zero.")
        self.alpha, self.beta, self.divergence = alpha, beta, divergence
        self.move_deviations = move_deviations
        self.mirror = np.where(arrays[0] > arrays[2], -1.0, 1.0)
        self.mu1, self.s1 = self.mirror * arrays[0], arrays[1]
        self.mu2, self.s2 = self.mirror * arrays[2], arrays[3]
        self.w0 = (self.mu1 * self.s2 + self.mu2 * self.s1) / (self.s1 + self.s2)

    @classmethod
    def from_data(cls, X, y, **options):
        """The game of naive Bayes: each class's mean and deviation of each attribute.

        Parameters
        ----------
        X : array-like of shape (n, q)
            The examples.
        y : array-like of shape (n,)
            Their labels; the larger one is the leader's class.
        **options
            As in the constructor.

        Returns
        -------
        GaussianShiftGame
        """
        X, y = np.asarray(X, dtype=np.float64), code_labels(y)[1]
        floor = np.maximum(_LEAST_SD * X.std(axis=0), np.finfo(float).tiny)
        game_of = [
            part
            for sign in (1.0, -1.0)
            for part in (X[y == sign].mean(axis=0), np.maximum(X[y == sign].std(axis=0), floor))
        ]
        return cls(*game_of, **options)

    def reply(self, mean_shift, sd_shift=0.0):
        """The follower's best boundaries.

        Parameters
        ----------
        mean_shift, sd_shift : array-like of shape (q,) or float
            The leader's move.

        Returns
        -------
        ndarray of shape (q,)
        """
        u, s = self._own(mean_shift, sd_shift)
        return self.mirror * np.array([self._replies(i, u[[i]], s[[i]])[0] for i in range(len(u))])

    def payoffs(self, mean_shift, sd_shift=0.0, boundary=None):
        """What both players get and the error rates; the follower replies unless told otherwise.

        Parameters
        ----------
        mean_shift, sd_shift : array-like of shape (q,) or float
            The leader's move.
        boundary : array-like of shape (q,), default=None
            The follower's; None: its best reply.

        Returns
        -------
        ShiftEquilibrium
        """
        w = self.reply(mean_shift, sd_shift) if boundary is None else np.asarray(boundary)
        u, s = self._own(mean_shift, sd_shift)
        return self._result(u, s, self.mirror * w)

    def gain_of(self, X):
        """What the leader gets with its class as it stands in X, after the follower's reply.

        Parameters
        ----------
        X : array-like of shape (n, q)
            Examples of the leader's class, of a later month say.

        Returns
        -------
        float
        """
        X = np.asarray(X, dtype=np.float64)
        sd = np.maximum(X.std(axis=0), _LEAST_SD * np.maximum(self.s1, self.s2))
        return self.payoffs(X.mean(axis=0) - self.mirror * self.mu1, sd - self.s1).leader_payoff

    def solve(self, method="exact", *, random_state=None, **options):
        """The Stackelberg equilibrium.

        Parameters
        ----------
        method : {"exact", "genetic"}, default="exact"
            "exact": attribute by attribute, grids refined around every local maximum. "genetic":
            Algorithm 7 on all attributes at once.
        random_state : int, RandomState or None, default=None
            Seed of the genetic algorithm.
        **options
            Of the genetic algorithm: `population`, `generations`, `survivors`, `mutation`,
            `improvement`, `patience`.

        Returns
        -------
        ShiftEquilibrium
        """
        if method not in ("exact", "genetic"):
            raise ValueError(f"method must be 'exact' or 'genetic'. Got {method!r} instead.")
        if method == "exact":
            return self._exact()
        q = len(self.mu1)
        low_s, high_s = self._sd_range()
        lower, upper = np.zeros(q), self.mu2 - self.mu1
        if self.move_deviations:
            lower, upper = np.concatenate([lower, low_s]), np.concatenate([upper, high_s])

        def gain(U):
            s = U[:, q:] if self.move_deviations else np.zeros_like(U)
            return np.mean([self._gains(i, U[:, i], s[:, i]) for i in range(q)], axis=0)

        found = genetic(gain, lower, upper, random_state=random_state, **options)
        u = found.best[:q]
        s = found.best[q:] if self.move_deviations else np.zeros(q)
        w = np.array([self._replies(i, u[[i]], s[[i]])[0] for i in range(q)])
        return self._result(u, s, w, trace=found.trace)

    def _exact(self):
        q = len(self.mu1)
        u, s, local = np.zeros(q), np.zeros(q), []
        for i in range(q):
            reach = self.mu2[i] - self.mu1[i]
            if reach == 0.0 and not self.move_deviations:
                local.append([])
                continue
            if self.move_deviations:
                u[i], s[i] = self._best_pair(i, reach)
            else:
                gain = lambda at, i=i: self._gains(i, at, np.zeros_like(at))  # noqa: E731
                local.append(line_maxima(gain, 0.0, reach))
                u[i] = local[-1][0][0]
        w = np.array([self._replies(i, u[[i]], s[[i]])[0] for i in range(q)])
        local = [
            [(float(sign * at), gain) for at, gain in own]
            for sign, own in zip(self.mirror, local, strict=False)
        ]
        return self._result(u, s, w, local=local)

    def _best_pair(self, i, reach):
        """Mean and deviation together: a grid of both, refined around its best points."""
        low, high = (bound[i] for bound in self._sd_range())
        centres = [(0.5 * reach, 0.5 * (low + high))]
        width = np.array([0.5 * reach, 0.5 * (high - low)])
        points = 41
        for _ in range(_ZOOMS):
            grids = [_grid_around(at, width, points, (0.0, low), (reach, high)) for at in centres]
            u, s = np.concatenate(grids, axis=1)
            gains = self._gains(i, u, s)
            order = np.argsort(-gains)[:3]
            centres = [(u[k], s[k]) for k in order]
            width, points = width / 6.0, 17
        return centres[0]

    def _gains(self, i, u, s):
        """The leader's payoff of many moves of one attribute, after the best replies."""
        return self._leader(i, u, s, self._replies(i, u, s))

    def _leader(self, i, u, s, w):
        miss = ndtr((self.mu1[i] + u - w) / (self.s1[i] + s))
        moved = self.mu1[i] + u, self.s1[i] + s
        return miss - self.alpha * DIVERGENCES[self.divergence](self.mu1[i], self.s1[i], *moved)

    def _follower(self, i, u, s, w):
        inside = ndtr((w - self.mu1[i] - u) / (self.s1[i] + s))
        return (
            2.0 * (inside - ndtr((w - self.mu2[i]) / self.s2[i]))
            - self.beta * (w - self.w0[i]) ** 2
        )

    def _slope(self, i, u, s, w):
        """Of the follower's payoff in w, halved."""
        own = _density((w - self.mu1[i] - u) / (self.s1[i] + s)) / (self.s1[i] + s)
        other = _density((w - self.mu2[i]) / self.s2[i]) / self.s2[i]
        return own - other - self.beta * (w - self.w0[i])

    def _replies(self, i, u, s):
        """Best boundaries of one attribute for many moves: a grid, then halving on the slope."""
        grid = np.linspace(self.w0[i], self.mu2[i], _GRID)
        best = last_maximum(self._follower(i, u[:, None], s[:, None], grid[None, :]))
        low, high = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, _GRID - 1)]
        peak = grid[best]
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            rising = self._slope(i, u, s, middle) > 0
            low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        middle = 0.5 * (low + high)
        better = self._follower(i, u, s, middle) > self._follower(i, u, s, peak)
        return np.where(better, middle, peak)

    def _sd_range(self):
        """How far the deviations may be moved: towards the other class's, or not at all."""
        other = self.s2 - self.s1 if self.move_deviations else np.zeros_like(self.s1)
        return np.minimum(other, 0.0), np.maximum(other, 0.0)

    def _own(self, mean_shift, sd_shift):
        shape = self.mu1.shape
        return self.mirror * np.broadcast_to(mean_shift, shape), np.broadcast_to(
            np.asarray(sd_shift, dtype=np.float64), shape
        )

    def _result(self, u, s, w, **more):
        each = range(len(u))
        return ShiftEquilibrium(
            mean_shift=self.mirror * u,
            sd_shift=np.array(s),
            boundary=self.mirror * w,
            leader_payoff=float(np.mean([self._leader(i, u[i], s[i], w[i]) for i in each])),
            follower_payoff=float(np.mean([self._follower(i, u[i], s[i], w[i]) for i in each])),
            fnr=float(ndtr((self.mu1 + u - w) / (self.s1 + s)).mean()),
            fpr=float(ndtr((w - self.mu2) / self.s2).mean()),
            **more,
        )


def _grid_around(centre, width, points, lower, upper):
    """Pairs on a grid around a point, within bounds, shape (2, points squared)."""
    sides = [
        np.clip(np.linspace(c - h, c + h, points), low, high)
        for c, h, low, high in zip(centre, width, lower, upper, strict=True)
    ]
    return np.array([part.ravel() for part in np.meshgrid(*sides)])


def _density(z):
    return np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
