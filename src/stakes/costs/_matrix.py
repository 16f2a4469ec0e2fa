"""Costs of k classes: one for every pair of true class and decision."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class CostMatrix:
    """Class-level costs of k classes: row is the true class, column the decision.

    Parameters
    ----------
    table : ndarray of shape (k, k)
        The costs. Use :meth:`of`, which checks them.

    Examples
    --------
    >>> costs = CostMatrix.of([[0, 1, 5], [1, 0, 1], [9, 1, 0]], n_classes=3)
    >>> costs.decide([[0.7, 0.2, 0.1]])
    array([1])
    """

    table: np.ndarray

    @classmethod
    def of(cls, cost_matrix, n_classes):
        """Check a k x k table of costs; no mistake may cost less than the correct decision."""
        table = np.asarray(cost_matrix, dtype=np.float64)
        if table.shape != (n_classes, n_classes):
            raise ValueError(
                f"cost_matrix must have shape ({n_classes}, {n_classes}): row = true class, "
                f"column = decision. Got shape {table.shape} instead."
            )
        if not np.isfinite(table).all():
            raise ValueError("cost_matrix has missing or infinite entries; all must be finite.")
        if (table < np.diag(table)[:, None]).any():
            row = int((table < np.diag(table)[:, None]).any(axis=1).argmax())
            raise ValueError(
                f"cost_matrix row {row} has a mistake that is cheaper than the correct decision; "
                "fix the costs."
            )
        return cls(table)

    def expected(self, probabilities):
        """Expected cost of every decision, shape (n, k)."""
        return np.asarray(probabilities, dtype=np.float64) @ self.table

    def decide(self, probabilities):
        """Index of the decision with the least expected cost; ties go to the first."""
        return self.expected(probabilities).argmin(axis=1)

    def paid(self, truth, decided):
        """Cost of each decision, given the indices of the true classes and of the decisions."""
        return self.table[np.asarray(truth), np.asarray(decided)]
