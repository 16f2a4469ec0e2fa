"""Events to features: the same definitions as tables, exact restarts."""

import json
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from stakes.errors import InputError
from stakes.stream import RowEncoder
from stakes.tables import TableEncoder


def test_encoder_is_bounded_and_restarts_exactly():
    encoder = RowEncoder(max_features=3)
    rows = [{"a": float(i), "b": 2.0 * i, "t": f"v{i % 5}"} for i in range(20)]
    first = [encoder.encode(row) for row in rows]
    assert set().union(*first) == {"a", "b", "t=v0"}
    other = RowEncoder(max_features=3)
    for row in rows[:10]:
        other.encode(row)
    other = RowEncoder(state=json.loads(json.dumps(other.get_state())))
    assert [other.encode(row) for row in rows[10:]] == first[10:]
    assert other.get_state() == encoder.get_state()
    values = np.arange(20.0)
    assert first[-1]["a"] == pytest.approx((19 - values.mean()) / values.std())
    assert encoder.encode({"a": np.nan, "new": 1.0, "t": ""}, learn=False) == {}


def test_text_is_read_as_in_a_table():
    encoder = RowEncoder()
    first = {"a": "$1,234.50", "b": "NA", "c": "TRUE", "d": " ", "e": "gold", "f": "inf"}
    assert encoder.encode(first) == {"a": 0.0, "c": 0.0, "e=gold": 1.0}
    same = {"a": 1234.5, "b": None, "c": True, "d": np.nan, "e": "gold", "f": np.inf}
    assert RowEncoder().encode(same) == RowEncoder().encode(first)


@pytest.mark.parametrize(
    "days",
    [
        [date(2024, 2, 29), date(2025, 12, 31), date(1969, 5, 4)],
        [datetime(2024, 2, 29, 5, 30), datetime(2025, 12, 31), datetime(1969, 5, 4, 23, 59, 59)],
    ],
)
def test_dates_become_the_numbers_of_a_table(days):
    frame = pl.DataFrame({"day": days})
    table = TableEncoder().fit(frame)
    columns = {
        name: [float(v) for v in column]
        for name, column in zip(table.feature_names_out_, table.transform(frame).T, strict=True)
    }
    ours, numbers = RowEncoder(), RowEncoder()
    for i, day in enumerate(days):
        row = {name: values[i] for name, values in columns.items()}
        # polars multiplies by the reciprocal of a constant: the last bit may differ
        assert ours.encode({"day": day}) == pytest.approx(numbers.encode(row), abs=1e-12)


def test_other_kinds_of_values_are_refused():
    with pytest.raises(InputError, match="Field 'a' is a list; a field is a number"):
        RowEncoder().encode({"a": [1]})


def test_skipped_fields_leave_no_trace():
    encoder = RowEncoder()
    assert encoder.encode({"a": 1.0, "b": "x"}, skip={"a", "b"}) == {}
    assert encoder.get_state()["columns"] == {}
