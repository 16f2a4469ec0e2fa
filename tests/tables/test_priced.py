"""PricedData: taking rows in any of the usual ways."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from stakes.compare import compare
from stakes.datasets import load
from stakes.tables import PricedData


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize(
    "rows",
    [slice(1, 3), [1, 2], np.array([1, 2]), np.array([False, True, True, False]), range(1, 3)],
    ids=lambda rows: type(rows).__name__,
)
def test_take(frame, rows):
    X = pl.DataFrame({"a": [10, 11, 12, 13]}) if frame else np.arange(10, 14)[:, None]
    data = PricedData("toy", X, np.array([0, 1, 0, 1]), fn_cost=np.arange(4.0), fp_cost=2.0)
    part = data.take(rows)
    assert np.asarray(part.X).ravel().tolist() == [11, 12]
    assert part.y.tolist() == [1, 0]
    assert part.fn_cost.tolist() == [1.0, 2.0] and part.fp_cost == 2.0


def test_take_nothing():
    data = PricedData("toy", np.eye(2), np.array([0, 1]), fn_cost=np.ones(2), fp_cost=3.0)
    none = data.take([])
    assert len(none) == 0 and none.X.shape == (0, 2) and none.y.dtype == data.y.dtype
    assert none.fn_cost.shape == (0,) and none.fp_cost == 3.0


def rare(n=20_000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (rng.random(n) < 0.01).astype(int)
    return PricedData("rare", X, y, fp_cost=2.0, fn_cost=rng.lognormal(3, 1, n), tp_cost=0.01)


def test_a_sample_keeps_shares_and_prices_while_the_rarer_class_is_large():
    data = PricedData("even", np.zeros((4000, 1)), np.arange(4000) % 2, fn_cost=3.0)
    small = data.sample(2000, random_state=0)
    assert len(small) == 2000
    assert small.y.sum() == 1000
    assert (small.fp_cost, small.fn_cost) == (1.0, 3.0)
    assert data.sample(4000) is data


def test_policies_cost_the_same_on_a_sample_of_a_rare_class():
    data, policy = rare(), lambda X: X[:, 0] > 0.5
    whole = data.as_costs().paid(data.y == 1, policy(data.X)).mean()
    means = []
    for seed in range(200):
        small = data.sample(2000, random_state=seed)
        means.append(small.as_costs().paid(small.y == 1, policy(small.X)).mean())
    assert small.y.sum() == data.y.sum() < 500
    assert abs(np.mean(means) - whole) < 3 * np.std(means) / np.sqrt(len(means)) + 1e-9


def test_the_odds_of_the_prices_make_up_for_the_odds_of_the_classes():
    data = rare()
    rows = np.flatnonzero(data.y == 1)  # all of them are kept, so they can be compared one by one
    small = data.sample(2000, random_state=0)
    there = small.y == 1
    odds = [d.y.sum() / (len(d) - d.y.sum()) for d in (data, small)]
    ratio = [
        d.as_costs().negative_regret[r] / d.as_costs().positive_regret[r]
        for d, r in ((data, rows), (small, there))
    ]
    assert_allclose(ratio[1] / ratio[0], odds[1] / odds[0])


def test_a_sample_is_never_more_than_half_rare():
    data = rare()
    assert data.sample(200).y.sum() == 100


def test_kinds_are_found_once_and_rows_keep_them(monkeypatch):
    calls = count_calls(monkeypatch)
    table = pl.DataFrame({"a": [1, 2, 3], "rare": [0, 0, 1], "same": [5, 5, 5]})
    data = PricedData("toy", table, np.array([0, 1, 1]))
    part = data.take(np.array([0, 1]))
    assert part.kinds == data.kinds == {"a": "number", "rare": "number"}
    assert part.notes == ["Column 'same' is constant and is left out."]
    assert len(calls) == 1
    assert PricedData("array", np.eye(2), np.array([0, 1])).kinds is None


@pytest.mark.jit
def test_kinds_are_found_once_per_comparison(monkeypatch, tmp_path):
    """Not once a fold, a learner or a step of the search; the recommended model included."""
    calls = count_calls(monkeypatch)
    data = load("german").sample(120, random_state=0)
    learners = ["ProbitClassifier", "recommended blend"]
    results = compare(data, learners=learners, folds=2, tune=False, out=tmp_path)
    assert not [row["error"] for row in results.rows if row.get("error")]
    assert len(results.rows) > 4
    assert len(calls) == 1


def count_calls(monkeypatch):
    from stakes.tables import _column_facts, _prepare, _priced, _table_encoder

    calls, find_kinds = [], _column_facts.find_kinds

    def counted(table):
        calls.append(len(table))
        return find_kinds(table)

    for module in (_priced, _prepare, _table_encoder):
        monkeypatch.setattr(module, "find_kinds", counted)
    return calls
