"""From costs to the two numbers per example that an SVM uses: its penalty and its margin."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Penalties:
    """Penalty u_i (without the factor C) and margin p_i of every example.

    Attributes
    ----------
    weight, margin : ndarray of shape (n,)
        Penalty on a unit of slack, and the required margin.
    kappa : float or ndarray
        Margin of the class whose mistakes are cheaper.
    expensive : int
        +1 or -1: the class whose mistakes cost more, which has margin one.
    """

    weight: np.ndarray
    margin: np.ndarray
    kappa: float | np.ndarray
    expensive: int

    def take(self, rows):
        """Penalties and margins of some of the examples."""
        return replace(self, weight=self.weight[rows], margin=self.margin[rows])


def biased_penalties(regret, y, sample_weight, *, normalize=True):
    """Eq. 1 (BP) and Eq. 65 (ED-BP): the regret is the penalty, every margin is one.

    Examples
    --------
    >>> biased_penalties(np.array([3.0, 12.0]), np.array([-1.0, 1.0]), np.ones(2)).weight
    array([1., 4.])
    """
    c, expensive, _ = _relative(regret, y, sample_weight, normalize)
    return Penalties(c * sample_weight, np.ones(len(y)), 1.0, expensive)


def cost_penalties(
    regret, y, sample_weight, *, kappa=None, slope="consistent", normalize=True, conditions="ignore"
):
    r"""Eq. 49 (CS) and Eq. 66 (ED-CS): a smaller margin for the class whose mistakes are cheaper.

    Parameters
    ----------
    regret : ndarray of shape (n,)
        Cost of a wrong decision for each example, all positive.
    y : ndarray of shape (n,)
        Signs, of both classes.
    sample_weight : ndarray of shape (n,)
        Factors on the penalties; the margins depend on them through the mean regrets only.
    kappa : float, "paper" or None, default=None
        Margin of the cheaper class; None: :math:`R^{-1/2}` with R the ratio of the mean regrets of
        the two classes; "paper": :math:`1/(2c_i - 1)`, at most one, example by example.
    slope : {"paper", "consistent"}, default="consistent"
        Penalty of the cheaper class: :math:`c_i`, or as printed :math:`c_i / \kappa`
        (:math:`1/\kappa_i` if kappa is "paper").
    normalize : bool, default=True
        Whether to divide by the mean regret of the cheaper class first.
    conditions : {"check", "ignore"}, default="ignore"
        Whether Eq. 50, :math:`0 < \kappa \le 1 \le 1/\kappa \le C_1`, is required.

    Returns
    -------
    Penalties

    Examples
    --------
    >>> regret, y = np.array([2.0, 8.0]), np.array([-1.0, 1.0])
    >>> default = cost_penalties(regret, y, np.ones(2))
    >>> default.weight, default.margin
    (array([1., 4.]), array([0.5, 1. ]))
    >>> printed = dict(kappa="paper", slope="paper", normalize=False)
    >>> both = cost_penalties(regret, y, np.ones(2), **printed)
    >>> both.weight, both.margin.round(3)
    (array([3., 8.]), array([0.333, 1.   ]))
    """
    c, expensive, ratio = _relative(regret, y, sample_weight, normalize)
    cheap = y == -expensive
    if kappa == "paper":
        if conditions == "check":
            _check_cheap_costs(c[cheap])
        margins = 1.0 / np.maximum(2 * c[cheap] - 1, 1.0)
        slopes = np.maximum(2 * c[cheap] - 1, c[cheap])  # 1/kappa_i, and c_i where that is below 1
    else:
        kappa = ratio**-0.5 if kappa is None else float(kappa)
        margins = np.full(cheap.sum(), kappa)
        slopes = c[cheap] / kappa
    if conditions == "check":
        _check_class_level(c, cheap, margins)
    weight, margin = np.array(c, dtype=np.float64), np.ones(len(y))
    margin[cheap] = margins
    if slope == "paper":
        weight[cheap] = slopes
    same = len(np.unique(margins)) == 1
    kappa = float(margins[0]) if same else margins
    return Penalties(weight * sample_weight, margin, kappa, expensive)


def weighted_equivalent(C, fn_cost, kappa):
    r"""The class-weighted SVM that equals a CS-SVM, and the affine map between their scores.

    The bias is free, so the margins 1 and :math:`\kappa` can be shifted and scaled to 1 and 1:
    CS-SVM(C, C1, kappa) equals the SVM with :math:`C' = 2C/(1 + \kappa)`, weights
    :math:`C_1, 1/\kappa`, and :math:`f = \frac{1+\kappa}{2} g + \frac{1-\kappa}{2}`.

    Parameters
    ----------
    C, fn_cost, kappa : float
        :math:`C`, :math:`C_1` and :math:`\kappa` of Eq. 49.

    Returns
    -------
    dict
        `C`, `positive_weight`, `negative_weight`, `scale`, `shift`.

    Examples
    --------
    >>> weighted_equivalent(C=3.0, fn_cost=8.0, kappa=0.5)
    {'C': 4.0, 'positive_weight': 8.0, 'negative_weight': 2.0, 'scale': 0.75, 'shift': 0.25}
    """
    return {
        "C": 2 * C / (1 + kappa),
        "positive_weight": fn_cost,
        "negative_weight": 1 / kappa,
        "scale": (1 + kappa) / 2,
        "shift": (1 - kappa) / 2,
    }


def _relative(regret, y, sample_weight, normalize):
    """Regrets in units of the cheaper class's mean, the expensive class, the ratio of the means.

    The mean, not the smallest: one row with a tiny regret must not change the meaning of C.
    """
    means = {
        sign: np.average(regret[y == sign], weights=sample_weight[y == sign]) for sign in (-1, 1)
    }
    expensive = 1 if means[1] >= means[-1] else -1
    c = regret / means[-expensive] if normalize else regret
    return c, expensive, means[expensive] / means[-expensive]


def _check_cheap_costs(c):
    if (c < 1.0).any():
        raise ValueError(
            "kappa = 1/(2c - 1) needs costs of at least 1 in the cheaper class (Eq. 50). Got "
            f"{c.min():.3g} instead; scale the costs with normalize_costs=False, or set "
            "conditions='ignore', which limits kappa to 1."
        )


def _check_class_level(c, cheap, margins):
    """Check Eq. 50, which is stated for one cost per class only."""
    larger = c[~cheap]
    if len(np.unique(margins)) > 1 or np.ptp(larger) > 1e-12 * larger[0]:
        return
    kappa, C1 = margins[0], larger[0]
    if not kappa <= 1.0 or 1.0 / kappa > C1 * (1 + 1e-12):
        raise ValueError(
            f"The CS-SVM needs 0 < kappa <= 1 <= 1/kappa <= C1 (Eq. 50). Got kappa={kappa:.4g}, "
            f"1/kappa={1 / kappa:.4g} and C1={C1:.4g} (the larger cost over the smaller) "
            "instead; raise kappa, or set conditions='ignore' as the paper's experiments do."
        )
