"""Compiled prequential calibration: a logistic map of scores, learnt beside the learner.

A score is mapped before its example is learnt, so the map only ever sees scores of unseen
examples. Two weights, one Kalman step of a logistic regression each, constant memory:

    P(+1 | s) = 1 / (1 + exp(-(b + a s / rms(s))))

State `cal` (float64): 0 b, 1 a, 2-4 the covariance of (b, a): bb, ba, aa, 5 mean square of the
scores, 6 and 7 positives and negatives learnt from, 8 and 9 how many of each to pass over before
the next. Early scores come from a learner that knew little: they are forgotten so that example i of
n counts as (i / n) ** FORGET, but never so far that less is known than before the first.

Two weights need no more than a sample. Of a class of which DENSE examples were met only every
second is learnt from, then every fourth, at last every THIN-th, and it stands for as many: a rare
class is learnt from whole, a common one costs little.
"""

import math

import numpy as np
from numba import njit

FORGET = 2.0
PRIOR_VARIANCE = 4.0
DENSE = 2048.0
THIN = 16.0


def new_calibration():
    """The state before the first example: slope one, no shift."""
    return np.array([0.0, 1.0, PRIOR_VARIANCE, 0.0, PRIOR_VARIANCE, 0.0, 0.0, 0.0, 0.0, 0.0])


@njit(cache=True, error_model="numpy")
def calibrated(cal, s):
    """The log-odds of the positive class at score s."""
    scale = math.sqrt(cal[5]) if cal[5] > 0.0 else 1.0
    return cal[0] + cal[1] * (s / scale)


@njit(cache=True, error_model="numpy")
def stands_for(cal, y):
    """Meet an example of class y: how many examples the map is to take it for; zero: none."""
    k = 6 if y > 0.0 else 7
    if cal[k + 2] > 0.0:
        cal[k + 2] -= 1.0
        return 0.0
    stride = 1.0
    while stride < THIN and cal[k] >= DENSE * stride:
        stride *= 2.0
    cal[k] += stride
    cal[k + 2] = stride - 1.0
    return stride


@njit(cache=True, error_model="numpy")
def learn_map(cal, s, y, w):
    """Learn that at score s the label was y (-1 or +1), counted w times: one Kalman step."""
    fresh = w / (cal[6] + cal[7] + FORGET)
    cal[5] += (s * s - cal[5]) * (1.0 + FORGET) * fresh
    u = s / math.sqrt(cal[5]) if cal[5] > 0.0 else 0.0
    z = cal[0] + cal[1] * u
    e = math.exp(-abs(z))
    sure = 1.0 / (1.0 + e)
    miss = sure if y * z < 0.0 else e * sure  # probability of the other label
    h = w * e * sure * sure
    # Jaakkola and Jordan's curvature bounds the loss everywhere, so that no step overshoots
    h_bound = 0.5 * w * (1.0 - e) * sure / abs(z) if abs(z) > 1e-4 else 0.25 * w
    inflate = 1.0 + FORGET * fresh
    if inflate * max(cal[2], cal[4]) > PRIOR_VARIANCE:  # nothing was learnt: nothing to forget
        inflate = 1.0
    bb, ba, aa = cal[2] * inflate, cal[3] * inflate, cal[4] * inflate
    k0, k1 = bb + ba * u, ba + aa * u
    v = k0 + k1 * u
    push = w * y * miss / (1.0 + h_bound * v)
    cal[0] += push * k0
    cal[1] += push * k1
    h /= 1.0 + h * v
    cal[2], cal[3], cal[4] = bb - h * k0 * k0, ba - h * k0 * k1, aa - h * k1 * k1


@njit(cache=True, error_model="numpy")
def calibrate_step(cal, s, y):
    """Meet the label y of an example with score s, and learn from it if that is due."""
    w = stands_for(cal, y)
    if w > 0.0:
        learn_map(cal, s, y, w)
