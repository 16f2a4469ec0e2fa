"""The formulations of the paper; each is a choice of the uncertainty set."""

from dataclasses import replace

import numpy as np

from stakes.uncertain._nu import bernstein_nu
from stakes.uncertain._sets import Box, Ellipsoid, Intersection, MeanIntervalEllipsoid

BERNSTEIN = ("MM-SMV", "MM-SM", "MM-SBMV", "MM-SBM")
FORMULATIONS = ("MM-M", "MM-R", "MM-S", "MM-MC", *BERNSTEIN, *(f"{f}-I" for f in BERNSTEIN))


def needs(formulation):
    """Information that a formulation needs."""
    base = formulation.removesuffix("-I")
    if base in ("MM-M", "MM-R"):
        return ("mean",)
    if base == "MM-S":
        return ("lower", "upper")
    if base == "MM-MC":
        return ("mean", "var")
    bounds = ("mean_lower", "mean_upper") if base.startswith("MM-SB") else ("mean",)
    return ("lower", "upper", *bounds, *(("var",) if base.endswith("V") else ()))


def has(known, part):
    """Whether some information is known; the middle of the support is not the mean."""
    return getattr(known, part) is not None and (part != "mean" or known.mean_known)


def require(known, formulation):
    """The information, as exact points if none was given; an error if some is missing."""
    wanted = needs(formulation)
    lacking = [name for name in wanted if not has(known, name)]
    if not lacking:
        return known
    if not known.keywords():
        # no information: the measurements are exact
        exact = dict(lower=known.mean, upper=known.mean, mean_lower=known.mean)
        exact |= dict(mean_upper=known.mean, var=0 * known.mean, var_upper=0 * known.mean)
        return replace(known, **{name: exact[name] for name in {*wanted, "var_upper"} & {*exact}})
    wanted, lacking = (", ".join(names).replace("mean,", "X,") for names in (wanted, lacking))
    if lacking == "mean":
        raise ValueError(
            f"{formulation} needs the mean, and the middle of the support need not be it. Pass it "
            f"as X or bounds on it as mean_lower and mean_upper, or use MM-S."
        )
    raise ValueError(
        f"{formulation} needs {wanted}; {lacking} was not given. "
        f"The given information allows {', '.join(possible(known))}."
    )


def possible(known):
    """Formulations that the information allows."""
    return [
        name
        for name in FORMULATIONS
        if name != "MM-R" and all(has(known, part) for part in needs(name))
    ]


def uncertainty_set(known, formulation, max_error, *, independent=True):
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
    independent : bool, default=True
        Whether errors of different features are independent. If not, MM-MC without covariances is
        a box, which covers every correlation, and the Bernstein bounds do not exist.

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
        spread = known.var if known.cov is None else known.cov
        axes = kappa * root_of(spread)
        if independent or spread.ndim == 3:
            return Ellipsoid(known.mean, axes)
        # sd(w . x) is at most the sum of |w_j| sd(x_j), reached if all errors move together
        return Box(known.mean - axes, known.mean + axes)
    if not independent or (known.cov is not None and not is_diagonal(known.cov)):
        raise ValueError(
            f"{formulation} needs independent errors of the features; use MM-MC, or MM-S."
        )
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
    if not base.endswith("V"):
        return np.where(half > 0, half * bernstein_nu(low, high), 0.0)
    var = known.var_upper if base == "MM-SBMV" and known.var_upper is not None else known.var
    return np.where(half > 0, half * bernstein_nu(low, high, var=var / scale**2), 0.0)


def is_diagonal(cov):
    """Whether no two features of any point are correlated."""
    d = cov.shape[1]
    return not cov[:, ~np.eye(d, dtype=bool)].any()


def root_of(var):
    """Standard deviations, or factors A with A A' the covariance matrices."""
    if var.ndim == 2:
        return np.sqrt(var)
    values, vectors = np.linalg.eigh(var)
    return vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
