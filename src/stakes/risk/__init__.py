"""Tail risk: VaR and CVaR of samples, normal distributions and streams; worst-case factors."""

from stakes.risk._sample import (
    conditional_value_at_risk,
    normal_conditional_value_at_risk,
    normal_value_at_risk,
    value_at_risk,
)
from stakes.risk._streaming import StreamingCVaR
from stakes.risk._worst_case import omega

__all__ = [
    "StreamingCVaR",
    "conditional_value_at_risk",
    "normal_conditional_value_at_risk",
    "normal_value_at_risk",
    "omega",
    "value_at_risk",
]
