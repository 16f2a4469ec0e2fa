"""The power mean: Lemma 1, Example 3, and why it is convex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.qmean._mean import mean_curvature, mean_weights, power_mean

HALF = np.array([0.5, 0.5])
POSITIVE = st.one_of(st.just(0.0), st.floats(1e-100, 1e6))


@given(POSITIVE, POSITIVE)
def test_lemma_1(x1, x2):
    mean, spread = (x1 + x2) / 2, (x1 - x2) / 2
    quadratic = power_mean(np.array([x1, x2]), HALF, 2.0)
    np.testing.assert_allclose(quadratic, np.hypot(mean, spread), rtol=1e-12)
    assert quadratic >= mean * (1 - 1e-12)


def test_lemma_1_equality_only_if_equal():
    assert power_mean(np.array([0.3, 0.3]), HALF, 2.0) == pytest.approx(0.3, abs=1e-15)
    assert power_mean(np.array([0.3, 0.301]), HALF, 2.0) > 0.3005


def test_example_3():
    """9 of 10 positives missed, no false alarm among 990: 0.9 % of all, 63.6 % in the mean."""
    actual = np.array([1] * 10 + [0] * 990)
    wrong = np.zeros(1000)
    wrong[1:10] = 1
    assert wrong.mean() == pytest.approx(0.009)
    rates = np.array([wrong[actual == 1].mean(), wrong[actual == 0].mean()])
    assert power_mean(rates, HALF, 2.0) == pytest.approx(0.636, abs=5e-4)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 7.0, 1000.0])
def test_slope_and_curvature_are_differences(p, rng):
    share = rng.uniform(0.5, 1, 3)
    share /= share.sum()
    m, step = rng.uniform(0.5, 1, 3), 1e-6
    u, C = mean_weights(m, share, p), mean_curvature(m, share, p)
    for j in range(3):
        E = step * np.eye(3)[j]
        difference = (power_mean(m + E, share, p) - power_mean(m - E, share, p)) / (2 * step)
        assert difference == pytest.approx(u[j], abs=1e-6)
        difference = (mean_weights(m + E, share, p) - mean_weights(m - E, share, p)) / (2 * step)
        np.testing.assert_allclose(difference, C[:, j], atol=1e-4)
    assert np.linalg.eigvalsh(C).min() > -1e-9
    # the slope lies in the dual ball, so that u . anything bounds the mean from below
    other = rng.uniform(0, 1, 3)
    assert u @ other <= power_mean(other, share, p) + 1e-12


def test_limits(rng):
    m = rng.uniform(0, 1, 4)
    share = np.full(4, 0.25)
    assert power_mean(m, share, 1.0) == pytest.approx(m.mean())
    assert power_mean(m, share, 1e5) == pytest.approx(m.max(), rel=1e-4)
    assert power_mean(m, share, np.inf) == m.max()
    assert mean_weights(m, share, np.inf)[m.argmax()] == 1.0
    assert power_mean(np.zeros(4), share, 2.0) == 0.0
    np.testing.assert_array_equal(mean_weights(np.zeros(4), share, 2.0), share)


def test_convex_as_a_norm_and_not_by_the_argument_of_section_5_5(rng):
    """A monotone root of a convex function need not be convex; a norm of convex ones is."""
    x = np.linspace(-1, 1, 201)
    root_of_convex = np.sqrt(np.abs(x))
    assert np.diff(root_of_convex, 2).min() < -1e-3
    curves = np.abs(np.outer([1.0, 2.0], x) - rng.normal(size=(2, 1)))
    mean = np.array([power_mean(m, HALF, 2.0) for m in curves.T])
    assert np.diff(mean, 2).min() > -1e-12
