"""Genetic algorithms: Algorithm 7 as printed, and a version that selects each gene."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

_PARENTS = 0.25  # share of a generation that has children, the best ones
_FRESH = 0.3  # share of the children that are drawn at random
_BEYOND = 0.25  # numbers are drawn beyond the bounds and clipped: optima are often at corners
_SIZES = 6.0  # powers of ten that the sizes of mutations span


@dataclass(frozen=True)
class Generations:
    """Result of a genetic algorithm.

    Attributes
    ----------
    best : ndarray of shape (q, m)
        Best individual: q genes of m numbers.
    value : float
        Value of the best individual.
    trace : ndarray
        Best value of each generation.
    individuals : list of ndarray of shape (q, m)
        Best individual of each generation.
    """

    best: np.ndarray
    value: float
    trace: np.ndarray
    individuals: list


def genetic(
    function,
    lower,
    upper,
    *,
    population=60,
    generations=300,
    survivors=0.2,
    mutation=0.1,
    improvement=1e-9,
    patience=30,
    random_state=None,
):
    r"""Maximize a mean over genes, :math:`\frac1q\sum_i g_i(u_i)`, with selection per gene.

    The genes contribute independently, so each is selected by its own value: survivors and parents
    are the best of every gene, and a child takes each gene from parents of that gene. A good gene
    is never lost with its individual, and many genes need no more generations than one.

    Parameters
    ----------
    function : callable
        Function from individuals of shape (k, q, m) to the values of their genes, (k, q).
    lower, upper : array-like of shape (q, m)
        Bounds of each number.
    population : int, default=60
        Number of individuals :math:`k`.
    generations : int, default=300
        Maximum number of generations.
    survivors : float, default=0.2
        Share of the best that is kept unchanged.
    mutation : float, default=0.1
        Largest deviation of the noise added to a gene, relative to the distance of the bounds;
        each gene draws its own, down to a millionth of that.
    improvement : float, default=1e-9
        Smallest increase of the best value that counts, :math:`t`.
    patience : int, default=30
        Number of generations without such an increase before stopping.
    random_state : int, RandomState or None, default=None
        Random state.

    Returns
    -------
    Generations

    Examples
    --------
    >>> found = genetic(lambda U: -((U - 0.3) ** 2).sum(axis=2), [[0], [0]], [[1], [2]],
    ...                 random_state=0)
    >>> found.best.round(3).tolist()
    [[0.3], [0.3]]
    """
    rng, lower, upper = _prepared(random_state, lower, upper)
    q, m = lower.shape
    n_kept = max(1, round(survivors * population))
    n_parents = max(2, round(_PARENTS * population))
    n_children = population - n_kept
    beyond = _BEYOND * (upper - lower)

    def drawn(size):
        return np.clip(rng.uniform(lower - beyond, upper + beyond, (size, q, m)), lower, upper)

    U = drawn(population)
    trace, individuals, idle = [], [], 0
    for _ in range(generations):
        values = function(U)
        order = np.argsort(-values, axis=0, kind="stable")
        U = np.take_along_axis(U, order[:, :, None], axis=0)
        best = float(np.take_along_axis(values, order[:1], axis=0).mean())
        idle = idle + 1 if trace and best - trace[-1] < improvement else 0
        trace.append(best)
        individuals.append(U[0])
        if idle >= patience:
            break
        # U is sorted per gene, so row r holds the r-th best of every gene, not an individual
        parents = rng.integers(0, n_parents, (2, n_children, q, 1))
        mothers, fathers = (np.take_along_axis(U, which, axis=0) for which in parents)
        children = np.where(rng.random((n_children, q, m)) < 0.5, mothers, fathers)
        # log-uniform sizes: large ones explore, small ones refine
        size = mutation * 10.0 ** -rng.uniform(0.0, _SIZES, (n_children, q, 1))
        children = children + size * (upper - lower) * rng.normal(size=children.shape)
        fresh = rng.random((n_children, q, 1)) < _FRESH
        children = np.where(fresh, drawn(n_children), np.clip(children, lower, upper))
        U = np.concatenate([U[:n_kept], children])
    return Generations(individuals[-1], trace[-1], np.array(trace), individuals)


def algorithm_7(
    function,
    lower,
    upper,
    *,
    population=60,
    generations=300,
    survivors=0.2,
    mutation=0.1,
    improvement=1e-9,
    random_state=None,
):
    """Maximize by Algorithm 7 of the thesis as printed.

    Individuals are selected as a whole, noise of a single size is added to every child, and the
    first generation that does not improve by `improvement` is the last (line 15).

    Parameters
    ----------
    function, lower, upper, population, generations, survivors, improvement, random_state
        As in :func:`genetic`.
    mutation : float, default=0.1
        Deviation of the noise, relative to the distance of the bounds.

    Returns
    -------
    Generations

    Examples
    --------
    >>> found = algorithm_7(lambda U: 1 - ((U - 0.3) ** 2).sum(axis=2), [[0]], [[1]],
    ...                     random_state=0)
    >>> len(found.trace), round(found.value, 3)
    (2, 1.0)
    """
    rng, lower, upper = _prepared(random_state, lower, upper)
    n_kept = max(1, round(survivors * population))
    n_parents = max(2, round(_PARENTS * population))
    U = rng.uniform(lower, upper, (population, *lower.shape))
    trace, individuals, best_gain = [], [], 0.0
    for _ in range(generations):
        values = function(U).mean(axis=1)
        order = np.argsort(-values, kind="stable")
        U = U[order]
        improved, best_gain = values[order[0]] - best_gain, values[order[0]]
        trace.append(float(best_gain))
        individuals.append(U[0])
        if improved < improvement:
            break
        parents = rng.integers(0, n_parents, (2, population - n_kept))
        mask = rng.random((population - n_kept, *lower.shape)) < 0.5
        children = np.where(mask, U[parents[0]], U[parents[1]])
        children = children + mutation * (upper - lower) * rng.normal(size=children.shape)
        U = np.concatenate([U[:n_kept], np.clip(children, lower, upper)])
    return Generations(individuals[-1], trace[-1], np.array(trace), individuals)


def _prepared(random_state, lower, upper):
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    return rng, np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
