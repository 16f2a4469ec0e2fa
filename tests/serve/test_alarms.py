"""Alarms: inputs that leave the range of training, costs that leave what a comparison promised."""

import json

import numpy as np
import pytest

from serve.serving import decide, label
from stakes.compare import TableSettings, train_to_file
from stakes.datasets import load
from stakes.serve import rebuild, start
from stakes.serve._alarms import PaidWindows, alarms
from stakes.serve._ranges import RATES, Ranges

COSTS = {"fp_cost": "0.006*duration*amount", "fn_cost": "0.75*amount"}


def stepwise(outside, rows, limit):
    """Events with an alarm: M moved one event after the other."""
    M, q, times, found = [0.0] * len(RATES), 2 / (rows + 1), 0, []
    for t, out in enumerate(outside, start=1):
        rates = [max(rate, 2 * q) for rate in RATES]
        if not out:
            M = [(m + 1) * (1 - r) / (1 - q) for m, r in zip(M, rates, strict=True)]
            continue
        M = [(m + 1) * r / q for m, r in zip(M, rates, strict=True)]
        if np.mean(M) >= limit:
            found.append(t)
            M = [0.0] * len(RATES)
        times += 1
        q = min(0.4, (2 + times) / (rows + 1 + t))
    return found


@pytest.mark.parametrize("share", [0.001, 0.02, 0.5])
def test_runs_of_events_inside_are_taken_at_once(share):
    outside = np.random.default_rng(3).random(2000) < share
    ranges, found = Ranges({"x": (0, 1)}, rows=400, false_alarm_every=500), []
    for t, out in enumerate(outside, start=1):
        ranges.add(["x"] if out else [])
        if ranges.alarms.get("x") == t:
            found.append(t)
    assert found == stepwise(outside, 400, 500)


@pytest.mark.parametrize("rows", [5, 50, 1000])
def test_without_drift_the_ranges_keep_their_rate_of_false_alarms(rows):
    """Events as in training: with every = 300, at most one alarm in 300 events on average."""
    rng, every, first = np.random.default_rng(rows), 300, []
    for _ in range(150):
        ranges = Ranges({"a": (0, 1), "b": (0, 1)}, rows, every)
        # what leaves the range of `rows` exchangeable values has a Beta(2, rows - 1) probability
        u = rng.beta(2, rows - 1, size=2) if rows > 1 else np.ones(2)
        while ranges.events < 3 * every and not ranges.alarms:
            ranges.add([name for name, p in zip("ab", u, strict=True) if rng.random() < p])
        first.append(ranges.events)
    # times that were cut off at 3 * every only make the mean smaller
    assert np.mean(first) + 3 * np.std(first) / len(first) ** 0.5 >= 0.9 * every


def test_windows_without_drift_raise_no_alarm_in_a_year_and_large_drifts_do():
    rng = np.random.default_rng(0)
    fraud, amount = rng.random(1_000_000) < 0.01, rng.lognormal(3.5, 1.0, 1_000_000)
    cost = fraud * amount
    mean, error = cost.mean(), 1.96 * cost.std() / 20_000**0.5
    windows = PaidWindows((mean - error, mean + error))
    for paid in cost.tolist():
        windows.add(paid)
    assert windows.last is None
    for paid in ((rng.random(10_000) < 0.04) * amount[:10_000]).tolist():
        windows.add(paid)
    assert windows.last[0] == 1_010_000


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    name = "logistic regression, Bayes decision"
    found = [{"learner": name, "cost_interval": [10_000.0, 20_000.0]}]
    (folder / "report.json").write_text(json.dumps({"datasets": [{"learners": found}]}))
    data, settings = load("german"), TableSettings("german", costs=COSTS)
    path = folder / "loans.skops"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stakes.compare._deploy.write_card", lambda *_, **__: None)
        train_to_file(path, name, settings, data, tune=False, run=folder)
    return path


def test_a_service_watches_what_its_model_knew(model, tmp_path, monkeypatch):
    monkeypatch.setattr(PaidWindows, "SIZE", 40)
    service = start(tmp_path / "s.db", [model])
    assert service.state.paid.promised == (10.0, 20.0)
    _, high = service.state.ranges.ranges["duration"]
    rows = load("german").X[:60].to_dicts()
    for i, row in enumerate(rows):
        service.handle([decide(f"e{i}", row)])
    assert service.state.ranges.alarms == {}
    for i, row in enumerate(rows):
        service.handle([decide(f"f{i}", dict(row, duration=high + 100))])
        service.handle([label(f"f{i}", 1)])
    found = " ".join(alarms(service.state, 0.0))
    assert "'duration' was outside its range of training" in found
    assert "the comparison had promised 10 to 20" in found
    digest = service.state.digest()
    service.erase("f0")
    before = service.state.seq - 1
    service._store.save_checkpoint = None
    with_all = rebuild(service._store, until=before)
    assert with_all.digest() == digest  # also through the event that was erased
    service._store.close()
