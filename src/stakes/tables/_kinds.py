"""Kinds of columns (number, text, date, ...), and casting columns to them."""

import numpy as np
import polars as pl

from stakes._core.frames import as_table
from stakes.errors import InputError
from stakes.tables._values import GROUPED_NUMBER, NO_VALUE

SHOWN = 5  # values named in a message


def as_frame(table):
    """Convert a table or a two-dimensional array to a polars frame.

    Tables are polars and pandas frames, pyarrow tables, DuckDB relations, data sets of Hugging
    Face, and whatever else has Arrow's PyCapsule or the dataframe interchange protocol.

    Examples
    --------
    >>> as_frame(np.eye(2)).columns
    ['x0', 'x1']
    """
    table = as_table(table)
    if isinstance(table, pl.DataFrame):
        return table
    if hasattr(table, "iloc"):  # pandas; from_pandas would need pyarrow
        names = [str(name) for name in table.columns]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"The table has two columns named {twice!r}; rename one of them.")
        return pl.DataFrame({name: _from_pandas(table.iloc[:, j]) for j, name in enumerate(names)})
    array = np.asarray(table)
    if array.ndim != 2:
        raise InputError(f"A table must be two-dimensional. Got an array of shape {array.shape}.")
    columns = [array[:, j] for j in range(array.shape[1])]
    if array.dtype == object:
        columns = [pl.Series(list(column), strict=False) for column in columns]
    return pl.DataFrame({f"x{j}": column for j, column in enumerate(columns)})


def _from_pandas(column):
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufMm":
        return pl.Series(column.to_numpy())
    gaps = column.isna()
    if hasattr(column, "cat"):  # categories, also if they are numbers
        column = column.astype(object).map(str)
    values = [None if gap else value for gap, value in zip(gaps, column, strict=True)]
    return pl.Series(values, strict=False)


def kind_of(dtype):
    """Kind of a polars type: number, boolean, text, date, datetime, time, duration, null or other.

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
    """Kinds of text columns in which every value is a number, true/false or a date.

    Blanks and words such as n/a count as missing there; numbers may have thousands separators and
    a currency sign.

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
        present = column.filter(has_text(column))
        if not len(present):
            continue
        for kind in kinds_to_guess():
            if fits(present.head(sample), kind) and fits(present, kind):
                kinds[column.name] = kind
                break
    return kinds


def kinds_to_guess():
    """Kinds that text may turn out to have, in the order in which they are tried."""
    return [kind for kind in _CASTS if kind != "text"]


def why_text(column):
    """Why a text column that is nearly all numbers or dates is text; None for other columns.

    Examples
    --------
    >>> why_text(pl.Series("age", ["31", "40", "29", "about 50", "31", "40", "29", "50", "1", "2"]))
    "'about 50' in row 4 is not a number"
    """
    there = has_text(column)
    if column.dtype != pl.String or not there.any():
        return None
    bad = there & parsed(column, "number").is_null()
    if not bad.any():
        return None
    if strays := stray_values(column):
        others = ", ".join(map(repr, strays[1:SHOWN])) + (" ..." if len(strays) > SHOWN else "")
        also = f" (nor are {others})" if others else ""
        return f"{strays[0]!r} in row {bad.arg_true()[0] + 1} is not a number{also}"
    dates = there & column.str.contains(r"^\s*\d{1,4}[-/.]\w{1,3}[-/.]\d{1,4}")
    if dates.sum() >= 0.9 * there.sum():
        first = column[dates.arg_true()[0]]
        return f"{first!r} is not in a known date format, such as 2024-12-31 or 31/12/2024"
    return None


def stray_values(column):
    """The distinct values that keep a text column from being one of numbers; at most a tenth.

    Examples
    --------
    >>> stray_values(pl.Series("age", ["31", "40", "n/a", "old"] + ["50"] * 20))
    ['old']
    """
    there = has_text(column)
    if column.dtype != pl.String or not there.any():
        return []
    bad = there & parsed(column, "number").is_null()
    if bad.sum() > 0.1 * there.sum():
        return []
    return column.filter(bad).unique(maintain_order=True).to_list()


def blank_out(frame, missing, *, cast=False):
    """Replace texts that stand for a missing value.

    Parameters
    ----------
    frame : polars.DataFrame
        Any table; only its text columns change.
    missing : str or sequence of str
        The texts; spaces around them do not matter.
    cast : bool, default=False
        Whether a changed column that is now all numbers or dates becomes one.

    Returns
    -------
    polars.DataFrame

    Examples
    --------
    >>> frame = pl.DataFrame({"age": ["31", "refused "], "city": ["Ulm", "Bonn"]})
    >>> blank_out(frame, ["refused"], cast=True).rows()
    [(31.0, 'Ulm'), (None, 'Bonn')]
    """
    words = [missing] if isinstance(missing, str) else list(missing)
    words = [word.strip() for word in words]
    changed = []
    for column in frame.iter_columns():
        if words and column.dtype == pl.String:
            stray = column.str.strip_chars().is_in(words).fill_null(False)
            if stray.any():
                changed.append(column.set(stray, None))
    if not changed:
        return frame
    frame = frame.with_columns(changed)
    names = [column.name for column in changed]
    return cast_like(frame, guess_kinds(frame.select(names))) if cast else frame


def has_text(column):
    """Mask of the values that are not missing; in text, words such as n/a are missing."""
    if column.dtype != pl.String:
        return column.is_not_null()
    words = column.str.strip_chars().str.to_lowercase()
    return ~words.is_in(NO_VALUE).fill_null(True)


def fits(present, kind):
    """Whether every value is of a kind."""
    return not parsed(present, kind).has_nulls()


def cast_like(frame, kinds, *, first_row=1):
    """Cast columns to the kinds that they had in training.

    Parameters
    ----------
    frame : polars.DataFrame
        Rows to cast.
    kinds : dict
        Column -> kind, as from :func:`kind_of`; other columns stay as they are.
    first_row : int, default=1
        Number of the first row, for messages.

    Returns
    -------
    polars.DataFrame
        A value that cannot be cast raises :class:`~stakes.errors.InputError`.

    Examples
    --------
    >>> cast_like(pl.DataFrame({"a": ["1", "2.5"]}), {"a": "number"})["a"].to_list()
    [1.0, 2.5]
    """
    columns, schema = [], frame.schema
    for name, kind in kinds.items():
        if name not in schema or kind_of(schema[name]) == kind:
            continue
        old = frame[name]
        new = parsed(old, kind)
        bad = (new.is_null() & has_text(old)).arg_true()
        if len(bad):
            raise InputError(
                f"Column {name!r} was a {kind} in training, but is {old[bad[0]]!r} in row "
                f"{first_row + bad[0]}; fix that value."
            )
        columns.append(new)
    return frame.with_columns(columns) if columns else frame


def parsed(column, kind):
    """The column as a kind; what cannot be is missing."""
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
