"""Quadratic-mean learning for skewed classes and targets."""

from stakes.qmean._classifier import QuadraticMeanClassifier
from stakes.qmean._kernel import KernelQuadraticMeanClassifier
from stakes.qmean._objective import QuadraticMeanObjective
from stakes.qmean._regressor import QuadraticMeanRegressor
from stakes.qmean._reweighting import QuadraticMeanReweighting

__all__ = [
    "KernelQuadraticMeanClassifier",
    "QuadraticMeanClassifier",
    "QuadraticMeanObjective",
    "QuadraticMeanRegressor",
    "QuadraticMeanReweighting",
]
