"""PricedData: taking rows in any of the usual ways."""

import numpy as np
import polars as pl
import pytest

from stakes.datasets import PricedData


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize(
    "rows",
    [slice(1, 3), [1, 2], np.array([1, 2]), np.array([False, True, True, False]), range(1, 3)],
    ids=lambda rows: type(rows).__name__,
)
def test_take(frame, rows):
    X = pl.DataFrame({"a": [10, 11, 12, 13]}) if frame else np.arange(10, 14)[:, None]
    data = PricedData("toy", X, np.array([0, 1, 0, 1]), fn_cost=np.arange(4.0), fp_cost=2.0)
    part = data.take(rows)
    assert np.asarray(part.X).ravel().tolist() == [11, 12]
    assert part.y.tolist() == [1, 0]
    assert part.fn_cost.tolist() == [1.0, 2.0] and part.fp_cost == 2.0


def test_take_nothing():
    data = PricedData("toy", np.eye(2), np.array([0, 1]), fn_cost=np.ones(2), fp_cost=3.0)
    none = data.take([])
    assert len(none) == 0 and none.X.shape == (0, 2) and none.y.dtype == data.y.dtype
    assert none.fn_cost.shape == (0,) and none.fp_cost == 3.0
