"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "FLAVOR_NAME",
    "PricedModel",
    "load_model",
    "load_pyfunc",
    "log_comparison",
    "log_model",
    "need_mlflow",
    "save_model",
]

FLAVOR_NAME: str
class PricedModel:
    path: str | Path
    def __init__(self, path: str | Path) -> None: ...
    def predict(self, model_input: Any, params: dict[str, Any] | None = ...) -> Any: ...

def load_model(model_uri: str) -> Any: ...
def load_pyfunc(path: str) -> PricedModel: ...
def log_comparison(folder: str | Path, *, run_name: str | None = ...) -> str: ...
def log_model(model: str | Path, name: str = ..., **settings: Any) -> Any: ...
def need_mlflow() -> Any: ...
def save_model(model: str | Path, path: str | Path, mlflow_model: Any = ..., *, signature: Any = ..., input_example: Any = ...) -> Any: ...