"""Compiled loop of _base.py: scores to log-odds, each before its label is used."""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY
from stakes._core.jit.prequential import calibrate_step, calibrated


@njit(cache=True, **ENTRY)
def calibrate_scores(cal, scores, y, regret):
    """Log-odds of each score before its label is used; a mistake that costs nothing is skipped."""
    odds = np.empty(scores.size)
    for t in range(scores.size):
        odds[t] = calibrated(cal, scores[t])
        if regret[t] > 0.0:
            calibrate_step(cal, scores[t], y[t])
    return odds
