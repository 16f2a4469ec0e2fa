import itertools
import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from stakes.compare import Contestant, compare
from stakes.compare._out_of_fold import OutOfFold
from stakes.compare._summary import headline, lost_to_constant
from stakes.compare.report import _figures
from stakes.decision import BayesDecisionClassifier
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
    assert not re.search(r"<script[^>]*src|fetch\(|XMLHttp|import\(", page)
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
    assert out.count("<svg") == 4 and out.count("<polyline") >= 2  # the last one is drawn there


class Signs(ClassifierMixin, BaseEstimator):
    """Decides without a probability."""

    def fit(self, X, y):
        self.classes_, self.inner_ = np.unique(y), LogisticRegression(C=0.1).fit(X, y)
        return self

    def predict(self, X):
        return (self.inner_.predict_proba(X)[:, 1] > 0.1).astype(int)


def test_a_winner_without_probabilities_has_a_report(few, tmp_path):
    few[2:] = [Contestant("signs", "mine", Signs())]
    data = replace(toy(), fn_cost=10.0)
    report = compare(data, folds=2, out=tmp_path).report()
    data = json.loads(report.with_name("report.json").read_text())["datasets"][0]
    assert data["best"] == "signs" and data["threshold_curve"] is None
    assert "signs" in report.read_text()


def facts(saves, interval, cost=50.0):
    return {
        "learner": "booster",
        "family": "baseline",
        "cost_per_1000": cost,
        "saves_per_1000": saves,
        "saves_interval": interval,
    }


def test_the_verdict_says_no_more_than_the_interval():
    proven = headline(facts(10.0, [5.0, 15.0]), "always negative", 60.0, [])
    assert proven.startswith("Deploy booster: compared with the constant policy “always negative”")
    assert "saves 10.00 per 1,000 decisions, 17% of its cost (95% interval 5.00 to" in proven
    unproven = headline(facts(0.1, [-5.0, 5.2]), "always negative", 60.0, [])
    assert unproven.startswith("Nothing is proven: booster is not significantly better than the")
    assert "Deploy" not in unproven
    worse = headline(facts(-10.0, [-15.0, -5.0]), "today's decisions", 40.0, [])
    assert worse.startswith("Keep today's decisions: the cheapest learner, booster, costs 10.00 mo")
    leak = headline(facts(10.0, [5.0, 15.0]), "always negative", 60.0, [], doubt="leak")
    assert leak.startswith("Do not deploy booster before the caution about its data is settled: ")
    assert "it seems to save 10.00 per 1,000 decisions" in leak
    rows = headline(facts(10.0, [5.0, 15.0]), "always negative", 60.0, [], doubt="rows")
    assert rows == f"{proven} The true savings may be lower, see the caution."
    assert "today" not in proven + unproven  # a rule that nobody stated has no name


@pytest.mark.parametrize(
    ("column", "opening"),
    [("written_off", "Do not deploy mine"), ("customer_id", "Deploy mine"), ("z", "Deploy mine")],
)
def test_the_verdict_heeds_the_cautions_about_the_table(few, tmp_path, column, opening):
    few[2:] = [Contestant("mine", "mine", BayesDecisionClassifier(LogisticRegression()))]
    data = toy(600)
    values = {"written_off": data.y * 7.0, "customer_id": np.arange(600) // 4, "z": np.ones(600)}
    X = data.X.with_columns(pl.Series(column, values[column]))
    found = compare(replace(data, X=X), folds=2, out=tmp_path).summary()["datasets"][0]
    assert found["sentence"].startswith(opening)
    assert ("see the caution" in found["sentence"]) == (column == "customer_id")


def test_the_table_counts_the_mistakes_of_each_kind(few, tmp_path):
    data = toy()
    results = compare(data, folds=2, repeats=2, out=tmp_path)
    summary = results.summary()["datasets"][0]
    rows = {f["learner"]: f for f in summary["learners"]}
    positives = 1000 * (data.y == 1).mean()
    assert rows["always positive"]["false_alarms_per_1000"] == pytest.approx(1000 - positives)
    assert rows["always positive"]["missed_per_1000"] == 0
    assert rows["always negative"]["missed_per_1000"] == pytest.approx(positives)
    for f in rows.values():  # alerts are the positives that were found, and the false alarms
        found = f["alerts_per_1000"] - f["false_alarms_per_1000"]
        assert found == pytest.approx(positives - f["missed_per_1000"])
    page = results.report().read_text()
    assert summary["counts"] in page and "false alarms per 1,000" in page


def test_wrong_costs_at_which_the_constant_policy_is_better_are_marked(few, tmp_path):
    results = compare(toy(), folds=2, out=tmp_path)
    summary = results.summary()
    data = summary["datasets"][0]
    for m in data["misstated"]:
        assert m["below_trivial"] == (m["cost_per_1000"] > m["best_trivial"])
    mark = "† costs more than the best constant policy"
    for worse in (True, False):
        data["misstated"][0]["below_trivial"] = worse
        for m in data["misstated"][1:]:
            m["below_trivial"] = False
        page = results.report()
        assert (mark in page.read_text()) == worse
        assert (mark in page.with_name("report.md").read_text()) == worse


@pytest.mark.parametrize("scale", [1e-4, 1.0, 123.456, 9.87e8])
def test_tick_labels_of_the_cost_figure_do_not_touch(scale):
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_figures.STYLE):
        figure = Figure(figsize=(8.5, 3), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.add_subplot()
        ax.plot([scale * 1.03, scale * 7.9], [0, 1])
        ax.set_yticks([0], ["hist gradient boosting, calibrated, Bayes decision"])
        _figures.few_ticks(ax.xaxis)
        figure.draw_without_rendering()
        low, high = ax.get_xlim()
        labels = [t for t in ax.get_xticklabels() if low <= t.get_position()[0] <= high]
        boxes = [label.get_window_extent() for label in labels]
        assert all(a.x1 + 4 < b.x0 for a, b in itertools.pairwise(boxes))


def test_several_sets_open_with_one_sentence_each(few, tmp_path):
    results = compare([toy(), toy(seed=1, name="other")], folds=2, out=tmp_path)
    sentences = [part["sentence"] for part in results.summary()["datasets"]]
    text = results.report().with_name("report.md").read_text()
    opening = text[: text.index("## ")]
    assert f"- toy: {sentences[0]}" in opening and f"- other: {sentences[1]}" in opening
