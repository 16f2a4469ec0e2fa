"""One data set: the examples, their labels, and what each mistake costs."""

from dataclasses import dataclass, replace

import numpy as np

from stakes._core.deciding import row_count
from stakes.costs import COST_NAMES, Costs

RARE = 500  # fewer examples of a class than this tell little of it


@dataclass(frozen=True, eq=False)
class PricedData:
    """Examples with labels and costs; what every loader and generator returns.

    Parameters
    ----------
    name : str
        What reports call it.
    X : ndarray, CSR matrix or polars.DataFrame of n rows
        The features; a frame keeps names, categories, dates and missing values.
    y : ndarray of shape (n,)
        Labels 0 and 1; 1 is the positive class, the one that an alarm is raised for.
    fp_cost, fn_cost, tp_cost, tn_cost : float or ndarray of shape (n,)
        What the four outcomes cost.
    positive : str, default="1"
        What the positive class means, in words.
    description : str, default=""
        Where it comes from, its licence, and where its costs come from.

    Examples
    --------
    >>> data = PricedData("toy", np.eye(2), np.array([0, 1]), fp_cost=1.0, fn_cost=np.array([5, 9]))
    >>> print(data.summary())
    2 examples, 1 positive (50.00%).
    Always negative costs 9.00; always positive costs 1.00.
    Say positive above a probability of 0.1333 (median; 0.1033 to 0.1633 in 90 % of the examples).
    The top 1 % of the examples hold 90.0% of the stakes.
    """

    name: str
    X: object
    y: np.ndarray
    fp_cost: float | np.ndarray = 1.0
    fn_cost: float | np.ndarray = 1.0
    tp_cost: float | np.ndarray = 0.0
    tn_cost: float | np.ndarray = 0.0
    positive: str = "1"
    description: str = ""

    def __len__(self):
        return row_count(self.X)

    @property
    def costs(self):
        """The four costs by name: `model.fit(data.X, data.y, **data.costs)`."""
        return {name: getattr(self, name) for name in COST_NAMES}

    def as_costs(self):
        """The costs in their one checked form."""
        return Costs.of(len(self), **self.costs)

    def summary(self):
        """What is at stake, in plain words."""
        return self.as_costs().summary(self.y == 1)

    def take(self, rows):
        """The same data set with only some of its rows (indices, a mask or a slice)."""
        # one form for all: polars takes no mask
        rows = np.arange(len(self))[rows if isinstance(rows, slice) or len(rows) else slice(0)]
        costs = {name: cost[rows] if np.ndim(cost) else cost for name, cost in self.costs.items()}
        return PricedData(
            self.name,
            self.X[rows],
            self.y[rows],
            positive=self.positive,
            description=self.description,
            **costs,
        )

    def sample(self, rows, *, random_state=0):
        """At most so many rows, drawn at random, at prices that stand for all of them.

        Classes keep their shares, but the rarer one keeps at least 500 examples, as far as it has
        them (and at most half of the rows). What decisions about each class cost is then multiplied
        so that the mean cost of every policy, and the best decision for every row, are in
        expectation those of all rows.

        Parameters
        ----------
        rows : int
            How many rows to keep.
        random_state : int, default=0
            Seed of the draw.

        Returns
        -------
        PricedData

        Examples
        --------
        >>> data = PricedData("toy", np.eye(4000), np.arange(4000) < 100, fn_cost=20.0)
        >>> small = data.sample(400)
        >>> len(small), int(small.y.sum()), small.fp_cost, small.fn_cost
        (400, 100, 1.3, 2.0)
        """
        n = len(self)
        if n <= rows:
            return self
        members = [np.flatnonzero(self.y != 1), np.flatnonzero(self.y == 1)]
        rarer = int(len(members[1]) < len(members[0]))
        share = round(len(members[rarer]) * rows / n)
        few = max(share, min(RARE, len(members[rarer]), rows // 2))
        sizes = [rows - few, few] if rarer else [few, rows - few]
        draw = np.random.default_rng(random_state)
        chosen = [draw.choice(m, k, replace=False) for m, k in zip(members, sizes, strict=True)]
        sampled = self.take(np.sort(np.concatenate(chosen)))
        if few == share:
            return sampled
        false, true = (len(m) / k * rows / n for m, k in zip(members, sizes, strict=True))
        factors = dict(fp_cost=false, tn_cost=false, fn_cost=true, tp_cost=true)
        return replace(sampled, **{c: factors[c] * cost for c, cost in sampled.costs.items()})
