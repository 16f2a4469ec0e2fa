"""Probabilities from scores that are uncertain themselves."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr, ndtri

MOST_SPREAD = 10.0
FOLDS = 3
MOST_ROWS = 1500  # of a class; three numbers need no more


def fit_calibration(score, variance, positive, weight):
    r"""Slope, offset and spread of the probability given an uncertain score.

    If the true score has mean t and variance :math:`\tau^2`, and an example of true score s is
    positive with probability :math:`\Phi(as + c)`, then

    .. math:: P(y = 1) = \Phi\left(\frac{at + c}{\sqrt{1 + k a^2\tau^2}}\right) .

    k is 1 if the error bars are right; it is estimated from 0 to 10, so that error bars that mean
    something else do no harm. Fitted by maximum likelihood with Platt's correction of the labels.

    Parameters
    ----------
    score, variance : ndarray of shape (n,)
        Means and variances of the scores of examples that the classifier was not trained on.
    positive : ndarray of bool of shape (n,)
        Which examples are positive.
    weight : ndarray of shape (n,)
        Weights of the examples.

    Returns
    -------
    ndarray of shape (3,)
        a, c and k.
    """
    up, down = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))
    size = np.sqrt(np.average((score - np.average(score, weights=weight)) ** 2, weights=weight))
    size = size if size > 0 else 1.0
    t, tau2 = score / size, variance / size**2

    def loss(parameters):
        a, c, k = parameters
        root = np.sqrt(1 + k * a * a * tau2)
        z = (a * t + c) / root
        with np.errstate(over="ignore", under="ignore"):
            value = -weight @ (target * log_ndtr(z) + (1 - target) * log_ndtr(-z))
            density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
            slope = target * density / np.maximum(ndtr(z), 1e-300)
            slope -= (1 - target) * density / np.maximum(ndtr(-z), 1e-300)
        pull = -weight * slope / root
        by_a = pull @ (t - (a * t + c) * k * a * tau2 / root**2)
        by_k = pull @ (-0.5 * (a * t + c) * a * a * tau2 / root**2)
        total = weight.sum()
        return value / total, np.array([by_a, pull.sum(), by_k]) / total

    bounds = [(0.0, 1e6), (-1e6, 1e6), (0.0, MOST_SPREAD if variance.any() else 0.0)]
    start = np.array([1.0, 0.0, 1.0 if variance.any() else 0.0])
    a, c, k = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return np.array([a / size, c, k])


def prior_only(positive, weight):
    """Calibration of a constant classifier: the share of the positive class, for every score."""
    up, total = weight[positive].sum(), weight.sum()
    return np.array([0.0, ndtri((up + 1) / (total + 2)), 0.0])


def calibrated(calibration, score, variance):
    """Probability of the positive class, by :func:`fit_calibration`."""
    a, c, k = calibration
    return ndtr((a * score + c) / np.sqrt(1 + k * a * a * variance))


def score_of(calibration, probability):
    """The exact score of a probability; infinite, nearly, if no score has it."""
    a, c, _ = calibration
    wanted = ndtri(probability) - c
    with np.errstate(divide="ignore", invalid="ignore"):
        score = wanted / a if a > 0 else np.where(wanted > 0, np.inf, -np.inf)
    return np.clip(score, -1e9, 1e9)


def held_out_folds(positive):
    """A sample of the examples and the fold of each; one fold if a class has too few for more.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Which examples are positive.

    Returns
    -------
    (ndarray of int, ndarray of int)
        Fold and index of each sampled example.
    """
    fold, sample = [], []
    for side in (np.flatnonzero(~positive), np.flatnonzero(positive)):
        picked = side[np.unique(np.linspace(0, len(side) - 1, MOST_ROWS).astype(np.intp))]
        sample.append(picked)
        fold.append(np.arange(len(picked)) % FOLDS)
    if min(len(picked) for picked in sample) < FOLDS:
        fold = [0 * each for each in fold]
    return np.concatenate(fold), np.concatenate(sample)
