"""Compiled drift test, of whether what is paid leaves what was promised.

Before each label a decision promises a probability q of going wrong. If the promises hold, then for
every bet l the factor

    e = 1 + l s (wrong - q)

has mean one given the past, where s in [0, 1] is what is at stake in the event, relative to others.
For each of a few bets, the Shiryaev-Roberts statistic

    M <- (M + 1) e

adds one for a change at this event and multiplies. While the promises hold, M - t is a martingale,
and so is its mean over the bets; so the expected number of events until the mean of M reaches N is
at least N, whatever the data are (Shin, Ramdas and Rinaldo's e-detectors). That is the stated rate
of false alarms. A positive bet l wins if more goes wrong than was promised; in the long run it
gains only if the share of wrong decisions exceeds q by about l q (1 - q) / 2, so that small errors
of the calibration raise no alarm. A negative bet wins if less goes wrong.
"""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY

BETS = np.array([0.25, 1.0, 4.0, -0.25, -0.75])
N_BETS = 5
N_UP = 3  # bets on more going wrong; they come first
HIGHEST_LOSS = 0.75  # a lost bet costs at most this share of M


@njit(cache=True, error_model="numpy", **ENTRY)
def drift_step(state, first, wrong, q, stake):
    """Bet on one outcome; returns the mean of M. The statistics are state[first : first + N_BETS].

    Parameters
    ----------
    state : ndarray
        Changed in place; zeros before the first event.
    first : int
        Where the statistics begin.
    wrong : bool
        Whether the decision was wrong.
    q : float
        Probability of that, as promised.
    stake : float
        What is at stake relative to other events, from 0 to 1; known before the outcome.
    """
    return drift_step_within(state, first, wrong, q, q, stake)


@njit(cache=True, error_model="numpy", **ENTRY)
def drift_step_within(state, first, wrong, low, high, stake):
    """:func:`drift_step` for a probability that was promised to be from `low` to `high`.

    Bets on more going wrong play against `high`, the others against `low`: their factors then have
    a mean of at most one wherever the probability is between, and the rate of false alarms holds.
    """
    total, outcome = 0.0, 1.0 if wrong else 0.0
    for k in range(N_BETS):
        bet, q = BETS[k], low
        if k < N_UP:
            q = high
            if bet * stake * q > HIGHEST_LOSS:
                bet = HIGHEST_LOSS / (stake * q)
        state[first + k] = (state[first + k] + 1.0) * (1.0 + bet * (stake * (outcome - q)))
        total += state[first + k]
    return total / N_BETS
