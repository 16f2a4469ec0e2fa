"""The numbers that a compiled loop keeps beside the weights: the head of the one array of a model.

All that a linear learner knows is one array: this head, then the mean weights, then their
covariance if it has one. Handing an array to a compiled function costs a tenth of a microsecond,
which is what `learn_one` is made of.

    0-5    tally: examples that had a cost, updates, sum of the regrets, sums of both regrets of
           their rows (see `_jit/_weight.py`), rows passed over because they were not finite
    6-8    book: regrets of the decisions while learning, of never acting, of always acting (see
           `_tell_jit.py`)
    9-18   calibration (see `_jit/_prequential.py`)
    19-25  what the constructor says: rule, two numbers of the rule's own, weighting, calibration
           (1 or 0), the feature of the intercept (1 or 0), the factor omega of the constraint
    26-29  the example at hand, where `learn_one` has it: sign (its first byte), both regrets, score
"""

import numpy as np

from stakes._core.jit.prequential import new_calibration

TALLY, BOOK, CALIBRATION, NUMBERS = slice(0, 6), slice(6, 9), slice(9, 19), slice(19, 25)
N_UPDATES, NOT_FINITE = 1, 5
PAID, NEVER, ALWAYS = 6, 7, 8
RULE, P, Q, WEIGHTING, CALIBRATE, BIAS, OMEGA = range(19, 26)
SIGN, C_POS, C_NEG, SCORE = range(26, 30)
HEAD = 30


def new_array(*parts):
    """The array before the first example, with these weights; the rule is written later."""
    head = np.zeros(HEAD)
    head[CALIBRATION] = new_calibration()
    return np.concatenate([head, *(np.ravel(part) for part in parts)])
