"""Data sets that have a name on the command line."""

import csv
from dataclasses import asdict, dataclass
from importlib.resources import files

from stakes.errors import InputError, near_matches


@dataclass(frozen=True)
class Entry:
    """A named data set, as listed in data/catalog.csv.

    Parameters
    ----------
    loader : str
        Function of :mod:`stakes.datasets` that returns it with the function's defaults.
    source : {"bundled", "generated", "fetched"}
        Origin; "fetched" needs a network connection, or the file in `STAKES_DATA`.
    rows, features, positives : int
        Size with the loader's defaults (generated data: with `random_state=0`).
    about : str
        One line for a list.
    costs : str
        Origin of the costs.
    """

    loader: str
    source: str
    rows: int
    features: int
    positives: int
    about: str
    costs: str


def _read_catalog():
    text = (files("stakes.datasets") / "data" / "catalog.csv").read_text()
    sizes = ("rows", "features", "positives")
    return {
        row.pop("name"): Entry(**row | {size: int(row[size]) for size in sizes})
        for row in csv.DictReader(text.splitlines())
    }


CATALOG = _read_catalog()


def available():
    """List all named data sets, as `stakes datasets` prints them.

    Returns
    -------
    list of dict
        With `name` and the fields of :class:`Entry`, sorted by name.

    Examples
    --------
    >>> [row["name"] for row in available() if row["source"] == "bundled"]
    ['german', 'wdbc']
    """
    return [{"name": name, **asdict(entry)} for name, entry in sorted(CATALOG.items())]


def load(name, **settings):
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `CATALOG`.
    **settings
        Parameters of its loader.

    Returns
    -------
    PricedData

    Examples
    --------
    >>> len(load("german"))
    1000
    """
    if name not in CATALOG:
        raise InputError(
            f"There is no data set called {name!r}: " + near_matches(name, sorted(CATALOG))
        )
    from stakes import datasets  # the package that this module is part of

    return getattr(datasets, CATALOG[name].loader)(**settings)
