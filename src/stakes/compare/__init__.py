"""Which decision loses least money: plan, run, results, statistics, report."""

from stakes.compare._learners import all_estimators

__all__ = ["all_estimators"]
