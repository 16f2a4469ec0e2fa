"""Threads that do not fight: small tables are trained by one."""

import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info

from stakes.compare import Contestant, _fit, fit_on_all
from toy import toy


class Watching(LogisticRegression):
    seen = []

    def fit(self, X, y):
        Watching.seen.append(max(pool["num_threads"] for pool in threadpool_info()))
        return super().fit(X, y)


@pytest.mark.parametrize(("limit", "threads"), [(100_000, 1), (10, None)])
def test_small_tables_are_trained_by_one_thread(monkeypatch, limit, threads):
    monkeypatch.setattr(_fit, "find_contestant", lambda n, **how: Contestant(n, "mine", Watching()))
    monkeypatch.setattr(_fit, "ONE_THREAD", limit)
    Watching.seen = []
    before = max(pool["num_threads"] for pool in threadpool_info())
    fit_on_all("watching", toy(), tune=False)
    assert Watching.seen == [threads or before]
