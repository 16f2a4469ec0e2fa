"""Play a table of past events to a service: decisions in order of time, labels when they came."""

import heapq

import numpy as np
import polars as pl

from stakes._core.durations import seconds
from stakes.errors import InputError, near_matches

BATCH = 200


def feed(client, table, *, target, time, id=None, label_delay="0s"):
    """Send the rows of a table as events, and each label a while after its row.

    Time is that of the table: rows are sent in its order, without waiting, and a label is sent
    before the first row that is later than its own row by the delay. The service books the money of
    a row under the hour of its date; seconds count from an unknown start, so their rows are booked
    when they are sent.

    Parameters
    ----------
    client : stakes.client.Client
        Of the service.
    table : polars.DataFrame
        Past events.
    target : str
        Column of the labels; missing ones are not sent.
    time : str
        Column of the times: dates, or seconds.
    id : str, default=None
        Column of the ids; None: numbers of the rows.
    label_delay : str, default="0s"
        How long labels take, such as 7d.

    Returns
    -------
    (int, int, int)
        Numbers of events, of labels that were sent, and of labels that were not due yet.
    """
    for name in filter(None, (target, time, id)):
        if name not in table.columns:
            raise InputError(f"There is no column {name!r}: " + near_matches(name, table.columns))
    when, has_dates = _seconds_of(table[time]), not table[time].dtype.is_numeric()
    order = np.argsort(when.to_numpy(), kind="stable")
    table, when = table[order], when.to_numpy()[order].tolist()
    ids = table[id].cast(pl.String).to_list() if id else [str(i) for i in order.tolist()]
    labels = table[target].to_list()
    events = table.drop([target, *([id] if id else [])])
    times = [name for name, kind in events.schema.items() if kind.is_temporal()]
    events = events.with_columns(pl.col(times).cast(pl.String)).to_dicts()
    delay, due, sent, start = seconds(label_delay), [], 0, 0
    while start < len(events):
        sent += _send_due(client, due, when[start])
        end = start
        while end < min(start + BATCH, len(events)) and not _is_due(due, when[end]):
            heapq.heappush(due, (when[end] + delay, ids[end], labels[end]))
            end += 1
        times = when[start:end] if has_dates else None
        _refuse_errors(client.decide_many(events[start:end], ids[start:end], times))
        start = end
    return len(events), sent, len(due)


def _is_due(due, now):
    return bool(due) and due[0][0] <= now


def _send_due(client, due, now):
    n = 0
    while _is_due(due, now):
        found = {}
        while _is_due(due, now) and len(found) < BATCH:
            _, id, label = heapq.heappop(due)
            if label is not None:
                found[id] = label
        if found:
            _refuse_errors(client.label_many(found))
        n += len(found)
    return n


def _refuse_errors(answers):
    for answer in answers:
        if "error" in answer:
            raise InputError(f"The service refused an event: {answer['error']}")


def _seconds_of(column):
    if column.dtype == pl.String:
        column = column.str.to_datetime(strict=False)
    if column.dtype.is_temporal():
        column = column.cast(pl.Datetime("us")).dt.timestamp("us") / 1e6
    if not column.dtype.is_numeric() or column.null_count():
        raise InputError(f"Column {column.name!r} must hold dates or seconds in every row.")
    return column.cast(pl.Float64)
