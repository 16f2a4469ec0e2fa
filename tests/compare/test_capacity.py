"""Comparisons and decisions with a limited number of alerts and reviews."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from stakes.compare import BatchDecider, TableSettings, _run, compare, train_to_file
from stakes.compare._out_of_fold import OutOfFold
from stakes.costs import Costs
from stakes.decision import Capacity
from stakes.errors import InputError
from stakes.tables import RowOrigin
from toy import toy


def test_learners_are_judged_under_the_capacity(few, tmp_path, monkeypatch):
    data = toy(300)
    unlimited = compare(data, folds=3, tune=False, out=tmp_path)
    monkeypatch.setattr(_run, "fit_one", lambda *a, **k: pytest.fail("fitted again"))
    review = np.linspace(0.5, 1.5, len(data))
    capacity = Capacity(max_alerts=20, review_cost=review, max_reviews=15)
    results = compare(data, folds=3, tune=False, out=tmp_path, capacity=capacity)
    part = results.summary()["datasets"][0]
    p = OutOfFold(unlimited, data).of("logistic, Bayes decision").probability
    action = capacity.act(p, data.as_costs())
    paid = capacity.paid(data.as_costs(), data.y == 1, action)
    facts = {f["learner"]: f for f in part["learners"]}
    ours = facts["logistic, Bayes decision"]
    assert ours["cost_per_1000"] == pytest.approx(1000 * paid.mean())
    assert ours["alerts_per_1000"] == pytest.approx(1000 * 20 / 300)
    assert ours["reviews_per_1000"] == pytest.approx(1000 * (action == -1).mean())
    assert facts["logistic at 0.5"]["alerts_per_1000"] <= 1000 * 20 / 300 + 1e-9
    assert facts["logistic at 0.5"]["reviews_per_1000"] == 0
    sentence = part["capacity"]["sentence"]
    # one more review is worth what a computation with one more says
    more = replace(capacity, max_reviews=16)
    saved = paid.sum() - more.paid(data.as_costs(), data.y == 1, more.act(p, data.as_costs())).sum()
    if part["best"] == "logistic, Bayes decision":
        worth = part["capacity"]["worth"]["max_reviews"]
        assert worth["saved_per_period"] == pytest.approx(saved)
    assert "at most 20 alerts per 300 rows and at most 15 reviews per 300 rows." in sentence
    page = results.report().read_text()
    assert "What " in page and "with fewer or more reviews" in page
    assert "sends" in part["counts"] and part["misstated"] == []


def test_limits_as_shares_are_written_in_percent(few, tmp_path):
    capacity = Capacity(max_alerts=0.1, review_cost=0.5, max_reviews=0.025)
    results = compare(toy(300), folds=3, tune=False, out=tmp_path, capacity=capacity)
    sentence = results.summary()["datasets"][0]["capacity"]["sentence"]
    assert sentence.startswith(
        "Capacity: alerts for at most 10% of the rows and reviews for at most 2.5% of the rows. "
    )
    assert "Alerts for another 1% of the rows would save " in sentence
    assert sentence.endswith(" per 300 rows.")


def test_with_times_the_capacity_is_per_day(few, tmp_path):
    data = toy(240)
    day = np.datetime64("2024-01-01", "us") + np.arange(240) // 12 * np.timedelta64(1, "D")
    data = replace(data, origin=RowOrigin(time=day))
    results = compare(data, folds=3, tune=False, out=tmp_path, capacity=Capacity(max_alerts=1))
    table = OutOfFold(results, data)
    found = table.of("logistic, Bayes decision")
    action = table.act(found.decided, found.probability)
    tested = table.data.origin.time
    assert max((action[tested == d] == 1).sum() for d in np.unique(tested)) == 1
    sentence = results.summary()["datasets"][0]["capacity"]["sentence"]
    assert sentence.startswith("Capacity: at most 1 alert per day. One more alert per day")


def test_decisions_about_new_rows_share_the_capacity(tmp_path):
    settings = TableSettings("german", costs={"fp_cost": "1", "fn_cost": "5"})
    data, path = settings.load(), tmp_path / "model.skops"
    train_to_file(path, "logistic regression, Bayes decision", settings, data, tune=False)
    table = data.X.head(90).with_columns(
        day=pl.Series([f"2024-01-{1 + i // 30:02d}" for i in range(90)])
    )
    batches = [table[:40], table[40:]]
    capacity = Capacity(max_alerts=6, max_reviews=4)
    decider = BatchDecider.load(path)
    result = decider.decide_within(batches, capacity, "0.2", "day")
    p = result["probability"].to_numpy()
    costs = Costs.of(90, fp_cost=1.0, fn_cost=5.0)
    expected = replace(capacity, review_cost=0.2).act(p, costs, np.arange(90) // 30)
    assert result["decision"].to_list() == expected.tolist()
    assert decider.positive == 18 and decider.reviewed == 12
    assert decider.cost == pytest.approx(result["expected_cost"].sum())
    plain = BatchDecider.load(path).decide(table)
    assert result["row"].to_list() == plain["row"].to_list()
    with pytest.raises(InputError, match="time column 'when' is not in the table"):
        BatchDecider.load(path).decide_within(batches, capacity, "0.2", "when")
