r"""The power mean over group losses: value, slope, curvature, and its dual ball.

.. math:: M_p(m) = \Big(\sum_g v_g m_g^p\Big)^{1/p} = \max_u\ u^\top m
          \quad\text{over}\quad u \ge 0,\ \sum_g v_g (u_g / v_g)^{p/(p-1)} \le 1

with shares :math:`v_g` that sum to one. :math:`p = 1` is the balanced mean, :math:`p = 2` the
quadratic mean of Eq. 5.3, and :math:`p \to \infty` the largest group loss.
"""

import numpy as np


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
    if np.isinf(p):
        return m.max()
    top, _, S = _relative(m, share, p)
    return top * S ** (1.0 / p)


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
    top, r, S = _relative(m, share, p)
    if top == 0.0:
        return share.copy()
    return share * r ** (p - 1.0) * S ** (1.0 / p - 1.0)


def mean_curvature(m, share, p):
    """The matrix of second derivatives of the power mean at m, for finite p."""
    top, r, S = _relative(m, share, p)
    if top == 0.0 or p == 1.0:
        return np.zeros((len(m), len(m)))
    r = np.maximum(r, 1e-12)
    part = share * r**p / S  # sums to one: the curvature vanishes exactly where one group rules
    return (p - 1.0) / top * S ** (1.0 / p) * (np.diag(part / r**2) - np.outer(part / r, part / r))


def _relative(m, share, p):
    """The largest of m, all of m relative to it, and the weighted sum of their p-th powers."""
    top = m.max()
    r = m / top if top > 0 else np.ones_like(m)
    return top, r, share @ r**p
