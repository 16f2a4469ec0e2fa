"""A small mixed table of payments, some of them fraud: numbers, text, dates and gaps."""

import numpy as np
import polars as pl


def payments(n=240, seed=0):
    rng = np.random.default_rng(seed)
    amount = np.round(rng.lognormal(3, 1, n), 2)
    kind = rng.choice(["gold", "plain", "new"], n)
    risk = rng.normal(size=n)
    score = 1.5 * risk + (kind == "new") + 0.3 * np.log(amount) - 2.5
    fraud = rng.random(n) < 1 / (1 + np.exp(-2 * score))
    day = pl.Series(18_000 + rng.integers(0, 300, n)).cast(pl.Date)
    table = pl.DataFrame({"id": np.arange(n), "amount": amount, "kind": kind, "day": day})
    return table.with_columns(
        risk=pl.when(pl.Series(rng.random(n) < 0.1)).then(None).otherwise(pl.Series(risk)),
        fraud=pl.Series(np.where(fraud, "yes", "no")),
    )


COSTS = ["--fp-cost", "max(5, 0.05*amount)", "--fn-cost", "amount"]
