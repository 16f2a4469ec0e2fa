"""Compiled loop of _margins.py: from costs to the margins theta of a stream."""

from numba import njit

from stakes._core.jit import ENTRY

# slots of the state that is carried from batch to batch: examples of each class and their mean
# regret, negative before positive; then all examples and the mean regrets that each would have
# as a negative and as a positive
N_NEGATIVE, N_POSITIVE, MEAN_NEGATIVE, MEAN_POSITIVE, N_ALL, MEAN_FP, MEAN_FN = range(7)
N_SLOTS = 7
LARGEST = 1e100  # of a margin: costs may differ so much that their ratio overflows


@njit(cache=True, **ENTRY)
def margin_pass(balanced, normalize, ratio, odds, positive, fp, fn, state, theta):
    """Theta of each example, from the regrets `fp` and `fn`; see `PricedMargins`.

    `ratio` is T_n / T_p, zero for the running estimate; `odds` is the weight of sensitivity over
    that of specificity.
    """
    for t in range(theta.size):
        theta[t] = margin_of(balanced, normalize, ratio, odds, positive[t], fp[t], fn[t], state)


@njit(cache=True, **ENTRY)
def margin_of(balanced, normalize, ratio, odds, positive, fp, fn, state):
    """Theta of one example.

    Means are updated so that equal costs give exactly that cost. An example whose mistake costs
    nothing is not counted.
    """
    c = fn if positive else fp
    if c == 0.0:
        return 0.0
    own = 1 if positive else 0  # offset from the slot of the negatives
    mean = MEAN_NEGATIVE + own
    state[N_NEGATIVE + own] += 1.0
    state[mean] += (c - state[mean]) / state[N_NEGATIVE + own]
    state[N_ALL] += 1.0
    state[MEAN_FP] += (fp - state[MEAN_FP]) / state[N_ALL]
    state[MEAN_FN] += (fn - state[MEAN_FN]) / state[N_ALL]
    unit = 1.0
    if normalize and balanced:
        unit = state[mean]
    elif normalize:  # a false alarm is the unit, unless it costs nothing
        unit = state[MEAN_FP] if state[MEAN_FP] > 0.0 else state[MEAN_FN]
    theta = c / unit if c < LARGEST * unit else LARGEST
    if balanced and positive:
        running = (state[N_NEGATIVE] + 1.0) / (state[N_POSITIVE] + 1.0)
        theta *= odds * (ratio if ratio > 0.0 else running)
    return min(theta, LARGEST)
