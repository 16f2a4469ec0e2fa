"""A data set with more than two classes, or with decisions that are not the classes."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from stakes.costs import CostMatrix
from stakes.tables._alarms import class_leaks
from stakes.tables._priced import PricedData

FEWEST = 50  # examples of each class that a sample keeps


@dataclass(frozen=True, eq=False)
class ClassData(PricedData):
    """Features, classes and the costs of every decision; see :class:`PricedData`.

    Parameters
    ----------
    classes, actions : tuple of str
        The classes, of which `y` holds the numbers from 0, and the decisions.
    cost_matrix : ndarray of shape (k, m) or (n, k, m)
        Costs, row: true class, column: decision; for all examples or for each.

    Examples
    --------
    >>> data = ClassData("toy", np.eye(3), np.array([0, 1, 2]), classes=("a", "b", "c"),
    ...                  actions=("ignore", "call"), cost_matrix=np.array([[0, 2], [9, 1], [5, 1]]))
    >>> print(data.summary())
    3 examples of 3 classes: a 1 (33.33%), b 1 (33.33%), c 1 (33.33%).
    Always ignore costs 14.00; always call costs 4.00.
    """

    classes: tuple = ()
    actions: tuple = ()
    cost_matrix: np.ndarray | None = None

    def __post_init__(self):
        own = None if self.decides_classes else self.actions
        table = CostMatrix.of(self.cost_matrix, len(self.classes), actions=own).table
        shape = (len(self), len(self.classes), len(self.actions))
        vars(self)["cost_matrix"] = np.broadcast_to(table, shape)  # rows are taken alike

    @property
    def decides_classes(self):
        """Whether the decisions are the classes."""
        return tuple(self.actions) == tuple(self.classes)

    @property
    def truth(self):
        """Numbers of the true classes."""
        return self.y

    @property
    def costs(self):
        """The costs by name, as :attr:`PricedData.costs`."""
        return {"cost_matrix": self.cost_matrix}

    def as_costs(self):
        """The costs as :class:`~stakes.costs.CostMatrix`."""
        return CostMatrix(self.cost_matrix)

    def summary(self):
        """Sentences on the classes and the constant decisions."""
        return ClassSummary.of(self)

    @cached_property
    def leaks(self):
        """Columns that alone separate every class nearly perfectly -> least ROC area."""
        frame, kinds = self._checked
        return class_leaks(frame, self.y, kinds)

    def _known_afterwards(self):
        return []  # the decision is not one of acting for a class

    def sample(self, rows, *, random_state=None):
        """Draw at most `rows` rows, with costs that represent the whole table.

        As for two classes: every class keeps its share, or 50 examples if it has them; its costs
        are scaled so that the mean cost of every policy stays the same in expectation.

        Parameters
        ----------
        rows : int
            Maximum number of rows.
        random_state : int or None, default=None
            Seed of the draw.

        Returns
        -------
        ClassData
        """
        n, k = len(self), len(self.classes)
        if n <= rows:
            return self
        members = [np.flatnonzero(self.y == c) for c in range(k)]
        least = [min(len(m), FEWEST, rows // k) for m in members]
        free = (rows - sum(least)) / max(n - sum(least), 1)
        sizes = [few + int(free * (len(m) - few)) for few, m in zip(least, members, strict=True)]
        draw = np.random.default_rng(random_state)
        chosen = [draw.choice(m, s, replace=False) for m, s in zip(members, sizes, strict=True)]
        sampled = self._take(np.sort(np.concatenate(chosen)))
        pairs = zip(members, sizes, strict=True)
        factors = np.array([len(m) / s * sum(sizes) / n if s else 1.0 for m, s in pairs])
        return replace(sampled, cost_matrix=sampled.cost_matrix * factors[:, None])


@dataclass(frozen=True)
class ClassSummary:
    """Key figures of a :class:`ClassData`; prints as text.

    Attributes
    ----------
    n : int
        Number of examples.
    classes : dict
        Class -> number of its examples.
    constant : dict
        Decision -> total cost of always taking it.
    """

    n: int
    classes: dict
    constant: dict

    @classmethod
    def of(cls, data):
        """Summarize a data set."""
        counts = np.bincount(data.y, minlength=len(data.classes)).tolist()
        totals = data.as_costs().constant(data.y).tolist()
        pairs = zip(data.actions, totals, strict=True)
        return cls(len(data), dict(zip(data.classes, counts, strict=True)), dict(pairs))

    @property
    def best_trivial(self):
        """Cost of the cheapest constant decision."""
        return min(self.constant.values())

    def to_dict(self):
        """Return the figures as a dict, for JSON."""
        return asdict(self)

    def __str__(self):
        return self.in_words()

    def in_words(self, amount="{:,.2f}".format):
        """The figures as text, with amounts of money as a function writes them."""
        shares = [
            f"{name} {count:,} ({count / self.n:.2%})" for name, count in self.classes.items()
        ]
        costs = [f"always {name} costs {amount(cost)}" for name, cost in self.constant.items()]
        policies = "; ".join(costs)
        return (
            f"{self.n:,} examples of {len(shares)} classes: {', '.join(shares)}.\n"
            f"{policies[0].upper()}{policies[1:]}."
        )
