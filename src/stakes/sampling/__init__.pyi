"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "CostProportionateSampler",
    "CostingClassifier",
    "SafeLevelSMOTE",
    "WrapperSampler",
]

class CostProportionateSampler(BaseEstimator):
    ceiling: float
    random_state: int | RandomState | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    sample_indices_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, ceiling: float = ..., random_state: int | RandomState | None = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ...) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self: ...
    def fit_resample(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Any: ...

class CostingClassifier(ClassifierMixin, BaseEstimator):
    estimator: Any
    n_estimators: int
    voting: Literal["hard", "soft"]
    ceiling: float
    n_jobs: int | None
    random_state: int | RandomState | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    classes_: NDArray[Any]
    estimators_: list[Any]
    sample_sizes_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, estimator: Any = ..., *, n_estimators: int = ..., voting: Literal["hard", "soft"] = ..., ceiling: float = ..., n_jobs: int | None = ..., random_state: int | RandomState | None = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class SafeLevelSMOTE(BaseEstimator):
    sampling_strategy: float | str | dict[str, Any] | Callable[..., Any]
    k_neighbors: int
    partners: Literal["class", "all"]
    random_state: int | RandomState | None
    sampling_strategy_: dict[str, Any]
    safe_levels_: dict[str, Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, sampling_strategy: float | str | dict[str, Any] | Callable[..., Any] = ..., k_neighbors: int = ..., partners: Literal["class", "all"] = ..., random_state: int | RandomState | None = ...) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self: ...
    def fit_resample(self, X: Any, y: ArrayLike) -> Any: ...

class WrapperSampler(BaseEstimator):
    estimator: Any
    under_step: float
    smote_step: float
    max_smote: float
    patience: int
    k_neighbors: int
    cv: Any
    scoring: str | Callable[..., Any]
    random_state: int | RandomState | None
    majority_share_: float
    smote_share_: float
    path_: list[Any] | float
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, estimator: Any = ..., *, under_step: float = ..., smote_step: float = ..., max_smote: float = ..., patience: int = ..., k_neighbors: int = ..., cv: Any = ..., scoring: str | Callable[..., Any] = ..., random_state: int | RandomState | None = ...) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self: ...
    def fit_resample(self, X: Any, y: ArrayLike) -> Any: ...
