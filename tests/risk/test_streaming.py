import pickle
from heapq import heapify, heappop, heappush

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import risk as naive
from stakes._core.jit.heap import heap_pop, heap_push
from stakes.risk import StreamingCVaR, conditional_value_at_risk

number = st.floats(-1e6, 1e6)


def test_heap_equals_heapq(rng):
    ours, n, theirs = np.empty(300), 0, []
    for value in rng.integers(0, 50, 300).astype(float):
        if theirs and rng.random() < 0.4:
            assert heap_pop(ours, n) == heappop(theirs)
            n -= 1
        heap_push(ours, n, value)
        heappush(theirs, value)
        n += 1
    heapify(theirs)
    assert [heap_pop(ours, m) for m in range(n, 0, -1)] == sorted(theirs)


def streams(rng, n):
    yield rng.lognormal(0, 2, n)
    yield rng.integers(0, 5, n).astype(float)
    yield rng.normal(size=n) * 10.0 ** rng.integers(-6, 7, n)  # both signs, thirteen magnitudes
    yield np.arange(n, dtype=float)
    yield -np.arange(n, dtype=float)
    yield np.full(n, 0.1)


@pytest.mark.parametrize("tail", [0.05, 0.29, 0.5, 1.0])
def test_stream_equals_the_sample_at_each_step(rng, tail):
    for values in streams(rng, 100):
        stream = StreamingCVaR(tail)
        for t, value in enumerate(values):
            now = stream.update(value)
            past = values[: t + 1]
            scale = np.abs(past).max()
            assert now == pytest.approx(naive.cvar(past, tail), rel=1e-9, abs=1e-15 * scale)
            assert now <= past.max()
        assert stream.n_seen == 100
        assert stream.bounds() == (now, now)


def test_many_equals_one_by_one_bit_for_bit(rng):
    values = rng.lognormal(size=500)
    one, many = StreamingCVaR(0.07), StreamingCVaR(0.07)
    singly = [one.update(value) for value in values]
    at_once = np.concatenate([many.update_many(part) for part in np.split(values, [0, 3, 400])])
    np.testing.assert_array_equal(singly, at_once)


@given(st.lists(number, min_size=1, max_size=40), st.floats(0.01, 1))
def test_any_stream_equals_the_sample(values, tail):
    now = StreamingCVaR(tail).update_many(values)[-1]
    exact = conditional_value_at_risk(values, tail)
    assert now == pytest.approx(exact, rel=1e-9, abs=1e-9)


def test_equal_values_and_a_new_maximum_are_not_above_their_cvar():
    """Learners ask whether a cost reaches the CVaR that holds it: rounding may not say no."""
    for memory in (None, 256):
        stream = StreamingCVaR(0.05, max_memory=memory)
        assert [stream.update(0.1) for _ in range(300)] == [0.1] * 300
        assert StreamingCVaR(0.05, max_memory=memory).update(0.3) == 0.3


def test_long_stream_keeps_its_digits():
    rng = np.random.default_rng(0)
    values = np.concatenate([[1e12], rng.random(5_000) * 1e-3, [3e12], rng.random(5_000)])
    now = StreamingCVaR(0.2).update_many(values)[-1]
    assert now == pytest.approx(conditional_value_at_risk(values, 0.2), rel=1e-12)


@pytest.mark.parametrize("memory", [64, 1024])
@pytest.mark.parametrize("tail", [0.05, 1.0])
def test_sketch_keeps_its_stated_error(rng, tail, memory):
    g = 10 ** (12 / (memory // 4))
    for values in [
        rng.lognormal(0, 3, 120),
        rng.integers(0, 3, 120) * 1.0,
        np.exp(rng.uniform(-60, 60, 120)),  # far more than the grid spans
        np.sort(rng.lognormal(0, 5, 120)),  # the grid slides all the time
        rng.random(120),
    ]:
        exact = StreamingCVaR(tail).update_many(values)
        sketch = StreamingCVaR(tail, max_memory=memory)
        told = []
        for value, truth in zip(values, exact, strict=True):
            told.append(sketch.update(value))
            low, high = sketch.bounds()
            assert low * (1 - 1e-12) <= truth <= high * (1 + 1e-12)
        largest = np.maximum.accumulate(values)
        bound = 0.5 * np.maximum((g - 1) * exact, g**2 * 1e-12 * largest)
        assert (np.abs(told - exact) <= bound + 1e-12 * exact).all()
        assert sketch.value == told[-1]


@pytest.mark.parametrize("memory", [None, 256])
def test_state_is_saved_exactly(rng, memory):
    values = rng.lognormal(size=300)
    stream = StreamingCVaR(0.05, max_memory=memory)
    stream.update_many(values[:150])
    copies = [pickle.loads(pickle.dumps(stream)), StreamingCVaR.from_state(stream.get_state())]
    expected = stream.update_many(values[150:])
    for copy in copies:
        np.testing.assert_array_equal(copy.update_many(values[150:]), expected)


def test_before_the_first_value():
    for stream in (StreamingCVaR(0.1), StreamingCVaR(0.1, max_memory=64)):
        assert np.isnan(stream.value)
        assert stream.n_seen == 0
        assert len(stream.update_many([])) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: StreamingCVaR(0.0), "tail must be a share"),
        (lambda: StreamingCVaR(0.1, max_memory=5), "max_memory must be None or at least 64"),
        (lambda: StreamingCVaR(0.1).update(np.nan), "missing or infinite"),
        (lambda: StreamingCVaR(0.1).update_many([1.0, np.inf]), "missing or infinite"),
        (lambda: StreamingCVaR(0.1, max_memory=64).update(-1.0), "A value is negative"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
