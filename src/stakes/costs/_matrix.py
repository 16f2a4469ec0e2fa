"""Costs of k classes: one for every pair of true class and decision."""

from dataclasses import dataclass

import numpy as np

LARGEST_COST = 1e100  # sums and products of larger ones overflow


@dataclass(frozen=True, eq=False)
class CostMatrix:
    r"""Costs of k classes and m decisions: row is the true class, column the decision.

    The decisions are the classes, or actions of their own ("call", "block", "ignore"). The costs
    are those of all examples, or of each one. With probabilities :math:`p_k` the decision is
    :math:`\arg\min_j \sum_k p_k c_{kj}`.

    Parameters
    ----------
    table : ndarray of shape (k, m) or (n, k, m)
        The costs. Use :meth:`of`, which checks them.

    Examples
    --------
    >>> costs = CostMatrix.of([[0, 1, 5], [1, 0, 1], [9, 1, 0]], n_classes=3)
    >>> costs.decide([[0.7, 0.2, 0.1]])
    array([1])
    >>> costs = CostMatrix.of([[0, 2], [9, 1], [50, 3]], n_classes=3, actions=["ignore", "call"])
    >>> costs.decide([[0.7, 0.2, 0.1], [0.9, 0.1, 0.0]])
    array([1, 0])
    """

    table: np.ndarray

    @classmethod
    def of(cls, cost_matrix, n_classes, classes=None, actions=None, n=None):
        """Check a table of costs.

        Parameters
        ----------
        cost_matrix : array-like or data frame of shape (k, m) or (n, k, m)
            The costs. The rows and columns of a labeled data frame are put into the order of
            `classes` (or of the sorted labels) and `actions`; other labels raise an error.
        n_classes : int
            Number k of classes.
        classes : array-like of shape (k,), default=None
            The classes in order.
        actions : sequence of str, default=None
            Names of the decisions in order. None: the decisions are the classes, and no mistake
            may cost less than the correct decision.
        n : int, default=None
            Number of examples, if there is a table for each; None: not checked.

        Returns
        -------
        CostMatrix
        """
        table = in_class_order(cost_matrix, classes, actions)
        m = n_classes if actions is None else len(actions)
        if table.ndim not in (2, 3) or table.shape[-2:] != (n_classes, m):
            raise ValueError(
                f"cost_matrix must have shape ({n_classes}, {m}): row = true class, "
                f"column = decision; or one such table for each example. Got shape {table.shape} "
                "instead."
            )
        if n is not None and table.ndim == 3 and len(table) != n:
            raise ValueError(
                f"cost_matrix must have one table for each of the {n} examples. Got {len(table)} "
                "instead."
            )
        if not np.isfinite(table).all():
            raise ValueError("cost_matrix has missing or infinite entries; all must be finite.")
        if table.size and np.abs(table).max() > LARGEST_COST:
            raise ValueError(
                f"cost_matrix has values beyond {LARGEST_COST:g}, whose sums overflow; give the "
                "costs in a larger unit."
            )
        if actions is None:
            right = np.diagonal(table, axis1=-2, axis2=-1)[..., None]
            if (table < right).any():
                row = int((table < right).any(axis=-1).reshape(-1, n_classes).any(axis=0).argmax())
                raise ValueError(
                    f"cost_matrix row {row} has a mistake that is cheaper than the correct "
                    "decision; fix the costs."
                )
        return cls(table)

    @property
    def n_actions(self):
        """Number of decisions."""
        return self.table.shape[-1]

    def __getitem__(self, rows):
        """Select the costs of some examples."""
        return self if self.table.ndim == 2 else CostMatrix(self.table[rows])

    def __mul__(self, factor):
        """Multiply all costs by a number, or by one number per example."""
        factor = np.asarray(factor, dtype=np.float64)
        return CostMatrix(self.table * (factor[:, None, None] if factor.ndim else factor))

    def expected(self, probabilities):
        """Expected cost of every decision, shape (n, m)."""
        P = np.asarray(probabilities, dtype=np.float64)
        return P @ self.table if self.table.ndim == 2 else (P[:, None, :] @ self.table)[:, 0]

    def decide(self, probabilities):
        """Index of the decision with the least expected cost; ties go to the first."""
        return self.expected(probabilities).argmin(axis=1)

    def paid(self, truth, decided):
        """Cost of each decision, given the indices of the true classes and of the decisions."""
        truth, decided = np.asarray(truth), np.asarray(decided)
        if self.table.ndim == 2:
            return self.table[truth, decided]
        return self.table[np.arange(len(truth)), truth, decided]

    def answer(self, classes):
        """Index of the cheapest decision about examples of known classes."""
        return self._of_class(classes).argmin(axis=1)

    def regret(self, truth):
        """What is at stake in each example: its most expensive decision minus its cheapest."""
        costs = self._of_class(truth)
        return costs.max(axis=1) - costs.min(axis=1)

    def constant(self, truth):
        """Total cost of each constant decision, shape (m,)."""
        return self._of_class(truth).sum(axis=0)

    def _of_class(self, truth):
        """Costs of all decisions about examples of these classes, shape (n, m)."""
        truth = np.asarray(truth)
        if self.table.ndim == 2:
            return self.table[truth]
        return self.table[np.arange(len(truth)), truth]


