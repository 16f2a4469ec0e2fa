"""Validation of the uncertainty given to `fit` and `predict`."""

from dataclasses import replace

import numpy as np

from stakes._core.stored.spec import Array
from stakes.uncertain._moments import Moments, moments_from_replicates

NAMES = ("lower", "upper", "var", "mean_lower", "mean_upper", "replicates")


def read_information(X, *, replicates=None, confidence_level=0.95, **given):
    """Validate the arguments of `fit` and `predict` and return `Moments`.

    X is the mean; None: the mean of the replicates or the middle of the support. NaN entries are
    kept for :class:`MissingAsSet`.
    """
    unknown = sorted(given.keys() - set(NAMES))
    if unknown:
        raise TypeError(f"Unknown argument {unknown[0]!r}; use {', '.join(NAMES)}.")
    given = {name: np.asarray(a, np.float64) for name, a in given.items() if a is not None}
    if replicates is not None:
        known = moments_from_replicates(replicates, confidence_level)
        if "var" in given:
            known = replace(known, var_upper=given["var"])
        known = replace(known, **given)
        if X is not None:
            X = np.asarray(X, np.float64)
            _check_shape("replicates", known.mean, X.shape)
            known = replace(known, mean=X)
    else:
        if X is None:
            X = _middle(given)
        known = Moments(np.asarray(X, np.float64), **given, var_upper=given.get("var"))
    return _checked(known)


def _middle(given):
    for pair in (("mean_lower", "mean_upper"), ("lower", "upper")):
        if all(name in given for name in pair):
            return (given[pair[0]] + given[pair[1]]) / 2
    raise ValueError("X=None needs replicates, or lower and upper, to locate the points.")


def _checked(known):
    shape = known.mean.shape
    for name in ("lower", "upper", "var", "mean_lower", "mean_upper"):
        array = getattr(known, name)
        if array is None:
            continue
        if name == "var" and array.shape == (*shape, shape[1]):
            if not np.isfinite(array).all():
                raise ValueError("var has missing or infinite covariances.")
            continue
        _check_shape(name, array, shape)
        if np.isinf(array).any():
            raise ValueError(f"{name} has infinite values; omit it if it is unknown.")
    for low, high in (("lower", "upper"), ("mean_lower", "mean_upper")):
        if (getattr(known, low) is None) != (getattr(known, high) is None):
            raise ValueError(f"{low} and {high} must be given together.")
        _check_order(low, getattr(known, low), high, getattr(known, high))
    _check_order("lower", known.lower, "X", known.mean)
    _check_order("X", known.mean, "upper", known.upper)
    _check_order("lower", known.lower, "mean_upper", known.mean_upper)
    _check_order("mean_lower", known.mean_lower, "upper", known.upper)
    if known.var is not None and known.var.ndim == 2 and (known.var < 0).any():
        raise ValueError(f"var is negative in row {int((known.var < 0).any(axis=1).argmax())}.")
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
        if known.var is not None and known.var.ndim == 3:
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
