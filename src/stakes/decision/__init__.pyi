"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BayesDecisionClassifier",
    "BlendClassifier",
    "BudgetDecisionClassifier",
    "Capacity",
    "Decisions",
    "ThresholdCurve",
    "ThresholdDecisionClassifier",
    "adopt_fitted",
    "blend_weights",
    "decide_certified",
    "estimate_prior",
    "shift_prior",
    "threshold_curve",
]

class BayesDecisionClassifier(ClassifierMixin, BaseEstimator):
    estimator: Any
    calibration: Literal["isotonic", "sigmoid"] | None
    cv: Any
    prior: float | ArrayLike | None
    training_prior: float | ArrayLike | None
    costs_in_training: bool
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    cost_matrix: ArrayLike | None
    actions: list[Any] | None
    random_state: int | RandomState | None
    estimator_: Any
    classes_: NDArray[Any]
    prior_: NDArray[Any]
    training_prior_: NDArray[Any]
    n_features_in_: int | NDArray[Any]
    feature_names_in_: int | NDArray[Any]
    def __init__(self, estimator: Any, *, calibration: Literal["isotonic", "sigmoid"] | None = ..., cv: Any = ..., prior: float | ArrayLike | None = ..., training_prior: float | ArrayLike | None = ..., costs_in_training: bool = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., cost_matrix: ArrayLike | None = ..., actions: list[Any] | None = ..., random_state: int | RandomState | None = ...) -> None: ...
    def expected_cost(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ...) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ...) -> float: ...

class BlendClassifier(ClassifierMixin, BaseEstimator):
    estimators: Any
    alpha: float
    cv: Any
    random_state: int | RandomState | None
    estimators_: list[Any]
    weights_: NDArray[Any]
    intercept_: float
    gradient_norm_: float
    classes_: NDArray[Any]
    n_features_in_: int | NDArray[Any]
    feature_names_in_: int | NDArray[Any]
    def __init__(self, estimators: Any, *, alpha: float = ..., cv: Any = ..., random_state: int | RandomState | None = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def fit_members(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def get_params(self, deep: Any = ...) -> Any: ...
    def log_odds_terms(self) -> Any: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def set_params(self, **params: Any) -> Any: ...

class BudgetDecisionClassifier(ClassifierMixin, BaseEstimator):
    estimator: Any
    max_alerts: int | float
    review_cost: float | None
    max_reviews: int | float
    calibration: Any
    cv: Any
    prior: Any
    training_prior: Any
    costs_in_training: Any
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    cost_matrix: ArrayLike | None
    random_state: int | RandomState | None
    estimator_: Any
    classes_: Any
    prior_: Any
    training_prior_: Any
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, estimator: Any, *, max_alerts: int | float = ..., review_cost: float | None = ..., max_reviews: int | float = ..., calibration: Any = ..., cv: Any = ..., prior: Any = ..., training_prior: Any = ..., costs_in_training: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., cost_matrix: ArrayLike | None = ..., random_state: int | RandomState | None = ...) -> None: ...
    def decide(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., review_cost: float | ArrayLike | None = ..., max_alerts: int | float | None = ..., max_reviews: int | float | None = ...) -> Decisions: ...
    def expected_cost(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., max_alerts: int | float | None = ...) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def predict(self, X: Any, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., max_alerts: int | float | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ...) -> float: ...

class Capacity:
    max_alerts: int | float
    review_cost: float | ArrayLike
    max_reviews: int | float
    def __init__(self, max_alerts: int | float = ..., review_cost: float | ArrayLike | None = ..., max_reviews: int | float = ...) -> None: ...
    def act(self, probability: ArrayLike, costs: Any, periods: ArrayLike | None = ...) -> NDArray[Any]: ...
    def cut(self, decided: ArrayLike, scores: ArrayLike, periods: ArrayLike | None = ...) -> NDArray[Any]: ...
    def expected(self, costs: Any, probability: Any, action: Any) -> Any: ...
    def paid(self, costs: Any, positive: Any, action: Any) -> Any: ...
    def with_more(self, what: Any, more: Any) -> Any: ...

class Decisions:
    action: NDArray[Any]
    expected_cost: NDArray[Any]
    probability: NDArray[Any]
    def __init__(self, action: Any, expected_cost: Any, probability: Any) -> None: ...

class ThresholdCurve:
    thresholds: NDArray[Any]
    costs: NDArray[Any]
    at_stake: float
    def __init__(self, thresholds: Any, costs: Any, at_stake: Any) -> None: ...
    @property
    def best(self) -> Any: ...

class ThresholdDecisionClassifier(ClassifierMixin, BaseEstimator):
    estimator: Any
    cv: Any
    fp_cost: float
    fn_cost: float
    tp_cost: float
    tn_cost: float
    random_state: int | RandomState | None
    threshold_: float
    cost_: float
    thresholds_: NDArray[Any]
    costs_: NDArray[Any]
    estimator_: Any
    classes_: NDArray[Any]
    n_features_in_: Any
    feature_names_in_: Any
    def __init__(self, estimator: Any, *, cv: Any = ..., fp_cost: float = ..., fn_cost: float = ..., tp_cost: float = ..., tn_cost: float = ..., random_state: int | RandomState | None = ...) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> float: ...

def adopt_fitted(decider: BayesDecisionClassifier, fitted: Any, scores: ArrayLike | None = ..., y: ArrayLike | None = ...) -> BayesDecisionClassifier: ...
def blend_weights(Z: NDArray[Any], signs: NDArray[Any], alpha: float, sample_weight: NDArray[Any] | None = ...) -> Any: ...
def decide_certified(decided: ArrayLike, certificate: float | ArrayLike, *, probability: ArrayLike, review_cost: float | ArrayLike, max_reviews: int | float = ..., fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ...) -> Decisions: ...
def estimate_prior(probabilities: ArrayLike, training_prior: float | ArrayLike, *, tol: float = ..., max_iter: int = ...) -> NDArray[Any]: ...
def shift_prior(probabilities: ArrayLike, training_prior: float | ArrayLike, prior: float | ArrayLike) -> NDArray[Any]: ...
def threshold_curve(scores: ArrayLike, positive: ArrayLike, costs: Any, sample_weight: ArrayLike | None = ...) -> ThresholdCurve: ...