"""Compiled loops of _sets.py: the worst point of an ellipsoid truncated by a box."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from stakes._core.jit import INNER


class Truncated(NamedTuple):
    """Ellipsoids |e / axes| <= 1 truncated by the box -below <= e <= above, all (n, d)."""

    axes: np.ndarray
    below: np.ndarray
    above: np.ndarray


@njit(cache=True)
def cut_offsets(directions, signs, sets, smooth, offsets, free, length, radius):
    """Maximize signs[i] * directions[i] . e over the truncated ellipsoids.

    By the optimality conditions e is axes * g * step, clipped to the box, with g = axes *
    direction and one step for all coordinates. Most ellipsoids end inside their boxes: one pass
    finds their points, and only the others are cut.

    `offsets` is set to e; `free` to 1 where e is inside the box; `length` to the norm of the free
    part of g, `radius` to the radius of the ball that is left for it. `smooth` is the direction in
    an additional coordinate that is always free: it smooths the kinks of the maximum.
    """
    axes, below, above = sets
    (n, d), many = axes.shape, len(directions)
    for k in range(many):
        first, stop = (0, n) if many == 1 else (k, k + 1)
        v = directions[k]
        _whole_ellipsoids(v, signs, sets, smooth, first, stop, offsets, free, length)
        for i in range(first, stop):
            radius[i], inside = 1.0, 0
            for j in range(d):
                inside += free[i, j]
            if inside < d:
                row = Truncated(axes[i], below[i], above[i])
                length[i], radius[i] = _cut(v, signs[i], row, smooth, offsets[i], free[i])


@njit(**INNER)
def _whole_ellipsoids(v, signs, sets, smooth, first, stop, offsets, free, length):
    """Worst points of the ellipsoids without their boxes; `free` says where these hold them.

    One direction, slices of rows and no branches: so the loops are compiled to vector code.
    """
    d = len(v)
    for i in range(first, stop):
        axes, below, above = sets.axes[i], sets.below[i], sets.above[i]
        e, inside = offsets[i], free[i]
        total = smooth * smooth
        for j in range(d):
            g = v[j] * axes[j]
            total += g * g
        length[i] = math.sqrt(total)
        step = signs[i] / length[i] if total > 0.0 else 0.0
        for j in range(d):
            move = v[j] * axes[j] * axes[j] * step
            e[j] = move
            inside[j] = not ((move > above[j]) | (-move > below[j]))  # NaN is not cut


@njit(**INNER)
def _cut(v, sign, sets, smooth, e, free):
    """Fix coordinates beyond the box at it and compute the step again from the rest.

    Fixing uses less of the ball than the unclipped coordinate did, so the step only grows, a fixed
    coordinate stays fixed, and at most d rounds are needed. Returns the length and the radius.
    """
    axes, below, above = sets
    total, left, changed = 0.0, 1.0, True  # left: squared radius of the ball that is not yet used
    while changed:
        total, left = smooth * smooth, 1.0
        for j in range(len(v)):
            g = v[j] * axes[j]
            if free[j] == 1:
                total += g * g
            else:
                e[j] = above[j] if sign * g > 0.0 else -below[j]
                left -= (e[j] / axes[j]) ** 2
        left = max(left, 0.0)
        step = sign * math.sqrt(left / total) if total > 0.0 else 0.0
        changed = False
        for j in range(len(v)):
            if free[j] == 1:
                e[j] = v[j] * axes[j] * axes[j] * step
                if e[j] > above[j] or -e[j] > below[j]:
                    free[j] = 0
                    changed = True
    return math.sqrt(total), math.sqrt(left)


@njit(cache=True)
def nearest_crossing(coef, margins, signs, sets, reach):
    """Smallest r such that the ellipsoid r * axes, truncated by the box, reaches the hyperplane.

    `margins` is the distance of each centre from it (coef . x + b times the sign of its side). The
    nearest point moves each coordinate by clip(tau * coef * axes^2); tau is found by fixing
    coordinates as in `cut_offsets`. r is infinite if the whole box stays on its side, and zero
    for a negative margin.
    """
    axes, below, above = sets
    n, d = axes.shape
    fixed = np.zeros(d, np.uint8)
    for i in range(n):
        reach[i] = np.inf
        if margins[i] <= 0.0:
            reach[i] = 0.0
            continue
        need, slope = margins[i], 0.0  # distance left to cover, and what one unit of tau covers
        for j in range(d):
            fixed[j] = 0
            slope += (coef[j] * axes[i, j]) ** 2
        changed, tau, spent = True, 0.0, 0.0
        while changed and slope > 0.0 and need > 0.0:
            changed = False
            tau = need / slope
            for j in range(d):
                g = -signs[i] * coef[j] * axes[i, j]
                cap = above[i, j] if g > 0.0 else below[i, j]
                if fixed[j] == 0 and abs(g) * axes[i, j] * tau > cap:
                    fixed[j] = 1
                    changed = True
                    spent += (cap / axes[i, j]) ** 2
                    need -= abs(coef[j]) * cap
            if changed:
                slope = 0.0
                for j in range(d):
                    if fixed[j] == 0:
                        slope += (coef[j] * axes[i, j]) ** 2
        if need <= 0.0:
            reach[i] = math.sqrt(spent)
        elif slope > 0.0:
            reach[i] = math.sqrt(spent + need * need / slope)
