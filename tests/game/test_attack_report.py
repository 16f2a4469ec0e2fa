"""The report of an attack: bills, answers, curve, several adversaries."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from stakes.game import AttackReport, Moves, attack, attack_report, manipulation_report


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=400) > 0.3).astype(int)
    frame = pl.DataFrame(X, schema=["amount", "age", "hour"])
    return frame, y, LogisticRegression().fit(frame, y)


CHEAP = Moves({"amount": 0.5}, name="cheap")
TWO = [CHEAP, Moves({"hour": 0.5, "amount": {"unit_price": 9.0}}, name="expensive")]


def test_bills_answers_and_curve(data):
    X, y, model = data
    fn_cost = np.random.default_rng(1).lognormal(0.5, 0.5, len(y))
    report = attack_report(model, X, y, TWO, fn_cost=fn_cost, random_state=0)
    rows = {(r["adversary"], r["stage"]): r for r in report.outcomes.to_dicts()}
    assert len(rows) == 10
    for moves in TWO:
        found = attack(model, X, y, moves, fn_cost=fn_cost)
        assert rows[moves.name, "today"]["bill"] == found.bill
        after = rows[moves.name, "after they move"]
        assert after["bill"] == found.bill_after
        assert after["profit"] == pytest.approx((found.gain - found.price)[found.past].sum())
        curve = report.curve.filter(pl.col("adversary") == moves.name)
        assert curve["bill"][0] == pytest.approx(found.bill)
        assert curve["bill"][-1] == pytest.approx(found.bill_after)
        assert curve["bill"].is_sorted()
        ten = report.cheapest.filter(pl.col("adversary") == moves.name)
        assert ten["price"].to_list() == sorted(found.price)[:10]
    moved = report.columns.filter(pl.col("adversary") == "cheap")
    assert moved["column"].to_list() == ["amount"]
    assert moved["median_move"][0] < 0
    # the answers hold better than the model refitted as it was
    total = report.outcomes.group_by("stage").agg(pl.col("bill").sum())
    bill = dict(total.rows())
    assert report.answer in ("trained on moved rows", "without the columns they move")
    assert bill[report.answer] < bill["refitted"]
    assert len(report.sentences()) == 4
    assert "| cheap | today |" in report.to_markdown()
    assert len(report.plot().get_lines()) == 2


def test_the_report_by_its_older_name(data):
    X, y, model = data
    report = manipulation_report(model, X, y, CHEAP, fn_cost=2.0, random_state=0)
    assert isinstance(report, AttackReport)
    assert report.attacks[0].bill_after == attack(model, X, y, CHEAP, fn_cost=2.0).bill_after
    with pytest.raises(ValueError, match="movable has no meaning"):
        manipulation_report(model, X, y, CHEAP, movable=[True, True, False])


def test_answers_need_two_examples_of_each_class(data):
    X, y, model = data
    few = np.append(np.flatnonzero(y == 0)[:20], np.flatnonzero(y == 1)[0])
    with pytest.raises(ValueError, match="pass answers=False"):
        attack_report(model, X[few], y[few], CHEAP)
    report = attack_report(model, X[few], y[few], CHEAP, answers=False)
    assert report.answer is None
    assert report.outcomes.height == 2
