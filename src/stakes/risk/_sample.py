"""VaR and CVaR of a sample and of a normal distribution."""

from numbers import Real

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes._core.words import shown
from stakes.risk._worst_case import omega


def value_at_risk(values, tail, side="upper", *, sample_weight=None):
    r"""Smallest value that at most a share `tail` of the sample exceeds (value at risk).

    .. math:: VaR = \min\{v : P(V > v) \le tail\}

    Parameters
    ----------
    values : array-like of shape (n,)
        The sample, such as the costs of single decisions.
    tail : float
        Share of the sample in the tail, in (0, 1].
    side : {"upper", "lower"}, default="upper"
        Whether large or small values are bad; "lower" is minus the upper VaR of -values.
    sample_weight : array-like of shape (n,), default=None
        Weights of the values; None: all equal.

    Returns
    -------
    float

    Examples
    --------
    >>> value_at_risk(range(1, 101), tail=0.05)
    95.0
    """
    values, weights = _descending(values, tail, side, sample_weight)
    room = tail * weights.sum()
    above = np.concatenate([[0.0], np.cumsum(weights)[:-1]])
    # equal values have the same weight strictly above them, that of the first; the slack lets
    # in a share that exceeds `tail` by rounding only (0.29 of 100)
    first = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    fits = above[first] <= room * (1 + 1e-12)
    return _signed(values[first][fits][-1], side)


def conditional_value_at_risk(values, tail, side="upper", *, sample_weight=None):
    r"""Mean of the worst share `tail` of the sample (CVaR, expected shortfall).

    .. math:: CVaR = \min_v\ v + \frac{1}{tail} E[(V - v)_+]

    The boundary value counts with the fraction that fits into the tail, so the result is
    continuous in `tail`, at least the VaR, and equal to the mean at `tail=1`.

    Parameters
    ----------
    values, tail, side, sample_weight
        As in :func:`value_at_risk`.

    Returns
    -------
    float

    References
    ----------
    R. T. Rockafellar, S. Uryasev. "Conditional value-at-risk for general loss distributions".
    Journal of Banking & Finance 26, 2002.

    Examples
    --------
    >>> conditional_value_at_risk([1, 2, 3, 10], tail=0.375)
    7.666...
    """
    values, weights = _descending(values, tail, side, sample_weight)
    room = tail * weights.sum()
    below = np.concatenate([[0.0], np.cumsum(weights)])
    inside = np.diff(np.minimum(below, room))  # weight of each value that lies in the tail
    last = int(np.flatnonzero(inside > 0)[-1])
    mean = inside @ values / inside.sum()
    # rounding must not push the mean out of the range of the values it averages
    return _signed(min(max(mean, values[last]), values[0]), side)


def normal_value_at_risk(mean, std, tail, side="upper"):
    """VaR of normal distributions.

    Parameters
    ----------
    mean, std : float or array-like
        Means and standard deviations.
    tail, side
        As in :func:`value_at_risk`.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> round(float(normal_value_at_risk(0, 1, tail=0.05)), 4)
    1.6449
    """
    _check(tail, side)
    sign = 1.0 if side == "upper" else -1.0
    return np.asarray(mean) - sign * _deviation(std) * ndtri(tail)


def normal_conditional_value_at_risk(mean, std, tail, side="upper"):
    r"""CVaR of normal distributions, :math:`\mu \pm \sigma\,\varphi(\Phi^{-1}(tail))/tail`.

    Parameters
    ----------
    mean, std : float or array-like
        Means and standard deviations.
    tail, side
        As in :func:`value_at_risk`.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> round(float(normal_conditional_value_at_risk(0, 1, tail=0.05)), 4)
    2.0627
    """
    _check(tail, side)
    sign = 1.0 if side == "upper" else -1.0
    return np.asarray(mean) + sign * _deviation(std) * omega(tail, "gaussian")


def _descending(values, tail, side, sample_weight):
    """Values of positive weight, worst first, with the sign that makes large values bad."""
    _check(tail, side)
    values = np.asarray(column_or_1d(values), dtype=np.float64)
    if sample_weight is None:
        weights = np.ones(len(values))
    else:
        weights = np.asarray(column_or_1d(sample_weight), dtype=np.float64)
        check_consistent_length(values, weights)
        if not (weights >= 0).all():
            raise ValueError("sample_weight must not contain negative or missing values.")
        values, weights = values[weights > 0], weights[weights > 0]
    if len(values) == 0:
        raise ValueError(
            "values is empty or has no positive weight; a tail needs at least one value."
        )
    if np.isnan(values).any():
        raise ValueError("values contains missing values; drop them first.")
    bad = values if side == "upper" else -values
    order = np.argsort(-bad, kind="stable")
    return bad[order], weights[order]


def _signed(value, side):
    return float(value if side == "upper" else -value)


def _deviation(std):
    std = np.asarray(std, dtype=np.float64)
    if not (std >= 0).all():
        raise ValueError("std must not be negative or missing.")
    return std


def _check(tail, side):
    if not (isinstance(tail, Real) and 0 < tail <= 1):
        raise ValueError(f"tail must be a share in (0, 1]. Got {shown(tail)} instead.")
    if side not in ("upper", "lower"):
        raise ValueError(f"side must be 'upper' or 'lower'. Got {side!r} instead.")
