"""What predictions cost: metrics, their intervals, a scorer that carries costs, and plots."""

from stakes.metrics._cost import cost_loss, example_costs, expected_cost_loss, savings_score
from stakes.metrics._rates import MinimumRisk, minimum_risk, risk_loss, weighted_sum_score
from stakes.metrics._roc import partial_auc_score
from stakes.metrics._scorer import make_cost_scorer

__all__ = [
    "MinimumRisk",
    "cost_loss",
    "example_costs",
    "expected_cost_loss",
    "make_cost_scorer",
    "minimum_risk",
    "partial_auc_score",
    "risk_loss",
    "savings_score",
    "weighted_sum_score",
]
