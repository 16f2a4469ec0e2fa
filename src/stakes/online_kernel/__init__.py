"""Kernel online learners, with and without costs."""

from stakes.online_kernel._alma import KernelALMAClassifier
from stakes.online_kernel._anomaly import AnomalyDetector
from stakes.online_kernel._cpa import KernelCPAClassifier
from stakes.online_kernel._csduol import CSDUOLClassifier
from stakes.online_kernel._duol import DUOLClassifier
from stakes.online_kernel._kernel_features import KernelFeaturesClassifier
from stakes.online_kernel._pa import KernelPAClassifier
from stakes.online_kernel._paum import KernelPAUMClassifier
from stakes.online_kernel._perceptron import KernelPerceptronClassifier
from stakes.online_kernel._romma import KernelROMMAClassifier

__all__ = [
    "AnomalyDetector",
    "CSDUOLClassifier",
    "DUOLClassifier",
    "KernelALMAClassifier",
    "KernelCPAClassifier",
    "KernelFeaturesClassifier",
    "KernelPAClassifier",
    "KernelPAUMClassifier",
    "KernelPerceptronClassifier",
    "KernelROMMAClassifier",
]
