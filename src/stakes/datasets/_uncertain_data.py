"""Data whose features are intervals, moments or repeated measurements."""

from dataclasses import dataclass, replace

import numpy as np

from stakes.tables import PricedData

_FIELDS = ("lower", "upper", "var", "mean_lower", "mean_upper", "replicates")


@dataclass(frozen=True, eq=False)
class UncertainData(PricedData):
    """Data with labels, costs and the uncertainty of each feature.

    Parameters
    ----------
    lower, upper : ndarray of shape (n, d), default=None
        Support of each feature.
    var : ndarray of shape (n, d), default=None
        Variance of each feature, or a bound on it.
    mean_lower, mean_upper : ndarray of shape (n, d), default=None
        Bounds on the mean.
    replicates : ndarray of shape (n, r, d), default=None
        Repeated measurements.
    nominal : ndarray of shape (n, d), default=None
        True points, if known (generated data).
    **others
        As in :class:`PricedData`.
    """

    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    var: np.ndarray | None = None
    mean_lower: np.ndarray | None = None
    mean_upper: np.ndarray | None = None
    replicates: np.ndarray | None = None
    nominal: np.ndarray | None = None

    @property
    def uncertainty(self):
        """The arrays that are known, for `model.fit(data.X, data.y, **data.uncertainty)`."""
        known = {name: getattr(self, name) for name in _FIELDS}
        return {name: value for name, value in known.items() if value is not None}

    def _take(self, rows):
        arrays = {name: getattr(self, name) for name in (*_FIELDS, "nominal")}
        taken = {name: value[rows] for name, value in arrays.items() if value is not None}
        return replace(super()._take(rows), **taken)
