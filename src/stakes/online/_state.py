"""The numbers that a compiled loop keeps beside the weights, in one array.

One array and not three, since handing an array to a compiled function costs a tenth of a
microsecond, which is what `learn_one` is made of:

    0-7    tally: examples that had a cost, updates, sum of the regrets, sums of both regrets of
           their rows (see `_jit/_weight.py`), rows passed over because they were not finite
    8-15   calibration (see `_jit/_prequential.py`)
    16-21  what the constructor says: rule, two numbers of the rule's own, weighting, calibrate,
           the feature of the intercept (1 or 0)
"""

import numpy as np

from stakes._jit._prequential import new_calibration

TALLY, CALIBRATION, NUMBERS = slice(0, 8), slice(8, 16), slice(16, 22)


def new_state():
    """The state before the first example; the rule is written into it later."""
    state = np.zeros(24)
    state[CALIBRATION] = new_calibration()
    return state
