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
    SUM_OF_THETA,
    THETA_SQUARED,
    WEAK_GAIN,
)


@dataclass(frozen=True)
class BoundReport:
    r"""Actual figures next to their bounds; prints as sentences.

    Attributes
    ----------
    mistakes, mistakes_bound : float
        Theorem 4: sum of theta_t^2 over the mistakes, and its upper bound.
    cost, cost_bound : float
        Theorem 6: cost of the mistakes in units of a false alarm, the sum of theta_t. The bound is
        divided by the smallest theta if that is below one.
    balanced, balanced_bound : float
        Theorem 5: weighted sum of sensitivity and specificity, and its lower bound. None unless
        `cost_rule="balanced"` and every mistake has a cost. What the bound subtracts is multiplied
        by the largest :math:`w_t / \theta_t^2` if that exceeds one, with w_t = 1 for negatives and
        :math:`\eta_p T_n / (\eta_n T_p)` for positives: the theorem needs
        :math:`\theta_t^2 \ge w_t`.
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


def report_bounds(learner, gram, y, theta, C, positive_weight, *, tol, max_sweeps):
    """Report on a run over examples with this Gram matrix, these signs, margins and boxes.

    `positive_weight` is that of sensitivity; None leaves the weighted sum out.
    """
    _, optimum, gap = dual_ascent(gram, y, theta, C, max_sweeps, tol)
    if gap > tol * optimum:
        warnings.warn(
            f"The best f in hindsight has a duality gap of {gap / optimum:.1%}; the bounds hold, "
            "but raise max_sweeps for tighter ones.",
            ConvergenceWarning,
            stacklevel=3,
        )
    record = learner._store.support.numbers
    bound = 2.0 * optimum - record[STRONG_GAIN] - record[WEAK_GAIN]
    balanced = balanced_bound = None
    if positive_weight is not None:
        n_negative, n_positive = np.count_nonzero(y < 0), np.count_nonzero(y > 0)
        missed, alarms = learner.n_mistakes_[1] / n_positive, learner.n_mistakes_[0] / n_negative
        balanced = float(1.0 - positive_weight * missed - (1.0 - positive_weight) * alarms)
        # 1 - sum = (eta_n / T_n) sum of w_t over the mistakes, of which theta_t^2 are bounded
        ratio = positive_weight / (1.0 - positive_weight) * n_negative / n_positive
        factor = max(1.0, (np.where(y > 0, ratio, 1.0) / theta**2).max())
        balanced_bound = float(1.0 - (1.0 - positive_weight) / n_negative * factor * bound)
    return BoundReport(
        mistakes=float(record[THETA_SQUARED]),
        mistakes_bound=float(bound),
        cost=float(record[SUM_OF_THETA]),
        cost_bound=float(bound / min(1.0, theta[theta > 0].min(initial=1.0))),
        balanced=balanced,
        balanced_bound=balanced_bound,
        optimum=float(optimum),
        gap=float(gap),
        n_strong=int(record[N_STRONG]),
        n_weak=int(record[N_WEAK]),
        doubts=tuple(_doubts(learner, gram, theta, C)),
    )


def _doubts(learner, gram, theta, C):
    tight = np.flatnonzero(C < theta)
    if len(tight):
        t = tight[np.argmax(theta[tight] / C[tight])]
        yield f"the largest weight, {C[t]:.4g}, is smaller than the margin theta, {theta[t]:.4g}"
    if learner.rho == 1.0:
        yield "rho = 1, where the gains of Theorem 4 divide by zero"
    if np.diag(gram).max() > 1.0 + 1e-12:
        yield "k(x, x) exceeds one"
    limit = learner.max_support_vectors
    if limit is not None and learner.n_updates_ > limit:
        yield "support vectors were removed (max_support_vectors)"
    if learner.half_life is not None:
        yield "old examples were forgotten (half_life)"
