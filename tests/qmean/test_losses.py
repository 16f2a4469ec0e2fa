"""The losses of Table 5.1: slopes, curvatures and lower bounds against differences."""

import numpy as np
import pytest

from naive import qmean as naive
from stakes.qmean._losses import (
    EpsilonInsensitive,
    Huber,
    Logistic,
    Pairwise,
    Quantile,
    Softmax,
    Squared,
    positive_part,
)

MARGIN = [Logistic(), Huber(0.0), Huber(0.3)]
RESIDUAL = [Squared(), EpsilonInsensitive(0.2), EpsilonInsensitive(0.0), Quantile(0.3)]


def targets(loss, rng, n):
    return rng.choice([-1.0, 1.0], n) if loss in MARGIN else rng.normal(size=n)


@pytest.mark.parametrize("h", [0.0, 0.25])
@pytest.mark.parametrize("loss", MARGIN + RESIDUAL, ids=repr)
def test_slope_and_curvature_are_differences(loss, h, rng):
    y, f, step = targets(loss, rng, 200), rng.normal(size=200), 1e-6
    value, slope, curvature = loss.parts(f, y, h)
    above, below = loss.parts(f + step, y, h), loss.parts(f - step, y, h)
    np.testing.assert_allclose((above[0] - below[0]) / (2 * step), slope, atol=2e-6)
    np.testing.assert_allclose((above[1] - below[1]) / (2 * step), curvature, atol=2e-5)
    assert (value >= loss.parts(f, y)[0] - 1e-12).all()


@pytest.mark.parametrize("loss", MARGIN + RESIDUAL, ids=repr)
def test_lower_bound_holds_everywhere_and_touches(loss, rng):
    y, f = targets(loss, rng, 300), rng.normal(size=300)
    value, slope, _ = loss.parts(f, y)
    np.testing.assert_allclose(slope * f + loss.offset(slope, y), value, atol=1e-12)
    elsewhere = 3 * rng.normal(size=300)
    rounded = loss.parts(f, y, 0.4)[1] * rng.uniform(0, 1, 300)
    assert (rounded * elsewhere + loss.offset(rounded, y) <= loss.parts(elsewhere, y)[0]).all()


@pytest.mark.parametrize("loss", [Softmax(), Pairwise(Huber(0.2)), Pairwise(Huber(0.0))], ids=repr)
def test_several_classes(loss, rng):
    y, F, step = rng.integers(0, 4, 50), rng.normal(size=(50, 4)), 1e-6
    value, slope, curvature = loss.parts(F, y)
    for j in range(4):
        E = step * np.eye(4)[j]
        above, below = loss.parts(F + E, y), loss.parts(F - E, y)
        np.testing.assert_allclose((above[0] - below[0]) / (2 * step), slope[:, j], atol=2e-6)
        np.testing.assert_allclose(
            (above[1] - below[1]) / (2 * step), curvature[:, :, j], atol=2e-5
        )
    np.testing.assert_allclose((slope * F).sum(axis=1) + loss.offset(slope, y), value, atol=1e-12)


def test_two_classes_are_a_special_case(rng):
    f, index = rng.normal(size=30), rng.integers(0, 2, 30)
    F, y = np.column_stack([-f / 2, f / 2]), np.where(index == 1, 1.0, -1.0)
    np.testing.assert_allclose(Softmax().parts(F, index)[0], Logistic().parts(f, y)[0])
    np.testing.assert_allclose(Pairwise(Huber(0.1)).parts(F, index)[0], Huber(0.1).parts(f, y)[0])


def test_compiled_logistic_loss(rng):
    f = np.concatenate([rng.normal(size=200), [0.0, -0.0, 40.0, -40.0, 800.0, -800.0]])
    for y in (np.ones_like(f), -np.ones_like(f), rng.choice([-1.0, 1.0], len(f))):
        for ours, reference in zip(Logistic().parts(f, y), naive.logistic_parts(f, y), strict=True):
            np.testing.assert_allclose(ours, reference, rtol=1e-12, atol=1e-300)


def test_huber_of_the_thesis():
    h, t = 0.01, np.linspace(-0.03, 0.03, 61)
    thesis = np.where(t > h, t, np.where(np.abs(t) <= h, (t + h) ** 2 / (4 * h), 0.0))
    np.testing.assert_allclose(positive_part(t, h)[0], thesis, atol=1e-15)


def test_table_5_1_has_the_wrong_slope_for_the_logistic_loss():
    f, y, step = np.array([0.7]), np.array([1.0]), 1e-6
    difference = (Logistic().parts(f + step, y)[0] - Logistic().parts(f - step, y)[0]) / (2 * step)
    printed = -y / (1 + np.exp(-y * f))
    right = -y / (1 + np.exp(y * f))
    np.testing.assert_allclose(difference, right, atol=1e-8)
    assert abs(difference - printed) > 0.3


def test_table_5_1_mirrors_the_quantile(rng):
    """Its loss with tau = 0.9 is least at the 0.1 quantile, not at the 0.9 quantile."""
    y, tau = rng.normal(size=2001), 0.9
    tries = np.sort(y)
    printed = [np.maximum(tau * (f - y), (1 - tau) * (y - f)).mean() for f in tries]
    assert abs(tries[np.argmin(printed)] - np.quantile(y, 0.1)) < 0.02
    ours = [Quantile(0.9).parts(np.full_like(y, f), y)[0].mean() for f in tries]
    assert abs(tries[np.argmin(ours)] - np.quantile(y, 0.9)) < 0.02
