"""Layout of the one float64 array that holds everything a linear learner knows.

The array is the head below, then the mean weights mu (the intercept last), then Sigma for learners
that have one: d + 1 variances, or a (d + 1) x (d + 1) matrix row by row. It is a single array
because passing an array to a compiled function takes 0.1 microseconds, a tenth of `learn_one`.
Compiled code holds these slots as constants: clear numba's cache after an edit here.
"""

from typing import NamedTuple

import numpy as np

from stakes._core.jit.prequential import SIZE, new_calibration

# Slots 0 to SIZE - 1 are the calibration, named in _core/jit/prequential.py. It comes first so that
# its functions take the whole array: a slice per row would cost two atomic reference counts.

# Tally of the examples
N_SEEN = 10  # examples with a cost, the only ones that are learned
N_UPDATES = 11  # examples that moved the weights
SUM_REGRET = 12  # sum of c, the regret of the mistake that is possible given the label
SUM_POS = 13  # sum of c_pos, the regret of missing a positive, whatever the label
SUM_NEG = 14  # sum of c_neg, the regret of a false alarm, whatever the label
N_NOT_FINITE = 15  # rows skipped because they, or their squares, are not finite

# Regret of the decisions made before learning, next to the two constant policies
PAID = 16  # of the learner's decisions
NEVER = 17  # of always deciding negative
ALWAYS = 18  # of always deciding positive

# Settings that the constructor chose, written by `BinaryLinear._set_rule`
RULE = 19  # integer code of the learner's step
P = 20  # first number of the rule, such as C or r
Q = 21  # second number of the rule
OMEGA = 22  # factor on the variance in the constraint of CW and CW-CVaR
WEIGHTING = 23  # integer code of how costs become weights
CALIBRATE = 24  # 1 if scores are calibrated, else 0
BIAS = 25  # value of the intercept's feature: 1, or 0 without an intercept

# The row in hand, which lets `learn_one` call the loop over many rows without new arrays
Y = 26  # label, -1 or +1
C_POS = 27
C_NEG = 28
SCORE = 29  # its score before learning

HEAD = 30

TALLY = slice(N_SEEN, N_NOT_FINITE + 1)
BOOK = slice(PAID, ALWAYS + 1)
SETTINGS = slice(RULE, BIAS + 1)


class Rule(NamedTuple):
    """Settings of a learner's compiled step, in the order of their slots."""

    code: int
    p: float = 0.0
    q: float = 0.0
    omega: float = 0.0


def new_array(*weights):
    """The array before the first example, with these weights; the settings are written later."""
    head = np.zeros(HEAD)
    head[:SIZE] = new_calibration()
    return np.concatenate([head, *(np.ravel(part) for part in weights)])
