"""What is known of uncertain measurements, and the paper: written once for all docstrings."""

from stakes._core.docs import documented as _documented

UNCERTAINTY = """\
lower, upper : array-like of shape (n, d), default=None
    Support of each measurement.
var : array-like of shape (n, d) or (n, d, d), default=None
    Variances, or for MM-MC covariance matrices.
mean_lower, mean_upper : array-like of shape (n, d), default=None
    Bounds on the means.
replicates : array-like of shape (n, r, d), default=None
    Repeated measurements, from which everything that is not given is estimated.
"""
X = """\
X : array-like of shape (n, d) or None
    Measurements; None: as in `fit`.
"""
INFORMATION = """\
**information : array-like
    Uncertainty of the measurements by name, as in `fit`: `lower`, `upper`, `var`, `mean_lower`,
    `mean_upper`, `replicates`.
"""
PAPER = """\
.. [1] A. Ben-Tal, S. Bhadra, C. Bhattacharyya, J. S. Nath. "Chance Constrained Uncertain
   Classification via Robust Optimization". Mathematical Programming 127, 2011.
"""
DIRECTIONS = """\
directions : array-like of shape (d,) or (n, d)
    One direction for all sets, or one per set.
"""
documented = _documented(
    {
        "uncertainty": UNCERTAINTY,
        "X": X,
        "information": INFORMATION,
        "paper": PAPER,
        "directions": DIRECTIONS,
    }
)
