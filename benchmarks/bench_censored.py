"""Alerts that were acted on and never get a label: what a learner pays, with and without exploring.

Fraud is of another kind in the second half, which costs are given for. A share of the alerts passes
at random if the service explores, so that their labels become known; what they cost is counted.
"""

import random

import numpy as np

from benchmarks._measure import Row
from stakes.online import ProbitClassifier
from stakes.stream import Prices, RowEncoder

EVENTS, SEEDS = 30_000, 6
WAYS = {
    "every label is known": (True, 0.0, False),
    "no label of an alert": (False, 0.0, False),
    "no label of an alert, 1 % explored": (False, 0.01, False),
    "no label of an alert, 5 % explored": (False, 0.05, False),
    "no label of an alert, 5 % explored and weighted": (False, 0.05, True),
}


def events(seed):
    """Events and labels; the second half has another kind of fraud."""
    rng = random.Random(seed)
    for i in range(EVENTS):
        event = {f"x{j}": rng.gauss(0, 1) for j in range(6)} | {"amount": rng.lognormvariate(3, 1)}
        signal = event["x0"] if i < EVENTS // 2 else event["x1"]
        yield event, rng.random() < (0.35 if signal > 1.3 else 0.005)


def pay(seed, knows_alerts, explore, weighted):
    """Cost of each event of a stream, with and without a decision, and whether it was an alert."""
    learner, encoder, rng = ProbitClassifier(), RowEncoder(), random.Random(seed + 1)
    paid, never, alerts = [], [], []
    for i, (event, label) in enumerate(events(seed)):
        x, prices = encoder.encode(event), Prices(5.0, event["amount"], 0.0, 0.0)
        p = learner.predict_proba_one(x)[1] if i else 0.02
        alert = p > prices.break_even
        explored = alert and rng.random() < explore
        action = int(alert and not explored)
        paid.append(prices.paid(label, action))
        never.append(prices.paid(label, 0))
        alerts.append(action)
        if not action or knows_alerts:
            weight = 1 / explore if weighted and explored else 1.0
            learner.learn_one(x, int(label), sample_weight=weight, **prices.keywords())
    return np.array(paid), np.array(never), np.array(alerts)


def run():
    rows, half = [], EVENTS // 2
    for name, way in WAYS.items():
        found = [pay(seed, *way) for seed in range(SEEDS)]
        for task, part in (("first half", slice(0, half)), ("second half", slice(half, None))):
            saved = [1 - paid[part].sum() / never[part].sum() for paid, never, _ in found]
            alerts = np.mean([acted[part].mean() for *_, acted in found])
            note = (
                f"saves {np.mean(saved):.3f} of never acting, {min(saved):.3f} to {max(saved):.3f}"
            )
            rows.append(Row(task, name, None, note=f"{note}; alerts {alerts:.2%}"))
    return sorted(rows, key=lambda row: row.task)
