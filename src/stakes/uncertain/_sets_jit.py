"""Compiled loop of _sets.py: the worst point of an ellipsoid cut off by a box."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def cut_offsets(directions, signs, axes, below, above, smooth, offsets, free, length, radius):
    """Largest signs[i] * directions[i] . e over |e / axes| <= 1 and -below <= e <= above.

    Coordinates are fixed at the box until the rest satisfies it: the multiplier only grows, so
    a fixed coordinate stays fixed. `offsets` gets e; `free` 1 where the ellipsoid decides;
    `length` the norm of the free part of axes * direction, `radius` what is left of the ball.
    `smooth` is the direction in one more coordinate, free and not told: it rounds the kinks off.
    """
    n, d = axes.shape
    one = len(directions) == 1
    for i in range(n):
        v = directions[0 if one else i]
        total = smooth * smooth
        for j in range(d):
            g = v[j] * axes[i, j]
            free[i, j] = 1
            total += g * g
        left, changed = 1.0, True
        while changed and total > 0.0 and left > 0.0:
            changed = False
            step = math.sqrt(left / total)
            for j in range(d):
                if free[i, j] == 0:
                    continue
                g = signs[i] * v[j] * axes[i, j]
                cap = above[i, j] if g > 0.0 else below[i, j]
                if abs(g) * axes[i, j] * step > cap:
                    free[i, j] = 0
                    changed = True
            if changed:
                total, left = smooth * smooth, 1.0
                for j in range(d):
                    g = v[j] * axes[i, j]
                    if free[i, j] == 1:
                        total += g * g
                    else:
                        at = above[i, j] if signs[i] * g > 0.0 else below[i, j]
                        left -= (at / axes[i, j]) ** 2
        left = max(left, 0.0)
        step = math.sqrt(left / total) if total > 0.0 else 0.0
        length[i], radius[i] = math.sqrt(total), math.sqrt(left)
        for j in range(d):
            g = signs[i] * v[j] * axes[i, j]
            if free[i, j] == 1:
                offsets[i, j] = g * axes[i, j] * step
            else:
                offsets[i, j] = above[i, j] if g > 0.0 else -below[i, j]


@njit(cache=True)
def nearest_crossing(coef, margins, signs, axes, below, above, reach):
    """Least r such that the ellipsoid r * axes, cut off by the box, reaches the hyperplane.

    `margins` is how far each centre lies on its side (coef . x + b times its sign), `signs` the
    side. The nearest point moves each coordinate by clip(tau * coef * axes^2), with tau found by
    fixing coordinates; infinite where the whole box stays on its side, zero for a negative margin.
    """
    n, d = axes.shape
    fixed = np.zeros(d, np.uint8)
    for i in range(n):
        reach[i] = np.inf
        if margins[i] <= 0.0:
            reach[i] = 0.0
            continue
        need, slope = margins[i], 0.0
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
