"""Compiled weight of an example in a stream, from what both mistakes would cost in its row.

`tally` (float64): 0 examples that had a cost, 1 updates, 2 sum of the regrets c of what they were,
3 and 4 sums of both regrets of their rows: of missing a positive, of a false alarm. It may be the
head of a longer array.

The regret alone tilts the odds that are learnt by c_pos(x) / c_neg(x), which differs from row to
row: decided by expected cost afterwards, costs would count twice. The weight by the stake,

    (c_pos + c_neg) / mean(c_pos + c_neg) * mean(c_y),

weighs a row by all that is at stake in it and tilts the odds by one constant, which calibration
takes out again. The weight by the class, mean(c_y), tilts them by the same constant and lets every
row of a class count alike: where stakes spread wide, a few dear rows would outweigh the rest, and
what is learnt would rest on few positives. With one price per class all are the same.
"""

from numba import njit

AS_GIVEN, REGRET, STAKE, CLASS = range(4)


@njit(cache=True, error_model="numpy")
def weigh(tally, y, c_pos, c_neg, weighting):
    """Count an example with a cost, and return its weight; one for an average example."""
    c = c_pos if y > 0.0 else c_neg
    tally[0] += 1.0
    tally[2] += c
    tally[3] += c_pos
    tally[4] += c_neg
    if weighting == AS_GIVEN:
        return c
    if weighting == CLASS:
        return (tally[3] if y > 0.0 else tally[4]) / tally[2]
    if weighting == STAKE:
        c = (c_pos + c_neg) * (tally[3] if y > 0.0 else tally[4]) / (tally[3] + tally[4])
    return c * tally[0] / tally[2]
