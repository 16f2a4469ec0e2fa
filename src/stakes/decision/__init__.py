"""From scores to actions: expected cost, thresholds, alert budgets, review zones, prior shift."""

from stakes.decision._bayes import BayesDecisionClassifier
from stakes.decision._blend import BlendClassifier
from stakes.decision._budget import BudgetDecisionClassifier, Decisions
from stakes.decision._certified import decide_certified
from stakes.decision._cost_curve import ThresholdCurve, threshold_curve
from stakes.decision._prior import estimate_prior, shift_prior
from stakes.decision._threshold import ThresholdDecisionClassifier

__all__ = [
    "BayesDecisionClassifier",
    "BlendClassifier",
    "BudgetDecisionClassifier",
    "Decisions",
    "ThresholdCurve",
    "ThresholdDecisionClassifier",
    "decide_certified",
    "estimate_prior",
    "shift_prior",
    "threshold_curve",
]
