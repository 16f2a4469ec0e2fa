"""Search for the best common move of an adversary against any classifier."""

import numpy as np

from stakes.game._response import Response, margin_loss, respond

_RAY = 2.0 ** np.arange(-6, 7)  # lengths tried along a direction
_SHARES = (1.0, 0.5, 2.0, 0.25)  # of the best move against a linear fit
_WIDTHS = (1.0, 0.3, 0.1, 0.03)  # of the perturbations that show a slope, in standard deviations


def search_response(
    scores, v, X, ease, towards, scale, loss="logistic", *, max_evaluations=400, random_state=None
):
    r"""Search for the move with the largest mean loss minus price.

    In two evaluations every example is perturbed at random by itself, which shows the slope of the
    mean loss, and by least squares a linear fit of the scores. The move goes along the slope
    divided by the prices at many lengths, to the best move against the linear fit, which may be
    far away, and towards the other class; single features and random directions refine it. All
    evaluations are used. The result is a lower bound on what the adversary can gain.

    Parameters
    ----------
    scores : callable
        Function from moved examples to the score of each.
    v : ndarray of shape (n,)
        Weights of the examples, of sum one.
    X : ndarray of shape (n, d)
        Examples of the adversary.
    ease : ndarray of shape (d,)
        One over the price of moving each feature.
    towards : ndarray of shape (d,)
        Mean of the other class.
    scale : ndarray of shape (d,)
        Size of a usual difference in each feature, positive.
    loss : {"logistic", "hinge"}, default="logistic"
        Loss of a score.
    max_evaluations : int, default=400
        Maximum number of calls of `scores`.
    random_state : int or None, default=None
        Seed of the perturbations.

    Returns
    -------
    Response
    """
    search = _Search(scores, v, X, ease, scale, loss, max_evaluations, random_state)
    search.along(np.where(ease > 0, towards - X.mean(axis=0), 0.0))
    turn = 0
    while search.left > 0 and len(search.free):
        width = _WIDTHS[turn % len(_WIDTHS)]
        slopes = search.slopes(width)
        if slopes is None:
            break
        slope, w = slopes
        for share in _SHARES:
            search.attempt(share * respond(search.start, v, w, ease, loss).shift)
        if turn < len(_WIDTHS):
            search.along(slope * ease)
        # the move at which the slope of the price equals that of the loss
        search.between(0.5 * slope * ease)
        for _ in range(2):
            search.nudge(width)
        turn += 1
    return search.response()


class _Search:
    def __init__(self, scores, v, X, ease, scale, loss, max_evaluations, random_state):
        self.scores, self.v, self.X, self.ease, self.loss = scores, v, X, ease, loss
        self.scale = scale
        self.rng = np.random.default_rng(random_state)
        self.free = np.flatnonzero(ease > 0)
        self.price = np.divide(1.0, ease, out=np.zeros(len(ease)), where=ease > 0)
        self.left = max_evaluations - 1
        self.best = np.zeros(X.shape[1])
        self.start = scores(X)
        self.stay = self.payoff = float(v @ margin_loss(self.start, loss))

    def attempt(self, shift):
        """Evaluate a move; keep it if it is the best."""
        if self.left <= 0:
            return False
        self.left -= 1
        losses = margin_loss(self.scores(self.X + shift), self.loss)
        value = float(self.v @ losses) - self.price @ shift**2
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

    def slopes(self, width):
        """Slope of the mean loss at the best move, and weights of a linear fit of the scores."""
        free, draws = self.free, 1 + 4 * len(self.free) // len(self.X)
        if self.left < 2 * draws:
            return None
        D, rise, change = [], [], []
        for _ in range(draws):
            step = np.zeros_like(self.X)
            signs = self.rng.choice([-1.0, 1.0], (len(self.X), len(free)))
            step[:, free] = signs * self.scale[free] * width
            up, down = (self.scores(self.X + self.best + way) for way in (step, -step))
            self.left -= 2
            D.append(signs)
            rise.append((up - down) / (2.0 * width))
            losses = (margin_loss(part, self.loss) for part in (up, down))
            change.append(np.subtract(*losses) / (2.0 * width))
        D, weight = np.vstack(D), np.tile(self.v, draws)
        slope, w = np.zeros((2, len(self.best)))
        # every example has a slope of its own: the weighted mean of sign times change is unbiased
        slope[free] = (weight * np.concatenate(change)) @ D / weight.sum() / self.scale[free]
        root = np.sqrt(weight)
        fit = np.linalg.lstsq(root[:, None] * D, root * np.concatenate(rise), rcond=None)[0]
        w[free] = fit / self.scale[free]
        return slope, w

    def response(self):
        """The best move found."""
        paid = float(self.price @ self.best**2)
        gain = self.payoff - self.stay
        return Response(self.best, self.payoff, self.payoff + paid, paid, gain)
