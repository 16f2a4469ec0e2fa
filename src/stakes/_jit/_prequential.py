"""Compiled prequential calibration: a logistic map of scores, learnt beside the learner.

A score is mapped before its example is learnt, so the map only ever sees scores of unseen
examples. Two weights, one Kalman step of a logistic regression each, constant memory:

    P(+1 | s) = 1 / (1 + exp(-(b + a s / rms(s))))

State `cal` (float64): 0 b, 1 a, 2-4 the covariance of (b, a): bb, ba, aa, 5 mean square of the
scores, 6 examples learnt from, 7 examples met. Early scores come from a learner that knew little:
they are forgotten so that example i of n counts as (i / n) ** FORGET, but never so far that less
is known than before the first. Two weights need no more
than a sample: after the first DENSE examples only every THIN-th is learnt from.
"""

import math

import numpy as np
from numba import njit

FORGET = 2.0
PRIOR_VARIANCE = 4.0
DENSE = 10_000
THIN = 8


def new_calibration():
    """The state before the first example: slope one, no shift."""
    return np.array([0.0, 1.0, PRIOR_VARIANCE, 0.0, PRIOR_VARIANCE, 0.0, 0.0, 0.0])


@njit(cache=True, error_model="numpy")
def calibrated(cal, s):
    """The log-odds of the positive class at score s."""
    scale = math.sqrt(cal[5]) if cal[5] > 0.0 else 1.0
    return cal[0] + cal[1] * (s / scale)


@njit(cache=True, error_model="numpy")
def is_due(met):
    """Whether the map learns from the example that makes it `met`."""
    return met <= DENSE or met % THIN == 0


@njit(cache=True, error_model="numpy")
def learn_map(cal, s, y):
    """Learn that the label at score s was y (-1 or +1): one Kalman step of the two weights."""
    cal[6] += 1.0
    n = cal[6]
    cal[5] += (s * s - cal[5]) * (1.0 + FORGET) / (n + FORGET)
    u = s / math.sqrt(cal[5]) if cal[5] > 0.0 else 0.0
    z = cal[0] + cal[1] * u
    e = math.exp(-abs(z))
    miss = 1.0 / (1.0 + e) if y * z < 0.0 else e / (1.0 + e)  # probability of the other label
    h = e / ((1.0 + e) * (1.0 + e))
    # Jaakkola and Jordan's curvature bounds the loss everywhere, so that no step overshoots
    h_bound = 0.5 * (1.0 - e) / ((1.0 + e) * abs(z)) if abs(z) > 1e-4 else 0.25
    inflate = 1.0 + FORGET / (n + FORGET)
    if inflate * max(cal[2], cal[4]) > PRIOR_VARIANCE:  # nothing was learnt: nothing to forget
        inflate = 1.0
    bb, ba, aa = cal[2] * inflate, cal[3] * inflate, cal[4] * inflate
    k0, k1 = bb + ba * u, ba + aa * u
    v = k0 + k1 * u
    push = y * miss / (1.0 + h_bound * v)
    cal[0] += push * k0
    cal[1] += push * k1
    h /= 1.0 + h * v
    cal[2], cal[3], cal[4] = bb - h * k0 * k0, ba - h * k0 * k1, aa - h * k1 * k1


@njit(cache=True, error_model="numpy")
def calibrate_step(cal, s, y):
    """Meet the label y of an example with score s, and learn from it if that is due."""
    cal[7] += 1.0
    if is_due(np.int64(cal[7])):
        learn_map(cal, s, y)


@njit(cache=True, error_model="numpy")
def show(cal, s, y, calibrate, due):
    """What is told of score s, the log-odds if `calibrate`; then learn from it if `due`."""
    if not calibrate:
        return s
    score = calibrated(cal, s)
    if due:
        learn_map(cal, s, y)
    return score
