"""What a mistake costs: one form inside for all the forms outside."""

from stakes.costs._costs import COST_NAMES, NEUTRAL_COSTS, Costs
from stakes.costs._matrix import CostMatrix
from stakes.costs._summary import CostSummary

__all__ = ["COST_NAMES", "NEUTRAL_COSTS", "CostMatrix", "CostSummary", "Costs"]
