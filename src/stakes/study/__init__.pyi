"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "Advice",
    "SETS",
    "Study",
    "advise",
    "draw_page",
    "excess",
    "make_record",
    "run_study",
    "stored_record",
    "stored_rows",
    "study_field",
    "to_markdown",
    "verdict",
    "write_page",
]

class Advice:
    learner: str
    why: list[Any]
    page: str
    def __init__(self, learner: str, why: list[Any], page: str) -> None: ...

SETS: Any
class Study:
    rows: list[Any]
    datasets: list[Any]
    plan: dict[str, Any]
    def __init__(self, rows: list[Any], datasets: list[Any], plan: dict[str, Any]) -> None: ...

def advise(data: Any, *, stream: bool = ..., error_bars: bool = ..., adversary: bool = ..., record: dict[str, Any] | None = ...) -> Advice: ...
def draw_page(record: Any, folder: Any) -> Any: ...
def excess(record: dict[str, Any]) -> dict[str, Any]: ...
def make_record(study: Study, command: str) -> dict[str, Any]: ...
def run_study(names: list[Any] = ..., *, learners: list[Any] = ..., rows: int = ..., repeats: int = ..., folds: int = ..., out: Path = ..., n_jobs: int = ..., random_state: int = ..., fresh: bool = ..., stored: list[Any] = ..., progress: Callable[..., Any] | None = ...) -> Study: ...
def stored_record() -> Any: ...
def stored_rows(folder: Any) -> Any: ...
def study_field(names: list[Any] = ...) -> list[Any]: ...
def to_markdown(record: dict[str, Any]) -> str: ...
def verdict(record: dict[str, Any]) -> list[Any]: ...
def write_page(study: Any, record: Any, folder: Any) -> Any: ...