"""Labels: which one is positive, and that a column and single events agree on it."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes.errors import InputError
from stakes.tables import ClassReader, LabelReader, parse_value, read_table

WORDS = ["0", "1", "1.0", "-1", "no", "No", "YES", "yes", "y", "n", "t", "F", "true", "False"]
VALUES = st.one_of(st.sampled_from([*WORDS, "ok", "bad", " bad ", "007", "7", ""]), st.none())


def accepted(reader, values):
    try:
        return reader.read_column(values)[0].tolist()
    except InputError:
        return None


@settings(max_examples=400, deadline=None)
@given(
    values=st.one_of(
        st.lists(VALUES, min_size=1, max_size=6),
        st.lists(st.sampled_from([0, 1, -1, 2]), min_size=1, max_size=6),
        st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e20]), min_size=1, max_size=6),
        st.lists(st.booleans(), min_size=1, max_size=6),
    ),
    positive=st.sampled_from([None, "1", 1, 1.0, True, "yes", "BAD", "7", 0.5]),
)
def test_one_at_a_time_gives_what_the_column_gives(values, positive):
    y = accepted(LabelReader("y", positive), pl.Series("y", values))
    if y is not None:
        one = LabelReader("y", positive)
        assert [one.read_one(value) for value in values] == y


@pytest.mark.parametrize(
    ("values", "positive", "y"),
    [
        ([1.0, 0.0, None], None, [1, 0, None]),
        ([True, False, np.nan], None, [1, 0, None]),
        (["1.0", "0", " "], None, [1, 0, None]),
        (["Yes", "no", "NA", "?"], None, [1, 0, None, None]),
        (["T", "f"], None, [1, 0]),
        (["1", "-1"], None, [1, 0]),
        (["Default", "ok", "default ", "late"], "default", [1, 0, 1, 0]),
        ([2, 2.0, "2", 1], 2, [1, 1, 1, 0]),
        ([np.int64(1), np.True_, np.float64(0.0)], 1, [1, 0, 0]),
    ],
)
def test_events(values, positive, y):
    reader = LabelReader("y", positive)
    assert [reader.read_one(value) for value in values] == y


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["ok"], "'y' has the label 'ok'; set positive to the positive label"),
        (["yes", "default"], "'y' has the label 'default'; set positive"),
        (["0", "1", "yes"], "'y' has the label 'yes' after '0' and '1'; set positive"),
        (["1", "-1", "0"], "'y' has the label '0' after '1' and '-1'; set positive"),
        ([2], "'y' has the label '2'; set positive"),
    ],
)
def test_a_label_that_could_mean_anything_is_refused(values, words):
    reader = LabelReader("y")
    with pytest.raises(InputError, match=words):
        for value in values:
            reader.read_one(value)


def test_what_was_seen_can_be_kept():
    first = LabelReader("y")
    assert first.read_one("no") == 0 and first.seen == ["no"]
    again = LabelReader("y", seen=first.seen)
    with pytest.raises(InputError, match="'1' after 'no'"):
        again.read_one(1.0)
    many = LabelReader("y", positive="a")
    assert [many.read_one(f"label {i}") for i in range(20)] == [0] * 20
    assert len(many.seen) == 10


def test_missing_labels_are_refused_in_a_column():
    for values in (["a", "b", " "], ["a", "b", "NA"], ["a", None, "b"]):
        with pytest.raises(InputError, match="has no label in 1 row"):
            LabelReader("y", "a").read_column(values)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="0123456789.,eE+-$€ infaNtruTLSE_?/", min_size=1, max_size=9))
def test_a_field_is_read_as_in_a_column(tmp_path_factory, text):
    """Twice the same field in a column of a CSV, next to a column that fills the line."""
    path = tmp_path_factory.mktemp("field") / "t.csv"
    path.write_text(f'a,b\n"{text}",1\n"{text}",2\n')
    column = read_table(path)["a"]
    value = parse_value(text)
    if column.dtype.is_temporal():
        assert value == text
    elif column[0] is None or column[0] != column[0]:
        assert value is None or value == text
    elif column.dtype == pl.String:
        assert value == (None if not text.strip() else column[0])
    else:
        assert value == column[0] and isinstance(value, bool) == (column.dtype == pl.Boolean)


@pytest.mark.parametrize("values", [[[1], [0]], [{"a": 1}, {"a": 0}], [b"1", b"\xff"]])
def test_labels_that_are_no_labels_are_refused(values):
    for reader in (LabelReader("y"), ClassReader("y", ["0", "1"])):
        with pytest.raises(InputError, match=r"Column 'y' holds .*; labels are text, numbers"):
            reader.read_column(pl.Series(values))


def test_numbers_and_text_in_one_column():
    y, positive = LabelReader("kind", positive="1").read_column(["a", 1])
    assert (y.tolist(), positive) == ([0, 1], "1")
    assert ClassReader("kind", ["a", "1"]).read_column(["a", 1]).tolist() == [0, 1]
