"""Compiled prequential calibration: a logistic map from scores to probabilities, fitted online.

Each score is mapped before its example is learned, so the map only ever sees scores of unseen
examples. It has two weights and takes one Kalman step of a logistic regression per example:

    P(+1 | s) = 1 / (1 + exp(-(b + a s / rms(s))))

The slope a is never negative: scores that point the wrong way, as after a change of sign in the
data, say nothing until the learner has turned its weights.

Early scores come from a learner that knew little, so they are forgotten: example i of n counts as
(i / n) ** FORGET, but the map never becomes less certain than its prior. With a half-life h,
example i of n counts as 2 ** ((i - n) / h) if that is less.

Two weights need only a sample. Once DENSE examples of a class were seen, only every second one is
used, then every fourth, finally every THIN-th, and each counts as many times as the examples it
stands for. So every example of a rare class is used, and a common class costs little time. A map
with a half-life, which is fitted to few examples, uses all of them.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER

# Slots of the state `cal`, a float64 array of length SIZE or the head of a longer one
B = 0  # intercept of the map
A = 1  # slope on the scaled score
VAR_B, COV_BA, VAR_A = 2, 3, 4  # covariance of (b, a)
MEAN_SQUARE = 5  # of the scores: rms(s) ** 2
N_POSITIVE, N_NEGATIVE = 6, 7  # examples used, each counted as often as it stands for
SKIP_POSITIVE, SKIP_NEGATIVE = 8, 9  # examples still to skip before the next one is used
RATE = 10  # log 2 / half-life in examples, the least rate of forgetting; 0: only early scores
SIZE = 11

FORGET = 2.0
PRIOR_VARIANCE = 4.0
DENSE = 2048.0
THIN = 16.0


def new_calibration():
    """State before the first example: slope one, no intercept."""
    cal = np.zeros(SIZE)
    cal[A], cal[VAR_B], cal[VAR_A] = 1.0, PRIOR_VARIANCE, PRIOR_VARIANCE
    return cal


def merge_calibration(cal, other, share):
    """Average another map into this one with weight `share`, and add up the examples."""
    cal[: MEAN_SQUARE + 1] += share * (other[: MEAN_SQUARE + 1] - cal[: MEAN_SQUARE + 1])
    cal[N_POSITIVE : N_NEGATIVE + 1] += other[N_POSITIVE : N_NEGATIVE + 1]


def line_of(cal):
    """Scale, slope and offset of :func:`calibrated`, as numbers."""
    scale = math.sqrt(cal[MEAN_SQUARE]) if cal[MEAN_SQUARE] > 0.0 else 1.0
    return scale, float(cal[A]), float(cal[B])


@njit(cache=True, error_model="numpy", **ENTRY)
def calibrated(cal, s):
    """Log-odds of the positive class at score s."""
    scale = math.sqrt(cal[MEAN_SQUARE]) if cal[MEAN_SQUARE] > 0.0 else 1.0
    return cal[B] + cal[A] * (s / scale)


@njit(cache=True, error_model="numpy", **ENTRY)
def stands_for(cal, y):
    """Count an example of class y; how many examples it stands for, zero if it is skipped."""
    n, skip = (N_POSITIVE, SKIP_POSITIVE) if y > 0.0 else (N_NEGATIVE, SKIP_NEGATIVE)
    if cal[skip] > 0.0:
        cal[skip] -= 1.0
        return 0.0
    stride = 1.0
    while stride < THIN and cal[n] >= DENSE * stride and cal[RATE] == 0.0:
        stride *= 2.0
    cal[n] += stride
    cal[skip] = stride - 1.0
    return stride


@njit(error_model="numpy", **INNER)
def learn_map(cal, s, y, w):
    """One Kalman step towards label y (-1 or +1) at score s, counted w times."""
    # a running mean whose newest term has weight (1 + FORGET) / n instead of 1 / n; the scale is
    # updated first, so that the score in hand is measured in units that include it
    fresh = max(w / (cal[N_POSITIVE] + cal[N_NEGATIVE] + FORGET), w * cal[RATE] / FORGET)
    cal[MEAN_SQUARE] += (s * s - cal[MEAN_SQUARE]) * min((1.0 + FORGET) * fresh, 1.0)
    u = s / math.sqrt(cal[MEAN_SQUARE]) if cal[MEAN_SQUARE] > 0.0 else 0.0
    z = cal[B] + cal[A] * u
    e = math.exp(-abs(z))  # of -|z|: never overflows
    sure = 1.0 / (1.0 + e)
    miss = sure if y * z < 0.0 else e * sure  # probability of the other label
    h = w * e * sure * sure  # curvature of the log loss, p (1 - p)
    # Jaakkola and Jordan's curvature, tanh(|z| / 2) / (2 |z|), bounds the loss from above
    # everywhere, so that no step of the mean overshoots; its limit at zero is 1/4
    h_bound = 0.5 * w * (1.0 - e) * sure / abs(z) if abs(z) > 1e-4 else 0.25 * w
    # forgetting is an inflated covariance, but never beyond the prior: a stream without
    # information (all scores zero, say) would inflate it without end
    inflate = 1.0 + FORGET * fresh
    if inflate * max(cal[VAR_B], cal[VAR_A]) > PRIOR_VARIANCE:
        inflate = 1.0
    bb, ba, aa = cal[VAR_B] * inflate, cal[COV_BA] * inflate, cal[VAR_A] * inflate
    k0, k1 = bb + ba * u, ba + aa * u  # covariance times (1, u)
    v = k0 + k1 * u  # variance of z
    push = w * y * miss / (1.0 + h_bound * v)
    cal[B] += push * k0
    cal[A] += push * k1
    h /= 1.0 + h * v  # Sherman-Morrison: the precision grows by h (1, u)(1, u)'
    cal[VAR_B], cal[COV_BA], cal[VAR_A] = bb - h * k0 * k0, ba - h * k0 * k1, aa - h * k1 * k1
    if cal[A] < 0.0:  # the most likely intercept given a slope of zero
        cal[B] -= cal[A] * cal[COV_BA] / cal[VAR_A]
        cal[A] = 0.0


@njit(cache=True, error_model="numpy", **ENTRY)
def calibrate_step(cal, s, y):
    """Learn from an example with score s and label y, unless it is skipped."""
    w = stands_for(cal, y)
    if w > 0.0:
        learn_map(cal, s, y, w)
