"""Decisions whose mistakes have prices.

Import from the folders (``from stakes.decision import BayesDecisionClassifier``); nothing heavy
is loaded before a name is used.
"""

import importlib

__version__ = "0.1.0.dev0"

_FOLDERS = (
    "base",
    "cli",
    "client",
    "compare",
    "costs",
    "datasets",
    "decision",
    "errors",
    "export",
    "game",
    "metrics",
    "model_file",
    "neighbors",
    "online",
    "online_forest",
    "online_kernel",
    "qmean",
    "reproduce",
    "risk",
    "sampling",
    "scale",
    "serve",
    "stream",
    "study",
    "svm",
    "tables",
    "tree",
    "uncertain",
)

__all__ = ["__version__", *_FOLDERS]  # noqa: PLE0604


def __getattr__(name):
    if name in _FOLDERS:
        return importlib.import_module(f"stakes.{name}")
    raise AttributeError(f"module 'stakes' has no attribute {name!r}")


def __dir__():
    return __all__
