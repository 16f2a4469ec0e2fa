"""Search for the best common move of an adversary against any classifier."""

import numpy as np

from stakes.game._response import Response

_RAY = 2.0 ** np.arange(-6, 7)  # lengths tried along a direction
_WIDTHS = (1.0, 0.3, 0.1, 0.03)  # of the perturbations that show a slope, in standard deviations


def search_response(losses, v, X, ease, towards, *, max_evaluations=400, random_state=None):
    r"""Search for the move with the largest mean loss minus price.

    A slope of the mean loss is read from one evaluation in which every example is perturbed at
    random by itself. The move goes along the slope divided by the prices, the best direction
    against a linear model, at many lengths, and towards the other class; single features and
    random directions refine it. All evaluations are used. The result is a lower bound on what the
    adversary can gain.

    Parameters
    ----------
    losses : callable
        Function from moved examples to the loss of each.
    v : ndarray of shape (n,)
        Weights of the examples, of sum one.
    X : ndarray of shape (n, d)
        Examples of the adversary.
    ease : ndarray of shape (d,)
        One over the price of moving each feature.
    towards : ndarray of shape (d,)
        Mean of the other class.
    max_evaluations : int, default=400
        Maximum number of calls of `losses`.
    random_state : int or None, default=None
        Seed of the perturbations.

    Returns
    -------
    Response
    """
    search = _Search(losses, v, X, ease, max_evaluations, random_state)
    search.along(np.where(ease > 0, towards - X.mean(axis=0), 0.0))
    turn = 0
    while search.left > 0 and len(search.free):
        width = _WIDTHS[turn % len(_WIDTHS)]
        slope = search.slope(width)
        if slope is None:
            break
        if turn < len(_WIDTHS):
            search.along(slope * ease)
        # the move at which the slope of the price equals that of the loss
        search.between(0.5 * slope * ease)
        for _ in range(2):
            search.nudge(width)
        turn += 1
    return search.response()


class _Search:
    def __init__(self, losses, v, X, ease, max_evaluations, random_state):
        self.losses, self.v, self.X, self.ease = losses, v, X, ease
        self.rng = np.random.default_rng(random_state)
        self.free = np.flatnonzero(ease > 0)
        self.scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
        self.price = np.divide(1.0, ease, out=np.zeros(len(ease)), where=ease > 0)
        self.left = max_evaluations - 1
        self.best = np.zeros(X.shape[1])
        self.stay = self.payoff = float(v @ losses(X))

    def attempt(self, shift):
        """Evaluate a move; keep it if it is the best."""
        if self.left <= 0:
            return False
        self.left -= 1
        value = float(self.v @ self.losses(self.X + shift)) - self.price @ shift**2
        if value > self.payoff:
            self.best, self.payoff = shift, value
            return True
        return False

    def along(self, way):
        """Try many lengths of a direction from the start."""
        size = np.sqrt(np.mean((way[self.free] / self.scale[self.free]) ** 2))
        if size > 0:
            for length in _RAY:
                self.attempt(length / size * way)

    def between(self, goal):
        """Try points between the best move and another one, and beyond it."""
        start = self.best
        for share in (0.5, 1.0, 0.25, 2.0):
            self.attempt(start + share * (goal - start))

    def nudge(self, width):
        """Try a feature or a random direction both ways, or a shorter move."""
        step = np.zeros(len(self.best))
        if self.rng.random() < 0.5:
            step[self.rng.choice(self.free)] = 1.0
        else:
            step[self.free] = self.rng.normal(size=len(self.free)) / np.sqrt(len(self.free))
        step *= self.scale * width
        return (
            self.attempt(self.best + step)
            or self.attempt(self.best - step)
            or self.attempt((1.0 - 0.1 * width) * self.best)
        )

    def slope(self, width):
        """Slope of the mean loss at the best move, from random perturbations of each example."""
        free, draws = self.free, 1 + 4 * len(self.free) // len(self.X)
        if self.left < 2 * draws:
            return None
        D, change, weight = [], [], []
        for _ in range(draws):
            step = np.zeros_like(self.X)
            signs = self.rng.choice([-1.0, 1.0], (len(self.X), len(free)))
            step[:, free] = signs * self.scale[free] * width
            up = self.losses(self.X + self.best + step)
            down = self.losses(self.X + self.best - step)
            self.left -= 2
            D.append(signs)
            change.append((up - down) / (2.0 * width))
            weight.append(self.v)
        D, change, weight = np.vstack(D), np.concatenate(change), np.concatenate(weight)
        # every example has a slope of its own: the weighted mean of sign times change is unbiased
        slope = np.zeros(len(self.best))
        slope[free] = (weight * change) @ D / weight.sum() / self.scale[free]
        return slope

    def response(self):
        """The best move found."""
        paid = float(self.price @ self.best**2)
        gain = self.payoff - self.stay
        return Response(self.best, self.payoff, self.payoff + paid, paid, gain)
