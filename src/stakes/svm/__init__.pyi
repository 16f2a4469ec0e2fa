"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BiasedPenaltySVC",
    "BoundaryMovementSVC",
    "ConsistencyReport",
    "CostSensitiveBoost",
    "CostSensitiveSVC",
    "DualSolution",
    "DualView",
    "KappaPath",
    "LinearCostSensitiveSVC",
    "MarginLoss",
    "PairwiseSVC",
    "best_threshold",
    "bp_hinge_loss",
    "check_consistency",
    "cs_exponential_loss",
    "cs_hinge_loss",
    "cs_logistic_loss",
    "elicit_loss",
    "kappa_path",
    "solve_dual",
    "weighted_equivalent",
]

class BiasedPenaltySVC(ClassifierMixin, BaseEstimator):
    C: float
    class_weight: dict[str, Any] | Literal["balanced"] | None
    kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] | Callable[..., Any]
    gamma: Literal["scale", "auto"] | float
    coef0: float
    degree: int
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    normalize_costs: bool
    cost_rule: Literal["auto", "class", "example"]
    calibration: Literal["sigmoid"] | None
    cv: Any
    n_jobs: int | None
    verbose: bool
    solver: Literal["smo", "libsvm"]
    approximation: Literal["auto", "nystroem", "fourier"] | None
    n_components: int
    tol: float
    max_iter: int
    cache_size: float
    warm_start: bool
    random_state: int | RandomState | None
    kappa_: float | NDArray[Any]
    expensive_class_: int
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    objective_: float
    duality_gap_: float
    kkt_residual_: float
    n_iter_: int
    gamma_: float
    feature_map_: Any
    coef_: Any
    approximation_loss_: float
    classes_: NDArray[Any]
    constant_: bool
    calibration_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, C: float = ..., class_weight: dict[str, Any] | Literal["balanced"] | None = ..., calibration: Literal["sigmoid"] | None = ..., cv: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., n_jobs: int | None = ..., verbose: bool = ..., random_state: int | RandomState | None = ..., kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] | Callable[..., Any] = ..., gamma: Literal["scale", "auto"] | float = ..., coef0: float = ..., degree: int = ..., solver: Literal["smo", "libsvm"] = ..., approximation: Literal["auto", "nystroem", "fourier"] | None = ..., n_components: int = ..., tol: float = ..., max_iter: int = ..., cache_size: float = ..., warm_start: bool = ..., normalize_costs: bool = ..., cost_rule: Literal["auto", "class", "example"] = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def dual_view(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class BoundaryMovementSVC(ClassifierMixin, BaseEstimator):
    C: float
    class_weight: dict[str, Any] | Literal["balanced"] | None
    kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] | Callable[..., Any]
    gamma: Literal["scale", "auto"] | float
    coef0: float
    degree: int
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    calibration: Literal["sigmoid"] | None
    cv: Any
    n_jobs: int | None
    verbose: bool
    solver: Literal["smo", "libsvm"]
    approximation: Literal["auto", "nystroem", "fourier"] | None
    n_components: int
    tol: float
    max_iter: int
    cache_size: float
    warm_start: bool
    random_state: int | RandomState | None
    threshold_: float
    kappa_: float | NDArray[Any]
    expensive_class_: int
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    objective_: float
    duality_gap_: float
    kkt_residual_: float
    n_iter_: int
    gamma_: float
    feature_map_: Any
    coef_: Any
    approximation_loss_: float
    classes_: NDArray[Any]
    constant_: bool
    calibration_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, C: float = ..., class_weight: dict[str, Any] | Literal["balanced"] | None = ..., calibration: Literal["sigmoid"] | None = ..., cv: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., n_jobs: int | None = ..., verbose: bool = ..., random_state: int | RandomState | None = ..., kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] | Callable[..., Any] = ..., gamma: Literal["scale", "auto"] | float = ..., coef0: float = ..., degree: int = ..., solver: Literal["smo", "libsvm"] = ..., approximation: Literal["auto", "nystroem", "fourier"] | None = ..., n_components: int = ..., tol: float = ..., max_iter: int = ..., cache_size: float = ..., warm_start: bool = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def dual_view(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class ConsistencyReport:
    loss: MarginLoss
    threshold: float
    consistent: bool
    risk_peak: float
    risk_symmetry_error: float
    link_symmetry_error: float
    probability: NDArray[Any]
    link: NDArray[Any]
    risk: NDArray[Any]
    def __init__(self, loss: Any, threshold: Any, consistent: Any, risk_peak: Any, risk_symmetry_error: Any, link_symmetry_error: Any, probability: Any, link: Any, risk: Any) -> None: ...
    def plot(self, axes: list[Any] | None = ...) -> NDArray[Any]: ...
    @property
    def risk_type(self) -> Any: ...

class CostSensitiveBoost(ClassifierMixin, BaseEstimator):
    n_estimators: int
    max_depth: int
    learning_rate: float
    cost_rule: Literal["class", "example"]
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    random_state: int | RandomState | None
    estimators_: list[Any]
    estimator_weights_: NDArray[Any]
    training_loss_: NDArray[Any]
    edges_: NDArray[Any]
    cost_levels_: NDArray[Any]
    classes_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, n_estimators: int = ..., max_depth: int = ..., learning_rate: float = ..., cost_rule: Literal["class", "example"] = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., random_state: int | RandomState | None = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...
    def staged_decision_function(self, X: Any) -> Any: ...
    def staged_predict(self, X: Any) -> Any: ...
    def staged_predict_proba(self, X: Any) -> Any: ...

class CostSensitiveSVC(ClassifierMixin, BaseEstimator):
    kappa: float | Literal["search"] | Literal["paper"] | None
    slope: Literal["paper", "consistent"]
    conditions: Literal["check", "ignore"]
    C: float
    class_weight: dict[str, Any] | Literal["balanced"] | None
    kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] | Callable[..., Any]
    gamma: Literal["scale", "auto"] | float
    coef0: float
    degree: int
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    normalize_costs: bool
    cost_rule: Literal["auto", "class", "example"]
    calibration: Literal["sigmoid"] | None
    cv: Any
    n_jobs: int | None
    verbose: bool
    solver: Literal["smo", "libsvm"]
    approximation: Literal["auto", "nystroem", "fourier"] | None
    n_components: int
    tol: float
    max_iter: int
    cache_size: float
    warm_start: bool
    random_state: int | RandomState | None
    kappa_: float | NDArray[Any]
    expensive_class_: int
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    objective_: float
    duality_gap_: float
    kkt_residual_: float
    n_iter_: int
    gamma_: float
    feature_map_: Any
    coef_: Any
    approximation_loss_: float
    classes_: NDArray[Any]
    constant_: bool
    calibration_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, C: float = ..., class_weight: dict[str, Any] | Literal["balanced"] | None = ..., calibration: Literal["sigmoid"] | None = ..., cv: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., n_jobs: int | None = ..., verbose: bool = ..., random_state: int | RandomState | None = ..., kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] | Callable[..., Any] = ..., gamma: Literal["scale", "auto"] | float = ..., coef0: float = ..., degree: int = ..., solver: Literal["smo", "libsvm"] = ..., approximation: Literal["auto", "nystroem", "fourier"] | None = ..., n_components: int = ..., tol: float = ..., max_iter: int = ..., cache_size: float = ..., warm_start: bool = ..., kappa: float | Literal["search"] | Literal["paper"] | None = ..., slope: Literal["paper", "consistent"] = ..., conditions: Literal["check", "ignore"] = ..., normalize_costs: bool = ..., cost_rule: Literal["auto", "class", "example"] = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def dual_view(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class DualSolution:
    beta: NDArray[Any]
    intercept: float
    margins: NDArray[Any]
    primal: float
    dual: float
    rounding: float
    kkt_residual: float
    n_iter: int
    def __init__(self, beta: Any, intercept: Any, margins: Any, primal: Any, dual: Any, rounding: Any, kkt_residual: Any, n_iter: Any) -> None: ...
    @property
    def gap(self) -> Any: ...

class DualView:
    n_negative: int
    n_positive: int
    imbalance: float
    l1_negative: float
    l1_positive: float
    l1_penalty: float
    def __init__(self, n_negative: Any, n_positive: Any, imbalance: Any, l1_negative: Any, l1_positive: Any, l1_penalty: Any) -> None: ...

class KappaPath:
    kappas: NDArray[Any]
    views: list[Any]
    kkt_residuals: NDArray[Any]
    def __init__(self, kappas: Any, views: Any, kkt_residuals: Any) -> None: ...
    def plot(self, axes: Any = ...) -> Any: ...

class LinearCostSensitiveSVC(ClassifierMixin, BaseEstimator):
    C: float
    class_weight: dict[str, Any] | Literal["balanced"] | None
    kappa: float | Literal["search"] | Literal["paper"] | None
    slope: Literal["paper", "consistent"]
    conditions: Literal["check", "ignore"]
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    normalize_costs: bool
    cost_rule: Literal["auto", "class", "example"]
    calibration: Literal["sigmoid"] | None
    cv: Any
    n_jobs: int | None
    verbose: bool
    solver: Literal["auto", "interior", "coordinate"]
    tol: float
    max_iter: int | None
    random_state: int | RandomState | None
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    kappa_: float | NDArray[Any]
    expensive_class_: int
    objective_: float
    duality_gap_: float
    n_iter_: int
    classes_: NDArray[Any]
    constant_: bool
    calibration_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, C: float = ..., class_weight: dict[str, Any] | Literal["balanced"] | None = ..., calibration: Literal["sigmoid"] | None = ..., cv: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., n_jobs: int | None = ..., verbose: bool = ..., random_state: int | RandomState | None = ..., kappa: float | Literal["search"] | Literal["paper"] | None = ..., slope: Literal["paper", "consistent"] = ..., conditions: Literal["check", "ignore"] = ..., normalize_costs: bool = ..., cost_rule: Literal["auto", "class", "example"] = ..., solver: Literal["auto", "interior", "coordinate"] = ..., tol: float = ..., max_iter: int | None = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class MarginLoss:
    name: str
    positive: Callable[..., Any]
    negative: Callable[..., Any]
    fp_cost: float
    fn_cost: float
    link: Callable[..., Any] | None
    minimum_risk: Callable[..., Any] | None
    def __init__(self, name: str, positive: Callable[..., Any], negative: Callable[..., Any], fp_cost: float, fn_cost: float, link: Callable[..., Any] | None = ..., minimum_risk: Callable[..., Any] | None = ...) -> None: ...
    def bayes_risk(self, probability: Any) -> Any: ...
    @property
    def bayes_threshold(self) -> Any: ...
    def conditional_risk(self, probability: Any, f: Any) -> Any: ...

class PairwiseSVC(ClassifierMixin, BaseEstimator):
    estimator: Any
    cost_matrix: ArrayLike | None
    n_jobs: int | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    estimators_: list[Any]
    classes_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, estimator: Any = ..., *, cost_matrix: ArrayLike | None = ..., n_jobs: int | None = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

def best_threshold(scores: NDArray[Any], y: NDArray[Any], regret: NDArray[Any]) -> float: ...
def bp_hinge_loss(fp_cost: Any = ..., fn_cost: Any = ...) -> Any: ...
def check_consistency(loss: MarginLoss, n_points: int = ...) -> ConsistencyReport: ...
def cs_exponential_loss(fp_cost: Any = ..., fn_cost: Any = ...) -> Any: ...
def cs_hinge_loss(fp_cost: Any = ..., fn_cost: Any = ..., slope: Any = ...) -> Any: ...
def cs_logistic_loss(fp_cost: Any = ..., fn_cost: Any = ...) -> Any: ...
def elicit_loss(inverse_link: Callable[..., Any], minimum_risk: Callable[..., Any], *, fp_cost: float, fn_cost: float, derivative: Callable[..., Any] | None = ..., name: str = ...) -> MarginLoss: ...
def kappa_path(X: ArrayLike, y: ArrayLike, kappas: ArrayLike, *, C: float = ..., fn_cost: float = ..., **options: Any) -> KappaPath: ...
def solve_dual(gram: Any, y: NDArray[Any], weight: NDArray[Any], margin: NDArray[Any], *, tol: float = ..., max_iter: int = ..., cache_mib: float = ..., start: NDArray[Any] | None = ..., progress: Callable[..., Any] | None = ...) -> DualSolution: ...
def weighted_equivalent(C: float, fn_cost: float, kappa: float) -> dict[str, Any]: ...