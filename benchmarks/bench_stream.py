"""`stakes stream` from a CSV to a file of decisions, checkpoints included, next to River's parts.

River reads the same file with `iter_csv`, scales, decides and learns; it writes nothing, knows no
prices and cannot resume. The seconds are of the processor, from the first record to the last.
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from river import compose, linear_model, optim, preprocessing, stream

from benchmarks._measure import race
from stakes.cli._app import app


def payments(path, n):
    """Ten numbers, an amount and a shop for each event."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10)).round(4)
    columns = {f"v{j}": X[:, j] for j in range(10)}
    columns["amount"] = rng.lognormal(3, 1, n).round(2)
    columns["shop"] = rng.choice(list("abcdefgh"), n)
    columns["fraud"] = (X[:, 0] + rng.normal(size=n) > 2).astype(int)
    pl.DataFrame(columns).write_csv(path)


def ours(*options):
    for name in ("decisions.csv", "stream.skops"):
        Path(name).unlink(missing_ok=True)
    given = ["stream", "payments.csv", "--target", "fraud", *options, "--quiet"]
    app(given, standalone_mode=False)


def river():
    numbers = [f"v{j}" for j in range(10)] + ["amount"]
    scaled = compose.Select(*numbers) | preprocessing.StandardScaler()
    model = scaled + (compose.Select("shop") | preprocessing.OneHotEncoder())
    model |= linear_model.LogisticRegression(optim.SGD(0.1))
    kinds = dict.fromkeys(numbers, float) | {"fraud": int}
    for x, y in stream.iter_csv("payments.csv", target="fraud", converters=kinds):
        model.predict_proba_one(x)
        model.learn_one(x, y)


def run(n=60_000):
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            payments("payments.csv", n)
            rows = race(
                f"stakes stream, {n:,} events of 12 fields, CSV to CSV",
                {
                    "one price": lambda: ours("--fp-cost", "1", "--fn-cost", "20"),
                    "a price by expression": lambda: ours("--fp-cost", "5", "--fn-cost", "amount"),
                    "River, without prices and output": river,
                },
                turns=3,
                clock=time.process_time,
            )
        finally:
            os.chdir(before)
    for row in rows:
        row.note += f"; {n / row.seconds:,.0f} events a second"
    return rows
