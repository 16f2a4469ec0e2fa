"""Losses with two costs, from a link and a minimum conditional risk (Theorem 5)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


@dataclass(frozen=True)
class MarginLoss:
    r"""A loss for two classes, :math:`\phi_1(f)` and :math:`\phi_{-1}(-f)`, and its costs.

    Parameters
    ----------
    name : str
        Name in reports.
    positive, negative : callable
        Loss of a score f on a positive and on a negative example.
    fp_cost, fn_cost : float
        Costs that it is designed for, :math:`C_{-1}` and :math:`C_1`.
    link : callable or None, default=None
        Optimal score as a function of the probability, if known.
    minimum_risk : callable or None, default=None
        Minimum conditional risk as a function of the probability, if known.

    Examples
    --------
    >>> loss = cs_hinge_loss(fp_cost=2.0, fn_cost=4.0)
    >>> float(loss.positive(0.0)), float(loss.negative(1.0))
    (4.0, 4.0)
    """

    name: str
    positive: Callable
    negative: Callable
    fp_cost: float
    fn_cost: float
    link: Callable | None = None
    minimum_risk: Callable | None = None

    @property
    def bayes_threshold(self):
        r"""Probability above which the positive decision is cheaper, :math:`\gamma`."""
        return self.fp_cost / (self.fn_cost + self.fp_cost)

    def conditional_risk(self, probability, f):
        r"""Eq. 32: :math:`\eta\phi_1(f) + (1 - \eta)\phi_{-1}(-f)`."""
        return probability * self.positive(f) + (1 - probability) * self.negative(f)

    def bayes_risk(self, probability):
        """Eq. 19: minimum conditional risk of the zero-one loss with these costs."""
        return np.minimum(self.fn_cost * probability, self.fp_cost * (1 - probability))


def elicit_loss(inverse_link, minimum_risk, *, fp_cost, fn_cost, derivative=None, name="elicited"):
    r"""Construct the loss with a given link and a given minimum conditional risk.

    With :math:`\eta = f^{-1}(v)` and :math:`C^*` the minimum conditional risk,

    .. math:: \phi_1(v) = C^*(\eta) + (1 - \eta)\,C^{*\prime}(\eta), \qquad
              \phi_{-1}(-v) = C^*(\eta) - \eta\,C^{*\prime}(\eta) .

    Parameters
    ----------
    inverse_link : callable
        From scores to probabilities.
    minimum_risk : callable
        A concave function of the probability.
    fp_cost, fn_cost : float
        Costs that the loss is designed for.
    derivative : callable, default=None
        Derivative of `minimum_risk`; None: central differences.
    name : str, default="elicited"
        Name in reports.

    Returns
    -------
    MarginLoss

    Notes
    -----
    This is Theorem 5 with :math:`J = -C^*` in Eqs. 11 and 12. It needs an invertible link: for the
    hinge, whose link is a sign, it does not determine the loss.

    Examples
    --------
    >>> expit = lambda v: 1 / (1 + np.exp(-2 * v))
    >>> loss = elicit_loss(expit, lambda p: 2 * np.sqrt(p * (1 - p)), fp_cost=1.0, fn_cost=1.0)
    >>> round(float(loss.positive(1.0)), 5), round(float(np.exp(-1.0)), 5)
    (0.36788, 0.36788)
    """
    slope = derivative or _differences(minimum_risk)

    def positive(v):
        eta = inverse_link(v)
        return minimum_risk(eta) + (1 - eta) * slope(eta)

    def negative(v):
        eta = inverse_link(v)
        return minimum_risk(eta) - eta * slope(eta)

    return MarginLoss(name, positive, negative, fp_cost, fn_cost, None, minimum_risk)


def bp_hinge_loss(fp_cost=1.0, fn_cost=1.0):
    r"""The hinge of BP-SVM: :math:`C_1[1 - f]_+` and :math:`C_{-1}[1 + f]_+`."""
    gamma = fp_cost / (fn_cost + fp_cost)
    return MarginLoss(
        "BP hinge",
        lambda f: fn_cost * np.maximum(0.0, 1 - f),
        lambda f: fp_cost * np.maximum(0.0, 1 + f),
        fp_cost,
        fn_cost,
        lambda eta: np.sign(eta - gamma),
        lambda eta: 2 * np.minimum(fn_cost * eta, fp_cost * (1 - eta)),
    )


def cs_hinge_loss(fp_cost=1.0, fn_cost=1.0, slope="paper"):
    r"""The CS hinge, Eq. 46: :math:`C_1[1 - f]_+` and :math:`\frac1\kappa[\kappa + f]_+`.

    `link` and `minimum_risk` are those that the paper states (Eqs. 42 and 47);
    :func:`check_consistency` finds the true ones. `slope="consistent"` replaces :math:`1/\kappa`
    by :math:`C_{-1}`; :math:`\kappa = 1/(2C_{-1} - 1)` in both.

    Examples
    --------
    >>> loss = cs_hinge_loss(fp_cost=2.0, fn_cost=4.0)
    >>> [float(loss.conditional_risk(0.4, f)) for f in (-1.0, 1.0)]
    [3.2, 2.4]
    """
    if slope not in ("paper", "consistent"):
        raise ValueError(f"slope must be 'paper' or 'consistent'. Got {slope!r} instead.")
    kappa = 1.0 / (2 * fp_cost - 1)
    weight = 1.0 / kappa if slope == "paper" else fp_cost
    gamma = fp_cost / (fn_cost + fp_cost)

    def stated_risk(eta):
        sign = np.where(eta >= gamma, 1.0, -1.0)
        positive = fn_cost * np.maximum(0.0, 1 - sign)
        return eta * positive + (1 - eta) * weight * np.maximum(0.0, kappa + sign)

    return MarginLoss(
        f"CS hinge ({slope})",
        lambda f: fn_cost * np.maximum(0.0, 1 - f),
        lambda f: weight * np.maximum(0.0, kappa + f),
        fp_cost,
        fn_cost,
        lambda eta: np.sign(eta - gamma),
        stated_risk,
    )


def cs_exponential_loss(fp_cost=1.0, fn_cost=1.0):
    r"""The CS exponential loss, Eq. 40: :math:`e^{-C_1 f}` and :math:`e^{C_{-1} f}`.

    Examples
    --------
    >>> loss = cs_exponential_loss(fp_cost=1.0, fn_cost=3.0)
    >>> round(float(loss.link(0.25)), 6), round(float(loss.minimum_risk(0.25)), 6)
    (0.0, 1.0)
    """

    def link(eta):
        return np.log(eta * fn_cost / ((1 - eta) * fp_cost)) / (fn_cost + fp_cost)

    def minimum_risk(eta):
        f = link(eta)
        return eta * np.exp(-fn_cost * f) + (1 - eta) * np.exp(fp_cost * f)

    return MarginLoss(
        "CS exponential",
        lambda f: np.exp(-fn_cost * f),
        lambda f: np.exp(fp_cost * f),
        fp_cost,
        fn_cost,
        link,
        minimum_risk,
    )


def cs_logistic_loss(fp_cost=1.0, fn_cost=1.0):
    r"""The CS logistic loss, :math:`\log(1 + e^{-C_1 f})` and :math:`\log(1 + e^{C_{-1} f})`.

    Its link has no closed form, its inverse has one (:func:`cs_logistic_inverse_link`).

    Examples
    --------
    >>> loss = cs_logistic_loss(fp_cost=1.0, fn_cost=3.0)
    >>> round(float(loss.link(0.25)), 6)
    0.0
    """
    inverse = cs_logistic_inverse_link(fp_cost, fn_cost)
    reach = 50.0 / min(fp_cost, fn_cost)

    def positive(f):
        return np.logaddexp(0.0, -fn_cost * np.asarray(f))

    def negative(f):
        return np.logaddexp(0.0, fp_cost * np.asarray(f))

    @np.vectorize
    def link(eta):
        return brentq(lambda f: float(inverse(f)) - eta, -reach, reach, xtol=1e-13)

    def minimum_risk(eta):
        f = link(eta)
        return eta * positive(f) + (1 - eta) * negative(f)

    return MarginLoss("CS logistic", positive, negative, fp_cost, fn_cost, link, minimum_risk)


def cs_logistic_inverse_link(fp_cost, fn_cost):
    r"""From scores to probabilities under the CS logistic loss.

    .. math:: \eta = \frac{C_{-1}\sigma(C_{-1}f)}{C_{-1}\sigma(C_{-1}f) + C_1\sigma(-C_1f)}
    """

    def inverse(f):
        down = fp_cost / (1 + np.exp(-fp_cost * np.asarray(f, dtype=np.float64)))
        up = fn_cost / (1 + np.exp(fn_cost * np.asarray(f, dtype=np.float64)))
        return down / (down + up)

    return inverse


def _differences(function):
    def slope(eta):
        h = 1e-5 * np.minimum(eta, 1 - eta)
        return (function(eta + h) - function(eta - h)) / (2 * h)

    return slope
