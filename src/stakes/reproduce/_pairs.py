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
