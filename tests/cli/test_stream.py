"""`stakes stream`: decisions as a loop would make them, and an exact way back after kill -9."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from payment_events import COSTS, events, events_and_labels
from running import wait_until
from stakes._core.model_file import load_model
from stakes.online import ProbitClassifier
from stakes.online_forest import StreamBlendClassifier
from stakes.stream import DecisionStream, RowEncoder


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "events.csv"
    events().write_csv(path)
    return path


def stream(run, data, *more):
    result = run("stream", data, "--target", "fraud", *COSTS, *more)
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize(
    ("learner", "delay"), [("probit", 0), ("probit", 30), ("blend", 0), ("blend", 30)]
)
def test_decisions_are_those_of_a_loop(run, table, tmp_path, learner, delay):
    stream(run, table, "--delay", delay, "--learner", learner)
    found = pl.read_csv(tmp_path / "decisions.csv")
    encoder, waiting = RowEncoder(), []
    model = ProbitClassifier()
    if learner == "blend":  # which is told how late the labels are
        model = StreamBlendClassifier(label_delay=delay, random_state=0)
    for i, record in enumerate(events().iter_rows(named=True)):
        label, fn = record.pop("fraud"), 0.5 * record["amount"]
        x = encoder.encode(record)
        p = model.predict_proba_one(x)[1] if hasattr(model, "classes_") else 0.5
        assert found["probability"][i] == p
        assert found["decision"][i] == (p > 3 / (3 + fn))
        waiting.append((x, label, fn))
        if len(waiting) > delay:
            x, label, fn = waiting.pop(0)
            model.learn_one(x, label, fp_cost=3.0, fn_cost=fn)
    assert found["row"].to_list() == list(range(1, 401))
    assert found["decision"].mean() < 0.9


def test_json_lines_give_the_same(run, table, tmp_path):
    stream(run, table, "--out", "a.csv", "--checkpoint", "a.skops")
    lines = [json.dumps(record) for record in events().iter_rows(named=True)]
    (tmp_path / "events.jsonl").write_text("\n".join(lines) + "\n\n")
    stream(run, "events.jsonl", "--out", "b.csv", "--checkpoint", "b.skops")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(("learner", "n"), [("probit", 150), ("blend", 340)])
def test_what_is_appended_later_is_read_later(run, table, tmp_path, learner, n):
    options = "--delay", 5, "--learner", learner  # by 340 the blend judges by an older copy
    stream(run, table, "--out", "whole.csv", "--checkpoint", "whole.skops", *options)
    text = table.read_text().splitlines(keepends=True)
    table.write_text("".join(text[:n]))
    stream(run, table, *options)
    assert learner == "probit" or load_model(tmp_path / "stream.skops").model._judge() is not None
    with open(tmp_path / "decisions.csv", "a") as file:
        file.write(f"{n},1,0.9,")  # as if it had been killed after its checkpoint
    table.write_text("".join(text))
    result = stream(run, table, *options)
    assert "400 events" in result.stderr
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "decisions.csv").read_bytes()
    again = stream(run, table, *options)  # nothing new: nothing is learned twice
    assert again.stderr == result.stderr


def test_events_without_a_label_are_decided_and_not_learned(run, tmp_path):
    table = events(60).with_columns(
        pl.when(pl.int_range(pl.len()) < 40).then(pl.col("fraud")).alias("fraud")
    )
    table.write_csv(tmp_path / "some.csv")
    result = stream(run, "some.csv")
    assert "60 events, 40 labeled" in result.stderr
    assert load_model(tmp_path / "stream.skops").model.n_seen_ == 40


def test_the_blend_judges_its_members_as_of_late_decisions(run, tmp_path):
    """The base rate moves faster than labels come: following it helps at once, not later."""
    rng, n = np.random.default_rng(3), 3000
    x, phase = rng.normal(size=n), 2 * np.pi * np.arange(n) / 400
    y = rng.random(n) < 1 / (1 + np.exp(-x - 3 * np.sin(phase)))
    pl.DataFrame({"x": x, "fraud": y.astype(int)}).write_csv(tmp_path / "late.csv")
    loss, base = {}, ["stream", "late.csv", "--target", "fraud", "--learner", "blend", "--delay"]
    for own in ("none", "0"):
        result = run(*base, 500, "--set", f"label_delay={own}", "--checkpoint", f"{own}.skops")
        assert result.exit_code == 0, result.output
        stored = load_model(tmp_path / f"{own}.skops").model
        assert stored.label_delay == (500 if own == "none" else 0)
        p = pl.read_csv(tmp_path / "decisions.csv")["probability"].to_numpy()[n // 2 :]
        loss[own] = -np.log(np.where(y[n // 2 :], p, 1 - p).clip(1e-9)).mean()
    assert loss["none"] < 0.9 * loss["0"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["--delay", "--id"])
def test_kill_9_loses_nothing_and_learns_nothing_twice(run, table, tmp_path, how):
    options = [how, "7"]
    if how == "--id":
        options = [how, "id", "--format", "jsonl"]
        table = tmp_path / "events.jsonl"
        table.write_text("\n".join(map(json.dumps, events_and_labels(late=7))) + "\n")
    stream(run, table, "--out", "whole.csv", "--checkpoint", "whole.skops", *options)
    data = table.read_bytes()
    command = [sys.executable, "-m", "stakes", "stream", "-", "--target", "fraud", *COSTS]
    command += [*options, "--every", "20", "-q"]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    sent = data.splitlines(keepends=True)[:231]
    n_lines = sum(b"amount" in line for line in sent) + 1 if how == "--id" else len(sent)
    decisions = tmp_path / "decisions.csv"

    def all_decided():  # part of them after the last checkpoint
        return decisions.exists() and decisions.read_text().count("\n") == n_lines

    for kill in (True, False):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=tmp_path, env=environment)
        if kill:
            process.stdin.write(b"".join(sent))
            process.stdin.flush()  # now it waits for more
            wait_until(all_decided, process)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
            assert process.returncode == -signal.SIGKILL
            stored = DecisionStream.load(tmp_path / "stream.skops")
            assert 0 < stored.extra["file"]["records"] < 230
            assert stored.n_pending >= 7
            assert decisions.read_text().count("\n") > stored.totals.events + 1
        else:
            process.communicate(data, timeout=120)
            assert process.returncode == 0
    assert decisions.read_bytes() == (tmp_path / "whole.csv").read_bytes()
    ours, whole = (load_model(tmp_path / f"{name}.skops") for name in ("stream", "whole"))
    np.testing.assert_array_equal(ours.model._mu, whole.model._mu)
    assert ours.facts == whole.facts


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.csv", "--target", "fraud"), "no file"),
        (("events.csv", "--target", "fraud", "--learner", "probbit"), "did you mean 'Probit'"),
        (("events.txt", "--target", "fraud"), "--format"),
        (("empty.csv", "--target", "fraud"), "header"),
        (("broken.csv", "--target", "fraud"), "fields"),
        (("broken.jsonl", "--target", "fraud"), "JSON object"),
        (("events.csv", "--target", "fraud", "--fn-cost", "amuont"), "amount"),
    ],
)
def test_bad_input_ends_in_a_sentence(run, table, tmp_path, arguments, words):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "events.txt").write_text("a\n1\n")
    (tmp_path / "broken.csv").write_text("a,fraud\n1,0\n1\n")
    (tmp_path / "broken.jsonl").write_text('{"a": 1, "fraud": 0}\n[1]\n')
    result = run("stream", *arguments)
    assert result.exit_code == 2, result.output
    assert words in result.stderr


def test_a_checkpoint_of_another_run_is_refused(run, table):
    stream(run, table)
    result = run("stream", table, "--target", "fraud", *COSTS, "--learner", "arow")
    assert result.exit_code == 2
    assert "was made with --learner = 'ProbitClassifier'" in result.stderr


def test_an_output_that_lost_decisions_is_refused(run, table, tmp_path):
    stream(run, table)
    (tmp_path / "decisions.csv").write_text("row\n")
    result = run("stream", table, "--target", "fraud", *COSTS)
    assert result.exit_code == 2
    assert "lacks decisions" in result.stderr


def test_kept_columns_stand_beside_the_decisions(run, table, tmp_path):
    stream(run, table, "--keep", "kind", "--keep", "amount")
    found = pl.read_csv(tmp_path / "decisions.csv")
    assert found.columns[:4] == ["row", "kind", "amount", "decision"]
    assert found["kind"].equals(events()["kind"]) and found["amount"].equals(events()["amount"])
    stream(run, table, "--out", "plain.csv", "--checkpoint", "plain.skops")
    assert found.drop("kind", "amount").equals(pl.read_csv(tmp_path / "plain.csv"))


@pytest.mark.parametrize("name", ["--target", "--drop", "--keep"])
def test_a_column_that_the_header_lacks_is_refused_at_once(refused, table, name):
    options = {"--target": "fraud"} | {name: "fruad" if name == "--target" else "amuont"}
    said = refused("stream", table, *(word for pair in options.items() for word in pair))
    assert "is not in the stream: did you mean" in said


def test_labels_that_cannot_be_meant_are_reported(run, tmp_path):
    (tmp_path / "e.jsonl").write_text('{"a": 1, "y": "bad"}\n{"a": 2, "y": "good"}\n')
    said = run("stream", "e.jsonl", "--target", "yy", "--checkpoint", "1").stderr
    assert said.endswith(
        "No event had a label in 'yy', so nothing was learned: did you mean 'y'?\n"
    )
    options = ("stream", "e.jsonl", "--target", "y", "--positive")
    said = run(*options, "bda", "--checkpoint", "2").stderr
    assert "No label in 'y' was positive (seen: 'bad', 'good'); check --positive." in said
    said = run(*options, "bad", "--checkpoint", "3").stderr
    assert "1 positive" in said and "No label" not in said


@pytest.mark.parametrize("command", ["stream", "compare"])
def test_unknown_labels_are_refused_as_by_compare(run, tmp_path, command):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(["yes", "ok", "default"] * 4))
    (tmp_path / "loans.csv").write_text("amount,state\n" + rows)
    result = run(command, "loans.csv", "--target", "state")
    assert result.exit_code == 2, result.output
    assert "Column 'state' has the label" in result.stderr and "'ok'" in result.stderr
    assert "--positive" in result.stderr and result.stderr.count("\n") == 1
    result = run("stream", "loans.csv", "--target", "state", "--positive", "Default")
    assert result.exit_code == 0 and "12 labeled, 4 positive" in result.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{oops", "Record 3: The line is not a JSON object; fix or remove it"),
        ('{"a": [1], "y": 0}', "Record 3: Field 'a' is a list"),
        ('{"a": "much", "y": 0}', "Record 3: The cost 'a' is text"),
        ('{"a": -4, "y": 0}', "Record 3: --fn-cost is smaller than --tp-cost"),
        ('{"b": 1, "y": 0}', "Record 3: The cost 'a' uses column 'a', which is not in"),
        ('{"a": null, "y": 0}', "Record 3: "),
    ],
)
def test_a_bad_event_is_named_by_its_number(run, tmp_path, line, words):
    (tmp_path / "e.jsonl").write_text('{"a": 1, "y": 1}\n{"a": 2, "y": 0}\n' + line + "\n")
    result = run("stream", "e.jsonl", "--target", "y", "--fn-cost", "a")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert words in result.stderr


def test_prices_may_change_and_what_was_learned_is_kept(run, table, tmp_path):
    lines = table.read_text().splitlines(keepends=True)
    (tmp_path / "grows.csv").write_text("".join(lines[:101]))
    stream(run, "grows.csv")
    first = (tmp_path / "decisions.csv").read_text()
    before = DecisionStream.load(tmp_path / "stream.skops")
    (tmp_path / "grows.csv").write_text("".join(lines))
    said = stream(run, "grows.csv", "--fn-cost", "2*amount", "--prior", 0.1).stderr
    assert "Resuming after record 100 with other settings (--prior was 0.5, now 0.1; " in said
    assert "--fn-cost was 0.5*amount, now 2*amount)" in said
    assert "what was learned is kept" in said
    whole = (tmp_path / "decisions.csv").read_text()
    assert whole.startswith(first)
    # as in Python: load with the new prices, go on
    other = DecisionStream.load(tmp_path / "stream.skops")
    assert other.costs["fn_cost"] == "2*amount" and other.totals.events == len(lines) - 1
    assert before.totals.events == 100
    said = run("stream", "grows.csv", "--target", "fraud", "--positive", "no")
    assert said.exit_code == 2 and "--positive" in said.stderr


def test_bad_records_can_be_skipped(run, table, tmp_path):
    rows = table.read_text().splitlines(keepends=True)
    for bad in ("\x00,\r,", "12,web", "1.5,web,1e155,0"):
        rows.insert(9, f"{bad}\n")
    (tmp_path / "mixed.csv").write_text("".join(rows))
    result = run("stream", "mixed.csv", "--target", "fraud", *COSTS)
    assert result.exit_code == 2 and "Record 9: Field 'speed' is 1e+155" in result.stderr
    said = stream(run, "mixed.csv", "--skip-bad", "--bad", "odd.jsonl").stderr
    assert "400 events" in said and "3 bad records were skipped: odd.jsonl" in said
    bad = (tmp_path / "odd.jsonl").read_text().splitlines()
    assert [json.loads(line)["record"] for line in bad] == [9, 10, 11]
    stream(run, table, "--out", "good.csv", "--checkpoint", "good.skops")
    assert (tmp_path / "good.csv").read_bytes() == (tmp_path / "decisions.csv").read_bytes()


def test_every_parameter_of_a_learner_can_be_set(run, table, tmp_path):
    stream(run, table, "--learner", "arow", "--set", "r=10", "--set", "half_life=none")
    model = load_model(tmp_path / "stream.skops").model
    assert (model.r, model.half_life) == (10, None)
    for wrong, words in {
        "Q=1": "has no parameter 'Q'",
        "r=-1": "'r' parameter",
        "r": "NAME",
    }.items():
        result = run(
            *("stream", table, "--target", "fraud", "--learner", "arow", "--set", wrong),
            *("--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c.skops"),
        )
        assert result.exit_code != 0 and words in result.output
    result = run("stream", table, "--target", "fraud", *COSTS, "--learner", "arow")
    assert "was made with" in result.output and result.exit_code != 0


@pytest.mark.parametrize(
    "learner", ["probit", "cw-cvar", "cw-robust", "arow", "scw", "cw", "pa", "perceptron"]
)
def test_every_online_learner_streams(run, table, learner):
    stream(run, table, "--learner", learner)


def test_names_can_be_hashed_and_drift_is_reported(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    sign = np.where(np.arange(5000) < 3000, 1, -1)
    fraud = sign * (X[:, 0] + X[:, 1]) - 1 + 0.5 * X[:, 2] > 0
    words = [f"w{i % 400}" for i in range(5000)]
    frame = dict(a=X[:, 0], b=X[:, 1], word=words, fraud=fraud.astype(int))
    pl.DataFrame(frame).write_csv(tmp_path / "flip.csv")
    table = tmp_path / "flip.csv", "--target", "fraud", "--fn-cost", "5"
    result = run("stream", *table, "--n-features", "64")
    assert "Drift at label 3,0" in result.output
    assert load_model(tmp_path / "stream.skops").model.n_features_in_ <= 64
    quiet = "--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c.skops"
    assert "Drift" not in run("stream", *table, *quiet, "--false-alarm-every", "0").output
