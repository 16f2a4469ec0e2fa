r"""The adversary's optimal drop of its scores, which determines its best move.

A move that lowers all scores by :math:`u` costs at least :math:`u^2/s^2` with
:math:`s^2 = \sum_j w_j^2 / p_j`, so the adversary maximizes

.. math:: G(u) = \sum_i v_i\, l(f_i - u) - u^2 / s^2 , \qquad u \ge 0 .
"""

from typing import NamedTuple

import numpy as np

from stakes.game._drop_jit import gathered, shifted_logistic

_STEEPEST = 1.0 / (6.0 * np.sqrt(3.0))  # largest third derivative of the logistic loss
_EXACT = 1e-13
_CELLS = 2**12  # number of cells into which many scores are binned first


class _Point(NamedTuple):
    """A drop u with the value, slope and curvature of the loss L(u) = sum v_i l(f_i - u)."""

    u: float
    value: float
    slope: float
    curvature: float

    def gain(self, s2):
        """Payoff G(u)."""
        return self.value - self.u * self.u / s2

    def reply(self, s2):
        """The u at which the price has the slope that the loss has here."""
        return 0.5 * s2 * self.slope


def hinge_drop(f, v, s2):
    """Best drop and its payoff G for the hinge loss; exact.

    The loss is the largest of n + 1 lines A_k + V_k u, so the maximum over u can be taken line by
    line, where it is A_k + s2 V_k^2 / 4. Of very many scores, only those in cells that may hold the
    best line are sorted.

    Examples
    --------
    >>> hinge_drop(np.array([2.0]), np.array([1.0]), s2=8.0)
    (4.0, 1.0)
    """
    a = v * (1.0 - f)
    if len(f) > 4 * _CELLS:
        f, v, a = _condensed(f, v, a, s2)
    order = np.argsort(f)
    V = np.concatenate([[0.0], np.cumsum(v[order])])
    A = np.concatenate([[0.0], np.cumsum(a[order])])
    values = A + 0.25 * s2 * V * V
    k = int(values.argmax())
    return float(0.5 * s2 * V[k]), float(values[k])


def _condensed(f, v, a, s2):
    """The same lines, with one row for each cell of scores that cannot hold the best line."""
    cell, V, VF, low, width = gathered(f, v, _CELLS)
    A, V_end = V - VF, np.cumsum(V)
    A_end = np.cumsum(A)
    best = max(0.0, (A_end + 0.25 * s2 * V_end**2).max())
    # inside a cell the slope is at most that at its end; A rises or falls, but turns at one
    bound = A_end + np.maximum(-A, 0.0) + 0.25 * s2 * V_end**2
    sorted_out = bound < best - 1e-9 * (1.0 + best)
    turn = (1.0 - low) / width
    sorted_out[int(np.clip(turn, 0, _CELLS - 1))] = False
    kept = np.flatnonzero(~sorted_out[cell])
    whole = np.flatnonzero(sorted_out & (V > 0))
    return (
        np.concatenate([f[kept], VF[whole] / V[whole]]),
        np.concatenate([v[kept], V[whole]]),
        np.concatenate([a[kept], A[whole]]),
    )


def logistic_drop(f, v, s2):
    r"""Best drop and its payoff G for the logistic loss; the global maximum.

    Stationary points satisfy :math:`u = s^2 L'(u)/2`. Since :math:`L'` is increasing, those in an
    interval lie between the right-hand sides at its ends, and replacing :math:`L` by its chord
    bounds :math:`G` from above. Intervals are halved until they are ruled out; where :math:`G` is
    concave, Newton steps finish the search.

    Very many scores are binned first, into cells of width h represented by their means. That
    lowers :math:`L` by at most :math:`h^2/32` per unit of weight, so every maximum within that of
    the best one is finished with all scores.

    Examples
    --------
    >>> u, value = logistic_drop(np.array([0.0]), np.array([1.0]), s2=4.0)
    >>> round(u, 4), round(value, 4)
    (1.6879, 1.1453)
    """
    if s2 == 0.0 or not v.any():
        return 0.0, float(shifted_logistic(f, v, 0.0)[0])
    if len(f) <= 4 * _CELLS:
        gain, u = _search(f, v, s2)[0]
        return float(u), float(gain)
    _, V, VF, _, width = gathered(f, v, _CELLS)
    used = V > 0
    slack = V.sum() * width * width / 32.0
    peaks = _search(VF[used] / V[used], V[used], s2, slack)
    apart = [u for k, (_, u) in enumerate(peaks) if all(abs(u - w) > width for _, w in peaks[:k])]
    gain, u = max(_finished(f, v, s2, u) for u in apart)
    return float(u), float(gain)


