"""Data whose features are known only as intervals, moments or replicates."""

from dataclasses import dataclass, replace

import numpy as np

from stakes.tables import PricedData

_FIELDS = ("lower", "upper", "var", "mean_lower", "mean_upper", "replicates")


@dataclass(frozen=True, eq=False)
class UncertainData(PricedData):
    """Examples with labels, costs, and what is known of the uncertainty of each feature.

    Parameters
    ----------
    lower, upper : ndarray of shape (n, d), default=None
        Support of each feature.
    var : ndarray of shape (n, d), default=None
        Variance (or a bound on it).
    mean_lower, mean_upper : ndarray of shape (n, d), default=None
        Bounds on the mean.
    replicates : ndarray of shape (n, r, d), default=None
        Repeated measurements.
    nominal : ndarray of shape (n, d), default=None
        The true points, where they are known (generated data).
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
        """What is known, by name: `model.fit(data.X, data.y, **data.uncertainty)`."""
        known = {name: getattr(self, name) for name in _FIELDS}
        return {name: value for name, value in known.items() if value is not None}

    def take(self, rows):
        """The same data set with only some of its rows, in the given order."""
        plain = super().take(rows)
        more = {
            name: value[rows]
            for name in (*_FIELDS, "nominal")
            if (value := getattr(self, name)) is not None
        }
        return replace(self, X=plain.X, y=plain.y, **plain.costs, **more)
