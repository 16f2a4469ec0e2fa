"""Base of cost-sensitive learners, for learners of your own."""

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, ManyClassClassifier

__all__ = ["CostSensitiveClassifier", "LearnerInfo", "ManyClassClassifier"]
