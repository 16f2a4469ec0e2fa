"""Chapter 3 re-run on one small set: all cells are there, and the trees are what they say."""

import numpy as np
import pytest

from stakes.reproduce import ccpdt
from stakes.reproduce._ccpdt_classes import load_classes
from stakes.reproduce._ccpdt_data import SETS, load_set


def test_one_set(shared_data):
    lines = []
    found = ccpdt.run(
        repeats=1,
        data=shared_data,
        sets=["Fourclass"],
        sampled=["Fourclass"],
        classes=["Iris", "Balance-scale"],
        progress=lines.append,
    )
    assert [len(table.cells) for table in found.tables] == [14, 8, 8, 12, 12, 12]
    assert len(lines) == 4 and len(found.claims) == 17
    leaves = {cell.column: cell.ours for cell in found.tables[2].cells[:4]}
    assert all(value >= 2 for value in leaves.values())
    for table in (found.tables[0], found.tables[3]):
        assert all(0.8 < cell.ours < 1 for cell in table.cells[:5])
    assert found.tables[4].cells[0].ours > 0.9  # setosa
    assert "of the folds it left the data alone" in found.tables[3].note


def test_nothing_asked_gives_nothing():
    found = ccpdt.run(sets=[], sampled=[], classes=[])
    assert found.tables == [] and found.claims == []


@pytest.mark.parametrize(
    ("name", "shape", "smallest", "categories"),
    [
        ("Zoo", (101, 16), 4, 15),
        ("Anneal", (898, 38), 8, 22),
        ("Balance-scale", (625, 4), 49, 0),
        ("Hypothyroid", (3772, 29), 2, 22),
        ("Tr23", (204, 5832), 6, 0),
    ],
)
def test_sets_of_many_classes_have_the_printed_shares(
    name, shape, smallest, categories, shared_data
):
    X, y, category = load_classes(name, shared_data)
    assert X.shape == shape and category.sum() == categories
    assert np.unique(y, return_counts=True)[1].min() == smallest


@pytest.mark.parametrize(
    ("name", "rows", "share"),
    [("Fourclass", 862, 0.356), ("Oil", 937, 0.044), ("Pima", 768, 0.349), ("Splice", 1000, 0.483)],
)
def test_sets_have_the_printed_shares(name, rows, share, shared_data):
    X, y = load_set(name, shared_data)
    assert name in SETS and X.shape[0] == rows and np.isfinite(X).all()
    assert y.mean() == pytest.approx(share, abs=0.001)
