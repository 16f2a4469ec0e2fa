"""What a column holds, in a word that a model file can keep; and tables of other kinds."""

import numpy as np
import polars as pl

from stakes.errors import InputError
from stakes.tables._values import GROUPED_NUMBER, NO_VALUE


def as_frame(table):
    """A polars frame of a polars or pandas frame, or of a two-dimensional array.

    Examples
    --------
    >>> as_frame(np.eye(2)).columns
    ['x0', 'x1']
    """
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if hasattr(table, "iloc"):  # pandas, without the need for pyarrow
        return pl.DataFrame({str(name): _from_pandas(table[name]) for name in table.columns})
    array = np.asarray(table)
    if array.ndim != 2:
        raise InputError(f"A table has rows and columns. Got an array of shape {array.shape}.")
    columns = [array[:, j] for j in range(array.shape[1])]
    if array.dtype == object:
        columns = [pl.Series(list(column), strict=False) for column in columns]
    return pl.DataFrame({f"x{j}": column for j, column in enumerate(columns)})


def _from_pandas(column):
    if column.dtype.kind in "biufMm":
        return pl.Series(column.to_numpy())
    values = [None if value is None or value != value else value for value in column]
    return pl.Series(values, strict=False)


def kind_of(dtype):
    """The kind of a column: number, boolean, text, date, datetime, time, duration or other.

    Examples
    --------
    >>> kind_of(pl.Int8), kind_of(pl.Categorical())
    ('number', 'text')
    """
    if dtype.is_numeric():
        return "number"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    for kind in ("Boolean", "Date", "Datetime", "Time", "Duration"):
        if dtype == getattr(pl, kind):
            return kind.lower()
    return "null" if dtype == pl.Null else "other"


_CASTS = {
    "number": pl.Float64,
    "text": pl.String,
    "boolean": pl.Boolean,
    "date": pl.Date,
    "datetime": pl.Datetime("us"),
    "time": pl.Time,
}


def guess_kinds(frame, sample=1000):
    """The kinds of text columns whose every value reads as a number, true/false or a date.

    Blanks and words such as n/a among such values are missing ones; a number may have groups of
    thousands and a sign of money.

    Examples
    --------
    >>> guess_kinds(pl.DataFrame({"a": ["1", "n/a"], "b": ["x", "2"], "c": ["2020-01-31", None]}))
    {'a': 'number', 'c': 'date'}
    >>> guess_kinds(pl.DataFrame({"price": ["$1,234.50", "7"]}))
    {'price': 'number'}
    """
    kinds = {}
    for column in frame.iter_columns():
        if column.dtype != pl.String:
            continue
        present = column.filter(_has_text(column))
        if not len(present):
            continue
        for kind in _CASTS:
            if kind != "text" and _fits(present.head(sample), kind) and _fits(present, kind):
                kinds[column.name] = kind
                break
    return kinds


def why_text(column):
    """Why a column whose values nearly all read as numbers or dates is text; None if they do not.

    Examples
    --------
    >>> why_text(pl.Series("age", ["31", "40", "29", "about 50", "31", "40", "29", "50", "1", "2"]))
    "'about 50' in row 4 is not a number"
    """
    there = _has_text(column)
    if column.dtype != pl.String or not there.any():
        return None
    bad = there & _cast(column, "number").is_null()
    if not bad.any():
        return None
    if bad.sum() <= 0.1 * there.sum():
        first = bad.arg_true()[0]
        return f"{column[first]!r} in row {first + 1} is not a number"
    dates = there & column.str.contains(r"^\s*\d{1,4}[-/.]\w{1,3}[-/.]\d{1,4}")
    if dates.sum() >= 0.9 * there.sum():
        return f"{column[dates.arg_true()[0]]!r} is not a date as in 2024-12-31 or 31/12/2024"
    return None


def _has_text(column):
    """Which values are there and, where they are text, say something."""
    if column.dtype != pl.String:
        return column.is_not_null()
    words = column.str.strip_chars().str.to_lowercase()
    return ~words.is_in(NO_VALUE).fill_null(True)


def _fits(present, kind):
    return not _cast(present, kind).has_nulls()


def cast_like(frame, kinds, *, first_row=1):
    """Give columns the kinds they had in training; a value that does not fit is named.

    Parameters
    ----------
    frame : polars.DataFrame
        Rows to cast; other columns are left as they are.
    kinds : dict
        Column -> kind, as told by :func:`kind_of`.
    first_row : int, default=1
        The number of its first row, for messages.

    Examples
    --------
    >>> cast_like(pl.DataFrame({"a": ["1", "2.5"]}), {"a": "number"})["a"].to_list()
    [1.0, 2.5]
    """
    columns = []
    for name, kind in kinds.items():
        if name not in frame.columns or kind_of(frame.schema[name]) == kind:
            continue
        old = frame[name]
        new = _cast(old, kind)
        bad = (new.is_null() & _has_text(old)).arg_true()
        if len(bad):
            raise InputError(
                f"Column {name!r} held a {kind} in every row of training but {old[bad[0]]!r} in "
                f"row {first_row + bad[0]} here; mend that value."
            )
        columns.append(new)
    return frame.with_columns(columns)


def _cast(column, kind):
    text = column.dtype == pl.String
    if kind not in _CASTS:
        return column
    if text and kind == "boolean":
        return column.str.to_lowercase().replace_strict(
            ["true", "false"], [True, False], default=None, return_dtype=pl.Boolean
        )
    if text and kind == "number":
        return _parse_number(column.str.strip_chars())
    if text and kind in ("date", "datetime", "time"):
        return _parse_date(column, kind)
    try:
        return column.cast(_CASTS[kind], strict=False)
    except pl.exceptions.PolarsError:
        return pl.Series(column.name, [None] * len(column), dtype=_CASTS[kind])


def _parse_number(column):
    plain = column.cast(pl.Float64, strict=False)
    if plain.null_count() == column.null_count():
        return plain
    parts = column.str.extract_groups(GROUPED_NUMBER).struct
    whole = parts.field("2").str.replace_all(",", "", literal=True)
    grouped = parts.field("1") + whole + parts.field("3").fill_null("")
    return plain.fill_null(grouped.cast(pl.Float64, strict=False)).alias(column.name)


def _parse_date(column, kind):
    parse = {
        "date": column.str.to_date,
        "datetime": column.str.to_datetime,
        "time": column.str.to_time,
    }[kind]
    if column.null_count() == len(column):
        return column.cast(_CASTS[kind])
    try:
        return parse(strict=False)
    except pl.exceptions.PolarsError:
        return pl.Series(column.name, [None] * len(column), dtype=_CASTS[kind])
