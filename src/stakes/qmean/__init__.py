"""Quadratic-mean learning for imbalanced classes and skewed targets."""

from stakes.qmean._class_sums import (
    ClassSums,
    LogisticObjective,
    MeanObjective,
    SumsSolution,
    minimize_sums,
)
from stakes.qmean._classifier import QuadraticMeanClassifier
from stakes.qmean._kernel import KernelQuadraticMeanClassifier
from stakes.qmean._losses import classification_loss
from stakes.qmean._objective import QuadraticMeanObjective
from stakes.qmean._problem import QuadraticMeanProblem
from stakes.qmean._regressor import QuadraticMeanRegressor
from stakes.qmean._reweighting import QuadraticMeanReweighting
from stakes.qmean._solve import QuadraticMeanSolution, minimize_quadratic_mean

__all__ = [
    "ClassSums",
    "KernelQuadraticMeanClassifier",
    "LogisticObjective",
    "MeanObjective",
    "QuadraticMeanClassifier",
    "QuadraticMeanObjective",
    "QuadraticMeanProblem",
    "QuadraticMeanRegressor",
    "QuadraticMeanReweighting",
    "QuadraticMeanSolution",
    "SumsSolution",
    "classification_loss",
    "minimize_quadratic_mean",
    "minimize_sums",
]
