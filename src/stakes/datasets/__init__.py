"""Data with costs: bundled sets, generators, and loaders for larger public sets."""

from stakes.datasets._priced import PricedData

__all__ = ["PricedData"]
