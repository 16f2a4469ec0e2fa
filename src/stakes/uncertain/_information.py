"""Validation of the uncertainty given to `fit` and `predict`."""

from dataclasses import replace

import numpy as np

from stakes._core.stored.spec import Array
from stakes.uncertain._frames import as_arrays, as_numbers
from stakes.uncertain._moments import Moments, moments_from_replicates

NAMES = ("lower", "upper", "var", "std", "cov", "mean_lower", "mean_upper", "replicates")


def present(**given):
    """What was given.

    Examples
    --------
    >>> present(var=1.0, cov=None)
    {'var': 1.0}
    """
    return {name: value for name, value in given.items() if value is not None}


def read_information(X, *, values=None, confidence_level=0.95, columns=None, **given):
    """Validate the arguments of `fit` and `predict` and return `Moments`.

    X is the mean; None: the mean of the replicates or the middle of the support, which is not a
    known mean; `values` are those of X, already checked. NaN entries are kept for
    :class:`MissingAsSet`. Data frames are matched by name; `columns` are the names of the features
    if X has none.
    """
    unknown = sorted(given.keys() - set(NAMES))
    if unknown:
        raise TypeError(f"Unknown argument {unknown[0]!r}; use {', '.join(NAMES)}.")
    given = as_arrays(X, given, columns)
    X = values if values is not None or X is None else as_numbers(X)
    replicates = given.pop("replicates", None)
    known_mean = X is not None or replicates is not None
    if not known_mean:
        X = _middle(given)
        if "mean_lower" not in given:
            given |= dict(mean_lower=given["lower"], mean_upper=given["upper"])
    given = _one_spread(given, np.shape(X if replicates is None else replicates[:, 0]))
    if replicates is not None:
        known = moments_from_replicates(replicates, confidence_level)
        if "var" in given:
            known = replace(known, var_upper=given["var"])
        known = replace(known, **given)
        if X is not None:
            _check_shape("replicates", known.mean, X.shape)
            known = replace(known, mean=X)
    else:
        known = Moments(X, **given, var_upper=given.get("var"), mean_known=known_mean)
    return _checked(known)


def _middle(given):
    """Where to place points without a mean; their mean may be anywhere in the support."""
    for pair in (("mean_lower", "mean_upper"), ("lower", "upper")):
        if all(name in given for name in pair):
            return (given[pair[0]] + given[pair[1]]) / 2
    raise ValueError("X=None needs replicates, or lower and upper, to locate the points.")


def _one_spread(given, shape):
    """`var`, `std` or `cov` in any form, as variances and possibly covariances per point."""
    forms = [name for name in ("var", "std", "cov") if name in given]
    if len(forms) > 1:
        raise ValueError(f"Give one of var, std and cov. Got {' and '.join(forms)}.")
    if not forms:
        return given
    name, n, d = forms[0], shape[0], shape[-1]
    array, rest = given[name], {k: a for k, a in given.items() if k != forms[0]}
    if name == "cov" or (name == "var" and array.ndim == 3):
        if array.shape not in ((d, d), (n, d, d)):
            raise ValueError(
                f"{name} must be a covariance matrix of shape {(d, d)}, or one per example, of "
                f"shape {(n, d, d)}. Got shape {array.shape} instead."
            )
        cov = np.broadcast_to(array, (n, d, d))
        _check_covariance(name, array.reshape(-1, d, d))
        return rest | {"cov": cov, "var": np.diagonal(cov, axis1=1, axis2=2).copy()}
    if array.ndim == 0 or array.shape == (d,):
        array = np.broadcast_to(array, shape)
    _check_shape(name, array, shape)
    if (array < 0).any():
        row = int((array < 0).any(axis=1).argmax())
        raise ValueError(f"{name} is negative in row {row}.")
    return rest | {"var": array**2 if name == "std" else np.array(array)}


def _check_covariance(name, cov):
    if not np.isfinite(cov).all():
        raise ValueError(f"{name} has missing or infinite covariances.")
    size = np.abs(cov).max(axis=(1, 2))
    skew = np.abs(cov - np.swapaxes(cov, 1, 2)).max(axis=(1, 2)) > 1e-8 * size
    if skew.any():
        raise ValueError(f"{name} is not symmetric in row {int(skew.argmax())}.")
    least = np.linalg.eigvalsh(cov)[:, 0] if cov.shape[1] else size
    if (least < -1e-8 * size).any():
        row = int((least < -1e-8 * size).argmax())
        raise ValueError(
            f"{name} is not a covariance matrix in row {row}: it has a negative eigenvalue."
        )


