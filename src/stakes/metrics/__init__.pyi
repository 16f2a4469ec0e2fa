"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BootstrapInterval",
    "CalibrationCostDisplay",
    "ClassCostCurveDisplay",
    "CostCurveDisplay",
    "CumulativeCostDisplay",
    "MetricSums",
    "MinimumRisk",
    "PairedDifference",
    "ROCCostDisplay",
    "SavingsCurveDisplay",
    "SavingsCurveSums",
    "bootstrap_interval",
    "budget_cost_loss",
    "certified_cost_loss",
    "certified_error",
    "cost_loss",
    "example_costs",
    "expected_cost_loss",
    "h_measure",
    "make_cost_scorer",
    "minimum_risk",
    "nominal_error",
    "paired_bootstrap",
    "partial_auc_score",
    "risk_loss",
    "savings_score",
    "tail_cost_loss",
    "weighted_sum_score",
]

class BootstrapInterval:
    estimate: float
    low: float
    high: float
    confidence_level: float
    values: NDArray[Any]
    def __init__(self, estimate: Any, low: Any, high: Any, confidence_level: Any, values: Any) -> None: ...

class CalibrationCostDisplay:
    prob_true: NDArray[Any]
    prob_pred: NDArray[Any]
    y_prob: NDArray[Any]
    break_even: Any
    estimator_name: str | None
    line_: Any
    ax_: Any
    figure_: Any
    def __init__(self, prob_true: NDArray[Any], prob_pred: NDArray[Any], y_prob: NDArray[Any], *, break_even: Any, estimator_name: str | None = ...) -> None: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: Any = ..., pos_label: Any = ..., **options: Any) -> Any: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_prob: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., n_bins: Any = ..., strategy: Any = ..., pos_label: Any = ..., name: Any = ..., ax: Any = ..., scale: Any = ..., **line_options: Any) -> CalibrationCostDisplay: ...
    def plot(self, ax: Any = ..., *, name: str | None = ..., scale: Literal["linear", "log"] = ..., **line_options: Any) -> CalibrationCostDisplay: ...

class ClassCostCurveDisplay:
    shares: NDArray[Any]
    cost: NDArray[Any]
    constant_cost: NDArray[Any]
    of: Any
    share: float | None
    estimator_name: str | None
    line_: Any
    ax_: Any
    figure_: Any
    def __init__(self, shares: NDArray[Any], cost: NDArray[Any], constant_cost: NDArray[Any], *, of: Any, share: float | None = ..., estimator_name: str | None = ...) -> None: ...
    def cost_at(self, share: Any) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: Any = ..., labels: Any = ..., **options: Any) -> Any: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_prob: ArrayLike, *, cost_matrix: Any, of: Any, labels: ArrayLike | None = ..., actions: ArrayLike | None = ..., n_shares: int = ..., name: Any = ..., ax: Any = ..., **line_options: Any) -> ClassCostCurveDisplay: ...
    def plot(self, ax: Any = ..., *, name: str | None = ..., plot_trivial: bool = ..., **line_options: Any) -> ClassCostCurveDisplay: ...

class CostCurveDisplay:
    probability_cost: NDArray[Any]
    normalized_cost: NDArray[Any]
    operating: float | None
    estimator_name: str | None
    line_: Any
    ax_: Any
    figure_: Any
    def __init__(self, probability_cost: NDArray[Any], normalized_cost: NDArray[Any], *, operating: float | None = ..., estimator_name: str | None = ...) -> None: ...
    def cost_at(self, probability_cost: Any) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: Any = ..., pos_label: Any = ..., **options: Any) -> Any: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_score: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., pos_label: Any = ..., name: Any = ..., ax: Any = ..., **line_options: Any) -> CostCurveDisplay: ...
    def plot(self, ax: Any = ..., *, name: str | None = ..., plot_trivial: bool = ..., **line_options: Any) -> CostCurveDisplay: ...

class CumulativeCostDisplay:
    cumulative: dict[str, Any]
    never: NDArray[Any]
    always: NDArray[Any]
    lines_: dict[str, Any]
    line_: Any
    ax_: Any
    figure_: Any
    def __init__(self, cumulative: dict[str, Any], never: NDArray[Any], always: NDArray[Any]) -> None: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: Any = ..., **options: Any) -> Any: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_pred: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., pos_label: Any = ..., name: str | None = ..., ax: Any = ..., plot_trivial: Any = ..., **line_options: Any) -> CumulativeCostDisplay: ...
    def plot(self, ax: Any = ..., *, plot_trivial: bool = ..., **line_options: Any) -> CumulativeCostDisplay: ...

class MetricSums:
    metric: Callable[..., Any]
    n_boot: int
    random_state: int
    options: Any
    def __init__(self, metric: Callable[..., Any], *, n_boot: int = ..., random_state: int = ..., **options: Any) -> None: ...
    def add(self, numbers: ArrayLike, y_true: ArrayLike, y_pred: ArrayLike, **options: Any) -> Self: ...
    def interval(self, confidence_level: Any = ...) -> Any: ...
    def merge(self, other: Any) -> Any: ...

class MinimumRisk(tuple[Any, ...]):
    ...

class PairedDifference:
    p_value: float
    def __init__(self, estimate: Any, low: Any, high: Any, confidence_level: Any, values: Any, p_value: Any = ...) -> None: ...

