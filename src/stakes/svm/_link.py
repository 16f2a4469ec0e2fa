"""From scores to log-odds, fitted to held-out scores and chosen by what its decisions cost."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from stakes._core.sigmoid import LARGEST, fit_sigmoid


def log_odds(link, scores):
    """Log-odds of the positive class: slopes above and below a knot, offset, and the knot.

    Examples
    --------
    >>> log_odds(np.array([2.0, 1.0, 0.5, 0.0]), np.array([-1.0, 0.0, 1.0]))
    array([-0.5,  0.5,  2.5])
    """
    above, below, offset, knot = link
    z = squash(scores) - knot
    return np.where(z > 0, above, below) * z + offset


def choose_link(scores, positive, copies, costs, knots, trained_odds):
    """The sigmoid, unless a link through a boundary of the SVM is clearly cheaper.

    A sigmoid summarises all scores. Where it does not fit, it puts the decision far from where the
    training with costs has put it. A link through that boundary has there the odds at which the
    costs of training are indifferent, and a slope on each side. It is used if its decisions on the
    held-out rows cost less by more than one standard error of the difference, row by row.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Held-out scores.
    positive : ndarray of shape (n,)
        Which examples are positive.
    copies : ndarray of shape (n,)
        Number of examples that each row represents.
    costs : Costs
        Costs of the rows.
    knots : sequence of float
        Scores at which the boundary may be.
    trained_odds : float
        Odds of the positive class there.

    Returns
    -------
    ndarray of shape (4,)
        Slopes above and below the knot, offset, and knot.
    """
    z = squash(scores)
    spread = z.std() or 1.0
    slope, offset = fit_sigmoid(z / spread, positive, copies)
    sigmoid = np.array([slope / spread, slope / spread, offset, 0.0])
    links = [_through(knot, z, spread, positive, copies, np.log(trained_odds)) for knot in knots]

    def paid(link):
        return costs.paid(positive, costs.decide(expit(log_odds(link, scores))))

    best = min(links, key=lambda link: copies @ paid(link))
    saved = paid(sigmoid) - paid(best)
    total = copies @ saved
    error = np.sqrt(copies @ (saved - total / copies.sum()) ** 2)
    return best if total > error else sigmoid


def _through(knot, z, spread, positive, copies, offset):
    """The likeliest slopes on both sides of the knot, where the log-odds are given."""
    x = (z - knot) / spread
    target = np.where(positive, 1 - 1 / (2 + positive.sum()), 1 / (2 + (~positive).sum()))

    def likeliest(side):
        weighted, t = (copies * x)[side], target[side]

        def pull(slope):
            """Derivative of the log loss."""
            return weighted @ (expit(slope * x[side] + offset) - t)

        if pull(0.0) >= 0:
            return 0.0
        return brentq(pull, 0.0, LARGEST) if pull(LARGEST) > 0 else LARGEST

    return np.array([likeliest(x > 0) / spread, likeliest(x < 0) / spread, offset, knot])


def squash(scores):
    """Scores that grow slowly beyond the margin, where the hinge loss is blind to them.

    A few rows far on the wrong side, as heavy tails produce them, would flatten the sigmoid.

    Examples
    --------
    >>> squash(np.array([-1.0, 0.5, np.e**4]))
    array([-1. ,  0.5,  2. ])
    """
    size = np.abs(scores)
    return np.where(size <= 1, scores, np.sign(scores) * (1 + 0.25 * np.log(np.maximum(size, 1))))
