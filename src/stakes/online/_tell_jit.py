"""Compiled: what is told of a score before its example is learnt, and what it would have cost.

The decision by expected cost at the told log-odds z acts if c_pos > c_neg exp(-z). Its regrets are
booked beside those of never and of always acting, on the examples from which the calibration
learns, each taken for as many as it stands for: exact while classes are small, a sample later.
"""

import math

from numba import njit

from stakes._core.jit.prequential import calibrated, learn_map
from stakes.online._state import ALWAYS, CALIBRATE, CALIBRATION, NEVER, PAID

FIRST, END = CALIBRATION.start, CALIBRATION.stop
LARGEST = 700.0  # exp of more is infinite, and infinitely dear times nothing is no number


@njit(cache=True, error_model="numpy")
def tell(state, s, y, c_pos, c_neg, w):
    """The log-odds at score s, or s if not calibrated; learn from it w times and book it."""
    if state[CALIBRATE] == 0.0:
        return s
    cal = state[FIRST:END]
    z = calibrated(cal, s)
    if w > 0.0:
        learn_map(cal, s, y, w)
        acts = c_pos > c_neg * math.exp(min(-z, LARGEST))
        if y > 0.0:
            state[NEVER] += w * c_pos
            state[PAID] += 0.0 if acts else w * c_pos
        else:
            state[ALWAYS] += w * c_neg
            state[PAID] += w * c_neg if acts else 0.0
    return z
