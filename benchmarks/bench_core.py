"""The decision layer and the measures: their overhead over the plain tools they are built on."""

import functools

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import roc_curve

from benchmarks._measure import Row, peak_mib, race
from stakes.compare import bootstrap_means
from stakes.datasets import make_fraud
from stakes.decision import BayesDecisionClassifier
from stakes.metrics import cost_loss, minimum_risk


def run():
    data = make_fraud(100_000, random_state=0)
    half = len(data) // 2
    train, test = data.take(slice(0, half)), data.take(slice(half, None))
    booster = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(train.X, train.y)
    return [
        *decide(booster, test),
        *measure(booster.predict_proba(test.X)[:, 1], test),
        *bootstrap(test),
    ]


def decide(booster, test):
    """Ours against the same decision written by hand."""
    model = BayesDecisionClassifier(FrozenEstimator(booster)).fit(test.X, test.y)
    costs = test.as_costs()

    def by_hand():
        p = booster.predict_proba(test.X)[:, 1]
        return (p * costs.fn > (1 - p) * costs.fp).astype(int)

    ours = functools.partial(model.predict, test.X, **test.costs)
    rows = race(f"decide {len(test):,} rows", {"BayesDecisionClassifier": ours, "by hand": by_hand})
    return with_peak(rows, [ours, by_hand])


def measure(probability, test):
    """The exact best threshold against scikit-learn's ROC curve, which it needs no less than."""
    ours = functools.partial(minimum_risk, test.y, probability)
    peer = functools.partial(roc_curve, test.y, probability)
    rows = race(f"best threshold of {len(test):,}", {"minimum_risk": ours, "roc_curve": peer})
    return with_peak(rows, [ours, peer])


def bootstrap(test, n_boot=200):
    """A paired bootstrap of costs against a loop over the metric."""
    decided = (np.random.default_rng(0).random(len(test)) < 0.02).astype(int)
    paid = test.as_costs().paid(test.y == 1, decided)

    def loop():
        rng = np.random.default_rng(0)
        for _ in range(n_boot):
            rows = rng.integers(0, len(test), len(test))
            part = {k: v[rows] if np.ndim(v) else v for k, v in test.costs.items()}
            cost_loss(test.y[rows], decided[rows], **part)

    ours = functools.partial(bootstrap_means, paid[:, None], n_boot=n_boot)
    rows = race(f"{n_boot} bootstrap draws of {len(test):,}", {"ours": ours, "loop": loop}, turns=2)
    return with_peak(rows, [ours, loop])


def with_peak(rows: list[Row], calls):
    for row, call in zip(rows, calls, strict=True):
        row.peak_mib = peak_mib(call)
    return rows
