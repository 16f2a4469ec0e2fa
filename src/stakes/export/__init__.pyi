"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "export_onnx",
    "onnx_inputs",
    "register_converters",
    "sklearn_to_onnx",
    "to_onnx",
]

def export_onnx(model: str | Path, path: str | Path, *, verify: str | Path | None = ...) -> Any: ...
def onnx_inputs(session: Any, table: Any, **costs: Any) -> dict[str, Any]: ...
def register_converters() -> Any: ...
def sklearn_to_onnx(model: Any, n_features: int, *, zipmap: bool = ...) -> Any: ...
def to_onnx(model: Any, kinds: dict[str, Any], *, costs: dict[str, Any] | None = ..., cost_matrix: dict[str, Any] | None = ..., **facts: Any) -> Any: ...