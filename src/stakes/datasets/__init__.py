"""Data with costs: a user's tables, bundled sets, generators, loaders for larger public sets."""

from stakes.datasets._catalog import CATALOG, load
from stakes.datasets._expression import CostExpression
from stakes.datasets._fraud import make_fraud
from stakes.datasets._german import load_german_credit
from stakes.datasets._priced import PricedData
from stakes.datasets._table import load_table

__all__ = [
    "CATALOG",
    "CostExpression",
    "PricedData",
    "load",
    "load_german_credit",
    "load_table",
    "make_fraud",
]
