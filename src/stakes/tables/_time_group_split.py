"""Folds as a model meets the world: later rows, and customers it has not seen."""

from dataclasses import dataclass
from datetime import timedelta
from numbers import Real

import numpy as np
import polars as pl
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from stakes._core.deciding import row_count
from stakes._core.durations import seconds
from stakes._core.words import shown
from stakes.errors import InputError, near_matches
from stakes.tables._kinds import as_frame, cast_like, guess_kinds


@dataclass(kw_only=True, eq=False, repr=False)
class TimeGroupSplit:
    """Folds that go forward in time, or that keep the rows of a group together, or both.

    With `time`, the rows are cut into `n_splits + 1` parts of consecutive times and about equal
    size; each part but the first is the test part of a fold, and the training rows are those before
    it. With `group` (a customer, a device), no group is in both the training and the test rows.
    With both, the groups are cut into `group_splits` parts as well, and a fold tests one of them in
    one part of time: there are `n_splits * group_splits` folds.

    Parameters
    ----------
    n_splits : int, default=5
        Number of test parts.
    time : str or array-like of shape (n,), default=None
        Time of each row: the name of a column of X, or dates, datetimes or numbers.
    group : str or array-like of shape (n,), default=None
        Group of each row: the name of a column of X, or the values.
    window : str, timedelta or float, default=None
        Length of the training window: rows that are longer before the test part are left out
        ("90d", or a number if times are numbers). None: all earlier rows.
    label_delay : str, timedelta or float, default=None
        How long after its time the label of a row is known. Rows whose label was not known when the
        test part began are left out of the training rows. None: labels are known at once.
    group_splits : int, default=3
        Number of parts of the groups if `time` is given too.
    random_state : int, RandomState or None, default=None
        Random state of the parts of the groups.

    Notes
    -----
    Rows of the same time are never in both parts. Rows of the first part of time are never tested.
    Columns given by name are read from the X of each call, so nested cross-validation (a search, a
    calibration) can use the same splitter.

    Examples
    --------
    >>> split = TimeGroupSplit(n_splits=2, time=[3, 1, 2, 6, 5, 4], label_delay=1)
    >>> for train, test in split.split(np.zeros((6, 1))):
    ...     print(train.tolist(), test.tolist())
    [1, 2] [0, 5]
    [0, 1, 2, 5] [3, 4]
    """

    n_splits: int = 5
    time: object = None
    group: object = None
    window: object = None
    label_delay: object = None
    group_splits: int = 3
    random_state: int | np.random.RandomState | None = None

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of folds."""
        both = self.time is not None and (self.group is not None or groups is not None)
        return self.n_splits * (self.group_splits if both else 1)

    def split(self, X, y=None, groups=None):
        """Yield the training and test rows of each fold.

        Parameters
        ----------
        X : array-like or data frame of n rows
            The rows; columns given by name are read from it.
        y : array-like of shape (n,), default=None
            Labels; if given, every training part must have two classes.
        groups : array-like of shape (n,), default=None
            Group of each row, instead of `group`.

        Yields
        ------
        (ndarray, ndarray)
            Row numbers, ascending.
        """
        n = row_count(X)
        times = None if self.time is None else as_times(self._column(X, self.time, n, "time"))
        groups = self.group if groups is None else groups
        groups = None if groups is None else _codes(self._column(X, groups, n, "group"))
        if times is None and groups is None:
            raise InputError("Give {time} or {group}, or both.", ("time", "group"))
        for number, (train, test) in enumerate(self._folds(times, groups, y, n), start=1):
            if not (train.any() and test.any()):
                part = "training" if test.any() else "test"
                raise InputError(
                    f"Fold {number} has no {part} rows; use fewer folds, or a shorter label delay."
                )
            if y is not None and len(np.unique(np.asarray(y)[train])) < 2:
                raise InputError(
                    f"The training rows of fold {number} have one class only; use fewer folds, or "
                    "a longer window."
                )
            yield np.flatnonzero(train), np.flatnonzero(test)

    def _folds(self, times, groups, y, n):
        """Masks of the training and test rows."""
        every = np.ones(n, dtype=bool)
        parts = [(every, every)]
        if groups is not None:
            parts = list(self._group_parts(groups, y, times is not None))
        for train, test in [(every, every)] if times is None else self._forward(times):
            for others, members in parts:
                yield train & others, test & members

    def _forward(self, times):
        ordered = np.sort(times)
        n, k = len(times), self.n_splits + 1
        starts = ordered[[j * n // k for j in range(1, k)]]
        if len(np.unique(starts)) < len(starts) or starts[0] == ordered[0]:
            raise InputError(
                f"There are too few different times for {self.n_splits} parts of about equal size; "
                "use fewer folds."
            )
        delay = _span(self.label_delay, times, "label_delay")
        window = _span(self.window, times, "window")
        ends = np.append(starts[1:], ordered[-1:])
        for j, (start, end) in enumerate(zip(starts, ends, strict=True)):
            train = times < start
            if delay is not None:
                train &= times + delay <= start
            if window is not None:
                train &= times >= start - window
            last = j == self.n_splits - 1
            yield train, (times >= start) & ((times <= end) if last else (times < end))

    def _group_parts(self, groups, y, timed):
        n_splits = self.group_splits if timed else self.n_splits
        if groups.max() + 1 < n_splits:
            raise InputError(
                f"There are {groups.max() + 1} groups, fewer than the {n_splits} parts; use fewer."
            )
        how = dict(n_splits=n_splits, shuffle=True, random_state=self.random_state)
        cut = GroupKFold(**how) if y is None else StratifiedGroupKFold(**how)
        for _, rows in cut.split(groups, y, groups):
            members = np.zeros(len(groups), dtype=bool)
            members[rows] = True
            yield ~members, members

    @staticmethod
    def _column(X, given, n, what):
        values = as_frame(X)[given] if isinstance(given, str) else given
        if row_count(values) != n:
            raise InputError(
                f"{{parameter}} has {row_count(values)} values for {n} rows; give one per row.",
                what,
            )
        return values


def as_times(values):
    """Times as datetime64 in microseconds, or as numbers.

    Parameters
    ----------
    values : array-like of shape (n,)
        Dates, datetimes or numbers, without missing values.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> as_times(np.array(["2024-03-01", "2024-03-02"], dtype="datetime64[D]"))[1]
    np.datetime64('2024-03-02T00:00:00.000000')
    """
    column = values if isinstance(values, pl.Series) else pl.Series(np.asarray(values))
    if column.dtype == pl.Date or column.dtype == pl.Datetime:
        if getattr(column.dtype, "time_zone", None):
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        times = column.cast(pl.Datetime("us")).to_numpy()
    elif column.dtype.is_numeric():
        times = column.cast(pl.Float64).to_numpy()
    else:
        raise InputError(
            f"Times must be dates, datetimes or numbers. Got {column.dtype} instead, such as "
            f"{column.drop_nulls().head(1).to_list()}.",
            "time",
        )
    missing = column.null_count() + int(np.isnan(times).sum() if times.dtype.kind == "f" else 0)
    if missing:
        raise InputError(f"{missing} row(s) have no time; fill them in or remove them.", "time")
    return times


def read_times(table, column):
    """Times from a column of a table, which may be dates written as text.

    Parameters
    ----------
    table : polars.DataFrame
        The table.
    column : str
        Name of the column.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> read_times(pl.DataFrame({"day": ["2024-03-01"]}), "day")[0]
    np.datetime64('2024-03-01T00:00:00.000000')
    """
    if column not in table.columns:
        raise InputError(
            f"The time column {column!r} is not in the table: "
            + near_matches(column, table.columns),
            "time",
        )
    frame = table.select(column)
    if frame[column].dtype == pl.String:
        frame = cast_like(frame, guess_kinds(frame))
    return as_times(frame[column])


def _codes(values):
    column = values if isinstance(values, pl.Series) else pl.Series(np.asarray(values))
    if column.null_count():
        raise InputError(
            f"{column.null_count()} row(s) have no group; fill them in or remove them.", "group"
        )
    return column.rank("dense").to_numpy().astype(np.intp) - 1


def _span(value, times, name):
    """A length of time in the unit of the times; None if there is none."""
    if value is None:
        return None
    if isinstance(value, str):
        text = value
        value = timedelta(seconds=seconds(value)) if not _is_number(text) else float(text)
    dated = times.dtype.kind == "M"
    if dated != isinstance(value, timedelta) or not isinstance(value, timedelta | Real):
        form = 'a duration such as "7d"' if dated else "a number, like the times"
        raise InputError(f"{{parameter}} must be {form}. Got {shown(value)} instead.", name)
    if value < type(value)(0):
        raise InputError(f"{{parameter}} must not be negative. Got {shown(value)} instead.", name)
    return np.timedelta64(value) if dated else float(value)


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True
