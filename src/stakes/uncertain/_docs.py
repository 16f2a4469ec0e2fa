"""What is known of uncertain measurements, and the paper: written once for all docstrings."""

from stakes._core.docs import documented as _documented

UNCERTAINTY = """\
lower, upper : array-like of shape (n, d), default=None
    Support of each measurement.
var, std : float, or array-like of shape (d,) or (n, d), default=None
    Variances or standard deviations of the errors, for all, per feature, or per entry.
cov : array-like of shape (d, d) or (n, d, d), default=None
    Covariance matrices, if errors of different features are correlated.
mean_lower, mean_upper : array-like of shape (n, d), default=None
    Bounds on the means.
replicates : array-like of shape (n, r, d), default=None
    Repeated measurements, from which everything that is not given is estimated.
"""
TRAINING = """\
X : array-like of shape (n, d) or None
    Measurements; NaN is missing. None: the mean of the replicates or the middle of the support.
    Without any of the following, the measurements are exact.
y : array-like of shape (n,)
    Labels of two classes.
"""
LEARNED = """\
missing_ : MissingAsSet
    Support and moments of the features, used for missing entries.
population_ : Population
    Mean and covariance of the true points, for classical errors only.
classes_ : ndarray of shape (2,)
    Class labels; `classes_[1]` is the positive class.
"""
MEASURED = """\
X : array-like of shape (n, d)
    Measurements.
"""
X = """\
X : array-like of shape (n, d) or None
    Measurements; None: as in `fit`.
"""
INFORMATION = """\
**information : array-like
    Uncertainty of the measurements by name, as in `fit`: `lower`, `upper`, `var`, `std`, `cov`,
    `mean_lower`, `mean_upper`, `replicates`. Data frames are matched to X by name.
"""
PAPER = """\
.. [1] A. Ben-Tal, S. Bhadra, C. Bhattacharyya, J. S. Nath. "Chance Constrained Uncertain
   Classification via Robust Optimization". Mathematical Programming 127, 2011.
"""
DIRECTIONS = """\
directions : array-like of shape (d,) or (n, d)
    One direction for all sets, or one per set.
"""
ERROR_MODEL = """\
error_model : {"berkson", "classical"}, default="berkson"
    What an error bar means. "berkson": the true point is random around the given mean, as a
    set-point that an instrument misses, or another draw from what was sampled. "classical": the
    measurement is the true point plus an error, so the truth is expected nearer to the population,
    which is learned in `fit`; certificates then assume Gaussian true points and errors.
"""
INDEPENDENT = """\
independent : bool, default=True
    Whether errors of different features are independent if no covariances are given. If False,
    certificates hold for every correlation, and formulations with a Bernstein bound are refused.
"""
documented = _documented(
    {
        "error_model": ERROR_MODEL,
        "independent": INDEPENDENT,
        "uncertainty": UNCERTAINTY,
        "training": TRAINING,
        "learned": LEARNED,
        "measured": MEASURED,
        "X": X,
        "information": INFORMATION,
        "paper": PAPER,
        "directions": DIRECTIONS,
    }
)
