"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "Client",
    "ServiceError",
]

class Client:
    url: str
    token: str | None
    timeout: float
    patience: float
    def __init__(self, url: str, *, token: str | None = ..., timeout: float = ..., patience: float = ...) -> None: ...
    def close(self) -> Any: ...
    def decide(self, event: dict[str, Any], id: str | int | None = ..., *, reasons: int = ..., time: float | None = ..., **costs: Any) -> dict[str, Any]: ...
    def decide_many(self, events: Any, ids: Any = ..., times: Any = ...) -> Any: ...
    def label(self, id: Any, label: Any) -> Any: ...
    def label_many(self, labels: Any) -> Any: ...
    def reviews(self) -> Any: ...
    def totals(self) -> Any: ...

class ServiceError(Exception):
    status: int | None
