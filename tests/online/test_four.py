"""Four numbers at once are what four numbers are one after the other, to the last bit."""

import numpy as np
import pytest
from numba import njit

from stakes.online._four_jit import below4, least4, load4, put4, same4, store4, sum4, take4


@njit
def at_once(x, mu, sigma, columns, a, most, out):
    """Everything that the loops do with four numbers; which columns are within bounds."""
    z, s = load4(x, 1), take4(sigma, columns[0], columns[1], columns[2], columns[3])
    g = s * z
    put4(mu, columns[0], columns[1], columns[2], columns[3], load4(x, 0) + same4(a) * g)
    store4(out, 2, least4(s / (same4(1.0) + g * z), same4(most)) - z)
    out[0] = sum4(g)
    g += z
    out[1] = sum4(g)
    return below4(columns, 0, sigma.shape[0])


@pytest.mark.parametrize("seed", range(5))
def test_four_at_once_equal_one_by_one(seed):
    rng = np.random.default_rng(seed)
    x, sigma, columns = rng.normal(size=5), rng.random(9), rng.permutation(9)[:4].astype(np.int32)
    mu, out, wanted = np.zeros(9), np.zeros(6), np.zeros(9)
    assert at_once(x, mu, sigma, columns, 0.3, 0.4, out)
    g = [sigma[j] * x[k + 1] for k, j in enumerate(columns)]
    for k, j in enumerate(columns):
        wanted[j] = x[k] + 0.3 * g[k]
        assert out[2 + k] == min(sigma[j] / (1.0 + g[k] * x[k + 1]), 0.4) - x[k + 1]
    np.testing.assert_array_equal(mu, wanted)
    assert out[0] == (g[0] + g[1]) + (g[2] + g[3])
    h = [g[k] + x[k + 1] for k in range(4)]
    assert out[1] == (h[0] + h[1]) + (h[2] + h[3])


@njit
def within(columns, i, bound):
    return below4(columns, i, bound)


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("wrong", [-1, 7, 2**31 - 1, -(2**31)])
def test_one_column_out_of_bounds_is_found_wherever_it_is(at, wrong):
    columns = np.array([99, 0, 6, 3, 5, 99], np.int32)
    assert within(columns, 1, 7)
    columns[1 + at] = wrong
    assert not within(columns, 1, 7)
