"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "ClassSums",
    "KernelQuadraticMeanClassifier",
    "LogisticObjective",
    "MeanObjective",
    "QuadraticMeanClassifier",
    "QuadraticMeanObjective",
    "QuadraticMeanProblem",
    "QuadraticMeanRegressor",
    "QuadraticMeanReweighting",
    "QuadraticMeanSolution",
    "SumsSolution",
    "classification_loss",
    "minimize_quadratic_mean",
    "minimize_sums",
]

class ClassSums:
    rows: NDArray[Any]
    weight: NDArray[Any]
    loss: NDArray[Any]
    gradient: NDArray[Any]
    hessian: NDArray[Any]
    offset: NDArray[Any]
    def __init__(self, rows: Any, weight: Any, loss: Any, gradient: Any, hessian: Any, offset: Any) -> None: ...
    def merge(self, other: Any) -> Any: ...
    @classmethod
    def of(cls, Z: Any, sign: Any, weight: Any, W: Any) -> Any: ...

class KernelQuadraticMeanClassifier(ClassifierMixin, BaseEstimator):
    loss: Literal["logistic", "hinge", "huber"]
    alpha: float
    kernel: str | Callable[..., Any]
    gamma: Literal["scale"] | float
    degree: float
    coef0: float
    n_components: int
    p: Any
    huber_width: Any
    class_share: Any
    fit_intercept: Any
    regularize_intercept: Any
    tol: Any
    max_iter: Any
    random_state: int | RandomState | None
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    classes_: NDArray[Any]
    landmarks_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    gamma_: float
    class_losses_: Any
    class_weights_: Any
    objective_: Any
    duality_gap_: Any
    gradient_norm_: Any
    gaps_: Any
    n_iter_: Any
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, loss: Literal["logistic", "hinge", "huber"] = ..., p: Any = ..., huber_width: Any = ..., tol: Any = ..., max_iter: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., alpha: float = ..., kernel: str | Callable[..., Any] = ..., gamma: Literal["scale"] | float = ..., degree: float = ..., coef0: float = ..., n_components: int = ..., class_share: Any = ..., fit_intercept: Any = ..., regularize_intercept: Any = ..., random_state: int | RandomState | None = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class LogisticObjective:
    C: float
    def __init__(self, C: float = ...) -> None: ...
    def parts(self, sums: Any, W: Any) -> Any: ...

class MeanObjective:
    alpha: Any
    p: Any
    class_share: Any
    def __init__(self, alpha: Any = ..., p: Any = ..., class_share: Any = ...) -> None: ...
    def parts(self, sums: Any, W: Any) -> Any: ...
    def share(self, sums: Any) -> Any: ...
    def weights(self, sums: Any) -> Any: ...

