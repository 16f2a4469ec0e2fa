"""Chapter 3 re-run on one small set: all cells are there, and the trees are what they say."""

import numpy as np
import pytest

from stakes.reproduce import ccpdt
from stakes.reproduce._ccpdt_data import SETS, load_set


def test_one_set(shared_data):
    lines = []
    found = ccpdt.run(repeats=1, data=shared_data, sets=["Fourclass"], progress=lines.append)
    assert [len(table.cells) for table in found.tables] == [12, 8, 8]
    assert len(lines) == 1 and len(found.claims) == 6
    leaves = {cell.column: cell.ours for cell in found.tables[2].cells[:4]}
    assert all(value >= 2 for value in leaves.values())
    assert all(0.8 < cell.ours < 1 for cell in found.tables[0].cells[:5])


@pytest.mark.parametrize(
    ("name", "rows", "share"),
    [("Fourclass", 862, 0.356), ("Oil", 937, 0.044), ("Pima", 768, 0.349), ("Splice", 1000, 0.483)],
)
def test_sets_have_the_printed_shares(name, rows, share, shared_data):
    X, y = load_set(name, shared_data)
    assert name in SETS and X.shape[0] == rows and np.isfinite(X).all()
    assert y.mean() == pytest.approx(share, abs=0.001)
