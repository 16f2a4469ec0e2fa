"""Data with costs: bundled sets, generators, loaders for public sets."""

from stakes.datasets._catalog import CATALOG, available, load
from stakes.datasets._fetch import (
    fetch_bank_marketing,
    fetch_card_fraud,
    fetch_card_payments,
    fetch_default_credit,
    fetch_kdd98,
    fetch_telco_churn,
)
from stakes.datasets._fetch_classes import (
    fetch_kdd99,
    fetch_kdd99_attacks,
    fetch_mammography,
    fetch_oil_spill,
    fetch_pima,
    fetch_sick,
    fetch_spambase,
)
from stakes.datasets._fraud import make_fraud
from stakes.datasets._german import load_german_credit
from stakes.datasets._paper_sets import make_checkerboard, make_corrupted_feature
from stakes.datasets._uncertain_data import UncertainData
from stakes.datasets._uncertain_sets import make_uncertain
from stakes.datasets._wdbc import load_wdbc_uncertain

__all__ = [
    "CATALOG",
    "UncertainData",
    "available",
    "fetch_bank_marketing",
    "fetch_card_fraud",
    "fetch_card_payments",
    "fetch_default_credit",
    "fetch_kdd98",
    "fetch_kdd99",
    "fetch_kdd99_attacks",
    "fetch_mammography",
    "fetch_oil_spill",
    "fetch_pima",
    "fetch_sick",
    "fetch_spambase",
    "fetch_telco_churn",
    "load",
    "load_german_credit",
    "load_wdbc_uncertain",
    "make_checkerboard",
    "make_corrupted_feature",
    "make_fraud",
    "make_uncertain",
]
