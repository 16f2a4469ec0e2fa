"""Cost of decisions: metrics, bootstrap intervals, a cost-sensitive scorer, and plots."""

from stakes.metrics._bootstrap import (
    BootstrapInterval,
    PairedDifference,
    bootstrap_interval,
    paired_bootstrap,
)
from stakes.metrics._calibration import CalibrationCostDisplay
from stakes.metrics._certified import certified_cost_loss, certified_error, nominal_error
from stakes.metrics._class_cost_curve import ClassCostCurveDisplay
from stakes.metrics._cost import cost_loss, example_costs, expected_cost_loss, savings_score
from stakes.metrics._cost_curve import CostCurveDisplay
from stakes.metrics._cumulative import CumulativeCostDisplay
from stakes.metrics._one_pass import MetricSums, SavingsCurveSums
from stakes.metrics._rates import MinimumRisk, minimum_risk, risk_loss, weighted_sum_score
from stakes.metrics._roc import h_measure, partial_auc_score
from stakes.metrics._roc_cost import ROCCostDisplay
from stakes.metrics._savings_curve import SavingsCurveDisplay
from stakes.metrics._scorer import make_cost_scorer
from stakes.metrics._tail import budget_cost_loss, tail_cost_loss

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
