"""What happened, against what was promised: every figure by hand."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from stakes.compare import Evaluation, Wording
from stakes.compare._evaluate import pay
from stakes.compare.report import write_evaluation
from stakes.costs import Costs
from stakes.errors import InputError

COSTS = dict(fp_cost="5", fn_cost="amount", tp_cost="1", tn_cost="0", review_cost="0.1*amount")


def happened(n=200, seed=0, shift=0.0):
    """Decisions at known probabilities, and outcomes that come true with them."""
    rng = np.random.default_rng(seed)
    p, amount = rng.random(n) ** 3, 2 + rng.lognormal(3, 1, n)
    y = rng.random(n) < np.clip(p + shift, 0, 1)
    costs = Costs.of(n, fp_cost=5.0, fn_cost=amount, tp_cost=1.0)
    decision = costs.decide(p).astype(int)
    decisions = pl.DataFrame(
        {
            "id": [f"c{i}" for i in range(n)],
            "decision": decision,
            "probability": p,
            "expected_cost": costs.expected(p, decision),
        }
    )
    day = np.datetime64("2024-01-01", "us") + np.arange(n) * np.timedelta64(1, "D")
    outcomes = pl.DataFrame({"id": decisions["id"], "amount": amount, "day": day})
    outcomes = outcomes.with_columns(fraud=pl.Series(np.where(y, "yes", "no")))
    return decisions, outcomes.sample(n, shuffle=True, seed=1), costs, y


def test_every_figure_is_that_of_a_manual_sum():
    decisions, outcomes, costs, y = happened()
    decisions = decisions.with_columns(
        decision=pl.when(pl.int_range(pl.len()) < 3).then(-1).otherwise(pl.col("decision"))
    )
    other = decisions.select("id", decision=pl.lit(0))
    found = Evaluation(
        decisions, outcomes, "fraud", COSTS, by="id", time="day", challenger=other
    ).summary()
    action = decisions["decision"].to_numpy()
    paid = costs.paid(y, np.where(action == -1, y, action == 1))
    paid[:3] += 0.1 * costs.fn[:3]
    money = found["money"]
    assert money["paid"]["total"] == pytest.approx(paid.sum())
    assert money["promised"]["total"] == pytest.approx(decisions["expected_cost"].sum())
    assert money["challenger"]["total"] == pytest.approx((costs.fn * y).sum())
    assert money["always negative"]["total"] == money["challenger"]["total"]
    assert money["always positive"]["total"] == pytest.approx(np.where(y, 1.0, 5.0).sum())
    assert money["challenger"]["more"] == pytest.approx(paid.sum() - (costs.fn * y).sum())
    counts = found["counts"]
    assert counts["positives"] == y.sum() and counts["reviews"] == 3
    assert counts["missed"] == ((action == 0) & y).sum()
    assert found["calibration"]["expected"] == pytest.approx(decisions["probability"].sum())
    by = found["periods"]
    assert sum(by["n"]) == 200
    assert np.dot(by["paid"], by["n"]) / 1000 == pytest.approx(paid.sum())


def test_broken_promises_are_noticed_and_kept_ones_are_not():
    kept = broken = 0
    for seed in range(40):
        for shift in (0.0, 0.25):
            decisions, outcomes, *_ = happened(seed=seed, shift=shift)
            found = Evaluation(decisions, outcomes, "fraud", COSTS, by="id").summary()
            low, high = found["money"]["promised"]["more_interval"]
            if shift:
                broken += low > 0
            else:
                kept += low <= 0 <= high
    assert kept >= 33  # 38 of 40 on average
    assert broken >= 36


def test_rows_without_an_outcome_wait(tmp_path):
    decisions, outcomes, *_ = happened()
    outcomes = outcomes.with_columns(
        fraud=pl.when(pl.int_range(pl.len()) >= 20).then(pl.col("fraud"))
    )
    evaluation = Evaluation(decisions, outcomes, "fraud", COSTS, by="id", time="day")
    found = evaluation.summary()
    assert found["rows"] == 180 and found["waiting"] == 20
    write_evaluation(found, tmp_path / "e.html", title="d.csv", command="stakes evaluate")
    page = (tmp_path / "e.html").read_text()
    assert "20 more have no outcome yet" in page and "By period" in page and "<svg" in page
    assert json.loads((tmp_path / "e.json").read_text())["rows"] == 180
    with pytest.raises(InputError, match="No decision has an outcome"):
        replace(evaluation, outcomes=outcomes.with_columns(fraud=pl.lit(None))).summary()


def test_words_and_row_numbers():
    decisions, outcomes, *_ = happened(50)
    outcomes = outcomes.sort(pl.col("id").str.slice(1).cast(pl.Int64))
    numbered = decisions.drop("id").with_row_index("row", offset=1)
    plain = Evaluation(numbered, outcomes, "fraud", COSTS).summary()
    assert (
        plain["money"]
        == Evaluation(decisions, outcomes, "fraud", COSTS, by="id").summary()["money"]
    )
    words = numbered.with_columns(
        decision=pl.when(pl.col("decision") == 1).then(pl.lit("refuse")).otherwise(pl.lit("accept"))
    )
    counts = plain["sentences"][-2]
    assert counts.startswith("Of ") and "." not in counts[:-1]  # cases are whole numbers
    say = Wording("refuse", "accept", "€")
    spoken = Evaluation(words, outcomes, "fraud", COSTS, wording=say).summary()
    assert spoken["money"]["paid"] == plain["money"]["paid"]
    assert "always accept" in spoken["sentences"][2] or "always refuse" in spoken["sentences"][2]
    with pytest.raises(InputError, match="name the positive one"):
        Evaluation(words, outcomes, "fraud", COSTS).summary()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(by="idd"), "did you mean 'id'"),
        (dict(target="froud"), "did you mean 'fraud'"),
        (dict(time="dya"), "time column"),
        (dict(by="twice"), "values twice"),
    ],
)
def test_bad_input(change, words):
    decisions, outcomes, *_ = happened(30)
    tables = [table.with_columns(twice=pl.lit(1)) for table in (decisions, outcomes)]
    how = dict(target="fraud", costs=COSTS, by="id") | change
    with pytest.raises(InputError, match=words):
        Evaluation(*tables, **how).summary()


def test_reviews_need_a_price():
    with pytest.raises(InputError, match="give review_cost"):
        pay(Costs.of(1), np.array([True]), np.array([-1]))
