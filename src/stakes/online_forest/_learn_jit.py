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

from stakes._core.jit import INNER
from stakes._core.jit.prequential import calibrate_step, calibrated
from stakes.online_forest._grow_jit import begin_tree, observe
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
    sigmoid,
)


@njit(cache=True, error_model="numpy")
def learn_rows(f, X, positive, c_pos, c_neg, weight, out):
    """Learn the rows in order; write their calibrated log-odds before learning to `out`."""
    n_half_lives, t_all = f.linear.shape[0], f.trees.shape[0]
    z, leaves = np.zeros(X.shape[1]), np.empty(t_all, np.int64)
    odds, spread = np.empty(n_half_lives), np.empty(n_half_lives)
    step, shrink = np.empty(n_half_lives), np.empty(n_half_lives)
    for t in range(len(X)):
        cp = c_pos[t] if c_pos.size > 1 else c_pos[0]
        cn = c_neg[t] if c_neg.size > 1 else c_neg[0]
        w = weight[t] if weight.size > 1 else weight[0]
        teaches = w * (cp if positive[t] else cn) > 0.0
        if teaches and f.trees[0, USED] == 0:
            for tree in range(t_all):
                begin_tree(f, tree)
        log_odds(f, X[t], z, leaves, odds, spread)
        p = mixed(f, odds)
        s = logit(p)
        if out.size > 0:
            out[t] = calibrated(f.head, s) if f.head[CALIBRATE] > 0.0 else s
        if teaches:
            work = z, leaves, odds, spread, step, shrink
            learn_event(f, X[t], positive[t], cp, cn, w, p, s, work)


@njit(cache=True, error_model="numpy", **INNER)
def learn_event(f, x, positive, c_pos, c_neg, weight, p, s, work):
    """Learn one event that has a cost; p and s are its probability and log-odds before."""
    z, leaves, odds, spread, step, shrink = work
    head, n_trees = f.head, f.trees.shape[0] - 1
    w = count(f, x, c_pos, c_neg, weight)
    book(head, s, positive, c_pos, c_neg)
    fade(f, leaves, z, spread)
    rival = int(head[RIVAL])
    place = f.trees[rival, WHERE]
    if head[TRIAL] > 0.0:
        trial = try_tree(f, x, positive, c_pos, c_neg, w, p, place, leaves[rival], odds, spread)
    else:
        trial = False
    for h in range(odds.size):
        step[h], shrink[h] = kalman(odds[h], spread[h], positive, w)
    move_linear(f, z, step, shrink)
    for m in range(n_trees):
        move_leaf(f, f.trees[m, WHERE], leaves[m], step, shrink, spread)
    share(head, odds, positive)
    mass, start = w * ((1.0 - p) if positive else p), int(head[N_SEEN]) % n_trees
    may_split = start >= 0  # true; for a literal True `observe` would be compiled once more
    for k in range(n_trees):  # one split at a time: the others see what it leaves over
        m = (start + k) % n_trees
        if observe(
            f, x, np.int64(f.trees[m, WHERE]), np.int64(leaves[m]), positive, mass, may_split
        ):
            may_split = False
    if trial:
        end_trial(f)


@njit(cache=True, error_model="numpy", **INNER)
def count(f, x, c_pos, c_neg, weight):
    """Count an event; its weight relative to the mean so far."""
    head = f.head
    head[N_SEEN] += 1.0
    head[SUM_POS] += c_pos
    head[SUM_NEG] += c_neg
    if head[STAKE] > 0.0:
        weight *= c_pos + c_neg
    head[SUM_WEIGHT] += weight
    if head[LINEAR] > 0.0:
        for j in range(int(head[N_COLUMNS])):
            # a missing value counts as the mean, so that one number of events serves all
            if x[j] == x[j] and not f.categorical[j]:
                away = min(max(x[j], -LARGEST), LARGEST) - f.scale[0, j]
                f.scale[0, j] += away / head[N_SEEN]
                f.scale[1, j] += away * away * (1.0 - 1.0 / head[N_SEEN])
    return min(weight * (head[N_SEEN] / head[SUM_WEIGHT]), MOST_WEIGHT)


@njit(cache=True, error_model="numpy", **INNER)
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


