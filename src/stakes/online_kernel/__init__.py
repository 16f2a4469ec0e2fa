"""Kernel online learners, with and without prices."""

from stakes.online_kernel._alma import KernelALMA
from stakes.online_kernel._anomaly import AnomalyDetector
from stakes.online_kernel._cpa import KernelCPA
from stakes.online_kernel._csduol import CSDUOLClassifier
from stakes.online_kernel._duol import DUOLClassifier
from stakes.online_kernel._pa import KernelPA
from stakes.online_kernel._paum import KernelPAUM
from stakes.online_kernel._perceptron import KernelPerceptron
from stakes.online_kernel._romma import KernelROMMA

__all__ = [
    "AnomalyDetector",
    "CSDUOLClassifier",
    "DUOLClassifier",
    "KernelALMA",
    "KernelCPA",
    "KernelPA",
    "KernelPAUM",
    "KernelPerceptron",
    "KernelROMMA",
]
