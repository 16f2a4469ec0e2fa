"""Compiled loops of _stream_blend.py: features to standard deviations, probabilities to one."""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes.online_forest._walk_jit import LARGEST, logit, sigmoid

FARTHEST = 10.0  # standard deviations; what lies further out counts as this
MOST_ODDS = 10.0  # log-odds of a member that the stack takes as they are
GROWTH = 2.0 ** (1.0 / 5_000.0)  # of the variances of the stack per event
WEIGHT_VARIANCE, INTERCEPT_VARIANCE = 0.25, 0.05
SWITCH = 1e-3  # share that moves between the members at each event

# Slots of `head`
N_SEEN, SUM_POS, SUM_NEG, PAID, NEVER, ALWAYS, N_COLUMNS = range(7)
HEAD = 7


@njit(cache=True, error_model="numpy", **ENTRY)
def standardize_rows(X, teaches, head, scale, out):
    """Rows in standard deviations from the mean of those before; a missing value is the mean.

    `teaches` has no entries if nothing is learned.
    """
    n, columns = head[N_SEEN], int(head[N_COLUMNS])
    for t in range(len(X)):
        for j in range(X.shape[1]):
            out[t, j] = 0.0
            if j < columns and X[t, j] == X[t, j] and scale[1, j] > 0.0:
                v = min(max(X[t, j], -LARGEST), LARGEST) - scale[0, j]
                out[t, j] = min(max(v / math.sqrt(scale[1, j] / n), -FARTHEST), FARTHEST)
        if teaches.size > 0 and teaches[t]:
            n += 1.0
            for j in range(columns):
                if X[t, j] == X[t, j]:
                    away = min(max(X[t, j], -LARGEST), LARGEST) - scale[0, j]
                    scale[0, j] += away / n
                    scale[1, j] += away * away * (1.0 - 1.0 / n)


@njit(error_model="numpy", **INNER)
def blended(odds, weights, shares):
    """Probability of the positive class, and the log-odds of the stack."""
    m, s = odds.size, weights[odds.size]
    for k in range(m):
        s += weights[k] * min(max(odds[k], -MOST_ODDS), MOST_ODDS)
    p = shares[m] * sigmoid(s)
    for k in range(m):
        p += shares[k] * sigmoid(odds[k])
    return p, s


@njit(cache=True, error_model="numpy", **ENTRY)
def blend_rows(odds, then, positive, teaches, c_pos, c_neg, state, out):
    """Write the blended log-odds of each row before its label is used.

    The log-odds `then`, of copies that knew as little as when the row was decided, teach the stack
    and the shares if there are any; otherwise `odds` do.

    The stack is a logistic regression on the members' log-odds that takes one Kalman step per
    event. It is one more member: the shares of all follow their own log loss (fixed share).
    """
    head, weights, covariance, shares = state
    m = odds.shape[1]
    u, step = np.ones(m + 1), np.empty(m + 1)
    for t in range(len(odds)):
        p, s = blended(odds[t], weights, shares)
        out[t] = logit(p)
        if not teaches[t]:
            continue
        row = then[t] if len(then) > 0 else odds[t]
        if len(then) > 0:
            p, s = blended(row, weights, shares)
        cp = c_pos[t] if c_pos.size > 1 else c_pos[0]
        cn = c_neg[t] if c_neg.size > 1 else c_neg[0]
        head[N_SEEN] += 1.0
        head[SUM_POS] += cp
        head[SUM_NEG] += cn
        acts = p * cp > (1.0 - p) * cn
        if positive[t]:
            head[NEVER] += cp
            head[PAID] += 0.0 if acts else cp
        else:
            head[ALWAYS] += cn
            head[PAID] += cn if acts else 0.0
        total = 0.0
        for k in range(m + 1):
            q = sigmoid(row[k] if k < m else s)
            shares[k] *= q if positive[t] else 1.0 - q
            total += shares[k]
        for k in range(m + 1):
            shares[k] = (1.0 - SWITCH) * (shares[k] / total) + SWITCH / (m + 1)
        for k in range(m):
            u[k] = min(max(row[k], -MOST_ODDS), MOST_ODDS)
        grow(covariance)
        v = 0.0
        for i in range(m + 1):
            step[i] = 0.0
            for k in range(m + 1):
                step[i] += covariance[i, k] * u[k]
            v += u[i] * step[i]
        q, a = sigmoid(s), abs(s)
        bound = 0.5 * math.tanh(0.5 * a) / a if a > 1e-4 else 0.25
        push = ((1.0 - q) if positive[t] else -q) / (1.0 + bound * v)
        h = q * (1.0 - q)
        for i in range(m + 1):
            weights[i] += push * step[i]
            for k in range(m + 1):
                covariance[i, k] -= step[i] * step[k] * (h / (1.0 + h * v))


@njit(error_model="numpy", **INNER)
def grow(covariance):
    """Forget a little, but never become less certain than before the first event."""
    for i in range(len(covariance)):
        most = WEIGHT_VARIANCE if i < len(covariance) - 1 else INTERCEPT_VARIANCE
        if covariance[i, i] * GROWTH > most:
            return
    covariance *= GROWTH


@njit(cache=True, error_model="numpy", **ENTRY)
def blend_scores(odds, weights, shares, out):
    """Blended log-odds of rows."""
    for t in range(len(odds)):
        p, _ = blended(odds[t], weights, shares)
        out[t] = logit(p)
