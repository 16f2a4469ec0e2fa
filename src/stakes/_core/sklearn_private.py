"""The one door to scikit-learn's private names; nothing else in stakes imports them."""

from sklearn.base import _fit_context as fit_context
from sklearn.calibration import _fit_calibrator as fit_calibrator
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.tree._tree import NODE_DTYPE
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._available_if import _AvailableIfDescriptor as AvailableIf
from sklearn.utils._metadata_requests import UNCHANGED
from sklearn.utils._metadata_requests import _routing_enabled as routing_enabled
from sklearn.utils._param_validation import (
    HasMethods,
    Hidden,
    Interval,
    InvalidParameterError,
    Options,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
    validate_params,
)
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _num_samples as num_samples

__all__ = [
    "NODE_DTYPE",
    "PREDICTOR_RECORD_DTYPE",
    "UNCHANGED",
    "AvailableIf",
    "BaseComposition",
    "HasMethods",
    "Hidden",
    "Interval",
    "InvalidParameterError",
    "Options",
    "RealNotInt",
    "StrOptions",
    "check_sample_weight",
    "fit_calibrator",
    "fit_context",
    "num_samples",
    "routing_enabled",
    "safe_indexing",
    "validate_parameter_constraints",
    "validate_params",
]
