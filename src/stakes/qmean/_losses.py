r"""Losses of Table 5.1: value, slope, curvature and dual offset of each.

Every non-smooth loss is built from a positive part that is smoothed over a width :math:`2h`:

.. math:: s_h(t) = \max_{0 \le s \le 1}\ s t + h s (1 - s)
          = \begin{cases} 0 & t < -h \\ (t + h)^2 / 4h & |t| \le h \\ t & t > h \end{cases}

which is the Huber loss of the thesis at :math:`t = 1 - y f`, and the hinge loss at :math:`h = 0`.

A loss is the supremum of its affine minorants :math:`b f + o(b, y)`. `offset` gives :math:`o`, the
negative conjugate at :math:`b`; the lower bounds of `_problem.py` are sums of such lines.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, softmax, xlogy

from stakes.qmean._losses_jit import logistic_parts


def positive_part(t, h):
    """Value, slope and curvature of s_h at each t; the positive part itself if h is zero.

    Examples
    --------
    >>> [float(part[0]) for part in positive_part(np.array([0.0]), 0.5)]
    [0.125, 0.5, 1.0]
    """
    if h == 0.0:
        above = t > 0
        return np.where(above, t, 0.0), above.astype(np.float64), np.zeros_like(t)
    s = np.clip((t + h) / (2 * h), 0.0, 1.0)
    return s * t + h * s * (1 - s), s, ((s > 0) & (s < 1)) / (2 * h)


@dataclass(frozen=True)
class Logistic:
    """log(1 + exp(-y f))."""

    smooth = True
    kink = 0.0

    def parts(self, f, y, h=0.0):
        """Value, slope and curvature in f; the loss is smooth, so the width `h` is unused."""
        return logistic_parts(f, y)

    def offset(self, slope, y):
        """Constant of the lower bound slope * f + offset <= loss."""
        s = np.clip(-y * slope, 0.0, 1.0)
        return -xlogy(s, s) - xlogy(1.0 - s, 1.0 - s)


@dataclass(frozen=True)
class Huber:
    """s_h(1 - y f) with half the kink width h of the thesis; `kink=0` is the hinge loss."""

    kink: float = 0.01

    @property
    def smooth(self):
        """Whether the loss is differentiable everywhere."""
        return self.kink > 0

    def parts(self, f, y, h=0.0):
        """Value, slope and curvature in f, smoothed over `h` if that is wider."""
        value, s, curvature = positive_part(1.0 - y * f, max(self.kink, h))
        return value, -y * s, curvature

    def offset(self, slope, y):
        """Constant of the lower bound slope * f + offset <= loss."""
        s = np.clip(-y * slope, 0.0, 1.0)
        return s + self.kink * s * (1.0 - s)


@dataclass(frozen=True)
class Squared:
    """(f - y)^2 / 2."""

    smooth = True
    kink = 0.0

    def parts(self, f, y, h=0.0):
        """Value, slope and curvature in f; the loss is smooth, so the width `h` is unused."""
        r = f - y
        return 0.5 * r * r, r, np.ones_like(r)

    def offset(self, slope, y):
        """Constant of the lower bound slope * f + offset <= loss."""
        return -slope * (0.5 * slope + y)


@dataclass(frozen=True)
class EpsilonInsensitive:
    """max(0, |f - y| - epsilon)."""

    epsilon: float = 0.1
    smooth = False
    kink = 0.0

    def parts(self, f, y, h=0.0):
        """Value, slope and curvature in f, smoothed over `h`."""
        r = f - y
        over, s_over, c_over = positive_part(r - self.epsilon, h)
        under, s_under, c_under = positive_part(-r - self.epsilon, h)
        return over + under, s_over - s_under, c_over + c_under

    def offset(self, slope, y):
        """Constant of the lower bound slope * f + offset <= loss."""
        return -slope * y - self.epsilon * np.abs(slope)


@dataclass(frozen=True)
class Quantile:
    """max(q (y - f), (1 - q)(f - y)); Table 5.1 has q and 1 - q swapped."""

    q: float = 0.5
    smooth = False
    kink = 0.0

    def parts(self, f, y, h=0.0):
        """Value, slope and curvature in f, smoothed over `h`."""
        r = f - y
        over, s_over, c_over = positive_part(r, h)
        under, s_under, c_under = positive_part(-r, h)
        q = self.q
        slope = (1 - q) * s_over - q * s_under
        return (1 - q) * over + q * under, slope, (1 - q) * c_over + q * c_under

    def offset(self, slope, y):
        """Constant of the lower bound slope * f + offset <= loss."""
        return -slope * y


@dataclass(frozen=True)
class Softmax:
    """-log of the softmax probability of the true class; f and slopes are (n, k), y an index."""

    smooth = True
    kink = 0.0

    def parts(self, f, y, h=0.0):
        """Value (n,), slope (n, k) and curvature (n, k, k)."""
        rows = np.arange(len(f))
        P = softmax(f, axis=1)
        value = -log_softmax(f, axis=1)[rows, y]
        curvature = -P[:, :, None] * P[:, None, :]
        classes = np.arange(f.shape[1])
        curvature[:, classes, classes] += P
        P[rows, y] -= 1.0  # the slope: softmax minus the indicator of the true class
        return value, P, curvature

    def offset(self, slope, y):
        """Constants (n,) of the lower bounds slope . f + offset <= loss."""
        P = slope.copy()
        P[np.arange(len(P)), y] += 1.0
        P = np.clip(P, 0.0, 1.0)
        return -xlogy(P, P).sum(axis=1)


@dataclass(frozen=True)
class Pairwise:
    """Sum of a margin loss over the other classes: sum over j != y of loss(f_y - f_j)."""

    margin: object

    @property
    def smooth(self):
        """Whether the margin loss is differentiable everywhere."""
        return self.margin.smooth

    @property
    def kink(self):
        """Half the width of the rounded kink of the margin loss."""
        return self.margin.kink

    def parts(self, f, y, h=0.0):
        """Value (n,), slope (n, k) and curvature (n, k, k)."""
        n, k = f.shape
        rows, classes = np.arange(n), np.arange(k)
        value, s, c = self.margin.parts(f[rows, y][:, None] - f, 1.0, h)
        for part in (value, s, c):
            part[rows, y] = 0.0
        # each rival j adds c_j (e_y - e_j)(e_y - e_j)'
        curvature = np.zeros((n, k, k))
        curvature[:, classes, classes] = c
        curvature[rows, y, :] -= c
        curvature[rows, :, y] -= c
        curvature[rows, y, y] += c.sum(axis=1)
        slope = -s
        slope[rows, y] = s.sum(axis=1)
        return value.sum(axis=1), slope, curvature

    def offset(self, slope, y):
        """Constants (n,) of the lower bounds slope . f + offset <= loss."""
        offset = self.margin.offset(-slope, 1.0)
        offset[np.arange(len(slope)), y] = 0.0
        return offset.sum(axis=1)


def classification_loss(name, n_classes=2, huber_width=0.01):
    """Return a classification loss by name.

    Parameters
    ----------
    name : {"logistic", "hinge", "huber"}
        Loss of two classes; with more, the softmax loss for "logistic", else the sum of the
        margin losses against each other class.
    n_classes : int, default=2
        Number of classes.
    huber_width : float, default=0.01
        Half the width of the rounded kink of the Huber loss.

    Returns
    -------
    object
        With `parts(f, y, h)`, the value, slope and curvature at the scores f, and
        `offset(slope, y)`, the constant of an affine lower bound.

    Examples
    --------
    >>> value, slope, _ = classification_loss("hinge").parts(np.array([0.5]), np.array([1.0]))
    >>> value.tolist(), slope.tolist()
    ([0.5], [-1.0])
    """
    margin = {"logistic": Logistic(), "hinge": Huber(0.0), "huber": Huber(huber_width)}[name]
    if n_classes == 2:
        return margin
    return Softmax() if name == "logistic" else Pairwise(margin)
