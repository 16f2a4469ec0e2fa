"""Folders on the command line: a comparison on a sample, training on all rows, what it cost."""

import importlib.util
import json
import re

import numpy as np
import polars as pl
import pytest

from payments import payments
from stakes.compare import EXTERNAL

COSTS = ("--fp-cost", "max(5, 0.05*amount)", "--fn-cost", "amount", "--drop", "id")
LOGISTIC = "logistic regression, Bayes decision"


def spread(folder, table, n_parts, suffix="parquet"):
    folder.mkdir()
    for k, rows in enumerate(np.array_split(np.arange(table.height), n_parts)):
        getattr(table[rows], f"write_{suffix}")(folder / f"{k}.{suffix}")


@pytest.mark.slow
def test_a_sample_is_compared_and_all_rows_are_trained_on(run, tmp_path):
    spread(tmp_path / "past", payments(900), 3)
    args = ["compare", "past", "--target", "fraud", *COSTS, "--sample", "300", "--folds", "2"]
    args += ["--learners", "QuadraticMeanClassifier", "--no-tune", "--jobs", "1", "-q"]
    done = run(*args, "--out", "report")
    assert done.exit_code == 0, (done.output, done.exception)
    path = tmp_path / "report" / "report.json"
    whole = json.loads(path.read_text())
    report = whole["datasets"][0]
    assert json.loads((tmp_path / "report" / "table.json").read_text())["sample"] == 300
    if importlib.util.find_spec("xgboost"):  # the booster that all rows can train takes part
        assert EXTERNAL in {one["learner"] for one in report["learners"]}
    # the winner cannot be trained in parts: the next one that can
    order = ["LightGBM, Bayes decision", LOGISTIC]
    report["learners"].sort(
        key=lambda one: order.index(one["learner"]) if one["learner"] in order else 9
    )
    report["best"] = order[0]
    path.write_text(json.dumps(whole))
    done = run("train", "--from", "report", "--no-tune", "--jobs", "1")
    assert done.exit_code == 0, (done.output, done.exception)
    assert f"{order[0]} won, but cannot be trained on a folder; {LOGISTIC} is" in done.stderr
    assert f"Trained {LOGISTIC} on 900 rows" in done.stdout
    card = (tmp_path / "model.md").read_text()
    assert "All 900 rows were read in parts" in card and "max(5, 0.05*amount)" in card
    # the promise of the comparison goes with the model
    expected = next(one for one in report["learners"] if one["learner"] == LOGISTIC)
    low, high = (bound / 1000 for bound in expected["cost_interval"])
    done = run("predict", "model.skops", "past", "--out", "decisions", "--jobs", "1", "-q")
    assert done.exit_code == 0, (done.output, done.exception)
    rows = pl.read_parquet(f"{tmp_path}/decisions/*.parquet")
    assert rows.height == 900 and 0.5 * low < rows["expected_cost"].mean() < 2 * high


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_what_the_decisions_about_a_folder_cost(suffix, run, tmp_path):
    table = payments(600, seed=3)
    spread(tmp_path / "new", table, 3, suffix)
    table.write_parquet(tmp_path / "new.parquet")
    args = ["train", tmp_path / "new.parquet", "--target", "fraud", *COSTS, "--no-tune", "-q"]
    assert run(*args, "--learner", LOGISTIC).exit_code == 0
    for data, out in (("new", "decisions"), ("new.parquet", "decisions.parquet")):
        args = ["predict", "model.skops", data, "--out", out, "--keep", "id", "--jobs", "1", "-q"]
        assert run(*args).exit_code == 0
    model = ("--model", "model.skops", "-q")
    one = run("evaluate", "decisions.parquet", "new.parquet", *model)
    assert one.exit_code == 0 and one.stdout.startswith("600 decisions cost ")
    for by in ("row", "id"):
        done = run("evaluate", "decisions", "new", *model, "--by", by)
        assert done.exit_code == 0, (done.output, done.exception)
        assert done.stdout == one.stdout
    # outcomes in one file, which are joined by a key
    mixed = run("evaluate", "decisions", "new.parquet", *model, "--by", "id")
    assert mixed.stdout == one.stdout
    challenged = run("evaluate", "decisions", "new", *model, "--challenger", "decisions")
    assert re.search(r"challenger would have cost \S+, 0(\.00)? less", challenged.stdout)


def test_folders_that_cannot_be_joined(refused, run, tmp_path):
    table = payments(60)
    spread(tmp_path / "new", table, 2)
    table[:5].with_columns(fraud=None, id=pl.col("id") + 60).write_parquet(
        tmp_path / "new/3.parquet"
    )
    table.with_columns(decision=1).write_parquet(tmp_path / "d.parquet")
    args = ["evaluate", "d.parquet", "new", "--target", "fraud", "--fn-cost", "amount"]
    assert "name a column that identifies a row: --by" in refused(*args)
    table.with_columns(amount=pl.lit("much")).write_parquet(tmp_path / "new" / "9.parquet")
    assert "'amount' has different types in different files" in refused(*args, "--by", "id")