def in_class_order(cost_matrix, classes=None, actions=None):
    """A table of costs as an array; a labeled data frame in the order of the classes.

    Parameters
    ----------
    cost_matrix : array-like or data frame of shape (k, m)
        The costs. A frame whose rows and columns are only numbered is read by position.
    classes : array-like of shape (k,), default=None
        The classes in order; None: the sorted labels of the frame.
    actions : sequence of str, default=None
        The labels of the columns in order; None: those of the rows.

    Returns
    -------
    ndarray of shape (k, m)

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame([[0, 9], [1, 0]], index=["ok", "bad"], columns=["ok", "bad"])
    >>> in_class_order(frame, ["bad", "ok"])
    array([[0., 1.],
           [9., 0.]])
    """
    labels = matrix_labels(cost_matrix)
    if labels is None:
        return np.asarray(cost_matrix, dtype=np.float64)
    rows, columns = labels
    if classes is None:
        named = getattr(cost_matrix, "index", cost_matrix.columns)
        classes = sorted(named, key=lambda label: (isinstance(label, str), label))
    wanted = [_key(label) for label in classes]
    decisions = wanted if actions is None else [_key(label) for label in actions]
    words = "classes" if actions is None else "actions"
    if actions is not None and not hasattr(cost_matrix, "index"):
        rows = wanted  # polars has no row labels
    checks = (("row", rows, wanted, "classes"), ("column", columns, decisions, words))
    for axis, found, expected, what in checks:
        if sorted(found) != sorted(expected):
            raise ValueError(
                f"cost_matrix has the {axis} labels {', '.join(found)}, but the {what} are "
                f"{', '.join(expected)}; rename its rows and columns, or pass an array in the "
                f"order of the {what}."
            )
    table = np.asarray(cost_matrix, dtype=np.float64)
    return table[np.ix_([rows.index(k) for k in wanted], [columns.index(j) for j in decisions])]


def matrix_labels(cost_matrix):
    """Labels of the rows and columns of a data frame; None for an array or a numbered frame."""
    columns = getattr(cost_matrix, "columns", None)
    if columns is None:
        return None
    columns = [_key(label) for label in columns]
    numbered = [str(place) for place in range(len(columns))]
    index = getattr(cost_matrix, "index", None)
    if index is None:  # polars has no row labels: those of the columns, in the same order
        named = columns != [f"column_{place}" for place in numbered]
        return (columns, columns) if named else None
    rows = [_key(label) for label in index]
    return None if rows == columns == numbered else (rows, columns)


def _key(label):
    """One form for the ways to write a label: a CSV gives the text "1" for the class 1."""
    if isinstance(label, float | np.floating) and float(label).is_integer():
        label = int(label)
    return str(label)
