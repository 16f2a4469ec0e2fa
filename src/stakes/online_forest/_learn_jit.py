"""Compiled: one pass over labeled events.

The forest is additive, log-odds = linear part + the value of one leaf in each tree. An event moves
all of these by one Kalman step of a logistic regression, so that each tree learns what the others
leave over. There is a set of values for each half-life; their shares follow the log loss (Herbster
and Warmuth's fixed share). One more tree is on trial: it learns what a forest without one of the
trees, its rival, leaves over, and takes the place of the rival if decisions with it were cheaper in
the second half of its trial.
"""

import math

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.prequential import calibrate_step, calibrated
from stakes.online_forest._grow_jit import begin_tree, observe
from stakes.online_forest._memory_jit import unpacked
from stakes.online_forest._state import (
    ALWAYS,
    CALIBRATE,
    GAIN,
    GAIN_SQUARE,
    GROWTH,
    INTERCEPT_VARIANCE,
    LAST,
    LEAF_VARIANCE,
    LINEAR,
    MEAN,
    MOST_WEIGHT,
    N_COLUMNS,
    N_REPLACED,
    N_SEEN,
    NEVER,
    PAID,
    RIVAL,
    SHARES,
    STAKE,
    SUM_NEG,
    SUM_POS,
    SUM_WEIGHT,
    SURE,
    SWITCH,
    TRIAL,
    TRIED,
    USED,
    VARIANCE,
    WEIGHT_VARIANCE,
    WHERE,
)
from stakes.online_forest._walk_jit import (
    LARGEST,
    leaf_of,
    log_odds,
    logit,
    mixed,
    usable,
    work_space,
)


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_rows(memory, X, positive, c_pos, c_neg, weight, out):
    """Learn the rows in order; write their calibrated log-odds before learning to `out`."""
    f = unpacked(memory)
    work = work_space(f)
    for t in range(len(X)):
        cp = c_pos[t] if c_pos.size > 1 else c_pos[0]
        cn = c_neg[t] if c_neg.size > 1 else c_neg[0]
        w = weight[t] if weight.size > 1 else weight[0]
        out[t] = learn_next(f, X[t], positive[t], cp, cn, w, work)


@njit(cache=True, error_model="numpy", **ENTRY)
def learn_row(memory, X, positive, c_pos, c_neg, weight):
    """Learn a table of one row unless it is infinite; whether it was not."""
    if not usable(X[0], True):
        return False
    f = unpacked(memory)
    learn_next(f, X[0], positive, c_pos, c_neg, weight, work_space(f))
    return True


@njit(error_model="numpy", inline="always", **INNER)
def learn_next(f, x, positive, c_pos, c_neg, weight, work):
    """Learn one event, if it costs anything; its calibrated log-odds before."""
    z, leaves, rows = work
    odds, spread, chance = rows[0], rows[1], rows[2]
    teaches = weight * (c_pos if positive else c_neg) > 0.0
    if teaches and f.trees[0, USED] == 0:
        for tree in range(f.trees.shape[0]):
            begin_tree(f, tree)
    log_odds(f, x, z, leaves, odds, spread)
    p = mixed(f.head, odds, chance)
    s = logit(p)
    before = calibrated(f.head, s) if f.head[CALIBRATE] > 0.0 else s
    if teaches:
        learn_event(f, x, positive, c_pos, c_neg, weight, p, s, work)
    return before


@njit(error_model="numpy", inline="always", **INNER)
def learn_event(f, x, positive, c_pos, c_neg, weight, p, s, work):
    """Learn one event that has a cost; p and s are its probability and log-odds before."""
    z, leaves, rows = work
    odds, spread, chance, step, shrink = rows[0], rows[1], rows[2], rows[3], rows[4]
    head, n_trees = f.head, f.trees.shape[0] - 1
    w = count(head, f.scale, f.categorical, x, c_pos, c_neg, weight)
    book(head, s, positive, c_pos, c_neg)
    fade(f, leaves, z, spread)
    rival = int(head[RIVAL])
    trial = head[TRIAL] > 0.0 and try_tree(f, x, positive, c_pos, c_neg, w, p, rival, leaves, rows)
    for h in range(odds.size):
        step[h], shrink[h] = kalman(odds[h], chance[h], spread[h], positive, w)
    move_linear(f, z, step, shrink)
    for m in range(n_trees):
        move_leaf(f.value[f.trees[m, WHERE], leaves[m]], 1.0 / n_trees, step, shrink, spread)
    share(head, chance, positive)
    mass = w * ((1.0 - p) if positive else p)
    # constants as int64: numba would compile a second `observe` for literals
    observe(f, x, leaves, np.int64(0), n_trees, int(head[N_SEEN]) % n_trees, positive, mass)
    if trial:
        end_trial(f)


