"""Cost-sensitive support vector machines."""

from stakes.svm._biased import BiasedPenaltySVC
from stakes.svm._boundary import BoundaryMovementSVC
from stakes.svm._cost_sensitive import CostSensitiveSVC
from stakes.svm._linear import LinearCostSensitiveSVC
from stakes.svm._penalties import weighted_equivalent

__all__ = [
    "BiasedPenaltySVC",
    "BoundaryMovementSVC",
    "CostSensitiveSVC",
    "LinearCostSensitiveSVC",
    "weighted_equivalent",
]
