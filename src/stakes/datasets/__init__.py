"""Data with costs: bundled sets, generators, and loaders for larger public sets."""

from stakes.datasets._fraud import make_fraud
from stakes.datasets._german import load_german_credit
from stakes.datasets._priced import PricedData

__all__ = ["PricedData", "load_german_credit", "make_fraud"]
