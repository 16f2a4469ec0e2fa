"""Data frames of error bars, matched to the measurements by name."""

import numpy as np
import polars as pl
from scipy import sparse


def as_arrays(X, given, columns=None):
    """The information as float64 arrays, in the order of the rows and columns of X.

    Parameters
    ----------
    X : array-like, data frame or None
        Measurements.
    given : dict
        Information by name; None where there is none.
    columns : sequence of str or None, default=None
        Names of the features if X has none.

    Returns
    -------
    dict of str -> ndarray
    """
    names = _names(X)
    names = list(columns) if names is None and columns is not None else names
    index = getattr(X, "index", None) if hasattr(X, "iloc") else None
    arrays = {}
    for name, table in given.items():
        if table is not None:
            arrays[name] = as_numbers(_matched(name, table, names, index))
    return arrays


def _names(table):
    return list(table.columns) if hasattr(table, "columns") else None


def as_numbers(table):
    """A table as a float64 array."""
    if isinstance(table, pl.DataFrame):
        table = table.to_numpy()
    elif sparse.issparse(table):
        table = table.toarray()
    return np.asarray(table, dtype=np.float64)


def _matched(name, table, names, index):
    own = _names(table)
    if own is not None and names is not None and own != names:
        if len(own) != len(names) or set(own) != set(names):
            other = sorted({*map(str, own)} ^ {*map(str, names)})[:3]
            raise ValueError(
                f"The columns of {name} are not those of X: {', '.join(other)} is in only one of "
                "them. Name the columns alike, or pass an array."
            )
        table = table[names]
    rows = getattr(table, "index", None) if hasattr(table, "iloc") else None
    if rows is not None and index is not None and not rows.equals(index):
        if len(rows) != len(index) or not rows.is_unique or set(rows) != set(index):
            raise ValueError(
                f"The rows of {name} are not those of X: their indices differ. Select the same "
                "rows, or pass an array."
            )
        table = table.loc[index]
    return table