@njit(cache=True, error_model="numpy", **INNER)
def fade(f, leaves, z, spread):
    """Forget: variances grow with the events since the last visit, up to what they began with."""
    d, now = f.scale.shape[1], f.head[N_SEEN]
    for h in range(spread.size):
        rate = f.head[GROWTH + h]
        if rate > 0.0:
            spread[h] = 0.0
            growth = math.exp(rate)
            f.linear[h, d, VARIANCE] = min(f.linear[h, d, VARIANCE] * growth, INTERCEPT_VARIANCE)
            spread[h] += f.linear[h, d, VARIANCE]
            if f.head[LINEAR] > 0.0:
                for j in range(int(f.head[N_COLUMNS])):
                    v = min(f.linear[h, j, VARIANCE] * growth, WEIGHT_VARIANCE)
                    f.linear[h, j, VARIANCE] = v
                    spread[h] += v * z[j] * z[j]
            for m in range(f.trees.shape[0] - 1):
                tree = np.int64(f.trees[m, WHERE])
                fade_leaf(f, tree, leaves[m], h, rate * (now - f.points[tree, leaves[m], LAST]))
                spread[h] += f.value[tree, leaves[m], h, VARIANCE]
    for m in range(f.trees.shape[0] - 1):
        f.points[f.trees[m, WHERE], leaves[m], LAST] = now


@njit(cache=True, error_model="numpy", **INNER)
def fade_leaf(f, tree, leaf, h, growth):
    v = f.value[tree, leaf, h, VARIANCE] * math.exp(min(growth, 30.0))
    f.value[tree, leaf, h, VARIANCE] = min(v, LEAF_VARIANCE)


@njit(cache=True, error_model="numpy", **INNER)
def kalman(odds, spread, positive, w):
    """Step of the mean and factor of the variance, for a label of weight w."""
    p = sigmoid(odds)
    miss = (1.0 - p) if positive else -p
    curvature = w * p * (1.0 - p)
    # Jaakkola and Jordan's curvature bounds the loss from above, so that no step overshoots
    a = abs(odds)
    bound = 0.5 * w * math.tanh(0.5 * a) / a if a > 1e-4 else 0.25 * w
    return w * miss / (1.0 + bound * spread), curvature / (1.0 + curvature * spread)


@njit(cache=True, error_model="numpy", **INNER)
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


@njit(cache=True, error_model="numpy", **INNER)
def move_leaf(f, tree, leaf, step, shrink, spread):
    """Move the value of a leaf. Trees overlap, so one of them learns a share of what all do."""
    overlap = 1.0 / (f.trees.shape[0] - 1)
    for h in range(step.size):
        v = f.value[tree, leaf, h, VARIANCE]
        f.value[tree, leaf, h, MEAN] += step[h] * v
        common = (1.0 - overlap) * v + overlap * spread[h]
        f.value[tree, leaf, h, VARIANCE] = v - shrink[h] * v * common


@njit(cache=True, error_model="numpy", **INNER)
def share(head, odds, positive):
    """Move the shares of the half-lives to those that gave the label more probability."""
    n = odds.size
    if n == 1:
        return
    total = 0.0
    for h in range(n):
        p = sigmoid(odds[h])
        head[SHARES + h] *= p if positive else 1.0 - p
        total += head[SHARES + h]
    for h in range(n):
        head[SHARES + h] = (1.0 - SWITCH) * (head[SHARES + h] / total) + SWITCH / n


@njit(cache=True, error_model="numpy", **INNER)
def try_tree(f, x, positive, c_pos, c_neg, w, p, place, leaf, odds, spread):
    """Teach the tree on trial what a forest without its rival leaves over; whether it ends."""
    head, tree = f.head, np.int64(f.trees[f.trees.shape[0] - 1, WHERE])
    mine, n = np.int64(leaf_of(f, x, tree)), odds.size
    other, step, shrink, without = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    now = head[N_SEEN]
    for h in range(n):
        if head[GROWTH + h] > 0.0:
            elapsed = now - f.points[tree, mine, LAST]
            fade_leaf(f, tree, mine, h, head[GROWTH + h] * elapsed)
        other[h] = odds[h] - f.value[place, leaf, h, MEAN] + f.value[tree, mine, h, MEAN]
        without[h] = (
            spread[h] - f.value[place, leaf, h, VARIANCE] + f.value[tree, mine, h, VARIANCE]
        )
        step[h], shrink[h] = kalman(other[h], without[h], positive, w)
    f.points[tree, mine, LAST] = now
    q = mixed(f, other)
    move_leaf(f, tree, mine, step, shrink, without)
    observe(f, x, tree, mine, positive, w * ((1.0 - q) if positive else q), tree >= 0)
    head[TRIED] += 1.0
    if 2.0 * head[TRIED] > head[TRIAL]:
        saved = paid(p, positive, c_pos, c_neg) - paid(q, positive, c_pos, c_neg)
        head[GAIN] += saved
        head[GAIN_SQUARE] += saved * saved
    return head[TRIED] >= head[TRIAL]


@njit(cache=True, error_model="numpy", **INNER)
def paid(p, positive, c_pos, c_neg):
    """Regret of the decision of least expected cost at probability p."""
    acts = p * c_pos > (1.0 - p) * c_neg
    if acts == positive:
        return 0.0
    return c_pos if positive else c_neg


@njit(cache=True, error_model="numpy", **INNER)
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
