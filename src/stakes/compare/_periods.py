"""Cost by period: days, weeks, months, quarters or years, whichever draws best."""

import numpy as np
import polars as pl

from stakes.tables import read_times

MOST = 40  # periods in a picture
_UNITS = ["1h", "1d", "1w", "1mo", "1q", "1y"]
_NAMES = dict(zip(_UNITS, ["hour", "day", "week", "month", "quarter", "year"], strict=True))
_FORMS = {"1h": "%Y-%m-%d %H:00", "1mo": "%Y-%m", "1y": "%Y"}


def cost_by_period(table, learner, today):
    """Cost per 1,000 decisions of a learner and of the reference in each period.

    Parameters
    ----------
    table : OutOfFold
        Out-of-fold predictions.
    learner : str
        Name of the learner.
    today : ndarray of shape (n,)
        What the reference paid for each row.

    Returns
    -------
    dict or None
        With the lists start, n, cost_per_1000 and today_per_1000, and the unit; None if the rows
        have no time.
    """
    origin = table.data.origin
    if origin is None or origin.time is None:
        return None
    start, unit = periods(origin.time)
    frame = pl.DataFrame({"start": start, "ours": table.of(learner).paid, "today": today})
    means = [(pl.col(name) * 1000).mean() for name in ("ours", "today")]
    found = frame.group_by("start").agg(*means, pl.len().alias("n")).sort("start")
    names = found["start"]
    if names.dtype.is_temporal():
        names = names.dt.strftime(_FORMS.get(unit, "%Y-%m-%d"))
    return {
        "unit": _NAMES.get(unit, "part"),
        "start": [str(name) for name in names.to_list()],
        "n": found["n"].to_list(),
        "cost_per_1000": found["ours"].to_list(),
        "today_per_1000": found["today"].to_list(),
    }


def periods(times):
    """Start of the period of each row, and the unit: the shortest with at most 40 periods.

    Examples
    --------
    >>> days = np.datetime64("2024-01-31", "us") + np.arange(3) * np.timedelta64(86_400_000_000)
    >>> start, unit = periods(days)
    >>> start.to_list()[0].isoformat(), unit
    ('2024-01-31T00:00:00', '1d')
    """
    if times.dtype.kind != "M":
        edges = np.linspace(times.min(), times.max(), 21)
        return pl.Series(edges[np.clip(np.searchsorted(edges, times, "right") - 1, 0, 19)]), None
    column = pl.Series(times)
    units = _UNITS if (column.dt.time() != column.dt.time().min()).any() else _UNITS[1:]
    for unit in units:
        start = column.dt.truncate(unit)
        if start.n_unique() <= MOST:
            break
    return start, unit


def days(origin):
    """Day of each row, or the whole part of a time that is a number; None without times."""
    return None if origin is None or origin.time is None else _days(origin.time)


def days_of(table, column):
    """Day of each row of a table, as :func:`days`.

    Parameters
    ----------
    table : polars.DataFrame
        The rows; times may be text.
    column : str
        Name of the column of times.
    """
    return _days(read_times(table, column))


def _days(times):
    return times.astype("datetime64[D]") if times.dtype.kind == "M" else np.floor(times)
