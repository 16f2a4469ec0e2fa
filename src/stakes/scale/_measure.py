"""What a model's decisions about a table in parts cost, with intervals and a curve, in one pass."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from stakes._core.deciding import decide_with_costs
from stakes.errors import InputError
from stakes.metrics import MetricSums, SavingsCurveSums, cost_loss, savings_score


@dataclass(frozen=True)
class Measured:
    """What a model costs on all rows of a table.

    Attributes
    ----------
    rows : int
        Number of rows.
    cost, savings : BootstrapInterval
        Mean cost of a decision, and the share of the better constant policy's cost that is saved.
    curve : SavingsCurveDisplay or None
        Savings by threshold; None if the model gives no probabilities.
    """

    rows: int
    cost: object
    savings: object
    curve: object


def measure(model, table, *, key=None, n_boot=200, random_state=0, n_jobs=1):
    """Decide about every row and measure the money, with bootstrap intervals.

    Parameters
    ----------
    model : classifier
        Any fitted model that takes the table's columns, such as that of :class:`PartsFit`.
    table : SurveyedTable
        Rows with labels and costs; for an honest figure, not those of the training.
    key : str, default=None
        Column of whole numbers that identify the rows. The resamples are then the same on a folder
        and on Spark. None: rows are numbered, on Spark within their partition.
    n_boot : int, default=200
        Number of resamples.
    random_state : int, default=0
        Seed of the resamples.
    n_jobs : int, default=1
        Number of parts in work at the same time.

    Returns
    -------
    Measured
    """
    start = partial(_Sums, n_boot, random_state)
    found = table.fold(start, _Add(model, key), _Sums.merge, numbered=key is None, n_jobs=n_jobs)
    curve = found.curve.display() if found.probable else None
    return Measured(found.rows, found.cost.interval(), found.savings.interval(), curve)


class _Sums:
    def __init__(self, n_boot, random_state):
        how = dict(n_boot=n_boot, random_state=random_state)
        self.cost, self.savings = MetricSums(cost_loss, **how), MetricSums(savings_score, **how)
        self.curve, self.rows, self.probable = SavingsCurveSums(), 0, True

    def merge(self, other):
        self.cost, self.savings = self.cost.merge(other.cost), self.savings.merge(other.savings)
        self.curve, self.rows = self.curve.merge(other.curve), self.rows + other.rows
        self.probable = self.probable and other.probable
        return self


@dataclass(frozen=True)
class _Add:
    model: object
    key: str | None

    def __call__(self, sums, rows):
        costs = rows.costs.keywords()
        decided, probability = decide_with_costs(self.model, rows.table, **costs)
        numbers = rows.numbers if self.key is None else _whole(rows.table, self.key)
        decided = (np.asarray(decided) == 1).astype(int)
        for one in (sums.cost, sums.savings):
            one.add(numbers, rows.y, decided, **costs)
        if probability is None:
            sums.probable = False
        else:
            sums.curve.add(rows.y, probability, **costs)
        sums.rows += len(rows.y)
        return sums


def _whole(table, key):
    if key not in table.columns or not table[key].dtype.is_integer():
        raise InputError(f"The key {key!r} must be a column of whole numbers.", "key")
    return table[key].to_numpy()
