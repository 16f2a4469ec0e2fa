"""Which decision loses least money: plan, run, results, statistics, report."""

from stakes._core.learners import all_estimators
from stakes.compare._contestants import Contestant, contestants
from stakes.compare._critical_difference import CriticalDifferenceDisplay
from stakes.compare._fit_on_all import fit_on_all
from stakes.compare._recommended import recommended
from stakes.compare._run import Results, compare
from stakes.compare._stats import (
    FriedmanResult,
    average_ranks,
    bootstrap_means,
    critical_difference,
    friedman_test,
)

__all__ = [
    "Contestant",
    "CriticalDifferenceDisplay",
    "FriedmanResult",
    "Results",
    "all_estimators",
    "average_ranks",
    "bootstrap_means",
    "compare",
    "contestants",
    "critical_difference",
    "fit_on_all",
    "friedman_test",
    "recommended",
]
