"""Chapter 4 re-run on two small sets: all cells are there, and what must be equal is."""

import numpy as np
import polars as pl
import pytest

from stakes.reproduce import ccw
from stakes.reproduce._files import data_file
from stakes.reproduce._printed import printed
from stakes.reproduce.ccw import _example
from stakes.reproduce.ccw._data import SETS, Encoder, load_set
from stakes.reproduce.ccw._example import (
    RATIOS,
    SIDES,
    called_positive,
    density,
    example,
    neighbors_of,
    sample,
)


@pytest.mark.jit
def test_two_sets(shared_data, monkeypatch):
    monkeypatch.setattr(_example, "N_DRAWS", 2)
    lines = []
    found = ccw.run(repeats=1, data=shared_data, sets=["Hepatitis", "Ecoli"], progress=lines.append)
    assert len(lines) == 2 and len(found.claims) == 16 and len(found.tables) == 5
    one = {(c.row, c.column): c.ours for c in found.tables[0].cells}
    assert one["Ecoli", "MI"] == one["Ecoli", "AI"] != one["Ecoli", "CCW_AI"]
    assert one["Ecoli", "WDkNN"] is None
    assert all(0 < c.ours <= 1 for c in found.tables[1].cells[:20] if c.ours is not None)


@pytest.mark.parametrize(
    ("name", "rows", "share"),
    [("Balance", 625, 0.0784), ("Tr23", 204, 0.0539), ("Credit", 690, 0.4449)],
)
def test_sets_have_the_printed_shares(name, rows, share, shared_data):
    X, categorical, y = load_set(name, shared_data)
    assert X.shape[0] == rows and len(categorical) == X.shape[1]
    assert y.mean() == pytest.approx(share, abs=0.0001)
    assert all(set(SETS) == set(table) for table in printed("ccw").values())


@pytest.mark.parametrize(
    ("name", "percent", "kept", "rarest"),
    [("Ecoli", 5.95, 20, 2), ("Re1", 0.78, 13, 10), ("Tr12", 9.27, 29, 9), ("Tr23", 5.39, 11, 6)],
)
def test_the_printed_share_is_not_that_of_the_smallest_label(
    name, percent, kept, rarest, shared_data
):
    path = data_file(shared_data, SETS[name][0])
    labels = np.load(path)["y"] if path.suffix == ".npz" else pl.read_csv(path)[:, -1].to_numpy()
    counts = np.unique(labels.astype(str), return_counts=True)[1]
    assert kept in counts and counts.min() == rarest
    assert 100 * kept / counts.sum() == pytest.approx(percent, abs=0.006)


def test_categories_that_differ_are_at_distance_one():
    X = np.array([[0.0, 2.0], [0.0, 5.0], [np.nan, 5.0], [4.0, 5.0]])
    encoder = Encoder(X, np.array([False, True]))
    for metric, order in (("l1", 1), ("l2", 2), ("linf", np.inf)):
        Z = encoder.columns(X, metric)
        gaps = np.linalg.norm(Z[:1] - Z, order, axis=1)
        assert gaps[:2] == pytest.approx([0.0, 1.0])
        assert Z[2, 0] == pytest.approx(1 / 3)  # the mean, scaled


@pytest.mark.jit
def test_figure_4_1_is_a_matter_of_degree():
    table, claims = example()
    found = {(c.row, c.column): c.ours for c in table.cells}
    shares = {
        row: found[row, "positives on their own side, counted"]
        / sum(found[row, f"positives {side}, counted"] for side in SIDES)
        for row in RATIOS
    }
    assert shares["balanced"] == pytest.approx(0.30, abs=0.005)
    assert shares["1:10"] == pytest.approx(0.75, abs=0.005)
    assert [c.verdict for c in claims] == ["partly reproduced", "reproduced", "reproduced"]


def test_the_example_counts_votes_of_other_points(rng):
    X, positive = sample(rng, 3, 30)
    weight = density(X, positive)
    near = neighbors_of(X, positive)
    for i in range(0, 120, 7):
        order = np.argsort(np.linalg.norm(X - X[i], axis=1))[1:6]
        assert set(order) == set(near[i])
        plus = weight[order][positive[order]].sum()
        expected = plus > weight[order][~positive[order]].sum()
        assert called_positive(near, positive, weight)[i] == expected
