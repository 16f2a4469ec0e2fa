r"""The power mean over group losses: value, slope, curvature, and its dual ball.

.. math:: M_p(m) = \Big(\sum_g v_g m_g^p\Big)^{1/p} = \max_u\ u^\top m
          \quad\text{over}\quad u \ge 0,\ \sum_g v_g (u_g / v_g)^{p/(p-1)} \le 1

with shares :math:`v_g` that sum to one. :math:`p = 1` is the balanced mean, :math:`p = 2` the
quadratic mean of Eq. 5.3, and :math:`p \to \infty` the largest group loss.
"""

import numpy as np

_TINY = 1e-300


def power_mean(m, share, p):
    """The power mean of non-negative numbers.

    Examples
    --------
    >>> half = np.array([0.5, 0.5])
    >>> round(float(power_mean(np.array([0.9, 0.0]), half, 2.0)), 3)  # Example 3 of the thesis
    0.636
    >>> float(power_mean(np.array([0.9, 0.0]), half, np.inf))
    0.9
    """
    top = m.max()
    if np.isinf(p) or top <= _TINY:
        return top
    return top * (share @ (m / top) ** p) ** (1.0 / p)


def mean_weights(m, share, p):
    """The slope u of the power mean at m: how much each group's loss counts.

    For p = 2 it is proportional to share * m: groups count in proportion to their losses. At
    p = infinity, where the slope may not be unique, the first largest group has all the weight.

    Examples
    --------
    >>> mean_weights(np.array([3.0, 4.0]), np.array([0.5, 0.5]), 2.0).round(4).tolist()
    [0.4243, 0.5657]
    """
    if np.isinf(p):
        u = np.zeros_like(m)
        u[m.argmax()] = 1.0
        return u
    mean = power_mean(m, share, p)
    if mean <= _TINY:
        return share.copy()
    return share * (m / mean) ** (p - 1.0)


def mean_curvature(m, share, p):
    """The matrix of second derivatives of the power mean at m, for finite p."""
    mean = power_mean(m, share, p)
    if mean <= _TINY or p == 1.0:
        return np.zeros((len(m), len(m)))
    r = np.maximum(m / mean, 1e-12)
    u = share * r ** (p - 1.0)
    return (p - 1.0) / mean * (np.diag(share * r ** (p - 2.0)) - np.outer(u, u))
