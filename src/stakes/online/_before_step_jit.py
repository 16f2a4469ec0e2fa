"""Compiled: what happens to every row between its margin and its step.

1. `skip_row`: a row that is not finite, or whose squares overflow, is only counted.
2. `register`: the example is counted and weighted; without a cost it is scored but not learned.
3. `log_odds`: the score is calibrated, and the decision that it implies is booked. The loops call
   it only where a score is wanted or the calibration uses the row: the square root, the division
   and the exponential of a score take as long as the rest of a short row. For the same reason the
   three are not one function (measured: 20 % more time for PA, 10 % for AROW at 30 features).

The weight of an example follows from the regrets of both possible mistakes in its row, c_pos (a
missed positive) and c_neg (a false alarm); c_y is the one that fits the label.

    REGRET   c_y / mean(c_y)
    STAKE    (c_pos + c_neg) / mean(c_pos + c_neg) * mean(c_y) of the class
    CLASS    mean(c_y) of the class

REGRET tilts the learned odds by c_pos(x) / c_neg(x), which varies from row to row; a decision by
expected cost would then count the costs twice. STAKE and CLASS tilt them by one constant, which
calibration removes. With STAKE a few expensive rows can outweigh all others; with CLASS all rows of
a class count the same. With one price per class the three are equal.
"""

import math

from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.drift import drift_step
from stakes._core.jit.prequential import calibrated, learn_map, stands_for
from stakes.online._state import (
    ALARM,
    ALWAYS,
    CALIBRATE,
    COMPARE,
    DRIFT,
    LISTENS,
    LOSS,
    N_AGAINST,
    N_NOT_FINITE,
    N_SEEN,
    NEVER,
    PAID,
    PAUSE_AT,
    SUM_NEG,
    SUM_POS,
    SUM_REGRET,
    USUAL,
    VAST,
    WEIGHTING,
)

AS_GIVEN, REGRET, STAKE, CLASS = range(4)
RUN_LENGTH = 50_000.0  # examples between two false alarms of the drift test, on average or more
LONG_RUN, BET = 500_000.0, 0.4  # the same for the test of signs, and what it bets
LARGEST = 700.0  # exp of more is infinite, and infinity times a cost of zero is NaN


@njit(error_model="numpy", **INNER)
def weigh(state, y, c_pos, c_neg):
    """Count an example that has a cost; its weight, one on average unless costs are AS_GIVEN."""
    weighting, c = state[WEIGHTING], c_pos if y > 0.0 else c_neg
    # counted first: the means include the example itself, so the first one has weight one
    state[N_SEEN] += 1.0
    state[SUM_REGRET] += c
    state[SUM_POS] += c_pos
    state[SUM_NEG] += c_neg
    if weighting == AS_GIVEN:
        return c
    of_class = state[SUM_POS] if y > 0.0 else state[SUM_NEG]
    if weighting == CLASS:
        return of_class / state[SUM_REGRET]
    if weighting == STAKE:
        c = (c_pos + c_neg) * of_class / (state[SUM_POS] + state[SUM_NEG])
    return c * state[N_SEEN] / state[SUM_REGRET]


@njit(error_model="numpy", **INNER)
def register(state, y, c_pos, c_neg):
    """Count an example: how often the calibration uses it, and its weight; zeros without a cost."""
    if not (c_pos if y > 0.0 else c_neg) > 0.0:
        return 0.0, 0.0
    w = stands_for(state, y) if state[CALIBRATE] > 0.0 else 0.0
    return w, weigh(state, y, c_pos, c_neg)


@njit(error_model="numpy", **INNER)
def skip_row(state, out, t):
    """Count a row that is not finite; its score is NaN."""
    state[N_NOT_FINITE] += 1.0
    if out.shape[0] > 0:
        out[t] = math.nan


@njit(cache=True, error_model="numpy", **ENTRY)
def log_odds(state, s, y, c_pos, c_neg, w, c):
    """Calibrated score s, or s itself without calibration; book and learn the map w times.

    The decision of least expected cost at log-odds z is positive if c_pos > c_neg exp(-z). Its
    regret is booked next to those of the constant policies, for the examples that the calibration
    uses, each w times: exact while a class is small, a sample later. Without a cost, c = 0, the
    example is only scored.
    """
    if state[CALIBRATE] == 0.0:
        return s
    z = calibrated(state, s)  # before learn_map, which sees the label
    if c > 0.0 and state[COMPARE] > 0.0:
        add_loss(state, z, y)
    if w > 0.0:
        learn_map(state, s, y, w)
        odds_against = math.exp(min(-z, LARGEST))
        acts = c_pos > c_neg * odds_against
        if y > 0.0:
            state[NEVER] += w * c_pos
            state[PAID] += 0.0 if acts else w * c_pos
        else:
            state[ALWAYS] += w * c_neg
            state[PAID] += w * c_neg if acts else 0.0
        if state[LISTENS] > 0.0:
            q = (odds_against if acts else 1.0) / (1.0 + odds_against)
            largest = max(state[SUM_POS], state[SUM_NEG]) / state[N_SEEN]
            stake = min((c_neg if acts else c_pos) / largest, 1.0) if largest > 0.0 else 0.0
            if drift_step(state, DRIFT, acts != (y > 0.0), q, stake) > RUN_LENGTH:
                state[PAUSE_AT] = state[N_SEEN]  # compare half-lives at once
    return z


@njit(error_model="numpy", **INNER)
def heed(state, m):
    """Call the rivals if margins are negative more often than they were.

    The drift test of `log_odds` sees a sample and asks whether probabilities are right; this one
    sees every example and needs no probability. It is one bet of `_core/jit/drift.py`, on the share
    of negative margins; with a bet of 0.4 a share that grows by a fifth is found.
    """
    wrong = 1.0 if m < 0.0 else 0.0
    state[N_AGAINST] += wrong
    if state[LISTENS] > 0.0:
        state[ALARM] = (state[ALARM] + 1.0) * (1.0 + BET * (wrong - state[USUAL]))
        if state[ALARM] > LONG_RUN:
            state[PAUSE_AT] = state[N_SEEN]


@njit(cache=True, error_model="numpy", **ENTRY)
def log_ratio(a, b):
    """log(a / b) of positive numbers, finite where the ratio overflows or is zero."""
    if a == b:  # the usual case without prices
        return 0.0
    return math.log(min(max(a / b, 1.0 / VAST), VAST))


@njit(error_model="numpy", **INNER)
def add_loss(state, z, y):
    """Add the loss of the log-odds z, in units of the more expensive mistake at the mean costs.

    With t = z + log(c_pos / c_neg), whose sign is the decision at the mean costs, the loss is
    c_y log(1 + exp(-y t)): a bound on the regret (times log 2), least at the true probability.
    """
    c_pos, c_neg = state[SUM_POS], state[SUM_NEG]
    if c_pos > 0.0 and c_neg > 0.0:
        m = -y * (z + log_ratio(c_pos, c_neg))
        c = (c_pos if y > 0.0 else c_neg) / max(c_pos, c_neg)
        state[LOSS] += c * (max(m, 0.0) + math.log1p(math.exp(-abs(m))))
