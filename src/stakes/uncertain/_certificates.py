"""Bounds on the probability that a prediction on an uncertain point is wrong (Table 4)."""

import numpy as np

from stakes.uncertain._formulations import BERNSTEIN, possible, require, uncertainty_set
from stakes.uncertain._sets import Box

# OptErr 1 to 4 and c of Table 4; those with -I are tighter, since the point stays in its box
MEASURES = {"1": "MM-SBMV", "2": "MM-SMV", "3": "MM-SBM", "4": "MM-SM", "c": "MM-MC"}
CERTIFYING = ("MM-MC", *BERNSTEIN, *(f"{name}-I" for name in BERNSTEIN))
ONE_SIGMA = np.exp(-0.5)  # the error probability at which kappa is one


def certificates(known, coef, intercept, signs, measure="best"):
    r"""Bound the probability that an uncertain point is on the other side of a hyperplane.

    .. math:: \varepsilon_{opt} = e^{-\kappa^2/2}\ \text{(Bernstein)}, \qquad
              \frac{1}{1 + \kappa^2}\ \text{(Chebyshev)},

    where :math:`\kappa` is the factor at which the uncertainty set touches the hyperplane. It is 1
    if a possible mean is on the other side, and 0 if the whole support is on this side.

    `known` are the Moments of the points and `signs` their predicted sides. `measure` is "1" to "4"
    or "c" as in Table 4, the name of a formulation, or "best": the smallest bound that the
    information allows, where the mean counts as exact only without bounds on it.

    Notes
    -----
    Table 4 squares the distance of the worst mean, which gives a bound below one even if that mean
    is on the wrong side, where nothing can be certified; here the bound is then one.
    """
    names = [MEASURES.get(measure, measure)] if measure != "best" else _best(known)
    bounds = [_bound(known, coef, intercept, signs, name) for name in names]
    return np.min(bounds, axis=0)


def _best(known):
    names = [name for name in possible(known) if name in CERTIFYING]
    if known.mean_lower is not None:
        names = [name for name in names if name.startswith("MM-SB")]
    if not names:
        raise ValueError(
            "A certificate needs the uncertainty of the points: pass var, or lower and upper, or "
            "replicates."
        )
    return names


def _bound(known, coef, intercept, signs, name):
    if name not in CERTIFYING:
        raise ValueError(
            f"measure must be 'best', one of {', '.join(MEASURES)}, or one of "
            f"{', '.join(CERTIFYING)}. Got {name!r} instead."
        )
    known = require(known, name)
    sets = uncertainty_set(known, name, 0.5 if name == "MM-MC" else ONE_SIGMA)  # kappa is one
    margins = signs * (sets.center @ coef + intercept)
    if sets.half_width is not None:
        margins -= sets.half_width @ np.abs(coef)
    kappa2 = sets.reach(coef, margins, signs) ** 2
    bound = 1 / (1 + kappa2) if name == "MM-MC" else np.exp(-kappa2 / 2)
    if known.lower is not None:
        lowest = intercept * signs - Box(known.lower, known.upper).support(-signs[:, None] * coef)
        bound = np.where(lowest > 0, 0.0, bound)
    return bound
