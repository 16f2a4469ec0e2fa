"""Learners added to a stored study: the same folds, and everything else as it was."""

import copy

import pytest

from stakes.compare import compare
from stakes.errors import InputError
from stakes.study import make_record, study_field
from stakes.study._extend import extend
from stakes.study._record import short_rows
from toy import toy

NEW = "CWCVaRClassifier"


def run(out, names, seed=0):
    data = [toy(200, name="a"), toy(240, seed=1, name="b")]
    chosen = {"always negative", "always positive", *names}
    field = [c for c in study_field(["online"]) if c.name in chosen]
    return compare(data, learners=field, repeats=2, folds=2, out=out, random_state=seed)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    results = run(tmp_path_factory.mktemp("old"), ["ProbitClassifier", "AROWClassifier"])
    return make_record(results, "a command"), short_rows(results.rows)


def cheap(record, cost):
    """The record with one more learner, of this cost."""
    for one in record["sets"]:
        one["learners"].insert(0, {**one["learners"][0], "learner": "x", "family": "x"})
        one["learners"][0]["cost_per_1000"] = cost
    return record


def test_a_learner_is_added_and_the_others_stay(stored, tmp_path):
    record, rows = copy.deepcopy(stored)
    record = cheap(record, -1e9)
    before = copy.deepcopy(record)
    all_rows = extend(record, rows, run(tmp_path, [NEW]))
    assert all_rows[: len(rows)] == rows
    assert {r["learner"] for r in all_rows[len(rows) :]} == {NEW}
    for one, old in zip(record["sets"], before["sets"], strict=True):
        assert [f for f in one["learners"] if f["learner"] != NEW] == old["learners"]
        costs = [f["cost_per_1000"] for f in one["learners"]]
        assert costs == sorted(costs)
        mine = [r for r in all_rows if (r["data"], r["learner"]) == (one["name"], NEW)]
        mean = 1000 * sum(r["cost"] for r in mine) / sum(r["n_test"] for r in mine)
        fact = next(f for f in one["learners"] if f["learner"] == NEW)
        assert fact["cost_per_1000"] == pytest.approx(mean, rel=1e-5)
        best = [r for r in rows if (r["data"], r["learner"]) == (one["name"], one["best"])]
        if sum(r["cost"] for r in best) >= sum(r["cost"] for r in mine):
            assert fact["tied_with_best"]
    again = extend(record, all_rows, run(tmp_path, [NEW]))
    assert len(again) == len(all_rows)


def test_other_folds_and_a_new_best_are_refused(stored, tmp_path):
    record, rows = copy.deepcopy(stored)
    for one in record["sets"]:
        one["learners"] = [f for f in one["learners"] if f["family"] == "constant"]
    results = run(tmp_path / "same", [NEW])
    with pytest.raises(InputError, match="best on a: run the whole study"):
        extend(record, rows, results)
    record = copy.deepcopy(stored[0])
    for fact in record["sets"][1]["learners"]:
        if fact["family"] == "constant":
            fact["cost_per_1000"] *= 1.01
    with pytest.raises(InputError, match="b are of other data or folds"):
        extend(cheap(record, -1e9), rows, run(tmp_path / "same", [NEW]))
