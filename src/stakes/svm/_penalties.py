"""From costs to the two numbers that an SVM knows of an example: its penalty and its margin."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Penalties:
    """Penalty u_i (without the factor C) and margin p_i of every example.

    Attributes
    ----------
    weight, margin : ndarray of shape (n,)
        What a unit of slack costs, and the margin that is asked for.
    kappa : float or ndarray
        Margin of the class whose mistakes are cheaper.
    dear : int
        +1 or -1: the class whose mistakes cost more, which has margin one.
    """

    weight: np.ndarray
    margin: np.ndarray
    kappa: float | np.ndarray
    dear: int

    def take(self, rows):
        """Penalties and margins of some of the examples."""
        return replace(self, weight=self.weight[rows], margin=self.margin[rows])


def biased_penalties(regret, y, *, normalize=True):
    """Eq. 1 (BP) and Eq. 65 (ED-BP): the regret is the penalty, every margin is one.

    Examples
    --------
    >>> biased_penalties(np.array([3.0, 12.0]), np.array([-1.0, 1.0])).weight
    array([1., 4.])
    """
    dear = _dear_class(regret, y)
    weight = regret / regret[y == -dear].min() if normalize else np.array(regret)
    return Penalties(weight, np.ones(len(y)), 1.0, dear)


def cost_penalties(regret, y, *, kappa=None, slope="paper", normalize=True, conditions="check"):
    r"""Eq. 49 (CS) and Eq. 66 (ED-CS): a smaller margin where mistakes are cheaper.

    Parameters
    ----------
    regret : ndarray of shape (n,)
        What getting each example wrong costs, all above zero.
    y : ndarray of shape (n,)
        Signs, of both classes.
    kappa : float, default=None
        Margin of the cheaper class; None: :math:`1/(2c_i - 1)`, example by example.
    slope : {"paper", "consistent"}, default="paper"
        Penalty of the cheaper class: :math:`1/\kappa_i` or :math:`c_i`.
    normalize : bool, default=True
        Whether the smallest regret of the cheaper class is set to one first.
    conditions : {"check", "ignore"}, default="check"
        What to do where Eq. 50, :math:`0 < \kappa \le 1 \le 1/\kappa \le C_1`, does not hold.

    Returns
    -------
    Penalties

    Examples
    --------
    >>> both = cost_penalties(np.array([2.0, 4.0]), np.array([-1.0, 1.0]), normalize=False)
    >>> both.weight, both.margin.round(3)
    (array([3., 4.]), array([0.333, 1.   ]))
    """
    dear = _dear_class(regret, y)
    cheap = y == -dear
    least = regret[cheap].min()
    c = regret / least if normalize else regret
    if kappa is None:
        _check_cheap_costs(c[cheap], conditions)
        slopes = 2 * c[cheap] - 1
        margins = 1.0 / slopes
    else:
        slopes = regret[cheap] / least / kappa
        margins = np.full(cheap.sum(), float(kappa))
    if conditions == "check":
        _check_class_level(c, cheap, margins)
    weight, margin = np.array(c, dtype=np.float64), np.ones(len(y))
    margin[cheap] = margins
    if slope == "paper":
        weight[cheap] = slopes
    same = len(np.unique(margins)) == 1
    return Penalties(weight, margin, float(margins[0]) if same else margins, dear)


def weighted_equivalent(C, fn_cost, kappa):
    r"""The class-weighted SVM that a CS-SVM is, and the affine map between their scores.

    The bias is free, so the margins 1 and :math:`\kappa` can be shifted and scaled to 1 and 1:
    CS-SVM(C, C1, kappa) is the SVM with :math:`C' = 2C/(1 + \kappa)`, weights
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


def _dear_class(regret, y):
    return 1 if regret[y > 0].mean() >= regret[y < 0].mean() else -1


def _check_cheap_costs(c, conditions):
    floor = 1.0 if conditions == "check" else 0.5
    bad = c < floor if conditions == "check" else c <= floor
    if bad.any():
        raise ValueError(
            f"kappa = 1/(2c - 1) needs costs of at least 1 in the cheaper class (Eq. 50). Got "
            f"{c.min():.3g} instead; leave normalize_costs=True, scale the costs, or give kappa."
        )


def _check_class_level(c, cheap, margins):
    """Eq. 50 is about one cost per class; with a cost per example the paper states none."""
    dear_costs = c[~cheap]
    if len(np.unique(margins)) > 1 or np.ptp(dear_costs) > 1e-12 * dear_costs[0]:
        return
    kappa, dearest = margins[0], dear_costs[0]
    if not kappa <= 1.0 or 1.0 / kappa > dearest * (1 + 1e-12):
        raise ValueError(
            f"The CS-SVM needs 0 < kappa <= 1 <= 1/kappa <= C1 (Eq. 50). Got kappa={kappa:.4g}, "
            f"1/kappa={1 / kappa:.4g} and C1={dearest:.4g} (the dearer cost over the cheaper) "
            "instead; raise kappa, or set conditions='ignore' as the paper's experiments do."
        )
