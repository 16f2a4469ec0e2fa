"""Find the decisions that lose the least money: plan, run, results, statistics, report.

Names are imported when they are first used: deciding about new rows needs no learners and no plots.
"""

from importlib import import_module

_HOMES = {
    "stakes._core.learners": ("all_estimators",),
    "stakes.compare._attack": ("attack_model",),
    "stakes.compare._class_decider": ("ClassDecider", "load_decider"),
    "stakes.compare._contestants": (
        "CONSTANT_POLICIES",
        "RECOMMENDED",
        "TIMED",
        "Contestant",
        "contestants",
        "find_contestant",
        "recommended",
    ),
    "stakes.compare._decider": ("BatchDecider",),
    "stakes.compare._deploy": ("train_to_file", "winner_of"),
    "stakes.compare._deploy_parts": ("FolderDecisions", "predict_folder"),
    "stakes.compare._deploy_spark": ("predict_spark",),
    "stakes.compare._deploy_training": (
        "EXTERNAL",
        "sampled_learners",
        "train_parts_to_file",
        "winner_in_parts",
    ),
    "stakes.compare._evaluate": ("Evaluation",),
    "stakes.compare._explain": ("Explanation",),
    "stakes.compare._fit": ("fit_on_all", "trainable"),
    "stakes.compare._model_rules": ("ModelRules",),
    "stakes.compare._reasons": ("Reasons", "adverse_action"),
    "stakes.compare._results": ("Results",),
    "stakes.compare._run": ("compare",),
    "stakes.compare._stats": (
        "CriticalDifferenceDisplay",
        "FriedmanResult",
        "average_ranks",
        "bootstrap_means",
        "critical_difference",
        "friedman_test",
        "mean_over_folds",
    ),
    "stakes.compare._timed_models": ("timed_blend",),
    "stakes.compare._table_settings": ("TableSettings",),
    "stakes.compare._timed_blend": ("TimedBlendClassifier",),
    "stakes.compare._wording": ("Wording",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "CONSTANT_POLICIES",
    "EXTERNAL",
    "RECOMMENDED",
    "TIMED",
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
    "TimedBlendClassifier",
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
    "mean_over_folds",
    "predict_folder",
    "predict_spark",
    "recommended",
    "sampled_learners",
    "timed_blend",
    "train_parts_to_file",
    "train_to_file",
    "trainable",
    "winner_in_parts",
    "winner_of",
]


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__():
    return sorted({*globals(), *_HOME})
