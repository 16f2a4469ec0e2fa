"""Nearest neighbors weighted by class confidence."""

from stakes.neighbors._bayes_net import BayesNetConfidence
from stakes.neighbors._classifier import ConfidenceNeighborsClassifier
from stakes.neighbors._mixture import MixtureConfidence

__all__ = ["BayesNetConfidence", "ConfidenceNeighborsClassifier", "MixtureConfidence"]
