"""The data sets that have a name on the command line."""

import importlib
from dataclasses import dataclass

from stakes.errors import InputError, near_matches


@dataclass(frozen=True)
class Entry:
    """A named data set.

    Parameters
    ----------
    loader : str
        `module:function` that returns :class:`~stakes.datasets.PricedData` with its defaults.
    about : str
        One line for a list.
    source : {"bundled", "generated", "fetched"}, default="bundled"
        Where it comes from; "fetched" needs a network, or the files in `STAKES_DATA`.
    """

    loader: str
    about: str
    source: str = "bundled"


CATALOG = {
    "fraud": Entry(
        "stakes.datasets._fraud:make_fraud",
        "a stream like card payments: rare frauds, lognormal amounts",
        "generated",
    ),
    "german": Entry(
        "stakes.datasets._german:load_german_credit",
        "1,000 loans with their amounts; positive is bad credit",
    ),
}


def load(name, **settings):
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of `CATALOG`.
    **settings
        Passed to its loader.

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
    module, function = CATALOG[name].loader.split(":")
    return getattr(importlib.import_module(module), function)(**settings)
