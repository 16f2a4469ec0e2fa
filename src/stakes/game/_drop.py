r"""How far the adversary lets its scores drop: the one number that its best move depends on.

A move that lowers all scores by :math:`u` costs at least :math:`u^2/s^2`, with
:math:`s^2 = \sum_j w_j^2 / p_j`, so the adversary maximises

.. math:: G(u) = \sum_i v_i\, l(f_i - u) - u^2 / s^2 , \qquad u \ge 0 .
"""

import numpy as np

from stakes.game._drop_jit import shifted_logistic

_STEEPEST = 1.0 / (6.0 * np.sqrt(3.0))  # of the logistic loss's second derivative
_EXACT = 1e-13
_CELLS = 2**15  # many scores are first gathered in so many cells


def hinge_drop(f, v, s2):
    """The best drop and G there, for the hinge loss; exact.

    The loss is the largest of its n + 1 tangent lines A_k + V_k u, so that the maximum over u is
    taken line by line, where it is A_k + s2 V_k^2 / 4.

    Examples
    --------
    >>> hinge_drop(np.array([2.0]), np.array([1.0]), s2=8.0)
    (4.0, 1.0)
    """
    order = np.argsort(f)
    f, v = f[order], v[order]
    V = np.concatenate([[0.0], np.cumsum(v)])
    A = np.concatenate([[0.0], np.cumsum(v * (1.0 - f))])
    values = A + 0.25 * s2 * V * V
    k = int(values.argmax())
    return float(0.5 * s2 * V[k]), float(values[k])


def logistic_drop(f, v, s2):
    r"""The best drop and G there, for the logistic loss; the global maximum.

    Stationary points are those with :math:`u = s^2 L'(u)/2`. Since :math:`L'` grows, those of an
    interval lie between the right-hand sides at its ends, and :math:`G` is below its value with
    the chord of :math:`L`: intervals are cut until all but one are ruled out, and Newton's steps
    end the search where :math:`G` is concave.

    Very many scores are gathered in cells of width h around their means first. That lowers
    :math:`L` by at most :math:`h^2/32`; a last step is then made with all of them.

    Examples
    --------
    >>> u, value = logistic_drop(np.array([0.0]), np.array([1.0]), s2=4.0)
    >>> round(u, 4), round(value, 4)
    (1.6879, 1.1453)
    """
    if s2 == 0.0 or not v.any():
        return 0.0, float(shifted_logistic(f, v, 0.0)[0])
    if len(f) <= 4 * _CELLS:
        return _search(f, v, s2)
    u, _ = _search(*_gathered(f, v), s2)
    points = [(u, *shifted_logistic(f, v, u))]
    _, _, slope, curvature = points[0]
    if curvature < 2.0 / s2:
        u += (slope - 2.0 * u / s2) / (2.0 / s2 - curvature)
        points.append((u, *shifted_logistic(f, v, u)))
    value, u = max((value - u * u / s2, u) for u, value, _, _ in points)
    return float(u), float(value)


def _gathered(f, v):
    """The mean score and the weight of each cell that is not empty."""
    low = f.min()
    width = max((f.max() - low) / (_CELLS - 1), np.finfo(float).tiny)
    cell = ((f - low) / width).astype(np.int64)
    weight = np.bincount(cell, v)
    used = weight > 0
    return np.bincount(cell, v * f)[used] / weight[used], weight[used]


def _search(f, v, s2, tol=1e-12):
    def at(u):
        return (u, *shifted_logistic(f, v, u))

    best = (-np.inf, 0.0)

    def keep(*points):
        nonlocal best
        best = max(best, *((value - u * u / s2, u) for u, value, _, _ in points))

    total = float(v.sum())
    intervals = [(at(0.5 * s2 * at(0.0)[2]), at(0.5 * s2 * total))]
    while intervals:
        left, right = _narrowed(at, *intervals.pop(), s2)
        if left is None:
            continue
        keep(left, right)
        if _chord_bound(left, right, s2) <= best[0] + tol * (1.0 + abs(best[0])):
            continue
        middle = at(0.5 * (left[0] + right[0]))
        keep(middle)
        width = right[0] - left[0]
        if middle[3] + 0.5 * _STEEPEST * total * width < 2.0 / s2:
            keep(_newton(at, middle, left[0], right[0], s2))
        elif width > _EXACT * (1.0 + right[0]):
            intervals += [(left, middle), (middle, right)]
    return float(best[1]), float(best[0])


def _narrowed(at, left, right, s2):
    """The part of an interval that can hold a stationary point; (None, None) if there is none."""
    while True:
        low, high = max(left[0], 0.5 * s2 * left[2]), min(right[0], 0.5 * s2 * right[2])
        width = right[0] - left[0]
        if width <= _EXACT * (1.0 + right[0]):  # below this low and high are rounding
            return left, right
        if low > high * (1.0 + _EXACT):
            return None, None
        if high - low > 0.5 * width:
            return left, right
        left, right = at(min(low, high)), at(high)


def _chord_bound(left, right, s2):
    """The largest that G can be between two points, from the chord of the convex loss."""
    width = right[0] - left[0]
    slope = (right[1] - left[1]) / width if width > 0 else 0.0
    u = min(max(0.5 * s2 * slope, left[0]), right[0])
    return left[1] + slope * (u - left[0]) - u * u / s2


def _newton(at, point, low, high, s2):
    """The maximum of G between low and high, where it is concave."""
    for _ in range(100):
        u, _, slope, curvature = point
        rise = slope - 2.0 * u / s2
        if rise > 0:
            low = u
        else:
            high = u
        step = rise / (2.0 / s2 - curvature)
        new = u + step
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - u) <= _EXACT * (1.0 + u):
            return point
        point = at(new)
    return point


DROPS = {"logistic": logistic_drop, "hinge": hinge_drop}
