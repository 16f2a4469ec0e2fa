r"""Power mean of the group losses: value, slope and curvature.

.. math:: M_p(m) = \Big(\sum_g v_g m_g^p\Big)^{1/p} = \max_u\ u^\top m
          \quad\text{over}\quad u \ge 0,\ \sum_g v_g (u_g / v_g)^{p/(p-1)} \le 1

with shares :math:`v_g` that sum to one. :math:`p = 1` is the balanced mean, :math:`p = 2` the
quadratic mean of Eq. 5.3, and :math:`p \to \infty` the largest group loss.
"""

import numpy as np


def power_mean(m, share, p):
    """Power mean of non-negative numbers.

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
    """Gradient u of the power mean at m: the weight of each group's loss.

    For p = 2 it is proportional to share * m: groups are weighted by their losses. At p = infinity,
    where the gradient may not be unique, the first of the largest groups gets all the weight.

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
    """Hessian of the power mean at m, for finite p."""
    top, r, S = _relative(m, share, p)
    if top == 0.0 or p == 1.0:
        return np.zeros((len(m), len(m)))
    r = np.maximum(r, 1e-12)  # a group without loss would divide by zero below
    part = share * r**p / S  # sums to one: no curvature where one group has all the loss
    return (p - 1.0) / top * S ** (1.0 / p) * (np.diag(part / r**2) - np.outer(part / r, part / r))


def _relative(m, share, p):
    """The largest of m, m relative to it, and the weighted sum of its p-th powers.

    Dividing by the largest first keeps the powers in range for any p.
    """
    top = m.max()
    r = m / top if top > 0 else np.ones_like(m)
    return top, r, share @ r**p
