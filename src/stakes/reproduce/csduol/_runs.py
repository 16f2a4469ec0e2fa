"""The eight learners on one set of the CSDUOL paper, over random orders of its examples."""

import time
import zlib

import numpy as np
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from stakes.online import ProbitClassifier
from stakes.online_kernel import (
    CSDUOLClassifier,
    DUOLClassifier,
    KernelALMAClassifier,
    KernelCPAClassifier,
    KernelFeaturesClassifier,
    KernelPAClassifier,
    KernelPAUMClassifier,
    KernelPerceptronClassifier,
    KernelROMMAClassifier,
)
from stakes.reproduce.csduol._data import standardised

GAMMA = 1.0 / 128.0  # exp(-|x - z|^2 / (2 sigma^2)) with sigma = 8
GRAM_BYTES = 1 << 30  # a Gram matrix up to this size is computed once for all runs on a set
TICKS = np.linspace(0.1, 1.0, 10)
CONSISTENT = "CSDUOL, C theta"  # with the price in the box as well
LINEAR, FEATURES = "Probit, linear", "Probit, kernel features"
STATED, FITTING = (0.95, 0.05), (0.9, 0.1)  # (c_p, c_n): of Section 4.1, and what fits the table


def plain_learners():
    """The five learners without prices, by the paper's names."""
    return {
        "Perceptron": KernelPerceptronClassifier(gamma=GAMMA, zero_is_positive=True),
        "ALMA": KernelALMAClassifier(gamma=GAMMA),
        "ROMMA": KernelROMMAClassifier(gamma=GAMMA, zero_is_positive=True),
        "PA-I": KernelPAClassifier(gamma=GAMMA),
        "DUOL": DUOLClassifier(gamma=GAMMA),
    }


def priced_learners(**prices):
    """The three learners with prices, and CSDUOL with the price in its box as well."""
    return {
        "PAUM": KernelPAUMClassifier(gamma=GAMMA, **prices),
        "CPA": KernelCPAClassifier(gamma=GAMMA, **prices),
        "CSDUOL": CSDUOLClassifier(gamma=GAMMA, scale_C=False, **prices),
        CONSISTENT: CSDUOLClassifier(gamma=GAMMA, scale_C=True, **prices),
    }


def fixed_size_learners():
    """Learners of fixed size that give probabilities and decide by expected cost."""
    return {
        LINEAR: ProbitClassifier(),
        FEATURES: KernelFeaturesClassifier(random_state=0),
    }


def all_runs(y, costs=True):
    """(learner's name, its setting) -> learner; the setting is "" for plain learners."""
    ratio = np.count_nonzero(y < 0) / np.count_nonzero(y > 0)
    runs = {(name, ""): learner for name, learner in plain_learners().items()}
    settings = {"sum": dict(cost_rule="balanced", class_ratio=ratio)}
    if costs:
        for c_p, c_n in (STATED, FITTING):
            settings[f"{c_p}"] = dict(cost_rule="regret", fn_cost=c_p, fp_cost=c_n)
    for setting, prices in settings.items():
        runs |= {(name, setting): learner for name, learner in priced_learners(**prices).items()}
    runs["CSDUOL", "running"] = CSDUOLClassifier(gamma=GAMMA, cost_rule="balanced", scale_C=False)
    return runs


def of_setting(found, learner, setting):
    """The run of a learner with some setting; plain learners have one run for all settings."""
    return found[learner, setting] if (learner, setting) in found else found[learner, ""]


def run_set(name, X, y, repeats, costs=True):
    """Mistakes, support vectors, curves and seconds of every learner.

    Returns
    -------
    dict of (learner, setting) -> dict of arrays over the repeats: `positive` and `negative`
    mistakes at each tick, `support`, and `seconds` of one run that computes its own kernel rows.
    """
    runs = all_runs(y, costs)
    fixed = {
        (label, setting): (learner, prices)
        for label, learner in fixed_size_learners().items()
        for setting, prices in fixed_prices(y, costs).items()
    }
    scaled = standardised(X)
    gram = rbf_kernel(X, gamma=GAMMA) if 8 * len(y) ** 2 <= GRAM_BYTES else None
    found = {key: {"positive": [], "negative": [], "support": []} for key in runs | fixed}
    counts = {"n_positive": [], "n_negative": []}
    for repeat in range(repeats):
        order = np.random.default_rng(zlib.crc32(f"{name} {repeat}".encode())).permutation(len(y))
        K = None if gram is None else gram[np.ix_(order, order)]
        for key, learner in runs.items():
            if repeat == 0:
                found[key]["seconds"] = _seconds(learner, X[order], y[order])
            fresh = clone(learner).set_params(kernel="rbf" if gram is None else "precomputed")
            scores = fresh.decision_function_then_learn(
                X[order] if gram is None else K, y[order], classes=[-1, 1]
            )
            positive, negative = _mistakes(scores, y[order])
            found[key]["positive"].append(positive)
            found[key]["negative"].append(negative)
            found[key]["support"].append(len(fresh.support_))
        for key, (learner, (c_p, c_n)) in fixed.items():
            p = clone(learner).predict_proba_then_learn(
                scaled[order], y[order], [-1, 1], fp_cost=c_n, fn_cost=c_p
            )
            positive, negative = _mistakes(c_p * p - c_n * (1.0 - p), y[order])
            found[key]["positive"].append(positive)
            found[key]["negative"].append(negative)
        # always negative misses all positives, always positive has all false alarms
        counts["n_positive"].append(_mistakes(-np.ones(len(y)), y[order])[0])
        counts["n_negative"].append(_mistakes(np.ones(len(y)), y[order])[1])
    return {
        key: {what: np.array(values) for what, values in (one | counts).items()}
        for key, one in found.items()
    }


def fixed_prices(y, costs=True):
    """Setting -> (c_p, c_n); the sum has the class ratio of the whole set, as in the paper."""
    prices = {"sum": (np.count_nonzero(y < 0) / np.count_nonzero(y > 0), 1.0)}
    return prices | {str(FITTING[0]): FITTING} if costs else prices


def weighted_sum(one):
    """The sum of the paper in %, at each tick of each repeat; both weights 1/2."""
    missed = one["positive"] / np.maximum(one["n_positive"], 1)
    alarms = one["negative"] / np.maximum(one["n_negative"], 1)
    return 100.0 * (1.0 - 0.5 * missed - 0.5 * alarms)


def weighted_cost(one, prices):
    """The cost of the paper at each tick of each repeat."""
    return prices[0] * one["positive"] + prices[1] * one["negative"]


def _seconds(learner, X, y):
    clone(learner).partial_fit(X[:50], y[:50], classes=[-1, 1])  # compiles
    fresh = clone(learner)
    start = time.process_time()
    fresh.partial_fit(X, y, classes=[-1, 1])
    return time.process_time() - start


def _mistakes(scores, y):
    """Missed positives and false alarms up to each tick; a score of zero counts as positive."""
    said = scores >= 0
    ends = np.rint(TICKS * len(y)).astype(int) - 1
    return np.cumsum((y > 0) & ~said)[ends], np.cumsum((y < 0) & said)[ends]
