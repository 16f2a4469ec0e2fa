import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from sklearn.linear_model import LogisticRegression

from stakes.compare import Contestant, compare
from stakes.compare._out_of_fold import OutOfFold
from stakes.compare._summary import lost_to_constant
from toy import dear, toy

CHROMIUM = next((p for p in map(shutil.which, ["chromium", "google-chrome", "chrome"]) if p), None)


@pytest.fixture
def report(few, tmp_path):
    results = compare(toy(), folds=2, out=tmp_path)
    return results.report(command="stakes compare toy.csv --target y")


def test_page_is_self_contained(report):
    page = report.read_text()
    links = re.findall(r'(?:src|href)="(?!#)([^"]+)"|url\((?!#)([^)]+)\)', page)
    assert links == []
    assert "<script" not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "prefers-color-scheme: dark" in page
    assert "currentColor" in page


def test_three_renderings_say_the_same(report):
    summary = json.loads(report.with_name("report.json").read_text())
    data = summary["datasets"][0]
    page, text = report.read_text(), report.with_name("report.md").read_text()
    assert data["sentence"] in text
    assert data["sentence"].split(":")[0] in page
    for facts in data["learners"]:
        assert facts["learner"] in page
        assert facts["learner"] in text
    assert "stakes compare toy.csv --target y" in page
    assert "stakes compare toy.csv --target y" in text


def test_learners_that_lost_to_a_constant_policy_are_named(few, tmp_path):
    few.append(Contestant("my learner", "mine", LogisticRegression()))
    report = compare(dear(), folds=2, out=tmp_path).report()
    worse, lost = json.loads(report.with_name("report.json").read_text())["datasets"][0]["lost"]
    assert worse.startswith("Costs more than the best constant policy; do not deploy: logistic")
    assert "logistic at 0.5" in worse and "my learner" not in worse
    assert lost.endswith("held-out training rows (number of fits out of 2): my learner (2).")
    for text in (report.read_text(), report.with_name("report.md").read_text()):
        assert worse in text and lost in text


def test_the_curve_is_held_against_what_the_best_decided(few, tmp_path):
    results = compare(toy(), folds=2, out=tmp_path)
    table = OutOfFold(results, results.datasets[0])
    assert table.threshold_curve("logistic at 0.5")["against"] == "its own decisions"
    weighed = table.threshold_curve("logistic, Bayes decision")
    assert weighed["against"] == "each example's own break-even"
    at_half = table.misstated("logistic at 0.5")[0]
    costs = replace(table.costs, fn=table.costs.tp + 0.5 * table.costs.positive_regret)
    paid = costs.paid(toy().y == 1, table.of("logistic at 0.5").probability > 0.5)
    assert at_half["cost_per_1000"] == pytest.approx(1000 * paid.mean())


def test_nobody_lost_to_a_constant_policy():
    won = {"learner": "good", "below_trivial": False, "params": [{}]}
    assert lost_to_constant([won]) == []


def test_stored_arrays_are_read_once(few, tmp_path, monkeypatch):
    results = compare(toy(), folds=2, out=tmp_path)
    read = []
    arrays = type(results.file).arrays
    monkeypatch.setattr(
        type(results.file), "arrays", lambda file, row: read.append(row) or arrays(file, row)
    )
    results.report()
    assert len(read) == len(results.rows)


def test_same_run_same_page(few, tmp_path):
    results = compare(toy(), folds=2, out=tmp_path)
    assert results.report().read_bytes() == results.report().read_bytes()
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.slow
def test_page_opens_in_a_browser(report):
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
    command += ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
    command += ["--disable-sync", f"--user-data-dir={report.parent / 'profile'}", "--dump-dom"]
    out = subprocess.run(
        [*command, report.as_uri()], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert 'class="verdict"' in out
    assert out.count("<svg") == 3
