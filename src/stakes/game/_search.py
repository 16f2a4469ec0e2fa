"""Global maxima of cheap functions of one or two variables, on successively finer grids."""

import numpy as np

_ZOOMS = 8
_PAIR_ZOOMS = 9
_TIE = 1e-12


def line_maxima(function, lower, upper, points=257):
    """Local maxima of a function of one variable, found on a grid and refined, best first.

    Parameters
    ----------
    function : callable
        Function from an array of points to their values.
    lower, upper : float
        Bounds.
    points : int, default=257
        Size of the first grid; maxima closer than two of its cells may be merged.

    Returns
    -------
    list of (point, value)

    Examples
    --------
    >>> found = line_maxima(lambda u: np.cos(u) + 0.1 * u, 0.0, 10.0)
    >>> [(round(u, 4), round(value, 4)) for u, value in found]
    [(6.3834, 1.6333), (0.1002, 1.005), (10.0, 0.1609)]
    """
    grid = np.linspace(lower, upper, points)
    values = function(grid)
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((padded[1:-1] > padded[:-2]) & (padded[1:-1] >= padded[2:]))
    step = grid[1] - grid[0]
    found = []
    for k in peaks:
        u, value, width = grid[k], values[k], step
        for _ in range(_ZOOMS):
            near = np.clip(np.linspace(u - width, u + width, 33), lower, upper)
            heights = function(near)
            best = int(heights.argmax())
            if heights[best] > value:
                u, value = near[best], heights[best]
            width /= 12.0  # the spacing was width / 16: the next grid overlaps its neighbors
        found.append((float(u), float(value)))
    return sorted(found, key=lambda peak: -peak[1])


def pair_maximum(function, lower, upper):
    """Maximizer of a function of two variables: a grid, refined around its three best points.

    Parameters
    ----------
    function : callable
        Function from two arrays to their values.
    lower, upper : tuple of two float
        Bounds.

    Returns
    -------
    tuple of two float

    Examples
    --------
    >>> u, s = pair_maximum(lambda u, s: -((u - 0.3) ** 2) - (s - u) ** 2, (0.0, 0.0), (1.0, 1.0))
    >>> round(float(u), 4), round(float(s), 4)
    (0.3, 0.3)
    """
    lower, upper = np.array(lower), np.array(upper)
    centres, width, points = [0.5 * (lower + upper)], 0.5 * (upper - lower), 41
    for _ in range(_PAIR_ZOOMS):
        u, s = np.concatenate([_around(at, width, points, lower, upper) for at in centres], axis=1)
        best = np.argsort(-function(u, s))[:3]
        centres = list(np.column_stack([u[best], s[best]]))
        width, points = width / 6.0, 17
    return tuple(centres[0])


def last_maximum(heights):
    """Index of the largest value of each column; of the last one in a tie."""
    near = heights >= heights.max(axis=0) - _TIE
    return len(heights) - 1 - near[::-1].argmax(axis=0)


def _around(centre, width, points, lower, upper):
    """Pairs on a grid around a point, within the bounds, shape (2, points squared)."""
    sides = np.clip(np.linspace(centre - width, centre + width, points), lower, upper)
    return np.array([part.ravel() for part in np.meshgrid(*sides.T)])
