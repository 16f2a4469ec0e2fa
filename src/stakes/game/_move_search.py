"""Search for the best move of an adversary against any classifier."""

import numpy as np

from stakes.game._response import Response

_LENGTHS = 2.0 ** np.arange(-4, 4, 2)  # of first moves, in standard deviations
_SMALLEST = 1e-3  # step, in standard deviations, at which the search ends


def search_response(mean_loss, X, ease, towards, *, max_evaluations=400, random_state=None):
    r"""Search for the move with the largest mean loss minus price.

    Tries several lengths along each feature and towards the other class, then improves the best
    move along single features and random directions with shrinking steps. The result is a lower
    bound on what the adversary can gain.

    Parameters
    ----------
    mean_loss : callable
        Function from moved examples to their mean loss.
    X : ndarray of shape (n, d)
        Examples of the adversary.
    ease : ndarray of shape (d,)
        One over the price of moving each feature.
    towards : ndarray of shape (d,)
        Mean of the other class.
    max_evaluations : int, default=400
        Maximum number of calls of `mean_loss`.
    random_state : int or None, default=None
        Seed of the random directions.

    Returns
    -------
    Response
    """
    rng = np.random.default_rng(random_state)
    d = X.shape[1]
    free = np.flatnonzero(ease > 0)
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    price = np.divide(1.0, ease, out=np.zeros(d), where=ease > 0)
    left = max_evaluations - 1
    stay = mean_loss(X)
    best, payoff = np.zeros(d), stay

    def attempt(shift):
        nonlocal best, payoff, left
        if left <= 0:
            return False
        left -= 1
        value = mean_loss(X + shift) - price @ shift**2
        if value > payoff:
            best, payoff = shift, value
            return True
        return False

    way = np.where(ease > 0, towards - X.mean(axis=0), 0.0)
    for shift in _starts(way, scale, free, max_evaluations // 32):
        attempt(shift)
    step = 1.0
    while left > 0 and step > _SMALLEST and len(free):
        direction = np.zeros(d)
        if rng.random() < 0.5:
            direction[rng.choice(free)] = 1.0
        else:
            direction[free] = rng.normal(size=len(free)) / np.sqrt(len(free))
        direction *= scale * step
        # both directions, then a shorter move, which is cheaper
        if not (attempt(best + direction) or attempt(best - direction) or attempt(0.9 * best)):
            step *= 0.93
    paid = float(price @ best**2)
    return Response(best, float(payoff), float(payoff) + paid, paid, float(payoff - stay))


def _starts(way, scale, free, n_features):
    """Moves towards the other class, and along the features in which it is farthest away."""
    starts = [length * way for length in (0.25, 0.5, 1.0, 1.5)]
    for j in free[np.argsort(-np.abs(way[free] / scale[free]))][:n_features]:
        step = np.zeros(len(way))
        step[j] = np.sign(way[j]) * scale[j] if way[j] else scale[j]
        starts += [length * step for length in _LENGTHS]
    return starts
