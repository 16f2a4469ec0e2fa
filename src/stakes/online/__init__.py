"""Linear online learners with a cost per example."""

from stakes.online._arow import AROWClassifier
from stakes.online._cw import CWClassifier
from stakes.online._cw_cvar import CWCVaRClassifier
from stakes.online._cw_robust import CWRobustClassifier
from stakes.online._many_classes import OneVsRestStreamClassifier
from stakes.online._pa import PAClassifier
from stakes.online._perceptron import PerceptronClassifier
from stakes.online._probit import ProbitClassifier
from stakes.online._scw import SCWClassifier
from stakes.online._weight_sets import ellipsoid_of_var, polytope_of_cvar

__all__ = [
    "AROWClassifier",
    "CWCVaRClassifier",
    "CWClassifier",
    "CWRobustClassifier",
    "OneVsRestStreamClassifier",
    "PAClassifier",
    "PerceptronClassifier",
    "ProbitClassifier",
    "SCWClassifier",
    "ellipsoid_of_var",
    "polytope_of_cvar",
]
