"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "CostSensitiveClassifier",
    "LearnerInfo",
    "ManyClassClassifier",
]

class CostSensitiveClassifier(ClassifierMixin, BaseEstimator):
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class LearnerInfo:
    family: str
    speed: Literal["fast", "medium", "slow"]
    max_rows: int | None
    gives_probability: bool
    recommended: bool
    grid: dict[str, Any]
    def __init__(self, family: str, speed: Literal["fast", "medium", "slow"] = ..., max_rows: int | None = ..., gives_probability: bool = ..., recommended: bool = ..., grid: dict[str, Any] = ...) -> None: ...

class ManyClassClassifier(ClassifierMixin, BaseEstimator):
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...
