"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "StoredModel",
    "load_model",
    "save_model",
    "sign_model",
]

class StoredModel:
    model: Any
    facts: dict[str, Any]
    version: str
    def __init__(self, model: Any, facts: Any = ..., version: Any = ...) -> None: ...

def load_model(path: str | Path, *, verify: str | Path | None = ...) -> StoredModel: ...
def save_model(model: Any, path: str | Path, *, key: Any = ..., **facts: Any) -> Any: ...
def sign_model(path: str | Path, key: str | Path) -> Any: ...