@njit(error_model="numpy", **INNER)
def count(head, scale, categorical, x, c_pos, c_neg, weight):
    """Count an event; its weight relative to the mean so far."""
    head[N_SEEN] += 1.0
    head[SUM_POS] += c_pos
    head[SUM_NEG] += c_neg
    if head[STAKE] > 0.0:
        weight *= c_pos + c_neg
    head[SUM_WEIGHT] += weight
    if head[LINEAR] > 0.0:
        for j in range(int(head[N_COLUMNS])):
            # a missing value counts as the mean, so that one number of events serves all
            if x[j] == x[j] and not categorical[j]:
                away = min(max(x[j], -LARGEST), LARGEST) - scale[0, j]
                scale[0, j] += away / head[N_SEEN]
                scale[1, j] += away * away * (1.0 - 1.0 / head[N_SEEN])
    return min(weight * (head[N_SEEN] / head[SUM_WEIGHT]), MOST_WEIGHT)


@njit(error_model="numpy", **INNER)
def book(head, s, positive, c_pos, c_neg):
    """Book the decision of least expected cost, and let the calibration learn."""
    y = 1.0 if positive else -1.0
    if head[CALIBRATE] > 0.0:
        odds = calibrated(head, s)
        calibrate_step(head, s, y)
    else:
        odds = s
    acts = c_pos > c_neg * math.exp(min(-odds, 700.0))
    if positive:
        head[NEVER] += c_pos
        head[PAID] += 0.0 if acts else c_pos
    else:
        head[ALWAYS] += c_neg
        head[PAID] += c_neg if acts else 0.0


@njit(error_model="numpy", **INNER)
def fade(f, leaves, z, spread):
    """Forget: variances grow with the events since the last visit, up to what they began with."""
    d, now = f.scale.shape[1], f.head[N_SEEN]
    for h in range(spread.size):
        rate = f.head[GROWTH + h]
        if rate > 0.0:
            growth = math.exp(rate)
            total = min(f.linear[h, d, VARIANCE] * growth, INTERCEPT_VARIANCE)
            f.linear[h, d, VARIANCE] = total
            if f.head[LINEAR] > 0.0:
                for j in range(int(f.head[N_COLUMNS])):
                    v = min(f.linear[h, j, VARIANCE] * growth, WEIGHT_VARIANCE)
                    f.linear[h, j, VARIANCE] = v
                    total += v * z[j] * z[j]
            for m in range(f.trees.shape[0] - 1):
                tree = np.int64(f.trees[m, WHERE])
                elapsed = now - f.points[tree, leaves[m], LAST]
                total += fade_leaf(f.value[tree, leaves[m], h], rate * elapsed)
            spread[h] = total
    for m in range(f.trees.shape[0] - 1):
        f.points[f.trees[m, WHERE], leaves[m], LAST] = now


@njit(error_model="numpy", **INNER)
def fade_leaf(value, growth):
    v = value[VARIANCE] * math.exp(min(growth, 30.0))
    value[VARIANCE] = min(v, LEAF_VARIANCE)
    return value[VARIANCE]


@njit(error_model="numpy", **INNER)
def kalman(odds, p, spread, positive, w):
    """Step of the mean and factor of the variance, for a label of weight w at probability p."""
    miss = (1.0 - p) if positive else -p
    curvature = w * p * (1.0 - p)
    # Jaakkola and Jordan's curvature, tanh(|odds| / 2) / (2 |odds|), bounds the loss from above, so
    # that no step overshoots
    bound = w * (p - 0.5) / odds if abs(odds) > 1e-4 else 0.25 * w
    return w * miss / (1.0 + bound * spread), curvature / (1.0 + curvature * spread)


