"""Bounds of Theorems 4 to 6 of the CSDUOL paper on a finished run."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stakes.online_kernel._bounds_jit import dual_ascent
from stakes.online_kernel._expansion_jit import (
    N_STRONG,
    N_WEAK,
    STRONG_GAIN,
    THETA,
    THETA_SQUARED,
    WEAK_GAIN,
)


@dataclass(frozen=True)
class BoundReport:
    """Actual figures next to their bounds; prints as sentences.

    Attributes
    ----------
    mistakes, mistakes_bound : float
        Theorem 4: sum of theta_t^2 over the mistakes, and its upper bound.
    cost, cost_bound : float
        Theorem 6: cost of the mistakes in units of a false alarm, the sum of theta_t.
    balanced, balanced_bound : float
        Theorem 5: weighted sum of sensitivity and specificity, and its lower bound. None unless
        `cost_rule="balanced"` with a known class ratio.
    optimum, gap : float
        Value of the best f in hindsight and an upper bound on its distance from the optimum; the
        bounds use this value, so they hold whatever the gap.
    n_strong, n_weak : int
        Number of mistakes with a strong and with a weak double update.
    doubts : tuple of str
        Assumptions of the theorems that the run violates; empty if all hold.
    """

    mistakes: float
    mistakes_bound: float
    cost: float
    cost_bound: float
    balanced: float | None
    balanced_bound: float | None
    optimum: float
    gap: float
    n_strong: int
    n_weak: int
    doubts: tuple = ()

    @property
    def applies(self):
        """Whether the theorems cover this run."""
        return not self.doubts

    def __str__(self):
        lines = [
            f"theta^2 over the mistakes: {self.mistakes:,.1f}, bound <= "
            f"{self.mistakes_bound:,.1f} (Theorem 4)",
            f"cost of the mistakes: {self.cost:,.1f}, bound <= {self.cost_bound:,.1f} "
            "(Theorem 6, in false alarms)",
        ]
        if self.balanced is not None:
            lines.append(
                f"weighted sum: {self.balanced:.4f}, bound >= {self.balanced_bound:.4f} (Theorem 5)"
            )
        lines.append(
            f"{self.n_strong} strong and {self.n_weak} weak double updates on mistakes; best value "
            f"in hindsight {self.optimum:,.1f}, gap {self.gap:.2g}"
        )
        lines += [f"not covered: {doubt}" for doubt in self.doubts]
        return "\n".join(lines)


def report_bounds(learner, gram, y, theta, positive_weight, *, tol, max_sweeps):
    """Report on a run over examples with this Gram matrix, these signs and margins.

    `positive_weight` is that of sensitivity; None leaves the weighted sum out.
    """
    _, optimum, gap = dual_ascent(gram, y, theta, float(learner.C), max_sweeps, tol)
    if gap > tol * optimum:
        warnings.warn(
            f"The best f in hindsight has a duality gap of {gap / optimum:.1%}; the bounds hold, "
            "but raise max_sweeps for tighter ones.",
            ConvergenceWarning,
            stacklevel=3,
        )
    record = learner._store.record
    bound = 2.0 * optimum - record[STRONG_GAIN] - record[WEAK_GAIN]
    balanced = balanced_bound = None
    if positive_weight is not None:
        n_negative, n_positive = np.count_nonzero(y < 0), np.count_nonzero(y > 0)
        missed, alarms = learner.n_mistakes_[1] / n_positive, learner.n_mistakes_[0] / n_negative
        odds = positive_weight / (1.0 - positive_weight)
        weight = odds / (1.0 + odds)
        balanced = float(1.0 - weight * missed - (1.0 - weight) * alarms)
        balanced_bound = float(1.0 - (1.0 - weight) / n_negative * bound)
    return BoundReport(
        mistakes=float(record[THETA_SQUARED]),
        mistakes_bound=float(bound),
        cost=float(record[THETA]),
        cost_bound=float(bound),
        balanced=balanced,
        balanced_bound=balanced_bound,
        optimum=float(optimum),
        gap=float(gap),
        n_strong=int(record[N_STRONG]),
        n_weak=int(record[N_WEAK]),
        doubts=tuple(_doubts(learner, gram, theta)),
    )


def _doubts(learner, gram, theta):
    priced = theta[theta > 0]
    if learner.C < priced.max():
        yield f"C = {learner.C:g} is smaller than the largest theta, {priced.max():.4g}"
    if priced.min() < 1.0 - 1e-12:
        yield f"theta is as small as {priced.min():.4g}, below one (Theorems 5 and 6)"
    if np.diag(gram).max() > 1.0 + 1e-12:
        yield "k(x, x) exceeds one"
    limit = learner.max_support_vectors
    if limit is not None and learner.n_updates_ > limit:
        yield "support vectors were removed (max_support_vectors)"
