"""The one door for tables of other libraries: what is not known here becomes a polars frame."""

import sys

import numpy as np
from scipy import sparse


def as_table(X):
    """X itself if it is an array, a list, a sparse matrix or a pandas or polars frame.

    Else a polars frame with the same columns: of a pyarrow table, a DuckDB relation or anything
    else with Arrow's PyCapsule protocol, of a data set of Hugging Face, of a frame with the
    dataframe interchange protocol, and of a lazy frame, which is collected.

    Parameters
    ----------
    X : any
        Rows in any form; what is no table is returned as it is.

    Returns
    -------
    X or polars.DataFrame

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_table(pa.table({"amount": [1.0, 2.0]})).columns
    ['amount']
    """
    if isinstance(X, np.ndarray | list | tuple) or sparse.issparse(X) or hasattr(X, "iloc"):
        return X
    if hasattr(X, "to_native") and hasattr(X, "columns"):  # a frame of narwhals
        return as_table(X.to_native())
    if hasattr(X, "with_format") and hasattr(X, "column_names"):  # a data set of Hugging Face
        X = X.with_format("arrow")[:]
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(X, polars.DataFrame):
        return X
    if polars is not None and isinstance(X, polars.LazyFrame):
        return X.collect()
    if getattr(X, "ndim", None) == 1 or not any(
        hasattr(X, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")
    ):
        return X  # a column, or no table at all
    import polars

    if not hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__arrow_c_array__"):
        X = _interchanged(X)
    return polars.DataFrame(X)


def _interchanged(X):
    try:
        from pyarrow.interchange import from_dataframe
    except ImportError:
        raise TypeError(
            f"A table of type {type(X).__name__} has the dataframe interchange protocol only, "
            "which needs pyarrow: install it, or convert the table to a pandas or polars frame."
        ) from None
    return from_dataframe(X)
