"""Tuning a threshold exactly, against scikit-learn's search over a hundred of them."""

import functools

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV

from benchmarks._measure import peak_mib, race
from stakes.costs import Costs
from stakes.datasets import make_fraud
from stakes.decision import ThresholdDecisionClassifier, threshold_curve

FN_COST = 30.0


def run():
    data = make_fraud(60_000, random_state=0)
    train, test = data.take(slice(0, 30_000)), data.take(slice(30_000, None))
    return [*tune(train, test), *scan(np.random.default_rng(0))]


def tune(train, test):
    """Fit the same model in five folds; the note has the cost of the thresholds on new rows."""

    def minus_cost(y, decided):
        (_, fp), (fn, _) = confusion_matrix(y, decided)
        return -(fp + FN_COST * fn)

    inner = LogisticRegression(max_iter=1000)
    ours = ThresholdDecisionClassifier(inner, fn_cost=FN_COST)
    peer = TunedThresholdClassifierCV(inner, scoring=make_scorer(minus_cost), cv=5)
    calls = [functools.partial(model.fit, train.X, train.y) for model in (ours, peer)]
    names = ["ThresholdDecisionClassifier", "TunedThresholdClassifierCV"]
    task = f"fit and tune, {len(train):,} rows"
    rows = race(task, dict(zip(names, calls, strict=True)), turns=3)
    for row, model, call in zip(rows, (ours, peer), calls, strict=True):
        row.peak_mib = peak_mib(call)
        row.note = f"cost on new rows {-minus_cost(test.y, model.predict(test.X)):,.0f}"
    return rows


def scan(rng, n=100_000, n_thresholds=100):
    """Cost of every threshold with one sort, against one pass over the rows per threshold."""
    scores, positive = rng.random(n), rng.random(n) < 0.1
    costs = Costs.of(n, fn_cost=rng.lognormal(2.0, 1.0, n))

    def passes():
        grid = np.quantile(scores, np.linspace(0, 1, n_thresholds))
        return [costs.paid(positive, scores > threshold).sum() for threshold in grid]

    ours = functools.partial(threshold_curve, scores, positive, costs)
    rows = race(
        f"cost of thresholds, {n:,} rows",
        {"threshold_curve (all)": ours, f"{n_thresholds} passes": passes},
    )
    for row, call in zip(rows, (ours, passes), strict=True):
        row.peak_mib = peak_mib(call)
    return rows
