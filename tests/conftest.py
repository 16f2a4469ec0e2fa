"""Shared fixtures: small seeded problems with costs."""

import os
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import settings

matplotlib.use("Agg")
# CI repeats the same examples; elsewhere each run draws new ones. Compiling has no deadline.
settings.register_profile("stakes", derandomize="CI" in os.environ, deadline=None)
settings.load_profile("stakes")


def pytest_collection_modifyitems(items):
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        for item in items:
            if "jit" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="needs the compiled loops"))


@pytest.fixture(autouse=True)
def no_figures_left():
    """Close what a test has drawn: matplotlib keeps figures and warns at twenty."""
    yield
    plt.close("all")


@pytest.fixture
def shared_data():
    """The directory of real data sets, or a skip that says how to get it."""
    where = os.environ.get("STAKES_DATA")
    if not where or not Path(where).is_dir():
        pytest.skip("set STAKES_DATA to a directory with the real data sets to run this test")
    return Path(where)


@pytest.fixture(params=range(5))
def rng(request):
    """Five seeds: a test with this fixture runs on each of them."""
    return np.random.default_rng(request.param)


@pytest.fixture
def priced():
    """A seeded two-class problem with a price per example: X, y, fp_cost, fn_cost."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = (X @ [1.0, -2.0, 0.5, 0.0, 0.0] + rng.normal(size=300) > 0.8).astype(int)
    return X, y, np.full(300, 2.0), rng.lognormal(1.0, 1.0, 300)
