"""A trained model file decides about new rows, batch by batch."""

import json

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from payments import payments
from stakes.compare import BatchDecider, TableSettings, train_to_file, winner_of
from stakes.costs import Costs
from stakes.errors import InputError
from stakes.tables import scan_batches, write_batches

LOGISTIC = "logistic regression, Bayes decision"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    payments().write_csv(folder / "t.csv")
    costs = {"fp_cost": "3", "fn_cost": "amount"}
    settings = TableSettings(str(folder / "t.csv"), "fraud", costs=costs, drop=["id"])
    train_to_file(folder / "m.skops", LOGISTIC, settings, settings.load(), tune=False)
    return folder / "m.skops"


def test_batches_give_the_decisions_of_the_whole_table(model, tmp_path):
    new = payments(50, seed=3)
    new.write_csv(tmp_path / "new.csv")
    whole, parts = BatchDecider.load(model, ["id"]), BatchDecider.load(model, ["id"])
    expected = pl.concat(map(whole.decide, scan_batches(tmp_path / "new.csv")))
    with write_batches(tmp_path / "out.parquet") as write:
        for batch in scan_batches(tmp_path / "new.csv", 7):
            write(parts.decide(batch))
    # products of matrices may differ in the last bit with the number of rows
    assert_frame_equal(pl.read_parquet(tmp_path / "out.parquet"), expected)
    assert (parts.rows, parts.positive) == (50, expected["decision"].sum())
    costs = Costs.of(50, fp_cost=3.0, fn_cost=new["amount"].to_numpy())
    probability = expected["probability"].to_numpy()
    np.testing.assert_array_equal(expected["decision"] == 1, costs.decide(probability))
    assert parts.cost == pytest.approx(costs.expected(probability, expected["decision"]).sum())


def test_other_costs_may_be_given(model):
    batch = payments(50, seed=3)
    cheap, expensive = (BatchDecider.load(model, fp_cost=cost) for cost in ("0", "1000000"))
    assert cheap.decide(batch)["decision"].sum() > expensive.decide(batch)["decision"].sum() == 0


def test_a_kept_column_must_not_clash(model):
    batch = payments(5).with_columns(row=pl.lit(1))
    with pytest.raises(InputError, match="A kept column is called 'row', like one of the result"):
        BatchDecider.load(model, ["row"]).decide(batch)


def test_the_winner_of_a_run(tmp_path):
    with pytest.raises(InputError, match="does not say which learner won"):
        winner_of(tmp_path)
    found = [dict(learner="a", below_trivial=False), dict(learner="b", below_trivial=True)]
    report = {"datasets": [{"best": "a", "learners": found}]}
    (tmp_path / "report.json").write_text(json.dumps(report))
    assert winner_of(tmp_path) == "a" == winner_of(tmp_path, "a")
    with pytest.raises(InputError, match=r"b cost more in .* than the best constant policy"):
        winner_of(tmp_path, "b")


def test_nothing_is_written_if_a_batch_fails(tmp_path):
    (tmp_path / "out.csv").write_text("old")
    with pytest.raises(ZeroDivisionError), write_batches(tmp_path / "out.csv") as write:
        write(pl.DataFrame({"a": [1]}))
        raise ZeroDivisionError
    assert (tmp_path / "out.csv").read_text() == "old" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(InputError, match=r"must end in \.csv, \.parquet or \.xlsx"):
        with write_batches(tmp_path / "out.ods"):
            pass
