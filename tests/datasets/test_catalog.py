"""Data sets by name."""

import pytest

from stakes.datasets import CATALOG, available, load
from stakes.errors import InputError
from stakes.tables import PricedData


def check(name):
    entry = CATALOG[name]
    data = load(name, **({"random_state": 0} if entry.source == "generated" else {}))
    assert isinstance(data, PricedData) and len(data) == len(data.y) == entry.rows
    assert data.X.shape == (entry.rows, entry.features)
    assert (data.y > 0).sum() == entry.positives
    classes = getattr(data, "classes", ("0", "1"))
    assert set(data.y) == set(range(len(classes)))
    assert data.description and (data.positive or len(classes) > 2)
    data.as_costs()
    return data


@pytest.mark.parametrize("name", [n for n, e in CATALOG.items() if e.source != "fetched"])
def test_each_name_loads(name):
    check(name)


LARGE = ("kdd99", "kdd99_attacks", "kdd98", "card_fraud", "card_payments")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LARGE else [])
        for name, entry in CATALOG.items()
        if entry.source == "fetched"
    ],
)
def test_each_public_set_loads_from_the_local_directory(name, shared_data):
    data = check(name)
    part = data.take([5, 2])
    assert len(part) == 2 and part.y[0] == data.y[5]


def test_rows_for_a_list():
    rows = available()
    assert [row["name"] for row in rows] == sorted(CATALOG)
    assert all(row["costs"] and row["about"] for row in rows)
    assert all(0 < row["positives"] < row["rows"] and row["features"] > 0 for row in rows)
    assert {row["source"] for row in rows} <= {"generated", "bundled", "fetched"}


def test_an_unknown_name_is_told():
    with pytest.raises(InputError, match=r"no data set called 'germen': did you mean 'german'"):
        load("germen")
