import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import uncertain as naive
from stakes.uncertain import bernstein_nu


@pytest.mark.parametrize(
    ("mean", "sigma", "nu"),
    [
        (0, 0.3, 0.4538),
        (0.27, 0.3, 0.4211),
        (0, 0.6, 0.6527),
        (0.54, 0.6, 0.5780),
        (0, 1, 1),
        (0.45, 1, 0.9635),
        (0.9, 1, 0.7819),
    ],
)
def test_known_values(mean, sigma, nu):
    assert bernstein_nu(mean, mean, sigma**2) == pytest.approx(nu, abs=5e-5)
    assert bernstein_nu(-mean, -mean, sigma**2) == pytest.approx(nu, abs=5e-5)


def test_against_the_definition(rng):
    sigma = rng.uniform(0.05, 1, 12)
    low, high = np.sort(rng.uniform(-0.999, 0.999, (2, 12)), axis=0) * sigma
    low[:3] = high[:3]
    fast = bernstein_nu(low, high, sigma**2)
    slow = [naive.bernstein_nu(*each) for each in zip(low, high, sigma**2, strict=True)]
    np.testing.assert_allclose(fast, slow, rtol=2e-4)
    assert (fast >= np.array(slow) - 1e-9).all()


def test_worst_mean_inside_the_interval():
    # beyond the second moment a smaller mean leaves more variance: the ends do not suffice
    low, high, second = 0.0, 0.5, 0.3
    at_the_end = bernstein_nu(high, high, second)
    both = bernstein_nu(low, high, second)
    assert both > at_the_end
    assert both == pytest.approx(naive.bernstein_nu(low, high, second, 400, 2000), abs=1e-4)


def test_a_bound_on_the_variance_against_the_definition(rng):
    var = rng.uniform(0.001, 1, 12)
    low, high = np.sort(rng.uniform(-0.999, 0.999, (2, 12)), axis=0)
    low[:3] = high[:3]
    fast = bernstein_nu(low, high, var=var)
    each = zip(low, high, var, strict=True)
    slow = [naive.bernstein_nu(a, b, var=v, n_t=2000) for a, b, v in each]
    np.testing.assert_allclose(fast, slow, rtol=2e-4)
    assert (fast >= np.array(slow) - 1e-9).all()
    moment = bernstein_nu(low, high, np.minimum(var + np.maximum(low**2, high**2), 1))
    assert (fast <= moment + 1e-9).all()
    assert bernstein_nu(-0.5, 0.5, var=0.01) < 0.65 * bernstein_nu(-0.5, 0.5, 0.26)


def test_lemma_4(rng):
    low, high = -rng.uniform(0, 1, 50), rng.uniform(0, 1, 50)
    expected = np.sqrt(1 - np.minimum(-low, high) ** 2)
    np.testing.assert_allclose(bernstein_nu(low, high, 1.0), expected, rtol=1e-12)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_between_its_bounds(a, b, second):
    low, high = sorted((a, b))
    nu = bernstein_nu(low, high, second)
    root = np.sqrt(second)
    nearest = min(abs(np.clip(low, -root, root)), abs(np.clip(high, -root, root)))
    assert np.sqrt(max(second - nearest**2, 0)) - 1e-7 <= nu <= 1


def test_edges():
    assert bernstein_nu(0.0, 0.0, 0.0) == 0
    assert bernstein_nu(1.0, 1.0, 1.0) == 0
    assert bernstein_nu(-1.0, 1.0, 1.0) == 0  # Lemma 4: the means cover the support
    assert bernstein_nu(0.5, 0.5, 0.2) == 0  # Jensen: moved to the root of the second moment
    assert bernstein_nu(0.0, 0.0, 1e-300) < 0.05
    assert 0 < bernstein_nu(0.0, 0.0, 2e-309) < bernstein_nu(0.0, 0.0, 1e-300)
    assert bernstein_nu(np.zeros((2, 3)), 0.1, 0.3).shape == (2, 3)
    assert bernstein_nu(np.zeros((0, 3)), 0.0, 0.3).shape == (0, 3)


def test_bad_input():
    with pytest.raises(ValueError, match="mean_lower of bernstein_nu is above mean_upper"):
        bernstein_nu(0.5, 0.1, 0.3)
    with pytest.raises(ValueError, match="second_moment of bernstein_nu has missing"):
        bernstein_nu(0.0, 0.1, np.nan)


@pytest.mark.jit
def test_a_million_entries_in_seconds():
    rng = np.random.default_rng(0)
    low, high = np.sort(rng.uniform(-1, 1, (2, 10**6)), axis=0)
    bernstein_nu(low[:2], high[:2], 0.5)
    start = time.process_time()
    bernstein_nu(low, high, 0.5)
    assert time.process_time() - start < 20
