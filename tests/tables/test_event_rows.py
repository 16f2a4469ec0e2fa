"""Events in place of a table: the same matrix, and the same refusals."""

import numpy as np
import polars as pl
import pytest

from stakes.errors import InputError
from stakes.tables import EventReader, ModelMatrix, TableEncoder

TABLE = pl.DataFrame(
    {
        "amount": [1.5, None, 3.0, 4.0],
        "kind": ["a", "b", None, "a"],
        "known": [True, False, None, True],
        "empty": pl.Series([None] * 4, dtype=pl.Float64),
    }
)
EVENTS = [
    {"amount": 2.0, "kind": "b", "known": True, "empty": 1.0},
    {"amount": 7, "kind": "new", "known": None, "other": "x"},
    {"amount": None, "kind": None, "known": False, "empty": None},
    {"kind": " none ", "amount": float("inf"), "known": True},
]


def frame_of(reader, events):
    return reader.rows(events).frame()


@pytest.mark.parametrize("most", [1, 200])
def test_the_matrix_is_that_of_the_table(most):
    encoder = TableEncoder(max_categories=most).fit(TABLE)
    reader = EventReader(encoder.kinds_, ["none"])
    for events in (EVENTS, EVENTS[:1], EVENTS[1:2], EVENTS[3:]):
        rows = reader.rows(events)
        assert rows.encoded_by(encoder) is not None
        np.testing.assert_array_equal(encoder.encode(rows), encoder.encode(rows.frame()))
    matrix = ModelMatrix(encoder).fit(TABLE)
    rows = reader.rows(EVENTS)
    np.testing.assert_array_equal(matrix.transform(rows), matrix.transform(rows.frame()))


def test_values_that_must_be_cast_take_the_way_through_the_table():
    encoder = TableEncoder().fit(TABLE)
    rows = EventReader(encoder.kinds_).rows([{"amount": "2.5", "kind": 7, "known": "true"}])
    assert rows.encoded_by(encoder) is None
    np.testing.assert_array_equal(encoder.encode(rows)[0, :3], [2.5, np.nan, 1.0])
    with pytest.raises(InputError, match="'amount' was a number in training"):
        encoder.encode(EventReader(encoder.kinds_).rows([{"amount": "many"}]))


def test_dates_take_the_way_through_the_table():
    table = pl.DataFrame({"day": ["2024-01-01", "2024-02-03"]}).with_columns(
        pl.col("day").str.to_date()
    )
    encoder = TableEncoder().fit(table)
    found = encoder.encode(EventReader(encoder.kinds_).rows([{"day": "2024-02-03"}]))
    np.testing.assert_array_equal(found, encoder.encode(table)[1:])
