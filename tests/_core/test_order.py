"""The order of values is numpy's stable one."""

import numpy as np
import pytest
from numba import njit

from stakes._core.jit.order import stable_order


@njit
def order_of(x):
    return stable_order(x)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 33, 100, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_numpys_stable_order(n, seed):
    rng = np.random.default_rng(seed)
    for x in (
        rng.normal(size=n),
        rng.integers(0, 4, n).astype(float),  # many ties
        np.where(rng.random(n) < 0.3, np.nan, rng.integers(-2, 3, n) * 0.0),  # also -0.0
        np.arange(n)[::-1] * 1.0,
        np.full(n, np.nan),
        np.where(rng.random(n) < 0.5, np.inf, -np.inf),
    ):
        order, n_known = order_of(x)
        np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
        assert n_known == np.count_nonzero(~np.isnan(x))
