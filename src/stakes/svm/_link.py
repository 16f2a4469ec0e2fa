"""From scores to log-odds, fitted to held-out scores and chosen by what its decisions cost."""

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit

from stakes._core.sigmoid import LARGEST, fit_sigmoid

KNOTS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # scores at which the slope may change
STIFFNESS = 1.0  # penalty on the squared change of the slope at a knot, in units of one example


def log_odds(link, scores):
    """Log-odds of the positive class: value at zero and knots in one row, slopes in the other.

    Examples
    --------
    >>> link = np.array([[0.5, 0.0], [1.0, 2.0]])  # at zero 0.5; slopes below and above the knot
    >>> log_odds(link, np.array([-1.0, 0.0, 1.0]))
    array([-0.5,  0.5,  2.5])
    """
    return _pieces(squash(scores), link[0, 1:]) @ link[1] + link[0, 0]


def choose_link(scores, positive, copies, costs, boundary, trained_odds):
    """The likeliest link, unless one through the boundary of the SVM is clearly cheaper.

    The likeliest link rises, and changes its slope at the knots with reluctance. (A sigmoid, which
    cannot, puts the decision in the wrong place where a few examples are far on the wrong side.)
    A link through the boundary has there the odds at which the costs of training are indifferent,
    and a slope on each side. It is used if its decisions on the held-out rows cost less by more
    than one standard error of the difference.

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
    boundary : float
        Score in the middle between the margins.
    trained_odds : float
        Odds of the positive class there.

    Returns
    -------
    ndarray of shape (2, k + 1)
        First the log-odds at zero and the k knots, then the slopes from the lowest scores up.
    """
    z = squash(scores)
    target = np.where(positive, 1 - 1 / (2 + positive.sum()), 1 / (2 + (~positive).sum()))
    likeliest = _bent(z, positive, target, copies)
    through = _through(boundary, z, target, copies, np.log(trained_odds))

    def paid(link):
        return costs.paid(positive, costs.decide(expit(log_odds(link, scores))))

    saved = paid(likeliest) - paid(through)
    total = copies @ saved
    error = np.sqrt(copies @ (saved - total / copies.sum()) ** 2)
    return through if total > error else likeliest


def constant_link(value):
    """Log-odds that do not depend on the score."""
    return np.array([[value], [0.0]])


def _bent(z, positive, target, copies):
    """The likeliest slopes, none negative, and log-odds at zero, starting at the sigmoid."""
    spread, total, m = z.std() or 1.0, copies.sum(), len(KNOTS) + 1
    slope, offset = fit_sigmoid(z / spread, positive, copies)
    A = np.column_stack([_pieces(z, KNOTS) / spread, np.ones(len(z))])

    def loss(link):
        """Mean log loss with the penalty on bends, and its gradient."""
        odds, bends = A @ link, np.diff(link[:m])
        value = copies @ (np.logaddexp(0.0, odds) - target * odds) + STIFFNESS * bends @ bends
        gradient = (copies * (expit(odds) - target)) @ A
        gradient[: m - 1] -= 2 * STIFFNESS * bends
        gradient[1:m] += 2 * STIFFNESS * bends
        return value / total, gradient / total

    start = np.append(np.full(m, min(slope, LARGEST)), offset)
    bounds = [(0.0, LARGEST)] * m + [(None, None)]
    options = dict(ftol=1e-12, gtol=1e-8, maxiter=500)
    x = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return np.array([[x[m], *KNOTS], x[:m] / spread])


def _through(boundary, z, target, copies, value):
    """The likeliest slopes on both sides of the boundary, where the log-odds are given."""
    spread = z.std() or 1.0
    x = (z - boundary) / spread

    def likeliest(side):
        weighted, t = (copies * x)[side], target[side]

        def pull(slope):
            """Derivative of the log loss."""
            return weighted @ (expit(slope * x[side] + value) - t)

        if pull(0.0) >= 0:
            return 0.0
        return brentq(pull, 0.0, LARGEST) if pull(LARGEST) > 0 else LARGEST

    slopes = np.array([likeliest(x < 0), likeliest(x > 0)]) / spread
    way = _pieces(np.array([boundary]), [boundary])[0]  # from zero to the boundary
    return np.array([[value - way @ slopes, boundary], slopes])


def _pieces(z, knots):
    """How much of the way from zero to z is below, between and above the knots; they sum to z."""
    low, high = np.array([-np.inf, *knots]), np.array([*knots, np.inf])
    return np.clip(z[:, None], low, high) - np.clip(0.0, low, high)


def squash(scores):
    """Scores that grow slowly beyond the margin, where the hinge loss is blind to them.

    A few rows far on the wrong side, as heavy tails produce them, would flatten the link.

    Examples
    --------
    >>> squash(np.array([-1.0, 0.5, np.e**4]))
    array([-1. ,  0.5,  2. ])
    """
    size = np.abs(scores)
    return np.where(size <= 1, scores, np.sign(scores) * (1 + 0.25 * np.log(np.maximum(size, 1))))
