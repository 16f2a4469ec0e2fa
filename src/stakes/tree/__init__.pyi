"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "AssociationRuleClassifier",
    "ConfidenceForestClassifier",
    "ConfidenceTreeClassifier",
    "fisher_exact_p",
    "tree_shapley",
]

class AssociationRuleClassifier(ClassifierMixin, BaseEstimator):
    p_value: float
    ccr: float
    max_length: int
    min_support: int
    beam: int
    discretize: Literal["entropy", "quantile"]
    n_bins: int
    smoothing: float
    categorical_features: ArrayLike | int | str | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    classes_: NDArray[Any]
    n_rules_: int
    mean_regret_: float
    cuts_: list[Any]
    categories_: list[Any] | None
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, p_value: float = ..., ccr: float = ..., max_length: int = ..., min_support: int = ..., beam: int = ..., discretize: Literal["entropy", "quantile"] = ..., n_bins: int = ..., smoothing: float = ..., categorical_features: ArrayLike | int | str | None = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ...) -> None: ...
    def apply(self, X: Any) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def plot(self, ax: Any = ..., *, max_rules: int = ..., feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., **costs: Any) -> Any: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def rules(self, X: Any = ..., y: ArrayLike | None = ..., *, feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., **costs: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...
    def to_json(self, X: Any = ..., y: Any = ..., *, feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., **costs: Any) -> str: ...
    def to_text(self, X: Any = ..., y: Any = ..., *, feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., **costs: Any) -> str: ...

class ConfidenceForestClassifier(ClassifierMixin, BaseEstimator):
    n_estimators: int
    criterion: str
    branch_weight: Literal["rate", "count"]
    max_depth: int | None
    min_samples_leaf: float
    max_features: Literal["sqrt"] | int | float | None
    bootstrap: Literal["plain", "balanced"] | None
    smoothing: float
    smoothing_target: Literal["parent", "uniform", "rate"]
    categorical_features: ArrayLike | int | str | None
    monotonic_cst: Any
    class_weight: Literal["balanced"] | dict[str, Any] | None
    max_bins: int
    exact_rows: int
    oob: bool
    n_jobs: int | None
    random_state: int | RandomState | None
    cost_matrix: ArrayLike | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    nodes_: Any
    roots_: NDArray[Any]
    oob_probability_: NDArray[Any]
    oob_cost_: float
    classes_: NDArray[Any]
    categories_: list[Any] | None
    has_missing_: NDArray[Any]
    mean_regret_: float
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, criterion: str = ..., branch_weight: Literal["rate", "count"] = ..., max_depth: int | None = ..., min_samples_leaf: float = ..., smoothing_target: Literal["parent", "uniform", "rate"] = ..., categorical_features: ArrayLike | int | str | None = ..., monotonic_cst: Any = ..., class_weight: Literal["balanced"] | dict[str, Any] | None = ..., max_bins: int = ..., random_state: int | RandomState | None = ..., cost_matrix: ArrayLike | None = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., n_estimators: int = ..., max_features: Literal["sqrt"] | int | float | None = ..., bootstrap: Literal["plain", "balanced"] | None = ..., smoothing: float = ..., exact_rows: int = ..., oob: bool = ..., n_jobs: int | None = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    @property
    def feature_importances_(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def importances(self, X: Any, y: ArrayLike, *, n_repeats: int = ..., random_state: int | RandomState | None = ..., **costs: Any) -> NDArray[Any]: ...
    def merge(self, other: ConfidenceForestClassifier) -> ConfidenceForestClassifier: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class ConfidenceTreeClassifier(ClassifierMixin, BaseEstimator):
    criterion: str
    branch_weight: Literal["rate", "count"]
    max_depth: int | None
    pruning: Literal["fisher", "fisher_leaves", "error", "complexity"] | None
    p_value: float
    min_samples_leaf: float
    max_features: int | None
    smoothing: float
    smoothing_target: Literal["parent", "uniform", "rate"]
    categorical_features: ArrayLike | int | str | None
    monotonic_cst: Any
    class_weight: Literal["balanced"] | dict[str, Any] | None
    max_bins: int
    exact_rows: int
    random_state: int | RandomState | None
    cost_matrix: ArrayLike | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    nodes_: Any
    n_leaves_: int
    classes_: NDArray[Any]
    categories_: list[Any] | None
    has_missing_: NDArray[Any]
    mean_regret_: float
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, criterion: str = ..., branch_weight: Literal["rate", "count"] = ..., max_depth: int | None = ..., min_samples_leaf: float = ..., smoothing_target: Literal["parent", "uniform", "rate"] = ..., categorical_features: ArrayLike | int | str | None = ..., monotonic_cst: Any = ..., class_weight: Literal["balanced"] | dict[str, Any] | None = ..., max_bins: int = ..., random_state: int | RandomState | None = ..., cost_matrix: ArrayLike | None = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., pruning: Literal["fisher", "fisher_leaves", "error", "complexity"] | None = ..., p_value: float = ..., max_features: int | None = ..., smoothing: float = ..., exact_rows: int = ...) -> None: ...
    def apply(self, X: Any) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def decision_path(self, X: Any) -> Any: ...
    @property
    def feature_importances_(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def get_depth(self) -> Any: ...
    def get_n_leaves(self) -> Any: ...
    def importances(self, X: Any, y: ArrayLike, *, n_repeats: int = ..., random_state: int | RandomState | None = ..., **costs: Any) -> NDArray[Any]: ...
    def plot(self, ax: Any = ..., *, kind: Literal["tree", "rules"] = ..., max_depth: int | None = ..., feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., fontsize: float | str = ..., **costs: Any) -> Any: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def rules(self, X: Any = ..., y: ArrayLike | None = ..., *, feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., **costs: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...
    def to_graphviz(self, *, feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., max_depth: int | None = ..., **costs: Any) -> str: ...
    def to_json(self, X: Any = ..., y: Any = ..., *, feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., **costs: Any) -> str: ...
    def to_text(self, X: Any = ..., y: Any = ..., *, feature_names: list[Any] | None = ..., category_names: dict[str, Any] | str | None = ..., **costs: Any) -> str: ...

def fisher_exact_p(a: int | ArrayLike, b: int | ArrayLike, c: int | ArrayLike, d: int | ArrayLike, *, log: bool = ...) -> float | NDArray[Any]: ...
def tree_shapley(model: ConfidenceTreeClassifier | ConfidenceForestClassifier, X: ArrayLike, background: ArrayLike, columns: ArrayLike | None = ...) -> NDArray[Any]: ...