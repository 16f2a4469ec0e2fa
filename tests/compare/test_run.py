"""The whole comparison on small data: shared folds, exact resume, errors, time budget."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib._parallel_backends import LokyBackend
from sklearn.linear_model import LogisticRegression

from running import wait_until
from stakes.compare import Contestant, _contestants, _fit, _run, compare, fit_on_all
from stakes.compare._fit import build
from stakes.compare._out_of_fold import OutOfFold
from stakes.compare._plan import make_tasks, seed_of, split
from stakes.costs import Costs
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.metrics import cost_loss
from stakes.tables import PricedData
from toy import dear, toy

TIMES = {"fit_seconds", "predict_seconds", "seconds"}


def without_times(results):
    rows = [{k: v for k, v in row.items() if k not in TIMES} for row in results.rows]
    return sorted(rows, key=lambda r: (r["learner"], r["repeat"], r["fold"]))


def test_costs_are_those_of_a_manual_loop(few, tmp_path):
    data = toy()
    results = compare(data, folds=3, tune=False, out=tmp_path)
    seed = seed_of(0, "toy", 0)
    for fold in range(3):
        train, test = split(data, seed, fold, 3)
        model = build(few[3], data, seed).fit(data.X[train], data.y[train])
        p = model.predict_proba(data.X[test])[:, 1]
        fn = data.fn_cost[test]
        decided = (p > 5.0 / (5.0 + fn)).astype(int)
        ours = next(r for r in results.rows if r["learner"] == few[3].name and r["fold"] == fold)
        expected = cost_loss(data.y[test], decided, fp_cost=5.0, fn_cost=fn, normalize=False)
        assert ours["cost"] == expected


def test_the_bayes_decision_wins_and_the_report_says_so(few, tmp_path):
    data = toy(600)
    results = compare(data, folds=3, out=tmp_path)
    summary = results.summary()["datasets"][0]
    assert summary["best"] == "logistic, Bayes decision"
    start = "Deploy logistic, Bayes decision: compared with the constant policy “always positive”"
    assert summary["sentence"].startswith(start)
    assert {"always negative", "always positive"} <= {f["learner"] for f in summary["learners"]}
    assert len(summary["misstated"]) == 4
    told = next(m for m in summary["misstated"] if m["which"] == "false negatives")
    probability = OutOfFold(results, data).of(summary["best"]).probability
    true = Costs.of(len(data), fp_cost=5.0, fn_cost=told["factor"] * data.fn_cost)
    paid = [true.paid(data.y == 1, c.decide(probability)) for c in (data.as_costs(), true)]
    figures = told["cost_per_1000"], told["had_we_known"]
    assert figures == pytest.approx([1000 * p.mean() for p in paid])


def test_results_do_not_depend_on_the_number_of_jobs(few, tmp_path):
    one = compare(toy(), folds=2, out=tmp_path / "1", n_jobs=1)
    two = compare(toy(), folds=2, out=tmp_path / "2", n_jobs=2)
    assert without_times(one) == without_times(two)


class WholeRounds(LokyBackend):
    """A backend like those of Ray and Spark: results come when all tasks are finished."""

    supports_return_generator = False


def test_results_do_not_depend_on_the_backend(few, tmp_path):
    joblib.register_parallel_backend("whole rounds", WholeRounds)
    one = compare(toy(), folds=2, out=tmp_path / "1")
    with joblib.parallel_config("whole rounds"):
        two = compare(toy(), folds=2, out=tmp_path / "2", n_jobs=2)
        budget = compare(toy(), folds=2, out=tmp_path / "3", n_jobs=2, time_budget=0)
    assert without_times(one) == without_times(two) and two.unfinished == 0
    assert budget.unfinished == 4


def test_nothing_finished_is_run_again(few, tmp_path, monkeypatch):
    first = compare(toy(), folds=2, out=tmp_path)
    monkeypatch.setattr(_run, "fit_one", lambda *a, **k: pytest.fail("a finished fit was repeated"))
    again = compare(toy(), folds=2, out=tmp_path)
    assert again.rows == first.rows


def test_repeats_asked_for_later_are_those_of_one_longer_run(few, tmp_path):
    setting = dict(folds=2, tune=False)
    compare(toy(), repeats=1, out=tmp_path / "grown", **setting)
    grown = without_times(compare(toy(), repeats=2, out=tmp_path / "grown", **setting))
    assert grown == without_times(compare(toy(), repeats=2, out=tmp_path / "whole", **setting))
    fewer = without_times(compare(toy(), repeats=1, out=tmp_path / "grown", **setting))
    assert fewer == [row for row in grown if row["repeat"] == 0]


def test_folds_do_not_depend_on_the_learner(few):
    tasks, _ = make_tasks([toy()], few, repeats=2, folds=2, random_state=3)
    assert len({t.seed for t in tasks}) == 2  # one per repeat
    tasks, refused = make_tasks(
        [toy()], [Contestant("k", "svm", None, max_rows=10)], repeats=1, folds=2, random_state=0
    )
    assert tasks == []
    assert refused == [
        "k was skipped on toy: it takes at most 10 training rows, and there are 120."
    ]


def test_a_learner_that_fails_is_reported_and_does_not_stop_the_run(few, tmp_path):
    few.append(Contestant("broken", "baseline", LogisticRegression(C=-1.0)))
    results = compare(toy(), folds=2, out=tmp_path)
    data = results.summary()["datasets"][0]
    assert data["failed"][0]["learner"] == "broken"
    assert "C" in data["failed"][0]["error"]
    assert "broken failed" in results.report().with_name("report.md").read_text()


def test_a_spent_budget_leaves_the_constant_policies_and_says_what_is_missing(few, tmp_path):
    results = compare(toy(), folds=2, out=tmp_path, time_budget=0)
    assert {r["learner"] for r in results.rows} == {"always negative", "always positive"}
    assert results.unfinished == 4
    sentence = results.summary()["datasets"][0]["sentence"]
    assert sentence.startswith("No learner has finished; “always")
    whole = compare(toy(), folds=2, out=tmp_path)
    assert whole.unfinished == 0


def test_two_constant_policies_on_several_sets_are_not_ranked(few, tmp_path):
    sets = [toy(seed=s, name=f"toy{s}") for s in range(2)]
    results = compare(sets, folds=2, out=tmp_path, time_budget=0)
    assert "ranks" not in results.summary()
    assert results.report().exists()


def test_a_run_cut_short_is_judged_on_whole_repeats(few, tmp_path):
    results = compare(toy(), folds=2, repeats=2, tune=False, out=tmp_path)
    last = next(r for r in results.rows if r["learner"] == few[3].name and r["repeat"] == 1)
    results.rows.remove(last)
    summary = results.summary()["datasets"][0]
    assert len(summary["learners"]) == 4
    first = [r for r in results.rows if r["learner"] == few[2].name and r["repeat"] == 0]
    told = next(f for f in summary["learners"] if f["learner"] == few[2].name)
    assert told["cost_per_1000"] == pytest.approx(1000 * sum(r["cost"] for r in first) / 240)


def test_savings_are_relative_to_todays_rule(few, tmp_path):
    data = toy()
    today = np.arange(len(data)) % 2
    results = compare(data, folds=2, out=tmp_path, today=today)
    told = results.summary()["datasets"][0]["today"]
    paid = data.as_costs().paid(data.y == 1, today)
    assert told == {"name": "today's decisions", "cost_per_1000": pytest.approx(1000 * paid.mean())}


def test_several_data_sets_are_ranked(few, tmp_path):
    sets = [toy(seed=s, name=f"toy{s}") for s in range(3)]
    results = compare(sets, folds=2, tune=False, out=tmp_path)
    ranks = results.summary()["ranks"]
    assert ranks["n_datasets"] == 3
    assert sum(ranks["ranks"]) == pytest.approx(1 + 2 + 3 + 4)
    assert "critical difference" in results.report().read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folds": 1}, "at least 1 repeat and 2 folds"),
        ({"today": [1, 0]}, "one decision"),
        ({"data": []}, "no data set"),
        ({"data": [toy(), toy()]}, "the same name"),
        ({"data": PricedData("one", np.eye(4), np.zeros(4))}, "only one class"),
        ({"data": PricedData("rare", np.eye(9), np.eye(9)[0])}, "1 example.s. of its rarest class"),
    ],
)
def test_bad_input_is_one_sentence(few, tmp_path, change, message):
    arguments = {"data": toy(), "folds": 2, "out": tmp_path} | change
    with pytest.raises(InputError, match=message):
        compare(**arguments)


KILLED = """
import sys; sys.path[:0] = {path!r}
from toy import toy
from stakes.compare import compare
compare(toy(800), learners=[], folds=3, tune=False, out={out!r})
"""


@pytest.mark.slow
def test_kill_and_resume_equals_an_uninterrupted_run(tmp_path):
    code = KILLED.format(path=[str(Path(__file__).parents[1])], out=str(tmp_path / "killed"))
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    process = subprocess.Popen([sys.executable, "-c", code], env=env)
    rows = tmp_path / "killed" / "results.jsonl"
    wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") > 8, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    finished = [json.loads(line) for line in rows.read_text().splitlines() if line.endswith("}")][
        1:
    ]
    resumed = compare(toy(800), learners=[], folds=3, tune=False, out=tmp_path / "killed")
    kept = {(r["learner"], r["fold"]): r["fit_seconds"] for r in resumed.rows}
    assert all(kept[r["learner"], r["fold"]] == r["fit_seconds"] for r in finished)
    straight = compare(toy(800), learners=[], folds=3, tune=False, out=tmp_path / "straight")
    assert without_times(resumed) == without_times(straight)


@pytest.fixture
def no_baselines(few, monkeypatch):
    """The constant policies and the given contestants, found as `compare` finds them."""
    monkeypatch.setattr(_contestants, "baselines", lambda: few[:2])
    monkeypatch.setattr(_run, "contestants", _contestants.contestants)


@pytest.mark.parametrize("grid", [{"C": [0.1, 1.0]}, {}], ids=["tuned", "as it comes"])
def test_a_learner_that_loses_to_a_constant_policy_is_replaced(no_baselines, tmp_path, grid):
    own = Contestant("my learner", "tree", LogisticRegression(), grid)
    results = compare(dear(), learners=[own], folds=2, out=tmp_path)
    rows = [r for r in results.rows if r["learner"] == "my learner"]
    policy = [r for r in results.rows if r["learner"] == "always positive"]
    assert [r["params"] for r in rows] == [{"constant policy": 1}] * 2
    assert [r["cost"] for r in rows] == [r["cost"] for r in policy]
    assert all("BelowTrivialWarning: my learner lost" in "".join(r["warnings"]) for r in rows)


def test_a_learner_that_beats_the_policies_keeps_its_settings(no_baselines, tmp_path):
    own = Contestant("my learner", "tree", LogisticRegression())
    X = np.random.default_rng(0).normal(size=(200, 2))
    easy = PricedData("easy", X, (X[:, 0] > 0).astype(int), fp_cost=1.0, fn_cost=2.0)
    held = compare(easy, learners=[own], folds=2, out=tmp_path / "held").rows
    plain = compare(easy, learners=[own], folds=2, out=tmp_path / "plain", tune=False).rows
    assert [r["params"] for r in held] == [{}] * len(held)
    assert [r["cost"] for r in held] == [r["cost"] for r in plain]


def test_without_tuning_no_learner_is_replaced(no_baselines, tmp_path):
    own = Contestant("my learner", "tree", LogisticRegression())
    rows = compare(dear(), learners=[own], folds=2, out=tmp_path, tune=False).rows
    assert all(r["savings"] < 0 for r in rows if r["learner"] == "my learner")


def test_only_a_rule_of_its_own_is_held_against_the_policies_untuned():
    plain = Contestant("plain", "tree", LogisticRegression())
    bayes = Contestant("bayes", "tree", BayesDecisionClassifier(LogisticRegression()))
    baseline = Contestant("baseline", "baseline", LogisticRegression())
    assert [c.needs_inner_folds for c in (plain, bayes, baseline)] == [True, False, False]


def test_a_baseline_is_shown_as_it_is(few, tmp_path):
    rows = compare(dear(), folds=2, out=tmp_path).rows
    ours = [r for r in rows if r["learner"] == "logistic at 0.5"]
    assert all(set(r["params"]) == {"C"} for r in ours)
    assert all(r["savings"] < 0 for r in ours)


def test_a_contestant_of_your_own_takes_part(no_baselines, tmp_path):
    own = Contestant("my method", "mine", LogisticRegression(C=0.3))
    results = compare(toy(), learners=[own], folds=2, out=tmp_path)
    assert "my method" in {row["learner"] for row in results.rows}


def test_a_contestant_that_has_changed_under_its_name_is_run_again(no_baselines, tmp_path):
    def run(C, **form):
        own = Contestant("my method", "mine", LogisticRegression(C=C), **form)
        rows = []
        seen = compare(
            toy(), learners=[own], folds=2, out=tmp_path, progress=lambda *told: rows.append(told)
        )
        return len(rows) - 1, [r for r in seen.rows if r["learner"] == "my method"]

    first, _ = run(1.0)
    again, _ = run(1.0)
    changed, rows = run(0.001)
    scaled, _ = run(0.001, scale=False)
    assert (first, again, changed, scaled) == (6, 0, 2, 2)
    assert len(rows) == 2


def test_a_killed_worker_is_a_clear_error(few, tmp_path, monkeypatch):
    def dying(**_):
        def run(tasks):
            function, args, keywords = next(tasks)
            yield function(*args, **keywords)
            raise BrokenProcessPool

        return run

    monkeypatch.setattr(_run.joblib, "Parallel", dying)
    with pytest.raises(MemoryError, match=r"finished fits are kept in .* with fewer jobs"):
        compare(toy(), folds=2, out=tmp_path)
    monkeypatch.undo()
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 2


def test_training_rows_are_drawn_within_the_classes(no_baselines, tmp_path):
    own = [
        Contestant("few rows", "mine", LogisticRegression(), train_rows=50),
        Contestant("all rows", "mine", LogisticRegression()),
    ]
    results = compare(toy(200), learners=own, folds=2, out=tmp_path)
    rows = {row["learner"]: row for row in results.rows}
    assert (rows["few rows"]["n_train"], rows["all rows"]["n_train"]) == (50, 100)
    assert rows["few rows"]["n_test"] == rows["all rows"]["n_test"]


def test_every_set_has_its_first_repeat_before_any_has_its_second():
    data = [toy(name="a"), toy(name="b")]
    one = Contestant("one", "mine", LogisticRegression())
    tasks, _ = make_tasks(data, [one], repeats=2, folds=2, random_state=0)
    order = list(dict.fromkeys((task.repeat, task.data) for task in tasks))
    assert order == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]


def test_a_learner_that_loses_to_a_constant_policy_is_not_deployed(no_baselines, monkeypatch):
    own = Contestant("my learner", "tree", LogisticRegression(), {"C": [0.1, 1.0]})
    monkeypatch.setattr(_fit, "find_contestant", lambda name, **how: own)
    with pytest.raises(InputError, match="my learner lost to the constant policy 'always pos"):
        fit_on_all("my learner", dear())
    model, chosen = fit_on_all("my learner", dear(), tune=False)
    assert chosen == {} and model.predict(dear().X).min() == 0
