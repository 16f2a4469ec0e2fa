"""The data sets that have a name on the command line."""

import importlib
from dataclasses import asdict, dataclass

from stakes.errors import InputError, near_matches


@dataclass(frozen=True)
class Entry:
    """A named data set.

    Parameters
    ----------
    loader : str
        `module:function` that returns :class:`~stakes.tables.PricedData` with its defaults.
    about : str
        One line for a list.
    source : {"bundled", "generated", "fetched"}
        Where it comes from; "fetched" needs a network, or the files in `STAKES_DATA`.
    rows, features, positives : int
        Its size with the loader's defaults; of generated data with `random_state=0`.
    costs : str
        Where its costs come from.
    """

    loader: str
    about: str
    source: str
    rows: int
    features: int
    positives: int
    costs: str


_HERE = "stakes.datasets."
_CLASS_COSTS = "assumption: one price for each kind of mistake"
CATALOG = {
    "bank_marketing": Entry(
        _HERE + "_fetch:fetch_bank_marketing",
        "calls of a bank; positive makes a deposit",
        "fetched",
        45_211,
        15,
        5_289,
        "the price of a call; the margin on a share of the balance",
    ),
    "card_fraud": Entry(
        _HERE + "_fetch:fetch_card_fraud",
        "card payments of two days; positive is fraud",
        "fetched",
        284_807,
        30,
        492,
        "the amount; the price of a review",
    ),
    "checkerboard": Entry(
        _HERE + "_paper_sets:make_checkerboard",
        "the CS-SVM paper's checkerboard with one positive to a thousand negatives",
        "generated",
        10_010,
        2,
        10,
        "the paper's Figure 2 c",
    ),
    "corrupted_feature": Entry(
        _HERE + "_paper_sets:make_corrupted_feature",
        "the CW-CVaR paper's synthetic set: one of two features is unreliable",
        "generated",
        1_000,
        2,
        500,
        "both mistakes cost 1",
    ),
    "default_credit": Entry(
        _HERE + "_fetch:fetch_default_credit",
        "card clients in Taiwan; positive defaults",
        "fetched",
        30_000,
        23,
        6_636,
        "assumption: shares of the credit limit",
    ),
    "fraud": Entry(
        _HERE + "_fraud:make_fraud",
        "a stream like card payments: rare frauds, lognormal amounts",
        "generated",
        100_000,
        30,
        2_021,
        "the amount; the price of a review",
    ),
    "german": Entry(
        _HERE + "_german:load_german_credit",
        "1,000 loans with their amounts; positive is bad credit",
        "bundled",
        1_000,
        20,
        300,
        "75 % of the amount; the interest, from amount and duration",
    ),
    "kdd98": Entry(
        _HERE + "_fetch:fetch_kdd98",
        "mail to former donors; positive gives",
        "fetched",
        95_412,
        38,
        4_843,
        "the price of a letter; the gift to be expected",
    ),
    "kdd99": Entry(
        _HERE + "_fetch_classes:fetch_kdd99",
        "network connections; positive is an attack",
        "fetched",
        494_021,
        41,
        396_743,
        "the contest's table",
    ),
    "mammography": Entry(
        _HERE + "_fetch_classes:fetch_mammography",
        "spots in mammograms; positive is a calcification",
        "fetched",
        11_183,
        6,
        260,
        _CLASS_COSTS,
    ),
    "oil_spill": Entry(
        _HERE + "_fetch_classes:fetch_oil_spill",
        "radar images of the sea; positive is an oil spill",
        "fetched",
        937,
        49,
        41,
        _CLASS_COSTS,
    ),
    "pima": Entry(
        _HERE + "_fetch_classes:fetch_pima",
        "women of the Pima; positive has diabetes",
        "fetched",
        768,
        8,
        268,
        _CLASS_COSTS,
    ),
    "sick": Entry(
        _HERE + "_fetch_classes:fetch_sick",
        "thyroid patients, with gaps; positive is sick",
        "fetched",
        3_772,
        28,
        231,
        _CLASS_COSTS,
    ),
    "spambase": Entry(
        _HERE + "_fetch_classes:fetch_spambase",
        "e-mails as word counts; positive is spam",
        "fetched",
        4_601,
        57,
        1_813,
        _CLASS_COSTS,
    ),
    "telco_churn": Entry(
        _HERE + "_fetch:fetch_telco_churn",
        "clients of a telephone company; positive leaves",
        "fetched",
        7_043,
        19,
        1_869,
        "assumption: monthly charges lost, and given away in an offer",
    ),
    "uncertain": Entry(
        _HERE + "_uncertain_sets:make_uncertain",
        "points measured several times with bounded noise, as in the chance-constrained paper",
        "generated",
        200,
        2,
        100,
        "both mistakes cost 1",
    ),
    "wdbc": Entry(
        _HERE + "_wdbc:load_wdbc_uncertain",
        "breast tumours: means with standard errors and worst values; positive is malignant",
        "bundled",
        569,
        10,
        212,
        _CLASS_COSTS,
    ),
}


def available():
    """Every named data set as a row: what `stakes datasets` prints.

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
