"""Maximum-margin classification of uncertain measurements, with certified predictions."""

from stakes.uncertain._formulations import uncertainty_set
from stakes.uncertain._margin import UncertainMarginClassifier
from stakes.uncertain._moments import Moments, moments_from_replicates
from stakes.uncertain._nu import bernstein_nu
from stakes.uncertain._scaler import UncertainScaler
from stakes.uncertain._sets import Box, Ellipsoid, Intersection, MeanIntervalEllipsoid

__all__ = [
    "Box",
    "Ellipsoid",
    "Intersection",
    "MeanIntervalEllipsoid",
    "Moments",
    "UncertainMarginClassifier",
    "UncertainScaler",
    "bernstein_nu",
    "moments_from_replicates",
    "uncertainty_set",
]
