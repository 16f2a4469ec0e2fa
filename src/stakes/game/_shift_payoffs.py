"""Payoffs of the shift game for each attribute, its divergences, and the best reply."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from stakes.game._search import last_maximum

_GRID = 65  # size of the grid of boundaries from which the search for a reply starts
_HALVINGS = 40


def kl_divergence(mean, sd, moved_mean, moved_sd):
    r"""Kullback-Leibler divergence between a normal distribution and a shifted one.

    .. math:: \log\frac{\sigma_2}{\sigma_1} + \frac{\sigma_1^2 + (\mu_2-\mu_1)^2}{2\sigma_2^2}
              - \frac12

    Parameters
    ----------
    mean, sd : float or ndarray
        Original distribution :math:`N(\mu_1, \sigma_1)`.
    moved_mean, moved_sd : float or ndarray
        Shifted distribution :math:`N(\mu_2, \sigma_2)`.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> kl_divergence(1.0, 2.0, 2.0, 2.0)
    np.float64(0.125)
    """
    ratio = sd / moved_sd
    distance = (moved_mean - mean) / moved_sd
    return -np.log(ratio) + 0.5 * (ratio**2 + distance**2 - 1.0)


def thesis_divergence(mean, variance, moved_mean, moved_variance):
    r"""Divergence used in Table 6.1 of the thesis.

    .. math:: \log\frac{v_2}{v_1} + \frac12\left(\frac{v_1}{v_2} - 1\right)
              + \frac{(\mu_2-\mu_1)^2}{2 v_1}

    Parameters
    ----------
    mean, variance : float or ndarray
        Original distribution.
    moved_mean, moved_variance : float or ndarray
        Shifted distribution.

    Returns
    -------
    float or ndarray

    Notes
    -----
    The logarithm is not halved and the distance is scaled by the wrong variance, so it is not a
    divergence: it can be negative. The thesis evaluates it with standard deviations for v.

    Examples
    --------
    >>> round(float(thesis_divergence(1.0, 2.0, 1.0, 5.0)), 4)  # Table 6.1, second row
    0.6163
    """
    distance = (moved_mean - mean) ** 2 / (2.0 * variance)
    ratio = moved_variance / variance
    return np.log(ratio) + 0.5 * (1.0 / ratio - 1.0) + distance


DIVERGENCES = {"kl": kl_divergence, "thesis": thesis_divergence}


@dataclass(frozen=True)
class ShiftPayoffs:
    r"""Both classes and both prices, with :math:`\mu_1 \le \mu_2` in every attribute.

    All methods take shifts u (of the mean) and s (of the deviation) and boundaries w as arrays
    whose last axis is the attribute, and return a payoff for each entry.
    """

    mu1: np.ndarray
    s1: np.ndarray
    mu2: np.ndarray
    s2: np.ndarray
    divergence_price: float
    boundary_price: float
    divergence: str

    @property
    def w0(self):
        """Boundaries before the game."""
        return (self.mu1 * self.s2 + self.mu2 * self.s1) / (self.s1 + self.s2)

    def only(self, i):
        """Payoffs of a single attribute."""
        parts = (self.mu1[[i]], self.s1[[i]], self.mu2[[i]], self.s2[[i]])
        return ShiftPayoffs(*parts, self.divergence_price, self.boundary_price, self.divergence)

    def fnr(self, u, s, w):
        """Share of the leader's class beyond the boundary."""
        return ndtr((self.mu1 + u - w) / (self.s1 + s))

    def fpr(self, w):
        """Share of the other class on the leader's side of the boundary."""
        return ndtr((w - self.mu2) / self.s2)

    def leader(self, u, s, w):
        """Payoff of the leader, Eq. 6.5."""
        moved = self.mu1 + u, self.s1 + s
        divergence = DIVERGENCES[self.divergence](self.mu1, self.s1, *moved)
        return self.fnr(u, s, w) - self.divergence_price * divergence

    def follower(self, u, s, w):
        """Payoff of the follower, Eq. 6.6."""
        inside = ndtr((w - self.mu1 - u) / (self.s1 + s))
        return 2.0 * (inside - self.fpr(w)) - self.boundary_price * (w - self.w0) ** 2

    def gains(self, u, s):
        """Payoff of the leader after the best reply of the follower."""
        return self.leader(u, s, self.replies(u, s))

    def replies(self, u, s):
        """Best boundaries of the follower: a grid, then bisection on the slope of its payoff."""
        # the payoff can have several maxima: the grid finds the highest, bisection refines it
        grid = np.linspace(self.w0, self.mu2, _GRID)
        heights = self.follower(u, s, grid.reshape(_GRID, *(1,) * (u.ndim - 1), -1))
        best = last_maximum(heights)
        attribute = np.arange(u.shape[-1])
        low = grid[np.maximum(best - 1, 0), attribute]
        high = grid[np.minimum(best + 1, _GRID - 1), attribute]
        peak = grid[best, attribute]
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            rising = self._slope(u, s, middle) > 0
            low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        # at an end of the grid the slope need not change sign: keep the grid point if it is better
        middle = 0.5 * (low + high)
        better = self.follower(u, s, middle) > self.follower(u, s, peak)
        return np.where(better, middle, peak)

    def _slope(self, u, s, w):
        """Half the slope of the follower's payoff in w."""
        own = _density((w - self.mu1 - u) / (self.s1 + s)) / (self.s1 + s)
        other = _density((w - self.mu2) / self.s2) / self.s2
        return own - other - self.boundary_price * (w - self.w0)


def _density(z):
    return np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
