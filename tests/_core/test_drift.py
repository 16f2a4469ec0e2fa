"""The drift test: its rate of false alarms, and what it finds."""

import numpy as np
import pytest

from stakes._core.jit.drift import N_BETS, drift_step


def first_alarm(rng, n, length, truth, promised, stake):
    """Number of the first event at which the statistic reaches `length`, n if there is none."""
    state, wrong = np.zeros(N_BETS), rng.random(n) < truth
    for t in range(n):
        if drift_step(state, 0, wrong[t], promised[t], stake[t]) >= length:
            return t + 1
    return n


@pytest.mark.parametrize("q", [0.003, 0.1, 0.45])
def test_false_alarms_are_as_rare_as_stated(q):
    length, rng = 300.0, np.random.default_rng(0)
    n = 20 * int(length)
    runs = []
    for _ in range(200):
        promised = np.clip(rng.beta(1.0, 1.0 / q - 1.0, n), 1e-6, 0.5)
        runs.append(first_alarm(rng, n, length, promised, promised, rng.random(n)))
    assert np.mean(runs) >= length  # of truncated runs, so that the true mean is longer


@pytest.mark.parametrize(("q", "truth", "within"), [(0.1, 0.3, 150), (0.02, 0.1, 400)])
def test_a_change_is_found_soon(q, truth, within):
    rng, delays = np.random.default_rng(0), []
    for _ in range(50):
        n = 3000
        rate = np.where(np.arange(n) < 1000, q, truth)
        alarm = first_alarm(rng, n, 10_000.0, rate, np.full(n, q), np.ones(n))
        delays.append(alarm - 1000)
    assert np.median(delays) < within


def test_less_than_promised_is_found_as_well():
    rng = np.random.default_rng(0)
    assert (
        first_alarm(rng, 5000, 10_000.0, np.full(5000, 0.05), np.full(5000, 0.3), np.ones(5000))
        < 200
    )
