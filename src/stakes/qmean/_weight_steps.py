"""Sequences of class weights to try: generators that yield weights and receive class losses."""

import numpy as np
from scipy.special import expit

from stakes.qmean._mean import mean_weights


def towards_slope(share, p):
    r"""Move the weights u towards the slope s of the mean at the losses that u gives.

    The fixed point u = s(m(u)) is extrapolated from the last few points by least squares on their
    residuals (Anderson mixing, a secant method). If that does not halve the gap
    :math:`(s - u)^\top m`, a Frank-Wolfe step from the same point increases the dual instead.

    Examples
    --------
    >>> steps = towards_slope(np.array([0.5, 0.5]), 2.0)
    >>> next(steps).tolist()
    [0.5, 0.5]
    >>> steps.send(np.array([3.0, 4.0])).round(4).tolist()
    [0.4243, 0.5657]
    """
    u, points = share, []
    m = yield u
    while True:
        way = mean_weights(m, share, p) - u
        gap = m @ way
        points = [*points, (u, way)][-len(share) - 1 :]
        mixed = _mixed(points, share, p) if np.isfinite(p) and len(points) > 1 else None
        if mixed is not None:
            m_mixed = yield mixed
            way_mixed = mean_weights(m_mixed, share, p) - mixed
            if m_mixed @ way_mixed <= 0.5 * gap:
                u, m = mixed, m_mixed
                continue
            points.append((mixed, way_mixed))
        length = 1.0
        while True:
            m = yield u + length * way
            slope = m @ way  # of the dual along the step; negative: past its maximum
            if slope >= -0.5 * gap:
                break
            length *= max(gap / (gap - slope), 0.25)
        u = u + length * way


def equal_losses():
    r"""Minimax of two classes: find the weights at which both losses are equal.

    The second loss minus the first falls as the second weight grows; its zero is bracketed on the
    scale of log odds, then found by the Illinois variant of regula falsi. If no weight makes the
    losses equal, the odds grow until the gap is small.

    Examples
    --------
    >>> steps = equal_losses()
    >>> next(steps).tolist()
    [0.5, 0.5]
    >>> bool(steps.send(np.array([1.0, 2.0]))[1] > 0.5)
    True
    """
    z, step = 0.0, 1.0
    excess = -np.subtract(*(yield _odds(z)))
    while True:  # double the step until the sign changes
        old_z, old = z, excess
        z += step if excess > 0 else -step
        step *= 2.0
        excess = -np.subtract(*(yield _odds(z)))
        if excess * old <= 0.0:
            break
    while True:
        flat = excess == old
        new_z = 0.5 * (z + old_z) if flat else z - excess * (z - old_z) / (excess - old)
        new = -np.subtract(*(yield _odds(new_z)))
        if new * excess < 0.0:
            old_z, old = z, excess
        else:
            old *= 0.5  # the same end was kept twice: pull the next point towards it
        z, excess = new_z, new


def _odds(z):
    return np.array([expit(-z), expit(z)])


def _mixed(points, share, p):
    """Combination of the points with the smallest residual, on the dual ball; None if outside."""
    U, R = (np.array(part) for part in zip(*points, strict=True))
    mix = np.linalg.lstsq(np.diff(R, axis=0).T, R[-1], rcond=1e-10)[0]
    u = U[-1] + R[-1] - mix @ (np.diff(U, axis=0) + np.diff(R, axis=0))
    if not np.isfinite(u).all() or u.min() <= 0.0:
        return None
    return u / dual_norm(u, share, p)


def dual_norm(u, share, p):
    """Norm whose unit ball contains all gradients of the power mean.

    Examples
    --------
    >>> round(float(dual_norm(mean_weights(np.array([3.0, 4.0]), np.full(2, 0.5), 2.0),
    ...                       np.full(2, 0.5), 2.0)), 12)
    1.0
    """
    ratio = u / share
    if p == 1.0:
        return ratio.max()
    q = p / (p - 1.0)
    return (share @ ratio**q) ** (1.0 / q)