def _checked(known):
    shape = known.mean.shape
    for name in ("lower", "upper", "var", "mean_lower", "mean_upper"):
        array = getattr(known, name)
        if array is None:
            continue
        _check_shape(name, array, shape)
        if np.isinf(array).any():
            raise ValueError(f"{name} has infinite values; omit it if it is unknown.")
        hole = np.isnan(array) & ~np.isnan(known.mean)
        if hole.any():
            row = int(hole.any(axis=1).argmax())
            raise ValueError(
                f"{name} is missing in row {row}, feature {int(hole[row].argmax())}, where X is "
                "not; give it for every measurement."
            )
    for low, high in (("lower", "upper"), ("mean_lower", "mean_upper")):
        if (getattr(known, low) is None) != (getattr(known, high) is None):
            raise ValueError(f"{low} and {high} must be given together.")
        _check_order(low, getattr(known, low), high, getattr(known, high))
    _check_order("lower", known.lower, "X", known.mean)
    _check_order("X", known.mean, "upper", known.upper)
    _check_order("lower", known.lower, "mean_upper", known.mean_upper)
    _check_order("mean_lower", known.mean_lower, "upper", known.upper)
    return known


def _check_shape(name, array, shape):
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape of X, {shape}. Got {array.shape} instead.")


def _check_order(low_name, low, high_name, high):
    if low is None or high is None:
        return
    slack = 1e-9 * (1 + np.abs(low))
    wrong = low > high + slack
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        raise ValueError(
            f"{low_name} is above {high_name} in row {row}, feature "
            f"{int(wrong[row].argmax())}; swap or correct them."
        )


class MissingAsSet:
    """Missing entries as uncertain ones: any value seen for the feature in training.

    Parameters
    ----------
    known : Moments
        Training examples; entries with a NaN mean are missing.
    weight : ndarray of shape (n,)
        Weights of the examples; those of weight zero are ignored.

    Attributes
    ----------
    lower, upper, mean, var : ndarray of shape (d,)
        Support and moments of each feature over the observed entries.
    """

    _file_state = {
        **dict.fromkeys(("mean", "var"), Array("f8", ("d",))),
        **dict.fromkeys(("lower", "upper"), Array("f8", ("d",), infinite=True)),
    }

    def __init__(self, known, weight):
        if not weight.all():
            known, weight = known.take(weight > 0), weight[weight > 0]
        X, weight = known.mean, weight[:, None]
        seen = ~np.isnan(X)
        count = (weight * seen).sum(axis=0)
        if (count == 0).any():
            raise ValueError(
                f"Feature {int((count == 0).argmax())} is missing in every example; remove it."
            )
        low = X if known.lower is None else known.lower
        high = X if known.upper is None else known.upper
        self.mean = (weight * np.where(seen, X, 0)).sum(axis=0) / count
        self.var = (weight * np.where(seen, X - self.mean, 0) ** 2).sum(axis=0) / count
        self.lower = np.where(seen, low, np.inf).min(axis=0)
        self.upper = np.where(seen, high, -np.inf).max(axis=0)

    def fill(self, known):
        """Fill missing entries with the support and the moments of their feature."""
        missing = np.isnan(known.mean)
        if not missing.any():
            return known
        if known.cov is not None:
            raise ValueError(
                "With missing values, var must have shape (n, d); covariances do not work."
            )
        mean = np.where(missing, self.mean, known.mean)
        # for missing entries, and for the others if nothing was given
        parts = dict(lower=(self.lower, mean), upper=(self.upper, mean))
        parts |= dict(
            var=(self.var, np.zeros_like(mean)), var_upper=(self.var, np.zeros_like(mean))
        )
        if known.mean_lower is not None:
            parts |= dict(mean_lower=(self.mean, mean), mean_upper=(self.mean, mean))
        filled = {"mean": mean}
        for name, (own, exact) in parts.items():
            array = getattr(known, name)
            filled[name] = np.where(missing, own, exact if array is None else array)
        return replace(known, **filled)
