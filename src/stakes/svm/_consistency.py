"""Bayes consistency of a loss for its costs, and the type of its risk."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from stakes.svm._losses import MarginLoss

GOLDEN = (np.sqrt(5) - 1) / 2
CLOSE = 1e-3  # in log-odds, so that thresholds near zero or one are compared as strictly as others
SIZES = np.geomspace(1e-9, 1e4, 1301)
SPREAD = np.geomspace(2 * CLOSE, 12.0, 60)  # distances of log-odds from the Bayes threshold
SCORES = np.concatenate([-SIZES[::-1], [0.0], SIZES])  # of the coarse search, for costs of any size


@dataclass(frozen=True)
class ConsistencyReport:
    r"""Properties of the minimisers of a loss, found numerically; prints as sentences.

    Attributes
    ----------
    loss : MarginLoss
        The loss.
    threshold : float
        Probability at which its optimal score changes sign.
    consistent : bool
        Whether that is the Bayes threshold :math:`C_{-1}/(C_1 + C_{-1})` (Eq. 5).
    risk_peak : float
        Probability at which its minimum conditional risk is largest.
    risk_symmetry_error : float
        Deviation of that risk from the symmetry of Eq. 25, relative to its maximum.
    link_symmetry_error : float
        Deviation of its link from the symmetry of Eq. 35 (Theorem 6), relative to its range.
    probability, link, risk : ndarray
        Probabilities, and the optimal score and minimum risk there.
    """

    loss: MarginLoss
    threshold: float
    consistent: bool
    risk_peak: float
    risk_symmetry_error: float
    link_symmetry_error: float
    probability: np.ndarray
    link: np.ndarray
    risk: np.ndarray

    @property
    def risk_type(self):
        """'I': the risk peaks at the Bayes threshold; 'II': and is symmetric; else 'none'."""
        if not _same(self.risk_peak, self.loss.bayes_threshold):
            return "none"
        return "II" if self.risk_symmetry_error < 1e-3 else "I"

    def __str__(self):
        gamma = self.loss.bayes_threshold
        yes = "is" if self.consistent else "is not"
        return (
            f"{self.loss.name} {yes} Bayes consistent.\n"
            f"Its score changes sign at {self.threshold:.4f}, the Bayes decision at {gamma:.4f}.\n"
            f"Its minimum risk is of type {self.risk_type} (peak at {self.risk_peak:.4f}, "
            f"asymmetry {self.risk_symmetry_error:.2g})."
        )

    def plot(self, axes=None):
        """Draw the two losses, and the minimum risk with the Bayes risk.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, default=None
            Axes to draw on; None: a new figure.

        Returns
        -------
        ndarray of two Axes
        """
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
        f = np.linspace(-2, 2, 401)
        axes[0].plot(f, self.loss.positive(f), label="positive example")
        axes[0].plot(f, self.loss.negative(f), label="negative example")
        axes[0].set(xlabel="score", ylabel="loss", title=self.loss.name)
        axes[0].legend()
        axes[1].plot(self.probability, self.risk / self.risk.max(), label="minimum risk")
        bayes = self.loss.bayes_risk(self.probability)
        axes[1].plot(self.probability, bayes / bayes.max(), "--", label="Bayes risk")
        axes[1].axvline(self.loss.bayes_threshold, color="grey", linestyle=":")
        axes[1].axvline(self.threshold, color="black", linewidth=0.8)
        axes[1].set(xlabel="probability of the positive class", ylabel="risk / its maximum")
        axes[1].legend()
        return np.asarray(axes)


def check_consistency(loss, n_points=401):
    """Check whether minimising a loss leads to the Bayes decision for its costs.

    Parameters
    ----------
    loss : MarginLoss
        The loss, with the costs that it is designed for.
    n_points : int, default=401
        Number of probabilities at which it is minimised.

    Returns
    -------
    ConsistencyReport

    Examples
    --------
    >>> from stakes.svm import cs_hinge_loss
    >>> print(check_consistency(cs_hinge_loss(fp_cost=2.0, fn_cost=4.0)))
    CS hinge (paper) is not Bayes consistent.
    Its score changes sign at 0.4286, the Bayes decision at 0.3333.
    Its minimum risk is of type none (peak at 0.4286, asymmetry 0.33).
    """
    gamma = loss.bayes_threshold
    p = np.linspace(0, 1, n_points + 2)[1:-1]
    link, risk = minimize_risk(loss, p)
    threshold = _crossing(loss)
    near = expit(logit(gamma) + np.concatenate([SPREAD, -SPREAD]))
    scores = minimize_risk(loss, near)[0]
    right = np.where(near > gamma, scores > -1e-9, scores < 1e-9)
    return ConsistencyReport(
        loss=loss,
        threshold=threshold,
        consistent=bool(_same(threshold, gamma) and right.all()),
        risk_peak=_peak(loss),
        risk_symmetry_error=_risk_asymmetry(loss, risk.max()),
        link_symmetry_error=_link_asymmetry(loss),
        probability=p,
        link=link,
        risk=risk,
    )


def minimize_risk(loss, probability):
    """Optimal score and minimum risk at each probability: a grid, then golden section search.

    The grid is logarithmic, since costs of 1,000 put the optimal score near 1/1,000.
    """
    p = np.atleast_1d(np.asarray(probability, dtype=np.float64))
    with np.errstate(over="ignore"):
        values = np.outer(p, loss.positive(SCORES)) + np.outer(1 - p, loss.negative(SCORES))
        best = values.argmin(axis=1)
        low = SCORES[np.maximum(best - 1, 0)]
        high = SCORES[np.minimum(best + 1, len(SCORES) - 1)]
        for _ in range(80):
            left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            down = loss.conditional_risk(p, left) <= loss.conditional_risk(p, right)
            low, high = np.where(down, low, left), np.where(down, right, high)
        f = (low + high) / 2
        return f, loss.conditional_risk(p, f)


def _same(p, q):
    return abs(logit(p) - logit(q)) < CLOSE


def _crossing(loss):
    """Probability at which the optimal score changes sign, by bisection of the log-odds."""
    low, high = -30.0, 30.0
    for _ in range(50):
        middle = (low + high) / 2
        if minimize_risk(loss, expit(middle))[0][0] > 0:
            high = middle
        else:
            low = middle
    return float(expit((low + high) / 2))


def _peak(loss):
    """Probability of the largest minimum risk, a concave function, by golden section search."""
    low, high = 0.0, 1.0
    for _ in range(80):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        a, b = minimize_risk(loss, [left, right])[1]
        low, high = (low, right) if a >= b else (left, high)
    return (low + high) / 2


def _risk_asymmetry(loss, largest):
    """Largest violation of Eq. 25 over epsilon in [0, 1 / (C1 + C_-1)]."""
    epsilon = np.linspace(0, 1, 202)[1:-1] / (loss.fn_cost + loss.fp_cost)
    gamma = loss.bayes_threshold
    left = minimize_risk(loss, gamma - loss.fp_cost * epsilon)[1]
    right = minimize_risk(loss, gamma + loss.fn_cost * epsilon)[1]
    return float(np.max(np.abs(left - right)) / largest)


def _link_asymmetry(loss):
    """Largest violation of f(2 gamma - p) = -f(p), which is Eq. 35 for an invertible link.

    At the threshold itself any score of a hinge is optimal, so it says nothing.
    """
    gamma = loss.bayes_threshold
    away = np.linspace(0, min(gamma, 1 - gamma), 202)[1:-1]
    below, above = (minimize_risk(loss, gamma + side * away)[0] for side in (-1, 1))
    return float(np.max(np.abs(below + above)) / np.ptp([below, above]))
