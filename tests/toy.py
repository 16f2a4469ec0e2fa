"""A small mixed table with prices, for the tests of compare and of the command line."""

import numpy as np
import polars as pl

from stakes.tables import PricedData


def toy(n=240, seed=0, name="toy"):
    rng = np.random.default_rng(seed)
    X = pl.DataFrame(
        {
            "amount": rng.lognormal(3, 1, n),
            "kind": rng.choice(["a", "b", ""], n).tolist(),
            "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )
    X = X.with_columns(pl.col("kind").replace("", None))
    score = X["x"].fill_nan(0.0).to_numpy() * 2 + (X["kind"] == "a").fill_null(False).to_numpy()
    y = (score + rng.normal(size=n) > 1.0).astype(int)
    return PricedData(name, X, y, fp_cost=5.0, fn_cost=X["amount"].to_numpy())


def dear(n=300):
    """Nothing to be learnt, and misses so dear that a rule at 0.5 must lose."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    return PricedData("dear", rng.normal(size=(n, 12)), y, fp_cost=0.1, fn_cost=50.0)
