"""What an exported graph reads, made from a table."""

import json

import numpy as np
import polars as pl

from stakes.costs import COST_NAMES
from stakes.errors import InputError, near_matches
from stakes.tables import as_frame, cast_like

_AS_NUMBERS = {  # what is no number becomes one
    "boolean": lambda c: c.cast(pl.Float64),
    "date": lambda c: c.cast(pl.Date).to_physical().cast(pl.Float64),
    "datetime": lambda c: c.dt.timestamp("us").cast(pl.Float64),
    "time": lambda c: c.cast(pl.Int64).cast(pl.Float64),
    "duration": lambda c: c.dt.total_microseconds().cast(pl.Float64),
}


def onnx_inputs(session, table, **costs):
    """The inputs of an exported model for the rows of a table.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        A session of a graph that ``stakes export`` wrote.
    table : data frame
        Rows with the columns of training, in any form that :mod:`stakes.tables` reads.
    **costs : float or array-like of shape (n,)
        fp_cost, fn_cost, tp_cost, tn_cost of the rows; None: the expressions of training.

    Returns
    -------
    dict
        Name -> array of shape (n, 1).
    """
    kinds = json.loads(session.get_modelmeta().custom_metadata_map["kinds"])
    frame = cast_like(as_frame(table), kinds)
    places = {price_input(name, kinds): costs.get(name) for name in COST_NAMES}
    feed = {}
    for name in [one.name for one in session.get_inputs()]:
        if name in places:
            cost = np.nan if places[name] is None else np.asarray(places[name], dtype=np.float64)
            feed[name] = np.broadcast_to(cost, (frame.height,)).reshape(-1, 1).copy()
        elif name in frame.columns:
            feed[name] = _column(frame[name], kinds.get(name, "number"))
        else:
            raise InputError(
                f"The model needs {name!r}, which is not in the table: "
                + near_matches(name, frame.columns)
            )
    return feed


def price_input(name, kinds):
    """Name of the input of a cost, which a column of the table may have already."""
    while name in kinds:
        name += "_given"
    return name


def _column(column, kind):
    if kind == "text":
        values = column.cast(pl.String).fill_null("").to_list()
        return np.array(values, dtype=object).reshape(-1, 1)
    number = _AS_NUMBERS.get(kind, lambda c: c.cast(pl.Float64))(pl.col(column.name))
    return (
        column.to_frame()
        .select(number)
        .to_series()
        .fill_null(np.nan)
        .to_numpy()
        .reshape(-1, 1)
        .copy()
    )