def _finished(f, v, s2, u):
    """Best payoff and drop of a few Newton steps with all scores, from a point close by."""
    best = (-np.inf, u)
    for _ in range(4):
        point = _Point(u, *shifted_logistic(f, v, u))
        best = max(best, (point.gain(s2), u))
        bend = 2.0 / s2 - point.curvature
        step = (point.slope - 2.0 * u / s2) / bend if bend > 0 else 0.0
        if abs(step) <= 1e-8 * (1.0 + u):  # G is flat here: the next step gains nothing
            break
        u += step
    return best


def _search(f, v, s2, slack=0.0, tol=1e-12):
    """Branch and bound over intervals of u: payoffs and drops, those within slack of the best."""

    def at(u):
        return _Point(u, *shifted_logistic(f, v, u))

    found, best = [], -np.inf

    def keep(*points):
        nonlocal best
        found.extend((point.gain(s2), point.u) for point in points)
        best = max(best, *(point.gain(s2) for point in points))

    total = float(v.sum())
    # the slope of the loss grows from that at 0 to the total weight
    intervals = [(at(at(0.0).reply(s2)), at(0.5 * s2 * total))]
    while intervals:
        left, right = _narrowed(at, *intervals.pop(), s2)
        if left is None:
            continue
        keep(left, right)
        if _chord_bound(left, right, s2) <= best - slack + tol * (1.0 + abs(best)):
            continue
        middle = at(0.5 * (left.u + right.u))
        keep(middle)
        width = right.u - left.u
        # the curvature of L changes by at most _STEEPEST * total per unit of u: G is concave here
        if middle.curvature + 0.5 * _STEEPEST * total * width < 2.0 / s2:
            keep(_newton(at, middle, left.u, right.u, s2))
        elif width > _EXACT * (1.0 + right.u):
            intervals += [(left, middle), (middle, right)]
    return sorted((pair for pair in found if pair[0] >= best - slack), reverse=True)


def _narrowed(at, left, right, s2):
    """Part of an interval that can contain a stationary point; (None, None) if there is none."""
    while True:
        low, high = max(left.u, left.reply(s2)), min(right.u, right.reply(s2))
        width = right.u - left.u
        if width <= _EXACT * (1.0 + right.u):  # low and high differ by rounding only
            return left, right
        if low > high * (1.0 + _EXACT):
            return None, None
        if high - low > 0.5 * width:
            return left, right
        left, right = at(min(low, high)), at(high)


def _chord_bound(left, right, s2):
    """Upper bound on G between two points, from the chord of the convex loss."""
    width = right.u - left.u
    slope = (right.value - left.value) / width if width > 0 else 0.0
    u = min(max(0.5 * s2 * slope, left.u), right.u)
    return left.value + slope * (u - left.u) - u * u / s2


def _newton(at, point, low, high, s2):
    """Maximum of G between low and high, where it is concave; bisection if a step leaves them."""
    for _ in range(100):
        u, _, slope, curvature = point
        rise = slope - 2.0 * u / s2
        if rise > 0:
            low = u
        else:
            high = u
        new = u + rise / (2.0 / s2 - curvature)
        if abs(new - u) <= _EXACT * (1.0 + u):
            return point
        if not low < new < high:
            new = 0.5 * (low + high)
        point = at(new)
    return point


DROPS = {"logistic": logistic_drop, "hinge": hinge_drop}
