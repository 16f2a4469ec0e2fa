"""Runs behind Tables II and III of the CW-CVaR paper."""

import itertools
import warnings

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri
from sklearn.base import clone

from stakes.errors import BelowTrivialWarning
from stakes.online import CWClassifier, CWCVaRClassifier, ProbitClassifier
from stakes.risk import conditional_value_at_risk, omega

LEARNERS = (
    "CW",
    "CW-costs",
    "CW-CV-arb-nobuf",
    "CW-CV-gauss",
    "CW-CV-symuni",
    "CW-CV-sym",
    "CW-CV-arb",
)
GRID = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
MARGINS = {
    "CW-CV-gauss": "gaussian",
    "CW-CV-symuni": "unimodal",
    "CW-CV-sym": "symmetric",
    "CW-CV-arb": "arbitrary",
}
STEP = "CW-costs, step times the cost"  # the other reading of the baseline
SOFT, PROBIT = "soft rule (ours)", "probit, Bayes decision (ours)"
OURS = (SOFT, PROBIT)
SELECTIONS = 20  # trials on which the settings are chosen; the paper has one
PERMUTATIONS = 20  # of the stream, for each setting that a trial chooses


def _paper(**more):
    return CWCVaRClassifier(cost_rule="paper", normalize_costs=False, calibration=None, **more)


def hard_update(epsilon, margin):
    """The paper's update without the buffer: the same epsilon at every cost."""
    return _paper(buffer=False, expensive_tail=epsilon, cheap_tail=epsilon, margin=margin)


def candidates(name):
    """The settings of which the paper's protocol picks the one with the lowest cost on a stream."""
    if name == "CW":
        return [CWClassifier(eta=1 - e, calibration=None) for e in GRID if e < 0.5]
    if name == "CW-costs":
        return [hard_update(_tail_of(-ndtri(e)), "gaussian") for e in GRID if e < 0.5]
    if name == STEP:
        fixed = dict(cost_rule="costs", buffer=False, normalize_costs=False, calibration=None)
        return [CWCVaRClassifier(expensive_tail=e, cheap_tail=e, **fixed) for e in GRID if e < 0.5]
    if name == "CW-CV-arb-nobuf":
        return [hard_update(e, "arbitrary") for e in GRID]
    if name == SOFT:
        return [CWCVaRClassifier(cost_rule="regret", C=C, calibration=None) for C in (0.01, 0.1, 1)]
    if name == PROBIT:
        return [ProbitClassifier()]
    pairs = itertools.combinations_with_replacement(GRID, 2)
    return [_paper(expensive_tail=a, cheap_tail=b, margin=MARGINS[name]) for a, b in pairs]


def _tail_of(factor):
    """The tail whose CVaR factor is a given one: Eq. 6 with the factor of the value at risk."""
    return brentq(lambda tail: omega(tail, "gaussian") - factor, 1e-12, 1 - 1e-12)


def online(model, stream, name):
    """Cost of deciding, then learning, example by example."""
    return stream.paid(decided_online(model, stream, name))


def decided_online(model, stream, name):
    """The decisions, each made before its example is learned."""
    costs = dict(fp_cost=stream.c, fn_cost=stream.c)
    p = clone(model).predict_proba_then_learn(stream.X, stream.y, [0, 1], **costs)
    return _decided(p, stream, name)


def batch(model, train, test, name):
    """Learn from one part, decide on the other: cost and CVaR of the margins."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", BelowTrivialWarning
        )  # the tables show the constant policies
        model = clone(model).fit(train.X, train.y, fp_cost=train.c, fn_cost=train.c)
    paid = test.paid(_decided(model.predict_proba(test.X)[:, 1], test, name))
    margins = np.where(test.y == 1, 1.0, -1.0) * (test.X @ model.coef_[0] + model.intercept_)
    return paid, conditional_value_at_risk(margins, 0.05, side="lower")


def margins_online(model, stream):
    """CVaR at 0.05 of the margins, each computed before its example is learned."""
    model = clone(model)
    signs, costs = np.where(stream.y == 1, 1.0, -1.0), stream.c.tolist()
    margins = np.zeros(len(signs))
    for t, x in enumerate(stream.X):
        if t:
            margins[t] = signs[t] * float(np.sum(x * model.coef_[0]) + model.intercept_[0])
        model.learn_one(x, int(stream.y[t]), fp_cost=costs[t], fn_cost=costs[t])
    return conditional_value_at_risk(margins, 0.05, side="lower")


def run_set(stream, repeats, batches, say, margins=3, selections=SELECTIONS):
    """Costs and margins of every learner, and the chosen settings.

    Returns
    -------
    dict of str -> dict
        online, batch: costs per repeat; curve: mean cost during the stream; cvar_online,
        cvar_batch; setting: the one that the first trial chooses; trials: mean cost of the
        setting that each trial chooses.
    """
    found = {}
    for name in (*LEARNERS, STEP, *OURS):
        chosen = _chosen(stream, name, selections)
        best = candidates(name)[chosen[0]]
        costs, curves, cvars, ends = [], [], [], []
        for seed in range(repeats):
            order = np.random.default_rng(seed).permutation(len(stream.y))
            shuffled = stream.take(order)
            decided = decided_online(best, shuffled, name)
            costs.append(shuffled.paid(decided))
            curves.append(shuffled.paid_so_far(decided))
            if seed < margins:
                cvars.append(margins_online(best, shuffled))
            if seed < batches:
                cut = len(order) // 10
                ends.append(batch(best, stream.take(order[cut:]), stream.take(order[:cut]), name))
        found[name] = dict(
            online=costs,
            curve=np.mean(curves, axis=0),
            batch=[paid for paid, _ in ends],
            cvar_online=cvars,
            cvar_batch=[cvar for _, cvar in ends],
            setting=best,
            trials=trial_costs(stream, name, chosen, min(repeats, PERMUTATIONS)),
        )
        say(f"{name}: {np.mean(costs):,.0f}")
    return found


def _chosen(stream, name, selections):
    """The number of the setting that costs least, on each of some random orders of the stream."""
    chosen = []
    for trial in range(selections):
        order = np.random.default_rng(99 + 1000 * trial).permutation(len(stream.y))
        shuffled = stream.take(order)
        chosen.append(int(np.argmin([online(m, shuffled, name) for m in candidates(name)])))
    return chosen


def trial_costs(stream, name, chosen, permutations):
    """Mean cost, over the same permutations, of the setting that each trial chose."""
    settings = candidates(name)
    orders = [np.random.default_rng(s).permutation(len(stream.y)) for s in range(permutations)]
    mean = {
        i: np.mean([online(settings[i], stream.take(order), name) for order in orders])
        for i in set(chosen)
    }
    return np.array([mean[i] for i in chosen])


def _decided(p, stream, name):
    if name != PROBIT:
        return p > 0.5
    return p * (stream.fp + stream.expected_fn) > stream.fp
