"""Events to features: the same definitions as tables, exact restarts."""

import json
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from stakes.errors import InputError
from stakes.stream import FeatureRows, RowEncoder, packed, unpacked
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


def _events(rng, n):
    """Events as they come, and a few that cannot be encoded together with others."""
    for _ in range(n):
        event = {
            "amount": float(rng.lognormal()),
            "kind": str(rng.choice(["a", "b", "12", "NA", "c"])),
            "count": int(rng.integers(5)),
            "word": f"w{rng.integers(1000)}",
        }
        odd = [None, float("nan"), float("inf"), True, 10**400, "7"]
        if rng.random() < 0.03:
            event["count"] = odd[rng.integers(len(odd))]
        if rng.random() < 0.03:
            event = dict(reversed(event.items()))
        yield event


@pytest.mark.parametrize(
    "how", [{}, {"max_features": 40}, {"n_features": 8}, {"skip": ["word"]}, {"half_life": 5000.0}]
)
def test_events_encoded_together_equal_events_one_by_one(rng, how):
    how = dict(how)
    skip, half_life = how.pop("skip", ()), how.pop("half_life", None)
    one, many = RowEncoder(**how), RowEncoder(**how)
    for encoder in (one, many):
        encoder.follow(half_life)
    events = [
        {**event, "kind": "a"} if size < 6 else event
        for size in (1, 2, 5, 30, 3, 60, 5, 5)
        for event in _events(rng, size)
    ]
    found = []
    for size in (1, 2, 5, 30, 3, 60, 5, 5):
        found += many.encode_many(events[len(found) : len(found) + size], skip)
    expected = [one.encode(event, skip=skip) for event in events]
    assert [list(f.items()) for f in found] == [list(f.items()) for f in expected]
    assert repr(many.get_state()) == repr(one.get_state())


def test_events_of_one_shape_are_encoded_together(rng, monkeypatch):
    events = [{"x": float(x), "kind": "ab"[int(x > 0)]} for x in rng.normal(size=50)]
    one, many = RowEncoder(), RowEncoder()
    expected = [one.encode(event) for event in events]
    found = many.encode_many(events[:2])
    monkeypatch.setattr(RowEncoder, "_encoded", None)
    found += many.encode_many(events[2:])
    assert [list(f.items()) for f in found] == [list(f.items()) for f in expected]
    assert repr(many.get_state()) == repr(one.get_state())


def test_features_are_read_back_from_the_journal_in_every_bit(rng):
    events = [
        {"x": float(x), "id": i, "kind": "ab"[i % 2]} for i, x in enumerate(rng.normal(size=9))
    ]
    found = RowEncoder()
    found.encode_many(events[:2])
    rows = found.encode_many(events, skip=["id"])
    assert isinstance(rows, FeatureRows)
    for event, row, text in zip(events, rows, packed(rows), strict=True):
        assert unpacked(text, event, ["id"]) == row
    assert packed([{"x": 1.0}]) == [{"x": 1.0}] and unpacked({"x": 1.0}, {"x": 7.0}) == {"x": 1.0}


def test_a_field_named_like_a_text_is_one_feature():
    one, many = RowEncoder(), RowEncoder()
    events = [{"a": "b", "a=b": float(i)} for i in range(4)]
    expected = [one.encode(event) for event in events]
    assert [*many.encode_many(events[:1]), *many.encode_many(events[1:])] == expected


def test_a_refused_event_changes_nothing_for_its_neighbors():
    encoder = RowEncoder()
    encoder.encode_many([{"x": 1.0}, {"x": 2.0}])
    before = encoder.get_state()
    with pytest.raises(InputError, match="overflow"):
        encoder.encode_many([{"x": 1.0}, {"x": 1e101}])
    assert encoder.get_state() == before
