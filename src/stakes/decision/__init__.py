"""From scores to actions: expected cost, thresholds, alert budgets, review zones, prior shift."""

from stakes.decision._bayes import BayesDecisionClassifier
from stakes.decision._prior import estimate_prior, shift_prior

__all__ = ["BayesDecisionClassifier", "estimate_prior", "shift_prior"]
