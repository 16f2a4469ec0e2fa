"""Find the decisions that lose the least money: plan, run, results, statistics, report."""

from stakes._core.learners import all_estimators
from stakes.compare._attack import attack_model
from stakes.compare._class_decider import ClassDecider, load_decider
from stakes.compare._contestants import (
    CONSTANT_POLICIES,
    RECOMMENDED,
    Contestant,
    contestants,
    find_contestant,
    recommended,
)
from stakes.compare._decider import BatchDecider
from stakes.compare._deploy import train_to_file, winner_of
from stakes.compare._deploy_parts import FolderDecisions, predict_folder
from stakes.compare._evaluate import Evaluation
from stakes.compare._explain import Explanation
from stakes.compare._fit import fit_on_all, trainable
from stakes.compare._model_rules import ModelRules
from stakes.compare._reasons import Reasons, adverse_action
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
from stakes.compare._wording import Wording

__all__ = [
    "CONSTANT_POLICIES",
    "RECOMMENDED",
    "BatchDecider",
    "ClassDecider",
    "Contestant",
    "CriticalDifferenceDisplay",
    "Evaluation",
    "Explanation",
    "FolderDecisions",
    "FriedmanResult",
    "ModelRules",
    "Reasons",
    "Results",
    "TableSettings",
    "Wording",
    "adverse_action",
    "all_estimators",
    "attack_model",
    "average_ranks",
    "bootstrap_means",
    "compare",
    "contestants",
    "critical_difference",
    "find_contestant",
    "fit_on_all",
    "friedman_test",
    "load_decider",
    "predict_folder",
    "recommended",
    "train_to_file",
    "trainable",
    "winner_of",
]