class QuadraticMeanClassifier(ClassifierMixin, BaseEstimator):
    loss: Literal["logistic", "hinge", "huber"]
    alpha: float
    p: float
    huber_width: float
    class_share: Literal["equal", "cost"]
    fit_intercept: bool
    regularize_intercept: bool
    solver: Literal["auto", "newton", "lbfgs", "bundle"]
    tol: float
    max_iter: int
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    class_losses_: NDArray[Any]
    class_weights_: NDArray[Any]
    objective_: float
    duality_gap_: float
    gradient_norm_: float
    gaps_: ArrayLike
    n_iter_: int
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, loss: Literal["logistic", "hinge", "huber"] = ..., p: float = ..., huber_width: float = ..., tol: float = ..., max_iter: int = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., alpha: float = ..., class_share: Literal["equal", "cost"] = ..., fit_intercept: bool = ..., regularize_intercept: bool = ..., solver: Literal["auto", "newton", "lbfgs", "bundle"] = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def fit_sums(self, evaluate: Callable[..., Any], n_features: int, sample: Callable[..., Any] | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class QuadraticMeanObjective:
    p: float
    def __init__(self, *, p: float = ...) -> None: ...
    def class_losses(self, y_true: Any, y_pred: Any, sample_weight: Any = ...) -> Any: ...
    def probability(self, y_pred: ArrayLike, y_train: ArrayLike, train_pred: ArrayLike) -> NDArray[Any]: ...
    def value(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...

class QuadraticMeanProblem:
    X: NDArray[Any]
    y: NDArray[Any]
    weight: NDArray[Any]
    group: NDArray[Any]
    loss: Any
    share: NDArray[Any]
    p: float
    alpha: float
    fit_intercept: bool
    regularize_intercept: bool
    outputs: int | None
    def __init__(self, X: NDArray[Any], y: NDArray[Any], weight: NDArray[Any], group: NDArray[Any], loss: Any, share: NDArray[Any], p: float = ..., alpha: float = ..., fit_intercept: bool = ..., regularize_intercept: bool = ..., outputs: int | None = ...) -> None: ...
    def curvature_diagonal(self, W: Any, smoothing: Any) -> Any: ...
    @property
    def exact(self) -> Any: ...
    def gradient_and_hessian(self, W: Any, parts: Any, smoothing: Any) -> Any: ...
    def group_losses(self, values: Any) -> Any: ...
    def group_weights(self, m: Any, smoothing: Any) -> Any: ...
    def lower_bound(self, slope: Any, W: Any, u: Any, s: Any = ...) -> Any: ...
    def parts(self, f: Any, smoothing: Any) -> Any: ...
    def pull(self, B: Any) -> Any: ...
    def ridge(self, W: Any) -> Any: ...
    def risk(self, W: Any, f: Any = ..., smoothing: Any = ...) -> Any: ...
    def risk_and_weights(self, W: Any, f: Any = ..., smoothing: Any = ...) -> Any: ...
    def risk_slope(self, u: Any, slope: Any) -> Any: ...
    @property
    def scale(self) -> Any: ...
    def scores(self, W: Any) -> Any: ...
    def small(self) -> Any: ...
    @property
    def smooth(self) -> Any: ...
    def start(self) -> Any: ...
    def value(self, W: Any, f: Any = ..., smoothing: Any = ..., parts: Any = ...) -> Any: ...
    def value_and_gradient(self, W: Any, f: Any = ..., smoothing: Any = ...) -> Any: ...
    def weighted_parts(self, W: Any, u: Any, h: Any) -> Any: ...
    def with_ones(self, rows: Any) -> Any: ...

class QuadraticMeanRegressor(RegressorMixin, BaseEstimator):
    loss: Literal["squared", "epsilon_insensitive", "quantile"]
    alpha: float
    p: float
    n_groups: int
    epsilon: float
    quantile: float
    fit_intercept: bool
    regularize_intercept: bool
    solver: Literal["auto", "newton", "lbfgs", "bundle"]
    tol: float
    max_iter: int
    coef_: NDArray[Any]
    intercept_: float
    cuts_: NDArray[Any]
    group_losses_: NDArray[Any]
    group_weights_: NDArray[Any]
    objective_: float
    duality_gap_: float
    gradient_norm_: float
    gaps_: ArrayLike
    n_iter_: int
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, *, loss: Literal["squared", "epsilon_insensitive", "quantile"] = ..., alpha: float = ..., p: float = ..., n_groups: int = ..., epsilon: float = ..., quantile: float = ..., fit_intercept: bool = ..., regularize_intercept: bool = ..., solver: Literal["auto", "newton", "lbfgs", "bundle"] = ..., tol: float = ..., max_iter: int = ...) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...

class QuadraticMeanReweighting(ClassifierMixin, BaseEstimator):
    estimator: Any
    loss: Literal["logistic", "hinge", "huber"]
    p: float
    huber_width: float
    tol: float
    max_iter: int
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    estimator_: Any
    classes_: NDArray[Any]
    class_losses_: NDArray[Any]
    class_weights_: NDArray[Any]
    duality_gap_: float
    n_iter_: int
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, estimator: Any, *, loss: Literal["logistic", "hinge", "huber"] = ..., p: float = ..., huber_width: float = ..., tol: float = ..., max_iter: int = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

class QuadraticMeanSolution:
    W: NDArray[Any]
    objective: float
    gap: float
    gradient_norm: float
    group_losses: NDArray[Any]
    group_weights: NDArray[Any]
    n_iter: int
    gaps: ArrayLike
    def __init__(self, W: Any, objective: Any, gap: Any, gradient_norm: Any, group_losses: Any, group_weights: Any, n_iter: Any, gaps: Any) -> None: ...
    @property
    def relative_gap(self) -> Any: ...
    @property
    def relative_gaps(self) -> Any: ...

class SumsSolution:
    W: NDArray[Any]
    sums: ClassSums
    objective: float
    relative_gap: float
    gradient_norm: float
    n_passes: int
    def __init__(self, W: Any, sums: Any, objective: Any, relative_gap: Any, gradient_norm: Any, n_passes: Any) -> None: ...

def classification_loss(name: Literal["logistic", "hinge", "huber"], n_classes: int = ..., huber_width: float = ...) -> Any: ...
def minimize_quadratic_mean(problem: QuadraticMeanProblem, solver: Literal["auto", "newton", "lbfgs", "bundle"] = ..., tol: float = ..., max_iter: int = ..., start: NDArray[Any] | None = ...) -> QuadraticMeanSolution: ...
def minimize_sums(evaluate: Callable[..., Any], objective: LogisticObjective | MeanObjective, n_features: int, *, start: NDArray[Any] | None = ..., tol: float = ..., max_passes: int = ...) -> SumsSolution: ...