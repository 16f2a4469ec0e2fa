"""Friedman's test for two learners over many data sets."""

import numpy as np
from scipy.stats import chi2

from stakes.reproduce._result import Claim


def friedman_of_two(first, second):
    """Friedman's test for two learners: a chi-square test of wins minus losses; ties are dropped.

    Parameters
    ----------
    first, second : array-like of shape (n_sets,)
        Value of each learner on every data set.

    Returns
    -------
    wins, losses : int
        Data sets on which the first learner has the larger and the smaller value.
    p_value : float

    Examples
    --------
    >>> wins, losses, p = friedman_of_two([1.0] * 18 + [0.0], [0.5] * 19)
    >>> wins, losses, float(f"{p:.1e}")  # the 9.6E-5 of W. Liu's thesis
    (18, 1, 9.6e-05)
    """
    difference = np.asarray(first) - np.asarray(second)
    wins, losses = int(np.sum(difference > 0)), int(np.sum(difference < 0))
    if wins + losses == 0:
        return wins, losses, 1.0
    return wins, losses, float(chi2.sf((wins - losses) ** 2 / (wins + losses), 1))


def beats_claim(text, better, other):
    """Verdict on the claim that one learner has larger values than another.

    Parameters
    ----------
    text : str
        The claim.
    better, other : array-like of shape (n_sets,)
        Mean value of each learner on every data set.

    Returns
    -------
    Claim
    """
    wins, losses, p = friedman_of_two(better, other)
    gain = float(np.mean(np.subtract(better, other)))
    if wins > losses and p < 0.05:
        verdict = "reproduced"
    else:
        verdict = "partly reproduced" if wins > losses and gain > 0 else "not reproduced"
    return Claim(
        text,
        verdict,
        f"better on {wins}, worse on {losses} of {len(better)} sets, mean gain {gain:+.4f}, "
        f"Friedman p = {p:.2g}",
    )


def gain_interval(first, second, *, n_draws=10_000):
    """95 % bootstrap interval over the data sets of the mean difference of two learners.

    Examples
    --------
    >>> low, high = gain_interval([0.9, 0.8, 0.7, 0.9], [0.8, 0.7, 0.6, 0.8])
    >>> round(low, 2), round(high, 2)
    (0.1, 0.1)
    """
    difference = np.subtract(first, second)
    drawn = np.random.default_rng(0).integers(0, len(difference), (n_draws, len(difference)))
    low, high = np.quantile(difference[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def with_interval(claim, first, second):
    """The claim, with the interval of the mean gain in its evidence."""
    low, high = gain_interval(first, second)
    claim.evidence = claim.evidence.replace(
        ", Friedman", f" (95 % interval {low:+.4f} to {high:+.4f}), Friedman"
    )
    return claim
