"""Global maxima of cheap functions: by ever finer grids, and by the genetic algorithm."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

_ZOOMS = 8
_TIE = 1e-12
_CHANGED = 2.0  # numbers that mutation changes on average
_FRESH = 0.3  # children whose changed numbers are drawn anew
_SIZES = 5.0  # powers of ten that the sizes of mutations span


def line_maxima(function, lower, upper, points=257):
    """All local maxima of a function of one number that a grid sees, refined; the best first.

    Parameters
    ----------
    function : callable
        From an array of points to their values.
    lower, upper : float
        Where to look.
    points : int, default=257
        Of the first grid; two maxima closer than two of its cells may be taken for one.

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
            width /= 12.0  # the 33 points are a sixteenth apart
        found.append((float(u), float(value)))
    return sorted(found, key=lambda peak: -peak[1])


@dataclass(frozen=True)
class Generations:
    """What the genetic algorithm found.

    Attributes
    ----------
    best : ndarray of shape (d,)
        The best individual.
    value : float
        Its value.
    trace : ndarray
        The best value of each generation.
    """

    best: np.ndarray
    value: float
    trace: np.ndarray


def genetic(
    function,
    lower,
    upper,
    *,
    population=60,
    generations=200,
    survivors=0.2,
    mutation=0.1,
    improvement=1e-9,
    patience=30,
    random_state=None,
):
    """Maximise by selection, mutation and crossover of real vectors, Algorithm 7.

    Parameters
    ----------
    function : callable
        From an array of individuals, shape (k, d), to their values.
    lower, upper : array-like of shape (d,)
        Bounds of each number.
    population : int, default=60
        Individuals in a generation, :math:`k`.
    generations : int, default=200
        At most so many.
    survivors : float, default=0.2
        Share of the best that is kept as it is.
    mutation : float, default=0.1
        Largest deviation of the noise added to a child, as a share of the bounds' distance; each
        child draws its own, down to a hundred-thousandth of it.
    improvement : float, default=1e-9
        Growth of the best value that counts, :math:`t`.
    patience : int, default=30
        Generations without such growth before it ends; 1 is the algorithm as printed, which
        stops at the first generation without progress.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Generations

    Examples
    --------
    >>> found = genetic(lambda U: -((U - 0.3) ** 2).sum(axis=1), [0, 0], [1, 1], random_state=0)
    >>> found.best.round(3)
    array([0.3, 0.3])
    """
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    lower, upper = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    U = rng.uniform(lower, upper, (population, len(lower)))
    trace, idle = [], 0
    n_kept = max(1, round(survivors * population))
    for _ in range(generations):
        values = function(U)
        order = np.argsort(-values, kind="stable")
        U, values = U[order], values[order]
        idle = idle + 1 if trace and values[0] - trace[-1] < improvement else 0
        trace.append(float(values[0]))
        if idle >= patience:
            break
        # parents come from the best quarter, each number of a child from either of two
        parents = rng.integers(0, max(2, population // 4), (2, population - n_kept))
        mask = rng.random((population - n_kept, len(lower))) < 0.5
        children = np.where(mask, U[parents[0]], U[parents[1]])
        # few numbers of a child are changed, by steps of very different sizes
        changed = rng.random(children.shape) < min(1.0, _CHANGED / len(lower))
        size = mutation * 10.0 ** -rng.uniform(0.0, _SIZES, (len(children), 1))
        noise = size * (upper - lower) * rng.normal(size=children.shape)
        fresh = rng.random((len(children), 1)) < _FRESH
        anew = np.where(fresh, rng.uniform(lower, upper, children.shape), children + noise)
        children = np.where(changed, np.clip(anew, lower, upper), children)
        U = np.vstack([U[:n_kept], children])
    values = function(U)
    best = int(values.argmax())
    return Generations(U[best], float(values[best]), np.array(trace))


def last_maximum(heights):
    """Index of the largest value in each row; of equal ones the last."""
    near = heights >= heights.max(axis=1, keepdims=True) - _TIE
    return heights.shape[1] - 1 - near[:, ::-1].argmax(axis=1)
