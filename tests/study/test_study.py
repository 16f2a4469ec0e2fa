"""The study: its contestants, the same table after a kill, and a page made from its record."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from stakes.compare import _contestants
from stakes.study import (
    _record,
    draw_page,
    excess,
    make_record,
    stored_record,
    stored_rows,
    study_field,
    to_markdown,
    verdict,
    write_page,
)
from stakes.study._rows import VERSIONS

STORED = Path(__file__).parents[2] / "docs" / "study"


@pytest.fixture
def stored():
    """The record of the study that the documentation shows and `advise` cites."""
    return stored_record()


def test_every_learner_takes_part_as_it_comes_and_tuned():
    field = {c.name: c for c in study_field()}
    for one in _contestants.contestants(["all"]):
        assert field[one.name].grid == {}
        if one.grid and not (one.guarded and one.name.endswith(", Bayes decision")):
            assert field[one.name + ", tuned"].grid == one.grid
    assert field["KernelPAClassifier"].train_rows == 1500
    assert field["ProbitClassifier"].train_rows is None


def test_resumes_after_a_kill_and_gives_the_same_table(run, without_times, tmp_path):
    whole = make_record(run(tmp_path / "whole"), "a command")

    class Killed(Exception):
        pass

    def kill(done, total, row):
        if done == 7:
            raise Killed

    with pytest.raises(Killed):
        run(tmp_path / "cut", progress=kill)
    again = []
    resumed = run(tmp_path / "cut", progress=lambda done, total, row: again.append(done))
    assert again[0] == 7
    assert without_times(make_record(resumed, "a command")) == without_times(whole)


def test_sets_are_sampled_and_the_page_says_so(run, tmp_path):
    results = run(tmp_path / "fits")
    record = make_record(results, "a command")
    assert [one["rows"] for one in record["sets"]] == [200, 200]
    assert record["sets"][1]["description"].endswith("200 of 240 rows.")
    page = write_page(results, record, tmp_path)
    assert page.read_text() == to_markdown(record)
    assert "ProbitClassifier, tuned" in page.read_text()
    kept = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len(kept) == len(results.rows)
    for name in ("savings.svg", "ranks.svg"):
        assert (tmp_path / name).read_text().count("<path") > 10


def test_stored_record_has_one_line_per_learner_and_set(stored):
    text = (Path(_record.__file__).parent / "data" / "study.json").read_text(encoding="utf-8")
    assert text == _record.to_json(stored)
    assert text.count('\n{"learner": ') == sum(len(one["learners"]) for one in stored["sets"])


def test_stored_page_shows_the_stored_record(stored):
    assert (STORED / "index.md").read_text(encoding="utf-8") == to_markdown(stored)


def test_stored_figures_are_drawn_from_the_stored_record(stored, tmp_path):
    draw_page(stored, tmp_path)
    for name in ("savings.svg", "ranks.svg"):
        assert (tmp_path / name).stat().st_size > 10_000
        assert (STORED / name).is_file()


@pytest.mark.parametrize("n", [1, 2])
def test_a_study_of_few_sets_has_its_page(stored, tmp_path, n):
    page = draw_page({**stored, "sets": stored["sets"][:n]}, tmp_path).read_text()
    assert f"on {n} real data set" in page
    assert (tmp_path / "ranks.svg").exists() == ("(ranks.svg)" in page) == (n > 1)


def test_stored_costs_are_those_of_the_stored_rows(stored):
    total, count = defaultdict(float), defaultdict(int)
    for line in (STORED / "rows.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row.get("error"):
            total[row["data"], row["learner"]] += row["cost"]
            count[row["data"], row["learner"]] += row["n_test"]
    for one in stored["sets"]:
        for fact in one["learners"]:
            key = one["name"], fact["learner"]
            mean = 1000 * total[key] / count[key]
            assert fact["cost_per_1000"] == pytest.approx(mean, rel=1e-5)


def test_stored_study_has_every_learner(stored):
    there = {f["learner"] for one in stored["sets"] for f in one["learners"]}
    failed = {bad["learner"] for one in stored["sets"] for bad in one["failed"]}
    new = {c.name for c in study_field()} - there - failed
    assert not new, f"python3 tasks.py study --learners NAME adds {sorted(new)}"
    assert len(stored["sets"]) == 8


def test_stored_rows_are_those_of_the_stored_versions(stored):
    rows = stored_rows(STORED)
    for made in stored["versions"]:
        mine = [row for row in rows if all(row[name] == made[name] for name in VERSIONS)]
        assert len(mine) == made["rows"]
        assert sorted({row["learner"] for row in mine}) == made["learners"]
    assert sum(made["rows"] for made in stored["versions"]) == len(rows)


def test_the_longest_fit_is_shown_with_its_data_set(stored):
    first, *others = stored["sets"]
    first["learners"] = [f for f in first["learners"] if f["learner"] != "PAClassifier"]
    for one in others:
        for fact in one["learners"]:
            if fact["learner"] == "PAClassifier":
                fact["fit_seconds"] = 900.0 if one is others[2] else 0.5
    times = to_markdown(stored).split("## Times")[1]
    shown = next(line for line in times.splitlines() if line.startswith("| PAClassifier |"))
    assert f"| 900.0 | {others[2]['name']} |" in shown


def test_verdict_counts_from_the_best(stored):
    for v in verdict(stored):
        assert v["excess"] >= 0
        assert v["advised_cost"] == pytest.approx(v["best_cost"] * (1 + v["excess"]))
    above = excess(stored)
    assert min(a["mean"] for a in above.values()) >= 0
    assert all(a["worst"] >= a["mean"] for a in above.values())


def test_above_a_best_that_paid_nothing():
    def one(name, *costs):
        learners = [{"learner": n, "cost_per_1000": c} for n, c in zip("ab", costs, strict=True)]
        return {"name": name, "learners": learners}

    above = excess({"sets": [one("free", 0.0, 5.0), one("expensive", 10.0, 40.0)]})
    assert above["a"] == {"mean": 0.0, "worst": 0.0, "where": "free"}
    assert above["b"] == {"mean": np.inf, "worst": np.inf, "where": "free"}
    above = excess({"sets": [one("s", 1.0, 1.0), one("t", 10.0, 40.0)]})
    assert above["b"]["mean"] == pytest.approx(1.0)


def test_a_study_of_one_family_has_a_page(run, tmp_path):
    results = run(tmp_path, learners=["ConfidenceTreeClassifier"])
    record = make_record(results, "stakes study")
    page = write_page(results, record, tmp_path).read_text()
    assert "The learner that `stakes advise` names did not run." in page
