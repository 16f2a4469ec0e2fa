"""Data sets by name."""

import pytest

from stakes.datasets import CATALOG, PricedData, load
from stakes.errors import InputError


@pytest.mark.parametrize("name", [n for n, e in CATALOG.items() if e.source != "fetched"])
def test_each_name_loads(name):
    data = load(name)
    assert isinstance(data, PricedData) and len(data) == len(data.y)
    assert data.description


def test_an_unknown_name_is_told():
    with pytest.raises(InputError, match=r"no data set called 'germen': did you mean 'german'"):
        load("germen")
