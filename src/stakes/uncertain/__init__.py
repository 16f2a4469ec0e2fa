"""Maximum-margin classification of uncertain measurements, with certified predictions."""

from stakes.uncertain._formulations import uncertainty_set
from stakes.uncertain._logistic import UncertainLogisticClassifier
from stakes.uncertain._margin import UncertainMarginClassifier
from stakes.uncertain._moments import (
    Moments,
    covariances_from_replicates,
    moments_from_replicates,
)
from stakes.uncertain._nu import bernstein_nu
from stakes.uncertain._one_vs_rest import UncertainOneVsRestClassifier
from stakes.uncertain._pipeline import UncertainPipeline
from stakes.uncertain._scaler import UncertainScaler
from stakes.uncertain._scorer import make_certified_scorer
from stakes.uncertain._sets import Box, Ellipsoid, Intersection, MeanIntervalEllipsoid

__all__ = [
    "Box",
    "Ellipsoid",
    "Intersection",
    "MeanIntervalEllipsoid",
    "Moments",
    "UncertainLogisticClassifier",
    "UncertainMarginClassifier",
    "UncertainOneVsRestClassifier",
    "UncertainPipeline",
    "UncertainScaler",
    "bernstein_nu",
    "covariances_from_replicates",
    "make_certified_scorer",
    "moments_from_replicates",
    "uncertainty_set",
]
