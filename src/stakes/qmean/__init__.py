"""Quadratic-mean learning for skewed classes and targets."""

from stakes.qmean._classifier import QuadraticMeanClassifier
from stakes.qmean._kernel import KernelQuadraticMeanClassifier
from stakes.qmean._regressor import QuadraticMeanRegressor

__all__ = [
    "KernelQuadraticMeanClassifier",
    "QuadraticMeanClassifier",
    "QuadraticMeanRegressor",
]
