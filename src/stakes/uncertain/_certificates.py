"""Bounds on the probability that a prediction on an uncertain point is wrong (Table 4)."""

import numpy as np
from scipy import special, stats

from stakes.uncertain._formulations import (
    BERNSTEIN,
    is_diagonal,
    possible,
    require,
    uncertainty_set,
)
from stakes.uncertain._sets import Box

# OptErr 1 to 4 and c of Table 4; those with -I are tighter, since the point stays in its box
MEASURES = {"1": "MM-SBMV", "2": "MM-SMV", "3": "MM-SBM", "4": "MM-SM", "c": "MM-MC"}
CERTIFYING = ("MM-MC", *BERNSTEIN, *(f"{name}-I" for name in BERNSTEIN))
ONE_SIGMA = np.exp(-0.5)  # the error probability at which kappa is one


def certificates(known, coef, intercept, signs, measure="best", independent=True):
    r"""Bound the probability that an uncertain point is on the other side of a hyperplane.

    .. math:: \varepsilon_{opt} = e^{-\kappa^2/2}\ \text{(Bernstein)}, \qquad
              \frac{1}{1 + \kappa^2}\ \text{(Chebyshev)}, \qquad \Phi(-\kappa)\ \text{(Gaussian)},

    where :math:`\kappa` is the factor at which the uncertainty set touches the hyperplane. It is 1
    if a possible mean is on the other side, and 0 if the whole support is on this side.

    `known` are the Moments of the points and `signs` their predicted sides. `measure` is "1" to "4"
    or "c" as in Table 4, the name of a formulation, "gaussian" for Gaussian errors, or "best": the
    smallest bound that the information allows for every distribution, where the mean counts as
    exact only without bounds on it, and features as independent only if `independent` and if their
    covariances are unknown or zero.

    Notes
    -----
    Table 4 squares the distance of the worst mean, which gives a bound below one even if that mean
    is on the wrong side, where nothing can be certified; here the bound is then one.
    """
    if measure == "best":
        bounds = [
            _bound(known, coef, intercept, signs, name, independent)
            for name in _best(known, independent)
        ]
        return np.min([*bounds, _of_support(known, coef, intercept, signs)], axis=0)
    return _bound(known, coef, intercept, signs, MEASURES.get(measure, measure), independent)


def _best(known, independent):
    names = [name for name in possible(known) if name in CERTIFYING]
    if known.mean_lower is not None:
        names = [name for name in names if name.startswith("MM-SB")]
    if not independent or (known.cov is not None and not is_diagonal(known.cov)):
        names = [name for name in names if name == "MM-MC"]
    if not names and known.lower is None:
        raise ValueError(
            "A certificate needs the uncertainty of the points: pass var, or lower and upper, or "
            "replicates."
        )
    return names


def _of_support(known, coef, intercept, signs):
    """Zero if the whole support is on this side, else one."""
    if known.lower is None:
        return np.ones(len(signs))
    lowest = intercept * signs - Box(known.lower, known.upper).support(-signs[:, None] * coef)
    return np.where(lowest > 0, 0.0, 1.0)


def _bound(known, coef, intercept, signs, name, independent):
    if name != "gaussian" and name not in CERTIFYING:
        raise ValueError(
            f"measure must be 'best', 'gaussian', one of {', '.join(MEASURES)}, or one of "
            f"{', '.join(CERTIFYING)}; 'counts' needs replicates. Got {name!r} instead."
        )
    moments_only = name in ("MM-MC", "gaussian")
    known = require(known, "MM-MC" if moments_only else name)
    level = 0.5 if moments_only else ONE_SIGMA  # kappa is one
    sets = uncertainty_set(known, "MM-MC" if moments_only else name, level, independent=independent)
    margins = signs * (sets.center @ coef + intercept)
    if moments_only and sets.half_width is not None:
        width = sets.half_width @ np.abs(coef)
        kappa = np.divide(margins, width, out=np.full(len(signs), np.inf), where=width > 0)
        kappa = np.where(margins > 0, kappa, 0.0)
    else:
        if sets.half_width is not None:
            margins -= sets.half_width @ np.abs(coef)
        kappa = sets.reach(coef, margins, signs)
    if name == "gaussian":
        # on the wrong side of the mean, for a vote of replicates, nothing is certified
        bound = np.where(margins > 0, special.ndtr(-kappa), 1.0)
    else:
        bound = 1 / (1 + kappa**2) if name == "MM-MC" else np.exp(-(kappa**2) / 2)
    return np.minimum(bound, _of_support(known, coef, intercept, signs))


def replicate_bounds(margins, confidence_level, measure="gaussian"):
    r"""Bound the probability that the next measurement is on the other side of a hyperplane.

    Parameters
    ----------
    margins : ndarray of shape (n, r)
        Signed distances of the replicates, positive on the predicted side; NaN where missing.
    confidence_level : float
        Probability over the replicates that a bound is not below the true probability.
    measure : {"gaussian", "counts"}
        "gaussian": for Gaussian measurements of any covariance. The lower confidence limit of
        :math:`\delta = \mu/\sigma` inverts the noncentral t distribution of
        :math:`\sqrt r\,\bar z/s`, and the bound is :math:`\Phi(-\delta)`. "counts": for any
        distribution, from the number of replicates on the other side (Clopper and Pearson).

    Returns
    -------
    ndarray of shape (n,)

    Notes
    -----
    The predicted side depends on the replicates, so that either tail may fail: each has half of
    the allowed probability.
    """
    there = ~np.isnan(margins)
    r = there.sum(axis=1)
    level = (1 + confidence_level) / 2
    if measure == "counts":
        wrong = (there & (margins <= 0)).sum(axis=1)
        return np.where(wrong < r, stats.beta.ppf(level, wrong + 1, np.maximum(r - wrong, 1)), 1.0)
    count = np.maximum(r, 1)
    z = np.where(there, margins, 0.0)
    mean = z.sum(axis=1) / count
    var = (np.where(there, z - mean[:, None], 0.0) ** 2).sum(axis=1) / np.maximum(r - 1, 1)
    root = np.sqrt(np.maximum(var, (1e-12 * mean) ** 2) + 1e-300)  # equal up to rounding
    bound = special.ndtr(-_least_shift(np.sqrt(count) * mean / root, r - 1, level) / np.sqrt(count))
    return np.where((r > 1) & (mean > 0), bound, 1.0)


def _least_shift(t, freedom, level):
    """Lower confidence limit of the noncentrality of each t statistic, by bisection."""
    freedom = np.maximum(freedom, 1)
    t = np.minimum(np.maximum(t, 0.0), 1e6)
    low, high = np.full(len(t), -40.0), np.minimum(t + 1.0, 1e6)
    for _ in range(50):
        middle = (low + high) / 2
        # the distribution function falls as the noncentrality grows; NaN where it underflows
        above = special.nctdtr(freedom, middle, t) > level
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return low
