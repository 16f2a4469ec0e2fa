"""Drift in a stream of decisions: reported, and followed; names without end."""

import itertools
import json

import numpy as np
import pytest

from stakes.online import AROWClassifier, ProbitClassifier
from stakes.stream import DecisionStream, DriftTest, PendingEvent, Prices, RowEncoder


def events(n, seed=0, flip_at=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    sign = np.where(np.arange(n) < (n if flip_at is None else flip_at), 1.0, -1.0)
    y = (sign * (X[:, 0] + X[:, 1]) - 1.0 + 0.5 * rng.normal(size=n) > 0).astype(int)
    for x, label in zip(X, y, strict=True):
        yield {"a": x[0], "b": x[1], "c": x[2], "fraud": int(label)}


def new():
    return DecisionStream(ProbitClassifier(), target="fraud", fp_cost=1, fn_cost=5)


@pytest.mark.jit
def test_a_change_is_reported_soon_and_a_stationary_stream_is_quiet():
    for seed in range(3):
        stream, first = new(), None
        for t, event in enumerate(events(6000, seed, flip_at=3000)):
            stream.learn(event)
            if stream.drift.alarms and first is None:
                first = t
                assert stream.drift.last.paid > 1.5 * stream.drift.last.promised
                assert 2000 < stream.drift.last.since <= stream.drift.last.label < 3400
        assert 3000 < first < 3400, seed
        stream = new()
        for event in events(6000, seed):
            stream.learn(event)
        assert stream.drift.alarms == 0


def test_promises_that_hold_raise_no_more_alarms_than_stated():
    rng, total = np.random.default_rng(0), 0
    n, every = 4000, 400
    for _ in range(40):
        test = DriftTest(every)
        p, fn = rng.beta(1, 20, n), rng.lognormal(1, 1, n)
        for p_t, fn_t, u in zip(p, fn, rng.random(n), strict=True):
            prices, label = Prices(2.0, float(fn_t), 0.0, 0.0), int(u < p_t)
            action = int(p_t > prices.break_even)
            event = PendingEvent({}, prices, float(p_t), action)
            test.add(event, label, prices.paid(label, action))
        total += test.alarms
    assert total <= 40 * n / every


def test_a_saved_stream_continues_its_drift_test(tmp_path):
    feed = list(events(2500, flip_at=1800))
    whole, half = new(), new()
    for event in feed[:1900]:
        half.learn(event)
    half.save(tmp_path / "stream")
    again = DecisionStream.load(tmp_path / "stream")
    for event in feed:
        whole.learn(event)
    for event in feed[1900:]:
        again.learn(event)
    assert again.drift.get_state() == whole.drift.get_state()
    assert whole.drift.alarms > 0


@pytest.mark.parametrize("n_features", [16, None])
def test_names_without_end_take_bounded_memory(n_features):
    stream = DecisionStream(
        ProbitClassifier(), target="fraud", n_features=n_features, max_features=50
    )
    sizes = []
    for t, event in enumerate(events(3000)):
        stream.learn(event | {"text": f"word{t}"})
        if t in (1000, 2999):
            sizes.append(
                (stream.learner.n_features_in_, len(json.dumps(stream.encoder.get_state())))
            )
    assert sizes[0][0] == sizes[1][0] <= 50
    assert sizes[1][1] < sizes[0][1] + 20


def test_hashing_learns_like_names_if_there_is_room():
    named, hashed = (
        DecisionStream(AROWClassifier(), target="fraud", n_features=n) for n in (None, 2**16)
    )
    for event in events(2000):
        for stream in (named, hashed):
            stream.learn(event | {"city": "Paris"})
    assert abs(named.totals.paid - hashed.totals.paid) <= 0.02 * named.totals.paid
    encoder = RowEncoder(n_features=4)
    found = encoder.encode({"text": "one", "more": "two", "again": "three", "x": 1.0, "y": 2.0})
    assert set(found) <= {"#0", "#1", "#2", "#3"}
    assert RowEncoder(state=encoder.get_state()).encode({"x": 5.0}) == encoder.encode({"x": 5.0})


def test_a_scale_follows_a_learner_that_forgets():
    slow, fast = RowEncoder(), RowEncoder()
    fast.follow(8.0)
    assert fast.half_life == 1000.0
    rng = np.random.default_rng(0)
    for value in itertools.chain(rng.normal(size=5000), 100 + rng.normal(size=5000)):
        slow.encode({"x": value})
        fast.encode({"x": value})
    assert abs(fast.encode({"x": 100.0})["x"]) < 0.5 < abs(slow.encode({"x": 100.0})["x"])
    again = RowEncoder(state=fast.get_state())
    assert again.encode({"x": 3.0}) == fast.encode({"x": 3.0})


@pytest.mark.parametrize("odds", [1 / 1.25, 1.0, 1.25])
def test_probabilities_within_the_tolerance_raise_no_more_alarms_than_stated(odds):
    rng, alarms, strict, n, every = np.random.default_rng(1), 0, 0, 4000, 400
    for _ in range(20):
        within, exact = DriftTest(every, tolerance=1.25), DriftTest(every)
        p = rng.beta(1, 10, n)
        real = p * odds / (1 - p + p * odds)
        for p_t, u, real_t in zip(p.tolist(), rng.random(n), real, strict=True):
            prices, label = Prices(2.0, 20.0, 0.0, 0.0), int(u < real_t)
            event = PendingEvent({}, prices, p_t, 0)  # wrong as often as the class is positive
            for test in (within, exact):
                test.add(event, label, prices.paid(label, 0))
        alarms, strict = alarms + within.alarms, strict + exact.alarms
    assert alarms <= 20 * n / every
    assert odds <= 1.0 or strict > alarms
