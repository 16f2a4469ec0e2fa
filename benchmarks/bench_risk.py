"""Tail risk and intervals: a streaming CVaR against recomputing it, a bootstrap against scipy's."""

import numpy as np
from scipy import stats

from benchmarks._measure import race
from stakes.metrics import bootstrap_interval, cost_loss
from stakes.risk import StreamingCVaR


def recomputed(values, tail):
    """CVaR of all values so far after each value, by partial sorting."""
    out = np.empty(len(values))
    for t in range(1, len(values) + 1):
        k = tail * t
        m = int(np.ceil(k))
        top = -np.partition(-values[:t], m - 1)[:m]
        out[t - 1] = (top.sum() - (m - k) * top.min()) / k
    return out


def run():
    rng = np.random.default_rng(0)
    values = rng.lognormal(size=20_000)
    exact = StreamingCVaR(0.05).update_many(values)
    assert np.allclose(exact, recomputed(values, 0.05), rtol=1e-9)
    rows = race(
        "CVaR after each of 20,000 values",
        {
            "stakes StreamingCVaR": lambda: StreamingCVaR(0.05).update_many(values),
            "stakes StreamingCVaR(max_memory=4096)": lambda: StreamingCVaR(
                0.05, max_memory=4096
            ).update_many(values),
            "numpy partition at each step": lambda: recomputed(values, 0.05),
        },
        turns=2,
    )
    y, d = rng.integers(0, 2, (2, 20_000))
    fn = rng.lognormal(size=20_000)
    paid = np.where(y == d, 0.0, np.where(y == 1, fn, 1.0))
    rows += race(
        "interval of a mean cost, 20,000 examples, 1000 resamples",
        {
            "stakes bootstrap_interval": lambda: bootstrap_interval(
                cost_loss, y, d, fn_cost=fn, random_state=0
            ),
            "scipy.stats.bootstrap": lambda: stats.bootstrap(
                (paid,),
                np.mean,
                n_resamples=1000,
                method="percentile",
                vectorized=True,
                batch=50,
            ),
        },
        turns=3,
    )
    return rows