class ROCCostDisplay:
    fpr: NDArray[Any]
    tpr: NDArray[Any]
    point: Any
    threshold: float
    cost: float
    gain: float
    harm: float
    never: float
    estimator_name: str | None
    line_: Any
    ax_: Any
    figure_: Any
    def __init__(self, fpr: NDArray[Any], tpr: NDArray[Any], *, point: Any, threshold: float, cost: float, gain: float, harm: float, never: float, estimator_name: str | None = ...) -> None: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: Any = ..., pos_label: Any = ..., **options: Any) -> Any: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_score: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., threshold: float | None = ..., pos_label: Any = ..., name: Any = ..., ax: Any = ..., **line_options: Any) -> ROCCostDisplay: ...
    def plot(self, ax: Any = ..., *, name: str | None = ..., n_lines: int = ..., **line_options: Any) -> ROCCostDisplay: ...

class SavingsCurveDisplay:
    thresholds: NDArray[Any]
    savings: NDArray[Any]
    alerts: NDArray[Any]
    estimator_name: str | None
    line_: Any
    ax_: Any
    figure_: Any
    def __init__(self, thresholds: NDArray[Any], savings: NDArray[Any], alerts: NDArray[Any], *, estimator_name: str | None = ...) -> None: ...
    @property
    def best(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: Any = ..., pos_label: Any = ..., **options: Any) -> Any: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_score: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., baseline: Literal["best", "negative", "positive"] | ArrayLike = ..., pos_label: Any = ..., name: Any = ..., ax: Any = ..., x: Any = ..., **line_options: Any) -> SavingsCurveDisplay: ...
    def plot(self, ax: Any = ..., *, name: str | None = ..., x: Literal["threshold", "alerts"] = ..., **line_options: Any) -> SavingsCurveDisplay: ...

class SavingsCurveSums:
    n_thresholds: int
    def __init__(self, n_thresholds: int = ...) -> None: ...
    def add(self, y_true: Any, y_prob: Any, **costs: Any) -> Any: ...
    def display(self, name: Any = ...) -> Any: ...
    def merge(self, other: Any) -> Any: ...

def bootstrap_interval(metric: Callable[..., Any], y_true: ArrayLike, y_pred: ArrayLike, *, n_boot: int = ..., confidence_level: float = ..., method: Literal["percentile", "bca"] = ..., random_state: int | RandomState | None = ..., **options: Any) -> BootstrapInterval: ...
def budget_cost_loss(y_true: ArrayLike, y_score: ArrayLike, *, max_alerts: int | float, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ..., normalize: bool = ...) -> float: ...
def certified_cost_loss(y_true: ArrayLike, y_pred: ArrayLike, certificate: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ..., normalize: bool = ...) -> float: ...
def certified_error(y_true: ArrayLike, y_pred: ArrayLike, certificate: ArrayLike, *, sample_weight: ArrayLike | None = ...) -> float: ...
def cost_loss(y_true: ArrayLike, y_pred: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., labels: ArrayLike | None = ..., actions: ArrayLike | None = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ..., normalize: bool = ...) -> float: ...
def example_costs(y_true: ArrayLike, y_pred: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., labels: ArrayLike | None = ..., actions: ArrayLike | None = ..., pos_label: Any = ...) -> NDArray[Any]: ...
def expected_cost_loss(y_true: ArrayLike, y_prob: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., labels: ArrayLike | None = ..., actions: ArrayLike | None = ..., pos_label: Any = ..., under: Literal["truth", "model"] = ..., sample_weight: ArrayLike | None = ..., normalize: bool = ...) -> float: ...
def h_measure(y_true: ArrayLike, y_score: ArrayLike, *, shape: Any = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ...) -> float: ...
def make_cost_scorer(metric: Callable[..., Any] | str = ..., *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., sample_weight: Any = ..., response: Literal["predict", "predict_proba", "decision_function"] | None = ..., greater_is_better: bool | None = ..., pos_label: Any = ..., **metric_options: Any) -> Any: ...
def minimum_risk(y_true: ArrayLike, y_score: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., prior: float | None = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ...) -> MinimumRisk: ...
def nominal_error(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = ...) -> float: ...
def paired_bootstrap(metric: Any, y_true: Any, y_pred: Any, y_other: ArrayLike, *, n_boot: Any = ..., confidence_level: Any = ..., method: Any = ..., random_state: Any = ..., **options: Any) -> PairedDifference: ...
def partial_auc_score(y_true: ArrayLike, y_score: ArrayLike, *, region: Literal["tpr", "tnr"] = ..., t: float = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ...) -> float: ...
def risk_loss(y_true: ArrayLike, y_pred: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., prior: float | None = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ...) -> float: ...
def savings_score(y_true: ArrayLike, y_pred: ArrayLike, *, fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., labels: ArrayLike | None = ..., actions: ArrayLike | None = ..., baseline: Literal["best", "negative", "positive"] | ArrayLike = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ...) -> float: ...
def tail_cost_loss(y_true: ArrayLike, y_pred: ArrayLike, *, tail: float = ..., fp_cost: ArrayLike | None = ..., fn_cost: ArrayLike | None = ..., tp_cost: ArrayLike | None = ..., tn_cost: ArrayLike | None = ..., cost_matrix: ArrayLike | None = ..., labels: ArrayLike | None = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ...) -> float: ...
def weighted_sum_score(y_true: ArrayLike, y_pred: ArrayLike, *, positive_weight: float = ..., pos_label: Any = ..., sample_weight: ArrayLike | None = ...) -> float: ...