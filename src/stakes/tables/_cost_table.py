"""A cost matrix of k classes as a user writes it: a CSV of numbers or expressions."""

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from stakes.costs import CostMatrix
from stakes.errors import InputError
from stakes.tables._costs import evaluated
from stakes.tables._expression import CostExpression
from stakes.tables._labels import plain_label


@dataclass(frozen=True)
class CostTable:
    """Costs of k classes and m decisions, each a number or an expression over columns.

    Parameters
    ----------
    classes, actions : tuple of str
        True classes (rows) and decisions (columns).
    cells : tuple of k tuples of m str
        The costs, see :class:`CostExpression`.

    Examples
    --------
    >>> import polars as pl
    >>> cells = (("0", "5"), ("amount", "1"), ("9", "1"))
    >>> table = CostTable(("good", "fraud", "error"), ("accept", "check"), cells)
    >>> table.columns
    ('amount',)
    >>> table.evaluate(pl.DataFrame({"amount": [80.0]})).tolist()
    [[[0.0, 5.0], [80.0, 1.0], [9.0, 1.0]]]
    """

    classes: tuple
    actions: tuple
    cells: tuple

    @classmethod
    def read(cls, path):
        """Read a CSV: the first column holds the true classes, the first row the decisions."""
        path = Path(path)
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                rows = [[cell.strip() for cell in row] for row in csv.reader(file) if any(row)]
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"Cannot read the cost matrix {str(path)!r}: {error}.") from None
        if len(rows) < 3 or len(rows[0]) < 3:
            raise InputError(
                f"The cost matrix {str(path)!r} needs at least two classes (rows) and two "
                "decisions (columns), with their names in the first column and the first row."
            )
        actions = rows[0][1:]
        for number, row in enumerate(rows[1:], start=2):
            if len(row) != len(actions) + 1 or not all(row):
                raise InputError(
                    f"Row {number} of the cost matrix {str(path)!r} must have a class and "
                    f"{len(actions)} costs."
                )
        return cls.of([row[0] for row in rows[1:]], actions, [row[1:] for row in rows[1:]])

    @classmethod
    def of(cls, classes, actions, cells):
        """From lists; decisions that are the classes are put into their order.

        Parameters
        ----------
        classes, actions : sequence of str
            Names of the rows and columns.
        cells : sequence of sequences of str or float
            The costs.
        """
        for what, names in (("class", classes), ("decision", actions)):
            plain = [plain_label(name) for name in names]
            twice = [name for name, one in zip(names, plain, strict=True) if plain.count(one) > 1]
            if twice:
                raise InputError(f"The cost matrix has the {what} {twice[0]!r} twice.")
        if len(cells) != len(classes) or {len(row) for row in cells} != {len(actions)}:
            raise InputError(
                f"The cost matrix must have {len(classes)} rows, one per class, of {len(actions)} "
                "costs, one per decision."
            )
        rows, columns = ([plain_label(name) for name in names] for names in (classes, actions))
        if sorted(rows) == sorted(columns):
            order = [columns.index(name) for name in rows]
            actions, cells = classes, [[row[j] for j in order] for row in cells]
        cells = tuple(tuple(str(cell) for cell in row) for row in cells)
        return cls(tuple(classes), tuple(actions), cells)

    @property
    def decides_classes(self):
        """Whether the decisions are the classes."""
        return self.actions == self.classes

    @cached_property
    def costs(self):
        """The cells as :class:`CostExpression`, row by row."""
        return [[CostExpression(cell) for cell in row] for row in self.cells]

    @property
    def columns(self):
        """Columns that the costs use."""
        used = [name for row in self.costs for cost in row for name in cost.columns]
        return tuple(dict.fromkeys(used))

    def evaluate(self, frame, target=None, *, first_row=1):
        """Costs of each row of a table.

        Parameters
        ----------
        frame : polars.DataFrame
            The table.
        target : str, default=None
            Label column, which no cost may use.
        first_row : int, default=1
            Number of the first row, for messages.

        Returns
        -------
        ndarray of shape (n, k, m)
            A view with one copy of the costs if they use no column.
        """
        n, k, m = frame.height, len(self.classes), len(self.actions)
        values = np.empty((n if self.columns else 1, k, m))
        for i, row in enumerate(self.costs):
            for j, cost in enumerate(row):
                values[:, i, j] = evaluated("cost_matrix", cost, frame, target, first_row)
        self._check(values)
        return np.broadcast_to(values, (n, k, m))

    def evaluate_one(self, event):
        """Costs of one event, as an array of shape (k, m)."""
        try:
            values = np.array([[cost.evaluate_one(event) for cost in row] for row in self.costs])
        except InputError as error:
            raise InputError(error.message, "cost_matrix") from None
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            cost = self.costs[bad[0][0]][bad[0][1]]
            fields = " and ".join(map(repr, cost.columns))
            raise InputError(
                f"{{parameter}} has the cost {cost.text!r}, which is missing or infinite; fill in "
                f"{fields}.",
                "cost_matrix",
            )
        self._check(values)
        return values

    def to_dict(self):
        """As lists of text, for JSON and model files."""
        return dict(
            classes=list(self.classes),
            actions=list(self.actions),
            cells=[list(row) for row in self.cells],
        )

    def _check(self, values):
        actions = None if self.decides_classes else self.actions
        try:
            CostMatrix.of(values, len(self.classes), actions=actions)
        except ValueError as error:
            raise InputError(
                str(error).replace("cost_matrix", "{parameter}", 1), "cost_matrix"
            ) from None
