"""Game of Chapter 6: a leader shifts normal distributions, a follower moves boundaries."""

from dataclasses import dataclass, field

import numpy as np

from stakes._core.labels import code_labels
from stakes.game._genetic import algorithm_7, genetic
from stakes.game._search import line_maxima, pair_maximum
from stakes.game._shift_payoffs import DIVERGENCES, ShiftPayoffs

_SOLVERS = {"genetic": genetic, "algorithm 7": algorithm_7}
_LEAST_SD = 0.01  # lower bound of deviations relative to the pooled one, for constant attributes


@dataclass(frozen=True)
class ShiftEquilibrium:
    """Strategies and payoffs, with one entry per attribute.

    Attributes
    ----------
    mean_shift, sd_shift : ndarray of shape (q,)
        Move of the leader.
    boundary : ndarray of shape (q,)
        Reply of the follower.
    leader_payoff, follower_payoff : float
        Means over the attributes, Eqs. 6.7 and 6.8.
    fnr, fpr : float
        Mean false negative and false positive rate over the attributes.
    local : list
        For each attribute, all local equilibria as (mean shift, payoff of the leader), best
        first; only with method="exact" and fixed deviations.
    trace, error_trace : ndarray of shape (generations,) and (generations, 2), or None
        Best payoff of each generation of the genetic algorithms, and its FNR and FPR.
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
    error_trace: np.ndarray | None = None

    @property
    def error_rate(self):
        """Mean of both error rates."""
        return 0.5 * (self.fnr + self.fpr)


class GaussianShiftGame:
    r"""Game of a leader that shifts its class and a follower that moves the decision boundary.

    With the leader's class at :math:`N(\mu_1, \sigma_1)`, the other at :math:`N(\mu_2, \sigma_2)`,
    a move :math:`(u, s)` and the boundary :math:`w`, for each attribute

    .. math:: J_L = 1 - F(w; \mu_1 + u, \sigma_1 + s) - \alpha D, \qquad
              J_F = 2F(w; \mu_1 + u, \sigma_1 + s) - 2F(w; \mu_2, \sigma_2) - \beta(w - w_0)^2

    and :math:`w_0 = (\mu_1\sigma_2 + \mu_2\sigma_1)/(\sigma_1 + \sigma_2)`; the players get the
    means over the attributes. The leader's mean moves at most to that of the other class, the
    boundary from :math:`w_0` at most to that mean. Attributes with :math:`\mu_1 > \mu_2` are
    mirrored.

    Parameters
    ----------
    leader_mean, leader_sd : array-like of shape (q,)
        Mean and standard deviation of the leader's class, the adversary, per attribute.
    follower_mean, follower_sd : array-like of shape (q,)
        Mean and standard deviation of the other class.
    divergence_price : float, default=0.01
        Price of a divergence of one, :math:`\alpha`.
    boundary_price : float, default=0.01
        Price of moving the boundary by one, :math:`\beta`.
    divergence : {"kl", "thesis"}, default="kl"
        Divergence :math:`D` of the shifted distribution; "thesis" is the formula of its Table 6.1,
        evaluated with standard deviations as in its Table 6.2.
    move_deviations : bool, default=False
        Whether the leader also changes deviations, at most to those of the other class.

    Notes
    -----
    The payoffs are sums over attributes, so every attribute is a game of its own. Tie rule: an
    indifferent follower takes the boundary farthest from its own class, the worst for the leader.
    With `boundary_price=0` and full overlap, it is indifferent between all boundaries.

    References
    ----------
    .. [1] W. Liu, S. Chawla. "A Game Theoretical Model for Adversarial Learning". ICDM Workshops
       2009. Chapter 6 of W. Liu's thesis.

    Examples
    --------
    >>> prices = dict(divergence_price=0.1, boundary_price=0.1)
    >>> found = GaussianShiftGame([1.0], [2.0], [10.0], [2.0], **prices).solve()
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
        divergence_price=0.01,
        boundary_price=0.01,
        divergence="kl",
        move_deviations=False,
    ):
        if divergence not in DIVERGENCES:
            names = sorted(DIVERGENCES)
            raise ValueError(f"divergence must be one of {names}. Got {divergence!r} instead.")
        arrays = (leader_mean, leader_sd, follower_mean, follower_sd)
        arrays = [np.atleast_1d(np.asarray(a, dtype=np.float64)) for a in arrays]
        if len({a.shape for a in arrays}) > 1 or arrays[0].ndim != 1:
            raise ValueError("Means and deviations must have one number per attribute.")
        if min(arrays[1].min(), arrays[3].min()) <= 0 or min(divergence_price, boundary_price) < 0:
            raise ValueError(
                "Deviations must be positive, divergence_price and boundary_price at least zero."
            )
        self.divergence_price, self.boundary_price = divergence_price, boundary_price
        self.divergence = divergence
        self.move_deviations = move_deviations
        self.mirror = np.where(arrays[0] > arrays[2], -1.0, 1.0)
        mu1, mu2 = self.mirror * arrays[0], self.mirror * arrays[2]
        self._rules = ShiftPayoffs(
            mu1, arrays[1], mu2, arrays[3], divergence_price, boundary_price, divergence
        )

    @classmethod
    def from_data(cls, X, y, **options):
        """Build the game of naive Bayes from the mean and deviation of each class.

        Parameters
        ----------
        X : array-like of shape (n, q)
            Examples.
        y : array-like of shape (n,)
            Labels; the larger one is the leader's class.
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
        """Best boundaries of the follower.

        Parameters
        ----------
        mean_shift, sd_shift : array-like of shape (q,) or float
            Move of the leader.

        Returns
        -------
        ndarray of shape (q,)
        """
        return self.mirror * self._rules.replies(*self._own(mean_shift, sd_shift))

    def payoffs(self, mean_shift, sd_shift=0.0, boundary=None):
        """Payoffs of both players and error rates after given moves.

        Parameters
        ----------
        mean_shift, sd_shift : array-like of shape (q,) or float
            Move of the leader.
        boundary : array-like of shape (q,), default=None
            Boundaries of the follower; None: its best reply.

        Returns
        -------
        ShiftEquilibrium
        """
        w = self.reply(mean_shift, sd_shift) if boundary is None else np.asarray(boundary)
        u, s = self._own(mean_shift, sd_shift)
        return self._result(u, s, self.mirror * w)

    def gain_of(self, X):
        """Payoff of the leader if its class moves to X, after the reply of the follower.

        Parameters
        ----------
        X : array-like of shape (n, q)
            Examples of the leader's class, for example from a later month.

        Returns
        -------
        float
        """
        X, rules = np.asarray(X, dtype=np.float64), self._rules
        sd = np.maximum(X.std(axis=0), _LEAST_SD * np.maximum(rules.s1, rules.s2))
        return self.payoffs(X.mean(axis=0) - self.mirror * rules.mu1, sd - rules.s1).leader_payoff

    def solve(self, method="exact", *, random_state=None, **options):
        """Find the Stackelberg equilibrium.

        Parameters
        ----------
        method : {"exact", "genetic", "algorithm 7"}, default="exact"
            "exact": each attribute by grids refined around every local maximum. "genetic":
            Algorithm 7 with the attributes as genes, each selected by its own payoff, and patience.
            "algorithm 7": as printed in the thesis; far from optimal with many attributes.
        random_state : int, RandomState or None, default=None
            Random state of the genetic algorithms.
        **options
            Options of the genetic algorithms: `population`, `generations`, `survivors`,
            `mutation`, `improvement`, and `patience` of "genetic".

        Returns
        -------
        ShiftEquilibrium
        """
        if method == "exact":
            return self._exact()
        if method not in _SOLVERS:
            names = ["exact", *_SOLVERS]
            raise ValueError(f"method must be one of {names}. Got {method!r} instead.")
        rules, (lower, upper) = self._rules, self._strategies()
        found = _SOLVERS[method](
            lambda U: rules.gains(U[..., 0], U[..., 1]),
            lower,
            upper,
            random_state=random_state,
            **options,
        )
        u, s = np.moveaxis(np.array(found.individuals), 2, 0)
        w = rules.replies(u, s)
        errors = np.column_stack([rules.fnr(u, s, w).mean(axis=1), rules.fpr(w).mean(axis=1)])
        return self._result(u[-1], s[-1], w[-1], trace=found.trace, error_trace=errors)

    def _exact(self):
        lower, upper = self._strategies()
        moves, local = np.zeros_like(lower), []
        for i in range(len(moves)):
            gain = _gain_of_one(self._rules.only(i))
            if self.move_deviations:
                moves[i] = pair_maximum(gain, lower[i], upper[i])
            elif upper[i, 0] > 0:
                found = line_maxima(
                    lambda u, gain=gain: gain(u, np.zeros_like(u)), 0.0, upper[i, 0]
                )
                moves[i, 0] = found[0][0]
                local.append([(float(self.mirror[i] * u), value) for u, value in found])
            else:
                local.append([])
        u, s = moves.T
        return self._result(u, s, self._rules.replies(u, s), local=local)

    def _strategies(self):
        """Bounds of the leader's moves: at most to the mean and deviation of the other class."""
        rules = self._rules
        sd = rules.s2 - rules.s1 if self.move_deviations else np.zeros_like(rules.s1)
        lower = np.column_stack([np.zeros_like(sd), np.minimum(sd, 0.0)])
        return lower, np.column_stack([rules.mu2 - rules.mu1, np.maximum(sd, 0.0)])

    def _own(self, mean_shift, sd_shift):
        """Move as arrays, with mirrored means."""
        shape = self.mirror.shape
        s = np.broadcast_to(np.asarray(sd_shift, dtype=np.float64), shape)
        return self.mirror * np.broadcast_to(mean_shift, shape), s

    def _result(self, u, s, w, **more):
        rules = self._rules
        return ShiftEquilibrium(
            mean_shift=self.mirror * u,
            sd_shift=np.array(s),
            boundary=self.mirror * w,
            leader_payoff=float(rules.leader(u, s, w).mean()),
            follower_payoff=float(rules.follower(u, s, w).mean()),
            fnr=float(rules.fnr(u, s, w).mean()),
            fpr=float(rules.fpr(w).mean()),
            **more,
        )


def _gain_of_one(rules):
    """Payoff of the leader as a function of the moves of a single attribute."""
    return lambda u, s: rules.gains(u[:, None], s[:, None])[:, 0]
