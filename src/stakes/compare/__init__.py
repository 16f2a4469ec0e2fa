"""Which decision loses least money: plan, run, results, statistics, report."""

from stakes.compare._encode import ModelMatrix, TableEncoder, prepare
from stakes.compare._learners import all_estimators

__all__ = ["ModelMatrix", "TableEncoder", "all_estimators", "prepare"]
