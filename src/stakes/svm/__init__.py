"""Cost-sensitive support vector machines, and the losses they come from."""

from stakes.svm._biased import BiasedPenaltySVC
from stakes.svm._boost import CostSensitiveBoost
from stakes.svm._boundary import BoundaryMovementSVC, best_threshold
from stakes.svm._certificate import DualSolution
from stakes.svm._consistency import ConsistencyReport, check_consistency
from stakes.svm._cost_sensitive import CostSensitiveSVC
from stakes.svm._dual import solve_dual
from stakes.svm._kernel_svc import DualView
from stakes.svm._linear import LinearCostSensitiveSVC
from stakes.svm._losses import (
    MarginLoss,
    bp_hinge_loss,
    cs_exponential_loss,
    cs_hinge_loss,
    cs_logistic_loss,
    elicit_loss,
)
from stakes.svm._pairwise import PairwiseSVC
from stakes.svm._path import KappaPath, kappa_path
from stakes.svm._penalties import weighted_equivalent

__all__ = [
    "BiasedPenaltySVC",
    "BoundaryMovementSVC",
    "ConsistencyReport",
    "CostSensitiveBoost",
    "CostSensitiveSVC",
    "DualSolution",
    "DualView",
    "KappaPath",
    "LinearCostSensitiveSVC",
    "MarginLoss",
    "PairwiseSVC",
    "best_threshold",
    "bp_hinge_loss",
    "check_consistency",
    "cs_exponential_loss",
    "cs_hinge_loss",
    "cs_logistic_loss",
    "elicit_loss",
    "kappa_path",
    "solve_dual",
    "weighted_equivalent",
]
