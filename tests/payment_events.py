"""Payments as they come: events with their labels, or with labels in records of their own."""

import numpy as np
import polars as pl

COSTS = ("--fp-cost", "3", "--fn-cost", "0.5*amount")


def events(n=400, seed=0):
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(3, 1, n).round(2)
    kind = np.array(["web", "shop", 'the "old" one, by post'])[rng.integers(0, 3, n)]
    speed = rng.normal(size=n).round(4)
    fraud = (speed + 0.8 * (kind == "web") + 0.5 * rng.normal(size=n) > 1.2).astype(int)
    return pl.DataFrame(dict(amount=amount, kind=kind, speed=speed, fraud=fraud))


def events_and_labels(n=400, late=30):
    """Events, and `late` events after each of them the record of its label."""
    found = events(n).with_row_index("id").to_dicts()
    for i in range(n + late):
        if i < n:
            yield {name: value for name, value in found[i].items() if name != "fraud"}
        if i >= late:
            yield {"id": i - late, "fraud": found[i - late]["fraud"]}
