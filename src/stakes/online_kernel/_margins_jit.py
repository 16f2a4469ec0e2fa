"""Compiled loop of _margins.py: from prices to the margins theta of a stream."""

from numba import njit


@njit(cache=True)
def margin_pass(positive, fp, fn, by_sum, normalize, ratio, odds, state, theta):
    """Theta of each example; `state` is carried from batch to batch.

    state = (negatives, positives, mean regret of the negatives, of the positives,
    examples, mean fp regret of all, mean fn regret of all). Means are updated so that equal
    prices give exactly that price. An example whose mistake costs nothing is not counted.
    """
    for t in range(theta.size):
        c = fn[t] if positive[t] else fp[t]
        if c == 0.0:
            theta[t] = 0.0
            continue
        own = 1 if positive[t] else 0
        state[own] += 1.0
        state[2 + own] += (c - state[2 + own]) / state[own]
        state[4] += 1.0
        state[5] += (fp[t] - state[5]) / state[4]
        state[6] += (fn[t] - state[6]) / state[4]
        unit = 1.0
        if normalize and by_sum:
            unit = state[2 + own]
        elif normalize:
            unit = state[5] if state[5] > 0.0 else state[6]
        theta[t] = c / unit
        if by_sum and positive[t]:
            theta[t] *= odds * (ratio if ratio > 0.0 else (state[0] + 1.0) / (state[1] + 1.0))