@njit(error_model="numpy", inline="always", **INNER)
def move_linear(f, z, step, shrink):
    d = f.scale.shape[1]
    for h in range(step.size):
        v = f.linear[h, d, VARIANCE]
        f.linear[h, d, MEAN] += step[h] * v
        f.linear[h, d, VARIANCE] = v - shrink[h] * v * v
        if f.head[LINEAR] > 0.0:
            for j in range(int(f.head[N_COLUMNS])):
                v = f.linear[h, j, VARIANCE]
                f.linear[h, j, MEAN] += step[h] * v * z[j]
                f.linear[h, j, VARIANCE] = v - shrink[h] * v * v * z[j] * z[j]


@njit(error_model="numpy", **INNER)
def move_leaf(value, overlap, step, shrink, spread):
    """Move the value of a leaf. Trees overlap, so one of them learns a share of what all do."""
    for h in range(step.size):
        v = value[h, VARIANCE]
        value[h, MEAN] += step[h] * v
        common = (1.0 - overlap) * v + overlap * spread[h]
        value[h, VARIANCE] = v - shrink[h] * v * common


@njit(error_model="numpy", **INNER)
def share(head, chance, positive):
    """Move the shares of the half-lives to those that gave the label more probability."""
    n = chance.size
    if n == 1:
        return
    total = 0.0
    for h in range(n):
        head[SHARES + h] *= chance[h] if positive else 1.0 - chance[h]
        total += head[SHARES + h]
    for h in range(n):
        head[SHARES + h] = (1.0 - SWITCH) * (head[SHARES + h] / total) + SWITCH / n


@njit(error_model="numpy", **INNER)
def try_tree(f, x, positive, c_pos, c_neg, w, p, rival, leaves, rows):
    """Teach the tree on trial what a forest without its rival leaves over; whether it ends."""
    head, last = f.head, f.trees.shape[0] - 1
    tree, place = np.int64(f.trees[last, WHERE]), f.trees[rival, WHERE]
    leaf = leaves[rival]
    mine, now = leaf_of(f, x, tree), head[N_SEEN]
    leaves[last] = mine
    odds, spread, step, shrink = rows[0], rows[1], rows[3], rows[4]  # the steps come later
    other, without, chance = rows[5], rows[6], rows[7]
    for h in range(odds.size):
        if head[GROWTH + h] > 0.0:
            elapsed = now - f.points[tree, mine, LAST]
            fade_leaf(f.value[tree, mine, h], head[GROWTH + h] * elapsed)
        other[h] = odds[h] - f.value[place, leaf, h, MEAN] + f.value[tree, mine, h, MEAN]
        without[h] = (
            spread[h] - f.value[place, leaf, h, VARIANCE] + f.value[tree, mine, h, VARIANCE]
        )
    f.points[tree, mine, LAST] = now
    q = mixed(head, other, chance)
    for h in range(odds.size):
        step[h], shrink[h] = kalman(other[h], chance[h], without[h], positive, w)
    move_leaf(f.value[tree, mine], 1.0 / last, step, shrink, without)
    one, zero = np.int64(1), np.int64(0)
    observe(f, x, leaves, last, one, zero, positive, w * ((1.0 - q) if positive else q))
    head[TRIED] += 1.0
    if 2.0 * head[TRIED] > head[TRIAL]:
        saved = paid(p, positive, c_pos, c_neg) - paid(q, positive, c_pos, c_neg)
        head[GAIN] += saved
        head[GAIN_SQUARE] += saved * saved
    return head[TRIED] >= head[TRIAL]


@njit(error_model="numpy", **INNER)
def paid(p, positive, c_pos, c_neg):
    """Regret of the decision of least expected cost at probability p."""
    acts = p * c_pos > (1.0 - p) * c_neg
    if acts == positive:
        return 0.0
    return c_pos if positive else c_neg


@njit(error_model="numpy", **INNER)
def end_trial(f):
    """Replace the rival if the tree on trial was cheaper, and begin another one."""
    head, last = f.head, f.trees.shape[0] - 1
    rival = int(head[RIVAL])
    if head[GAIN] > SURE * math.sqrt(head[GAIN_SQUARE]):
        f.trees[rival, WHERE], f.trees[last, WHERE] = f.trees[last, WHERE], f.trees[rival, WHERE]
        head[N_REPLACED] += 1.0
    head[RIVAL] = (rival + 1) % last
    head[TRIED], head[GAIN], head[GAIN_SQUARE] = 0.0, 0.0, 0.0
    begin_tree(f, np.int64(f.trees[last, WHERE]))
