"""Four numbers at once are what four numbers are one after the other, to the last bit."""

import numpy as np
import pytest
from numba import njit

from stakes.online._four_jit import (
    below4,
    evens4,
    least4,
    load4,
    mix4,
    odds4,
    pair_sums,
    put_pairs,
    same4,
    store4,
    sum4,
    take_pairs,
)


@njit
def at_once(x, a, most, out):
    """Everything that the loop over dense rows does with four numbers."""
    z, s = load4(x, 1), load4(x, 4)
    g = s * z
    store4(out, 2, least4(s / (same4(1.0) + g * z), same4(most)) - same4(a) * z)
    out[0] = sum4(g)
    g += z
    out[1] = sum4(g)


@pytest.mark.parametrize("seed", range(5))
def test_four_at_once_equal_one_by_one(seed):
    x, out = np.random.default_rng(seed).random(8), np.zeros(6)
    at_once(x, 0.3, 0.4, out)
    g = [x[k + 4] * x[k + 1] for k in range(4)]
    for k in range(4):
        z = x[k + 1]
        assert out[2 + k] == min(x[k + 4] / (1.0 + g[k] * z), 0.4) - 0.3 * z
    assert out[0] == (g[0] + g[1]) + (g[2] + g[3])
    h = [g[k] + x[k + 1] for k in range(4)]
    assert out[1] == (h[0] + h[1]) + (h[2] + h[3])


@njit
def two_pairs_at_once(w, i, j, out):
    """Everything that the loop over sparse rows does with two pairs."""
    pairs = take_pairs(w, i, j)
    store4(out, 0, evens4(pairs))
    store4(out, 4, odds4(pairs))
    store4(out, 8, mix4(pairs, same4(0.5)))
    put_pairs(w, i, j, pairs * odds4(pairs))
    return pair_sums(pairs)


@pytest.mark.parametrize("seed", range(5))
def test_two_pairs_equal_one_by_one(seed):
    rng = np.random.default_rng(seed)
    w, out = rng.normal(size=12), np.zeros(12)
    i, j = 2 * rng.permutation(6)[:2]
    before, wanted = w.copy(), w.copy()
    assert two_pairs_at_once(w, i, j, out) == (
        before[i] + before[j],
        before[i + 1] + before[j + 1],
    )
    (a, b), (c, d) = before[i : i + 2], before[j : j + 2]
    np.testing.assert_array_equal(out, [a, a, c, c, b, b, d, d, a, 0.5, c, 0.5])
    wanted[[i, i + 1, j, j + 1]] = a * b, b * b, c * d, d * d
    np.testing.assert_array_equal(w, wanted)


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
