"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BayesNetConfidence",
    "ConfidenceNeighborsClassifier",
    "MixtureConfidence",
]

class BayesNetConfidence(BaseEstimator):
    n_bins: int
    max_parents: int
    categorical_features: ArrayLike | int | str | None
    order: ArrayLike | None
    smoothing: float
    max_rows: int
    joint: bool
    classes_: NDArray[Any]
    parents_: list[Any]
    scores_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, n_bins: int = ..., max_parents: int = ..., categorical_features: ArrayLike | int | str | None = ..., order: ArrayLike | None = ..., smoothing: float = ..., max_rows: int = ..., joint: bool = ...) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def log_confidence(self, X: NDArray[Any], y: NDArray[Any], sample_weight: NDArray[Any] | None = ...) -> NDArray[Any]: ...
    def log_density(self, X: Any) -> NDArray[Any]: ...

class ConfidenceNeighborsClassifier(ClassifierMixin, BaseEstimator):
    n_neighbors: int
    weights: Literal["none", "inverse", "additive"]
    confidence_model: Literal["mixture", "bayes_net"] | Any
    confidence_folds: int | None
    metric: Literal["l1", "l2", "linf"]
    scale: Literal["standard", "range", "none"]
    categorical_features: ArrayLike | int | str | None
    smoothing: float
    calibration: Literal["sigmoid"] | None
    n_jobs: int | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    classes_: NDArray[Any]
    log_confidence_: NDArray[Any]
    max_distance_: float
    unit_distance_: float
    categories_: list[Any] | None
    by_tree_: bool
    slope_: float
    offset_: float
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, n_neighbors: int = ..., weights: Literal["none", "inverse", "additive"] = ..., confidence_model: Literal["mixture", "bayes_net"] | Any = ..., confidence_folds: int | None = ..., metric: Literal["l1", "l2", "linf"] = ..., scale: Literal["standard", "range", "none"] = ..., categorical_features: ArrayLike | int | str | None = ..., smoothing: float = ..., calibration: Literal["sigmoid"] | None = ..., n_jobs: int | None = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int | None = ...) -> NDArray[Any]: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any, *, neighbors: Any = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class MixtureConfidence(BaseEstimator):
    max_components: int
    covariance_type: Literal["full", "diag"]
    max_rows: int
    random_state: int | RandomState | None
    classes_: NDArray[Any]
    mixtures_: list[Any]
    scale_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, max_components: int = ..., covariance_type: Literal["full", "diag"] = ..., max_rows: int = ..., random_state: int | RandomState | None = ...) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def log_confidence(self, X: NDArray[Any], y: NDArray[Any], sample_weight: NDArray[Any] | None = ...) -> NDArray[Any]: ...
    def log_density(self, X: Any) -> NDArray[Any]: ...
