"""From scores to decisions: expected cost, thresholds, alert budgets, reviews, prior shift."""

from stakes.decision._adopted import adopt_fitted
from stakes.decision._bayes import BayesDecisionClassifier
from stakes.decision._blend import BlendClassifier, blend_weights
from stakes.decision._budget import BudgetDecisionClassifier, Decisions
from stakes.decision._capacity import Capacity
from stakes.decision._certified import decide_certified
from stakes.decision._prior import estimate_prior, shift_prior
from stakes.decision._threshold import (
    ThresholdCurve,
    ThresholdDecisionClassifier,
    threshold_curve,
)

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
