"""Costs of decisions: every form the caller may give, in one internal form."""

from stakes.costs._costs import COST_NAMES, NEUTRAL_COSTS, Costs
from stakes.costs._matrix import LARGEST_COST, CostMatrix, in_class_order, matrix_labels
from stakes.costs._summary import CostSummary

__all__ = [
    "COST_NAMES",
    "LARGEST_COST",
    "NEUTRAL_COSTS",
    "CostMatrix",
    "CostSummary",
    "Costs",
    "in_class_order",
    "matrix_labels",
]
