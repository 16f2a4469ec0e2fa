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
    def of(cls, cost_matrix, n_classes, classes=None):
        """Check a k x k table of costs; no mistake may cost less than the correct decision.

        The rows and columns of a labeled data frame are put into the order of `classes`, or of the
        sorted labels if these are None; labels that do not match raise an error.
        """
        table = in_class_order(cost_matrix, classes)
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


def in_class_order(cost_matrix, classes=None):
    """A table of costs as an array; a labeled data frame in the order of the classes.

    Parameters
    ----------
    cost_matrix : array-like or data frame of shape (k, k)
        The costs. A frame whose rows and columns are only numbered is read by position.
    classes : array-like of shape (k,), default=None
        The classes in order; None: the sorted labels of the frame.

    Returns
    -------
    ndarray of shape (k, k)

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
    for axis, found in (("row", rows), ("column", columns)):
        if sorted(found) != sorted(wanted):
            raise ValueError(
                f"cost_matrix has the {axis} labels {', '.join(found)}, but the classes are "
                f"{', '.join(wanted)}; rename its rows and columns, or pass an array in the order "
                "of the classes."
            )
    table = np.asarray(cost_matrix, dtype=np.float64)
    return table[np.ix_([rows.index(k) for k in wanted], [columns.index(k) for k in wanted])]


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
