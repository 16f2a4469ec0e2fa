"""Information on uncertain points: support, moments and bounds on them."""

from dataclasses import dataclass, fields
from numbers import Real

import numpy as np
from scipy import stats

from stakes._core.sklearn_private import Interval, validate_params


@dataclass(frozen=True, eq=False)
class Moments:
    """Partial information on n uncertain points; None where it is unknown.

    Parameters
    ----------
    mean : ndarray of shape (n, d)
        Means, or estimates of them.
    lower, upper : ndarray of shape (n, d) or None
        Support.
    var : ndarray of shape (n, d) or None
        Variances.
    mean_lower, mean_upper : ndarray of shape (n, d) or None
        Bounds on the means.
    var_upper : ndarray of shape (n, d) or None
        Bounds on the variances.
    cov : ndarray of shape (n, d, d) or None
        Covariance matrices; None: errors of different features are independent, or nothing is
        known about their correlation.
    mean_known : bool, default=True
        False if the point is only known to be in its support, so that `mean` is just its middle.
    """

    mean: np.ndarray
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    var: np.ndarray | None = None
    mean_lower: np.ndarray | None = None
    mean_upper: np.ndarray | None = None
    var_upper: np.ndarray | None = None
    cov: np.ndarray | None = None
    mean_known: bool = True

    def __len__(self):
        return len(self.mean)

    def take(self, rows):
        """Information on some of the points."""
        given = ((f.name, getattr(self, f.name)) for f in fields(self))
        given = {n: a[rows] if isinstance(a, np.ndarray) else a for n, a in given}
        return Moments(**given)

    def keywords(self):
        """The known parts except the mean, as keyword arguments of `fit`."""
        names = ("lower", "upper", "var", "cov", "mean_lower", "mean_upper")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@validate_params(
    {
        "replicates": ["array-like"],
        "confidence_level": [Interval(Real, 0, 1, closed="neither")],
        "joint": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def moments_from_replicates(replicates, confidence_level=0.95, joint=False):
    r"""Support, moments and bounds on the moments from repeated measurements.

    With r replicates of mean :math:`\bar x` and variance :math:`s^2` and the confidence level
    :math:`\gamma`, per feature:

    .. math:: |\mu - \bar x| \le \sqrt{\frac{p(r-1)}{r-p}F_{p,r-p}(\gamma)}\; \frac{s}{\sqrt r},
              \qquad \sigma^2 \le \frac{(r-1)s^2}{\chi^2_{r-1}(1 - \gamma)} .

    Parameters
    ----------
    replicates : array-like of shape (n, r, d)
        r measurements of each of n points; NaN where a replicate is missing.
    confidence_level : float, default=0.95
        Confidence level of each bound for Gaussian measurements.
    joint : bool, default=False
        True: Hotelling's intervals, which hold jointly for all p = d features and need more
        replicates than features. False: Student's interval of each feature, p = 1.

    Returns
    -------
    Moments
        The support is the range of the replicates; bounds on the means stay inside it, and
        bounds on the variances below what the support allows.

    Notes
    -----
    The paper names Hotelling's statistic but has three replicates of 166 features, for which the
    joint interval does not exist; it can only have meant `joint=False` there.

    The range of a few replicates is not a true support, and a certificate from these moments
    holds for the moments, not for the instrument: of three Gaussian measurements, the next one is
    outside the range with probability 1/2. `predict_certificate` with `replicates` therefore does
    not use them; it projects the replicates on the weights.

    Examples
    --------
    >>> known = moments_from_replicates([[[1.0], [2.0], [3.0]]])
    >>> known.mean, known.var, known.lower, known.mean_upper
    (array([[2.]]), array([[1.]]), array([[1.]]), array([[3.]]))
    >>> known.var_upper
    array([[1.]])
    """
    R = np.asarray(replicates, dtype=np.float64)
    if R.ndim != 3:
        raise ValueError(
            f"replicates must have shape (n, r, d): r measurements of each of n examples. "
            f"Got shape {R.shape} instead."
        )
    there = ~np.isnan(R)
    count = there.sum(axis=1)
    if count.min(initial=1) < 1 or np.isinf(R).any():
        raise ValueError("Each feature needs at least one finite replicate in every example.")
    p = R.shape[2] if joint else 1
    if joint and count.min() <= p:
        raise ValueError(
            f"Joint intervals for {p} features need more than {p} replicates of each. Got "
            f"{count.min()} instead; use joint=False or more replicates."
        )
    mean = np.where(there, R, 0).sum(axis=1) / count
    lower = np.where(there, R, np.inf).min(axis=1)
    upper = np.where(there, R, -np.inf).max(axis=1)
    mean = np.clip(mean, lower, upper)
    squares = (np.where(there, R - mean[:, None, :], 0) ** 2).sum(axis=1)
    freedom = np.maximum(count - 1, 1)
    # the largest variance of a distribution on [lower, upper] with this mean
    most = (upper - mean) * (mean - lower)
    var = np.minimum(squares / freedom, np.where(count > 1, np.inf, 0))
    rest = np.maximum(count - p, 1)
    factor = p * freedom / rest * stats.f.ppf(confidence_level, p, rest)
    reach = np.sqrt(factor * var / count)
    var_upper = freedom * var / stats.chi2.ppf(1 - confidence_level, freedom)
    return Moments(
        mean,
        lower,
        upper,
        np.minimum(var, most),
        np.maximum(mean - reach, lower),
        np.minimum(mean + reach, upper),
        np.minimum(var_upper, ((upper - lower) / 2) ** 2),
    )


def covariances_from_replicates(replicates):
    r"""Shrunken covariance matrices of repeated measurements, one per point.

    .. math:: \hat\Sigma_i = \frac{(r_i - 1) S_i + (d + 1) \bar S}{r_i + d} ,

    where :math:`S_i` is the sample covariance of point i and :math:`\bar S` the pooled one of all
    points, with its off-diagonal entries shrunk by :math:`N/(N + d)` for N degrees of freedom.
    Replicates with a missing feature are ignored; a point with a single one has the pooled matrix.

    Parameters
    ----------
    replicates : array-like of shape (n, r, d)
        r measurements of each of n points; NaN where a replicate is missing.

    Returns
    -------
    ndarray of shape (n, d, d)

    Examples
    --------
    >>> covariances_from_replicates([[[1.0], [2.0], [3.0]], [[0.0], [2.0], [4.0]]]).ravel()
    array([1.75, 3.25])
    """
    R = np.asarray(replicates, np.float64)
    whole = ~np.isnan(R).any(axis=2)
    count = np.maximum(whole.sum(axis=1), 1)
    away = np.where(whole[:, :, None], R, 0.0)
    away = np.where(whole[:, :, None], away - (away.sum(axis=1) / count[:, None])[:, None], 0.0)
    products = np.einsum("nrj,nrk->njk", away, away)
    freedom, d = max(int((count - 1).sum()), 1), R.shape[2]
    pooled = products.sum(axis=0) / freedom
    keep = np.where(np.eye(d, dtype=bool), 1.0, freedom / (freedom + d))
    return (products + (d + 1) * pooled * keep) / (count + d)[:, None, None]
