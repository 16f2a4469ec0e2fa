"""The formulations of the paper; each is a choice of the uncertainty set."""

from dataclasses import replace

import numpy as np

from stakes.uncertain._nu import bernstein_nu
from stakes.uncertain._sets import Box, Ellipsoid, Intersection, MeanIntervalEllipsoid

BERNSTEIN = ("MM-SMV", "MM-SM", "MM-SBMV", "MM-SBM")
FORMULATIONS = ("MM-M", "MM-R", "MM-S", "MM-MC", *BERNSTEIN, *(f"{f}-I" for f in BERNSTEIN))


def needs(formulation):
    """Information that a formulation needs in addition to the mean."""
    base = formulation.removesuffix("-I")
    if base in ("MM-M", "MM-R"):
        return ()
    if base == "MM-MC":
        return ("var",)
    bounds = ("mean_lower", "mean_upper") if base.startswith("MM-SB") else ()
    return ("lower", "upper", *bounds, *(("var",) if base.endswith("V") else ()))


def require(known, formulation):
    """The information, as exact points if none was given; an error if some is missing."""
    wanted = needs(formulation)
    lacking = [name for name in wanted if getattr(known, name) is None]
    if not lacking:
        return known
    if not known.keywords():
        # no information: the measurements are exact
        exact = dict(lower=known.mean, upper=known.mean, mean_lower=known.mean)
        exact |= dict(mean_upper=known.mean, var=0 * known.mean, var_upper=0 * known.mean)
        return replace(known, **{name: exact[name] for name in {*wanted, "var_upper"}})
    raise ValueError(
        f"{formulation} needs {', '.join(wanted)}; {', '.join(lacking)} was not given. "
        f"The given information allows {', '.join(possible(known))}."
    )


def possible(known):
    """Formulations that the information allows."""
    return [
        name
        for name in FORMULATIONS
        if name != "MM-R" and all(getattr(known, part) is not None for part in needs(name))
    ]


def uncertainty_set(known, formulation, max_error):
    """The uncertainty set of a formulation (Table 1, Eqs. 2 to 32).

    Parameters
    ----------
    known : Moments
        Information on the examples.
    formulation : str
        Name of the formulation, as in `UncertainMarginClassifier`; MM-R has points, one per
        replicate.
    max_error : float
        Allowed probability that the true point is outside: 0 gives the whole support, 1 the mean.

    Returns
    -------
    Box, Ellipsoid, MeanIntervalEllipsoid or Intersection

    Examples
    --------
    >>> from stakes.uncertain import Moments
    >>> known = Moments(np.array([[1.0, 2.0]]), var=np.array([[0.25, 1.0]]))
    >>> uncertainty_set(known, "MM-MC", 0.2).support(np.array([1.0, 0.0]))  # 1 + 2 * 0.5
    array([2.])
    """
    base, cut = formulation.removesuffix("-I"), formulation.endswith("-I")
    if base in ("MM-M", "MM-R"):
        return Ellipsoid(known.mean, np.zeros_like(known.mean))
    if base == "MM-S":
        return Box(known.lower, known.upper)
    if max_error == 0:
        if cut:
            return Box(known.lower, known.upper)
        raise ValueError(f"{formulation} with max_error=0 is unbounded; use max_error > 0 or MM-S.")
    if base == "MM-MC":
        kappa = np.sqrt((1 - max_error) / max_error)  # Chebyshev
        return Ellipsoid(known.mean, kappa * root_of(known.var))
    kappa = np.sqrt(2 * np.log(1 / max_error))  # Bernstein
    axes = kappa * bernstein_widths(known, base)
    if base.startswith("MM-SB"):
        ellipsoid = MeanIntervalEllipsoid(known.mean_lower, known.mean_upper, axes)
    else:
        ellipsoid = Ellipsoid(known.mean, axes)
    return Intersection(ellipsoid, Box(known.lower, known.upper)) if cut else ellipsoid


def bernstein_widths(known, base):
    """The diagonals s_ij nu_ij of Sigma(1) to Sigma(4), Eqs. (8), (25), (28), (31)."""
    middle, half = (known.lower + known.upper) / 2, (known.upper - known.lower) / 2
    scale = np.where(half > 0, half, 1.0)
    if base.startswith("MM-SB"):
        low, high = (known.mean_lower - middle) / scale, (known.mean_upper - middle) / scale
    else:
        low = high = (known.mean - middle) / scale
    low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
    if base.endswith("V"):
        var = known.var_upper if base == "MM-SBMV" and known.var_upper is not None else known.var
        if var.ndim == 3:
            var = np.diagonal(var, axis1=1, axis2=2)
        second = np.minimum(var / scale**2 + np.maximum(low**2, high**2), 1)
    else:
        second = np.ones(())
    return np.where(half > 0, half * bernstein_nu(low, high, second), 0.0)


def root_of(var):
    """Standard deviations, or factors A with A A' the covariance matrices."""
    if var.ndim == 2:
        return np.sqrt(var)
    values, vectors = np.linalg.eigh(var)
    return vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
