"""A stored study is continued from its rows: only fits that it lacks are run."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from stakes.cli._app import app
from stakes.compare import CONSTANT_POLICIES
from stakes.errors import InputError
from stakes.study import Study, _run, make_record, stored_rows, to_markdown
from stakes.study._rows import to_lines

OLD, NEW = "ProbitClassifier", "CWCVaRClassifier"


@pytest.fixture
def stored(run, tmp_path):
    """Rows as an older version of the library stored them."""
    found = run(tmp_path / "old", learners=[OLD])
    return [row | {"commit": "a1b2c3d"} for row in found.rows]


@pytest.fixture
def added(run):
    """Make the study with a learner more; also who was run for it."""

    def added(out, stored, **settings):
        ran = []

        def note(done, total, row):
            ran.extend([] if row is None else [row["learner"]])

        settings = dict(learners=[NEW], stored=stored, progress=note) | settings
        return run(out, **settings), set(ran)

    return added


def test_only_what_is_missing_is_run_and_the_record_is_that_of_a_whole_run(
    run, added, without_times, stored, tmp_path
):
    study, ran = added(tmp_path / "new", stored)
    assert ran == {NEW, f"{NEW}, tuned", *CONSTANT_POLICIES}
    assert [r for r in study.rows if r["learner"].split(",")[0] != NEW] == stored
    whole = run(tmp_path / "whole", learners=[OLD, NEW])
    records = [without_times(make_record(one, "c")) for one in (study, whole)]
    for record in records:
        del record["versions"]
    assert records[0] == records[1]
    again, ran = added(tmp_path / "again", study.rows)
    assert ran == set(CONSTANT_POLICIES) and again.rows == study.rows


def test_the_page_says_which_version_made_which_rows(added, stored, tmp_path):
    study, _ = added(tmp_path, stored)
    record = make_record(study, "c")
    by_commit = {one["commit"]: one for one in record["versions"]}
    old, new = by_commit.pop("a1b2c3d"), by_commit.popitem()[1]
    assert new["learners"] == [NEW, f"{NEW}, tuned"] and new["rows"] == 8
    assert old["rows"] == len(stored) and NEW not in old["learners"]
    page = to_markdown(record)
    assert f"| {new['stakes']} | {new['commit']} | 8 | {NEW} |" in page
    assert f"| a1b2c3d | {len(stored)} | all others |" in page


def test_fresh_runs_the_named_learners_again_and_no_other(added, stored, tmp_path):
    study, ran = added(tmp_path, stored, learners=[OLD], fresh=True)
    assert ran == {OLD, f"{OLD}, tuned", *CONSTANT_POLICIES}
    commits = {(row["learner"], row["commit"]) for row in study.rows}
    assert (OLD, "a1b2c3d") not in commits
    assert ("logistic regression at 0.5", "a1b2c3d") in commits


def test_fits_with_other_settings_or_errors_are_run_again(added, stored, tmp_path):
    changed = [r | {"settings": "of then"} if r["learner"] == OLD else r for r in stored]
    unknown = [{k: v for k, v in r.items() if k != "settings"} for r in stored]
    failed = [r | {"error": "x"} if r["learner"] == OLD else r for r in stored]
    made = []
    for rows, again in ((changed, {OLD}), (failed, {OLD}), (unknown, set())):
        study, ran = added(tmp_path / f"{len(made)}", rows, learners=[OLD])
        made.append(study)
        assert ran == {*again, *CONSTANT_POLICIES}
        assert not [row for row in study.rows if row.get("error")]


def test_rows_of_other_folds_or_costs_are_refused_before_long_fits(run, stored, tmp_path):
    fits = []
    for settings in (dict(random_state=1), dict(folds=3)):
        with pytest.raises(InputError, match="rows of a are of other data, costs or folds"):
            out = tmp_path / str(len(settings))
            run(
                out, stored=stored, learners=[NEW], progress=lambda *it: fits.append(it), **settings
            )
        (out / "results.jsonl").unlink()
    assert NEW not in {row["learner"] for _, _, row in fits if row is not None}
    costly = [r | {"cost": 1.01 * r["cost"]} if r["data"] == "b" else r for r in stored]
    with pytest.raises(InputError, match="rows of b are of other data, costs or folds"):
        run(tmp_path / "c", stored=costly)
    with pytest.raises(InputError, match="also of b; name all their data sets"):
        _run.run_study(["a"], stored=stored, out=tmp_path / "d")


def test_a_learner_without_all_of_its_fits_has_no_place_in_the_table(added, stored, tmp_path):
    study, _ = added(tmp_path, stored)
    lacking = [row for row in study.rows if (row["learner"], row["fold"]) != (OLD, 1)]
    record = make_record(replace(study, rows=lacking), "c")
    for one in record["sets"]:
        assert one["failed"] == [{"learner": OLD, "error": "1 of 2 fits are stored"}]
        assert OLD not in {fact["learner"] for fact in one["learners"]}
    assert "a: ProbitClassifier failed: 1 of 2 fits are stored" in to_markdown(record)


def test_rows_of_learners_that_are_no_more_are_dropped(added, stored, tmp_path):
    gone = [row | {"learner": "KernelPAClassifier, Bayes decision"} for row in stored[:4]]
    study, _ = added(tmp_path, [*stored, *gone], learners=[OLD])
    assert study.rows == stored


def test_more_repeats_go_on_from_the_stored_one(added, stored, tmp_path):
    study, ran = added(tmp_path, stored, learners=[OLD], repeats=2)
    assert OLD in ran
    assert [row for row in study.rows if row["repeat"] == 0] == stored
    assert {row["repeat"] for row in study.rows} == {0, 1}


def test_ties_are_judged_over_the_folds():
    def rows(name, *costs):
        facts = dict(data="a", family="constant", n_test=10, fit_seconds=1.0, predict_seconds=1.0)
        facts |= dict(learner=name, repeat=0, warnings=[])
        return [facts | {"fold": fold, "cost": cost} for fold, cost in enumerate(costs)]

    class Data:
        name, description, y = "a", "", np.array([0, 1])

        def __len__(self):
            return 2

    every = rows("best", 10.0, 20.0, 30.0) + rows("worse", 14.0, 24.1, 33.9)
    every += rows("noisy", 10.0, 10.0, 100.0)
    plan = dict(repeats=1, folds=3, random_state=0)
    [one] = make_record(Study(every, [Data()], plan), "c")["sets"]
    ties = {fact["learner"]: fact["tied_with_best"] for fact in one["learners"]}
    assert ties == {"best": True, "worse": False, "noisy": True}


def test_the_command_adds_to_the_page(stored, tmp_path, monkeypatch):
    page = tmp_path / "page"
    page.mkdir()
    (page / "rows.jsonl").write_text(to_lines(stored))
    asked = [
        "study",
        "a",
        "b",
        "--learners",
        NEW,
        "--rows",
        "200",
        "--repeats",
        "1",
        "--folds",
        "2",
    ]
    asked += ["--page", str(page), "--out", str(tmp_path / "out"), "--jobs", "1", "--quiet"]
    said = CliRunner().invoke(app, asked)
    assert said.exit_code == 0, said.output
    assert {NEW, OLD} <= {row["learner"] for row in stored_rows(page)}
    record = json.loads((page / "study.json").read_text())
    assert record["command"] == "stakes study a b --rows 200 --repeats 1 --folds 2 --seed 0"
    said = CliRunner().invoke(app, [*asked, "--seed", "1", "--fresh"])
    assert said.exit_code == 2 and "of other data, costs or folds" in said.output
