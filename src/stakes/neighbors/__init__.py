"""Class-confidence-weighted nearest neighbours."""

from stakes.neighbors._classifier import ConfidenceNeighborsClassifier
from stakes.neighbors._mixture import MixtureConfidence

__all__ = ["ConfidenceNeighborsClassifier", "MixtureConfidence"]
