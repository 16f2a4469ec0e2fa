"""German credit as bundled: the original rows, the costs that are described."""

import gzip

import numpy as np
import polars as pl
import pytest

from stakes.datasets import load_german_credit


def test_shape_and_costs():
    data = load_german_credit()
    assert data.X.shape == (1000, 20)
    assert data.y.sum() == 300
    amount = data.X["amount"].to_numpy()
    np.testing.assert_allclose(data.fn_cost, 0.75 * amount)
    np.testing.assert_allclose(data.fp_cost, 0.006 * data.X["duration"].to_numpy() * amount)
    assert sum(kind == pl.Enum for kind in data.X.schema.values()) == 13
    assert "CC BY 4.0" in data.description


def test_interest_agrees_with_the_documented_cost_ratio():
    data = load_german_credit()
    good = data.y == 0
    ratio = data.fp_cost[good].sum() / data.fn_cost[good].sum()
    assert ratio == pytest.approx(1 / 5, abs=0.005)


def test_paper_setup_makes_denying_free():
    data = load_german_credit(flat_interest=0.0)
    assert data.as_costs().summary(data.y == 1).all_positive == 0.0
    assert "0% of the amount" in data.description


def test_rows_are_the_original_ones(shared_data):
    data = load_german_credit()
    with gzip.open(shared_data / "german.data.gz", "rt") as lines:
        rows = [line.split() for line in lines]
    np.testing.assert_array_equal(data.y, [int(row[20] == "2") for row in rows])
    for j, (name, kind) in enumerate(data.X.schema.items()):
        ours, theirs = data.X[name].to_list(), [row[j] for row in rows]
        if kind == pl.Int64:
            assert [str(value) for value in ours] == theirs
        else:  # one word for one code
            pairs = set(zip(ours, theirs, strict=True))
            assert len(pairs) == len(set(ours)) == len(set(theirs))
