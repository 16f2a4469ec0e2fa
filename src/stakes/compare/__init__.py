"""Find the decisions that lose the least money: plan, run, results, statistics, report."""

from stakes._core.learners import all_estimators
from stakes.compare._contestants import (
    CONSTANT_POLICIES,
    RECOMMENDED,
    Contestant,
    contestants,
    find_contestant,
    recommended,
)
from stakes.compare._deploy import BatchDecider, train_to_file, winner_of
from stakes.compare._deploy_parts import FolderDecisions, predict_folder
from stakes.compare._fit import fit_on_all, trainable
from stakes.compare._model_rules import ModelRules
from stakes.compare._results import Results
from stakes.compare._run import compare
from stakes.compare._stats import (
    CriticalDifferenceDisplay,
    FriedmanResult,
    average_ranks,
    bootstrap_means,
    critical_difference,
    friedman_test,
)
from stakes.compare._table_settings import TableSettings

__all__ = [
    "CONSTANT_POLICIES",
    "RECOMMENDED",
    "BatchDecider",
    "Contestant",
    "CriticalDifferenceDisplay",
    "FolderDecisions",
    "FriedmanResult",
    "ModelRules",
    "Results",
    "TableSettings",
    "all_estimators",
    "average_ranks",
    "bootstrap_means",
    "compare",
    "contestants",
    "critical_difference",
    "find_contestant",
    "fit_on_all",
    "friedman_test",
    "predict_folder",
    "recommended",
    "train_to_file",
    "trainable",
    "winner_of",
]
