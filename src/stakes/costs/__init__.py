"""Costs of decisions: every form the caller may give, in one internal form."""

from stakes.costs._costs import COST_NAMES, NEUTRAL_COSTS, Costs
from stakes.costs._matrix import CostMatrix
from stakes.costs._summary import CostSummary

__all__ = ["COST_NAMES", "NEUTRAL_COSTS", "CostMatrix", "CostSummary", "Costs"]
