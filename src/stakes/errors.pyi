"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BelowTrivialWarning",
    "InputError",
    "near_matches",
]

class BelowTrivialWarning(UserWarning):
    ...

class InputError(ValueError):
    message: str
    parameter: Any
    def for_command_line(self) -> Any: ...
    def with_context(self, context: Any) -> Any: ...

def near_matches(name: Any, names: Any, limit: Any = ...) -> Any: ...