"""Prices of moves by column name."""

from collections.abc import Mapping

import numpy as np


def price_rows(movement_price):
    """Prices of each adversary: one row of a table, or one dict, or all of them.

    Examples
    --------
    >>> price_rows([{"age": 1.0}, {"age": 2.0}])
    [{'age': 1.0}, {'age': 2.0}]
    >>> [row.tolist() for row in price_rows([[1.0, 2.0], [3.0, 4.0]])]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if _by_name(movement_price):
        return [movement_price]
    if isinstance(movement_price, list | tuple) and any(map(_by_name, movement_price)):
        return list(movement_price)
    price = np.asarray(movement_price, dtype=np.float64)
    return [price] if price.ndim < 2 else [row if len(row) > 1 else row[0] for row in price]


def prices_of(movement_price, d, names=None):
    """Prices as numbers; a dict, or a pandas Series with names, becomes one price per column.

    Examples
    --------
    >>> prices_of({"age": 2.0}, 2, ["amount", "age"])
    array([inf,  2.])
    """
    if not _by_name(movement_price):
        return movement_price
    if names is None:
        raise ValueError(
            "movement_price gives prices by name, but X has no column names: pass a data frame, or "
            f"one price for each of the {d} features."
        )
    names, price = list(names), np.full(d, np.inf)
    for name, value in movement_price.items():
        if name not in names:
            raise ValueError(f"movement_price names {name!r}, which is not a column of X.")
        price[names.index(name)] = value
    return price


def _by_name(movement_price):
    if isinstance(movement_price, Mapping):
        return True
    index = getattr(movement_price, "index", None)  # pandas Series
    return hasattr(index, "dtype") and not np.issubdtype(np.asarray(index).dtype, np.number)
