"""Layout of the one float64 array that holds everything a linear learner knows.

The array is the head below, then the mean weights mu (the intercept last), then Sigma for learners
that have one: d + 1 variances, or a (d + 1) x (d + 1) matrix row by row. Learners of sparse rows
keep each mean next to its variance instead (`PAIRED`), so that one load reads both. It is a single
array because passing an array to a compiled function takes 0.1 microseconds, a tenth of
`learn_one`.
Compiled code holds these slots as constants: clear numba's cache after an edit here.
"""

from typing import NamedTuple

import numpy as np

from stakes._core.jit.drift import N_BETS
from stakes._core.jit.prequential import SIZE, new_calibration

# Slots 0 to SIZE - 1 are the calibration, named in _core/jit/prequential.py. It comes first so that
# its functions take the whole array: a slice per row would cost two atomic reference counts.

# Tally of the examples
N_SEEN = 11  # examples with a cost, the only ones that are learned
N_UPDATES = 12  # examples that moved the weights
SUM_REGRET = 13  # sum of c, the regret of the mistake that is possible given the label
SUM_POS = 14  # sum of c_pos, the regret of missing a positive, whatever the label
SUM_NEG = 15  # sum of c_neg, the regret of a false alarm, whatever the label
N_NOT_FINITE = 16  # rows skipped because they, or their squares, are not finite

# Regret of the decisions made before learning, next to the two constant policies
PAID = 17  # of the learner's decisions
NEVER = 18  # of always deciding negative
ALWAYS = 19  # of always deciding positive

# Settings that the constructor chose, written by `BinaryLinear._set_rule`
RULE = 20  # integer code of the learner's step
P = 21  # first number of the rule, such as C or r
Q = 22  # second number of the rule
OMEGA = 23  # factor on the variance in the constraint of CW and CW-CVaR
WEIGHTING = 24  # integer code of how costs become weights
CALIBRATE = 25  # 1 if scores are calibrated, else 0
BIAS = 26  # value of the intercept's feature: 1, or 0 without an intercept

# The row in hand, which lets `learn_one` call the loop over many rows without new arrays
Y = 27  # label, -1 or +1
C_POS = 28
C_NEG = 29
SCORE = 30  # its score before learning

# Forgetting, see _fading_jit.py and _half_lives.py
GROWTH = 31  # factor on all variances per example, 2 ** (1 / half-life); 1: nothing is forgotten
MOST = 32  # a variance does not grow beyond this
SCALE = 33  # a stored variance stands for SCALE times itself
COMPARE = 34  # 1 while several half-lives are compared
LOSS = 35  # sum of the losses in money since the last comparison
PAUSE_AT = 36  # number of examples after which the loops return for the next comparison
HALF_LIFE = 37  # in examples; 0: nothing is forgotten
LISTENS = 38  # 1 while the rivals are away and the drift test may call them
N_AGAINST = 39  # examples whose margin was negative, since N_BEFORE
N_BEFORE = 40  # number of examples at which their count began
USUAL = 41  # share of negative margins when the rivals left
ALARM = 42  # statistic of a test of whether margins are negative more often than that
PAIRED = 43  # 1 while each mean stands next to its variance, as the loops over sparse rows need it
DRIFT = 44  # first slot of the drift test, see _core/jit/drift.py

HEAD = (DRIFT + N_BETS + 1) // 2 * 2  # even: no pair of a mean and a variance crosses a cache line
VAST = 1e100  # instead of infinity, which model files refuse

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
    head[[GROWTH, SCALE]] = 1.0
    head[[MOST, PAUSE_AT]] = VAST
    return np.concatenate([head, *(np.ravel(part) for part in weights)])
