"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "Folder",
    "Measured",
    "Part",
    "PartsFit",
    "SparkTable",
    "SurveyedTable",
    "can_fit",
    "fit_parts",
    "fold_parts",
    "map_parts",
    "measure",
    "survey",
]

class Folder:
    source: str | Path
    root: Path
    parts: list[Any]
    def __init__(self, source: str | Path) -> None: ...
    @staticmethod
    def is_meant(source: Any) -> Any: ...
    @property
    def paths(self) -> Any: ...
    def would_read(self, path: Any) -> Any: ...

class Measured:
    rows: int
    cost: Any
    savings: Any
    curve: Any
    def __init__(self, rows: Any, cost: Any, savings: Any, curve: Any) -> None: ...

class Part:
    path: Path
    name: str
    first: int
    def __init__(self, path: Path, name: str, first: int = ...) -> None: ...
    def batches(self, batch_rows: Any = ...) -> Any: ...
    def count_rows(self) -> Any: ...
    @property
    def is_text(self) -> Any: ...

class PartsFit:
    model: Any
    certificate: dict[str, Any]
    held_out: int
    def __init__(self, model: Any, certificate: Any = ..., held_out: Any = ...) -> None: ...

class SparkTable:
    frame: Any
    def __init__(self, frame: Any) -> None: ...
    def fold(self, fold: Any, merge: Any) -> Any: ...
    def kept(self, function: Any, schema: Any) -> Any: ...
    def map(self, function: Any) -> Any: ...
    def map_batches(self, function: Callable[..., Any], schema: Any) -> Any: ...
    def names(self) -> Any: ...

class SurveyedTable:
    source: str | Path | Folder | list[Any] | SparkTable
    target: str
    positive: str
    costs: dict[str, Any]
    rows: int
    positives: int
    facts: dict[str, Any]
    sampled: Any
    def __init__(self, source: Any, target: Any, positive: Any, costs: Any, drop: Any, missing: Any, cost_features: Any, rows: Any, positives: Any, facts: Any, sampled: Any) -> None: ...
    def fold(self, start: Any, add: Any, merge: Any, *, numbered: bool = ..., n_jobs: Any = ...) -> Any: ...

def can_fit(learner: Any) -> Any: ...
def fit_parts(learner: Any, table: SurveyedTable, *, scale: bool | None = ..., one_hot: bool | None = ..., priced: bool = ..., n_jobs: int = ...) -> PartsFit: ...
def fold_parts(source: str | Path | Folder | list[Any] | SparkTable, *, start: Callable[..., Any], add: Callable[..., Any], merge: Callable[..., Any], numbered: bool = ..., n_jobs: int = ...) -> Any: ...
def map_parts(function: Callable[..., Any], source: str | Path | Folder | list[Any] | SparkTable, *, n_jobs: int = ...) -> Any: ...
def measure(model: Any, table: SurveyedTable, *, key: str | None = ..., n_boot: int = ..., random_state: int = ..., n_jobs: int = ...) -> Measured: ...
def survey(source: str | Path | Folder | list[Any] | SparkTable, target: Any, positive: Any = ..., *, costs: dict[str, Any] | None = ..., drop: Any = ..., missing: Any = ..., cost_features: Any = ..., sample_rows: int = ..., random_state: int = ..., n_jobs: int = ...) -> SurveyedTable: ...