"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "Cell",
    "Claim",
    "DATA_PAGE",
    "PAPERS",
    "Reproduction",
    "Table",
    "draw",
]

class Cell:
    row: str
    column: str
    ours: float | None
    ours_sd: float | None
    paper: float | None
    paper_sd: float | None
    repeats: Any
    def __init__(self, row: str, column: str, ours: float | None, ours_sd: float | None = ..., paper: float | None = ..., paper_sd: float | None = ..., repeats: Any = ...) -> None: ...
    @property
    def deviations(self) -> Any: ...

class Claim:
    def __init__(self, text: Any, verdict: Any, evidence: Any) -> None: ...

DATA_PAGE: str
PAPERS: Any
class Reproduction:
    def __init__(self, name: Any, paper: Any, command: Any, tables: Any = ..., claims: Any = ..., figures: Any = ...) -> None: ...
    def to_json(self) -> Any: ...
    def to_markdown(self, *, pictures: Any = ...) -> Any: ...

class Table:
    def __init__(self, title: Any, cells: Any = ..., note: Any = ...) -> None: ...
    def to_markdown(self) -> Any: ...

def draw(name: str, folder: Path, data: Path | None = ...) -> Any: ...