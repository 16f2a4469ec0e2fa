"""Decisions of a stored model for batches of new rows."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from stakes._core.deciding import final_step, predict_with_costs
from stakes._core.model_file import load_model
from stakes.costs import COST_NAMES, Costs
from stakes.errors import InputError, near_matches
from stakes.tables import CostExpression, cast_like, read_costs


@dataclass
class Decider:
    """A model with its cost expressions; counts what it decides.

    Parameters
    ----------
    model : estimator
        The stored model.
    kinds : dict
        Column -> what it held in training.
    costs : dict
        Name -> :class:`~stakes.tables.CostExpression`.
    keep : list of str
        Columns to copy into the result.

    Attributes
    ----------
    rows, positive : int
        Decisions so far, and positive ones among them.
    cost : float or None
        Their expected cost; None if the model gives no probabilities.
    """

    model: object
    kinds: dict
    costs: dict
    keep: list = field(default_factory=list)
    rows: int = 0
    positive: int = 0
    cost: float | None = 0.0

    @classmethod
    def of(cls, path, given, keep):
        """From a model file and the costs that were given now."""
        stored = load_model(path)
        if not {"kinds", "costs", "target"} <= stored.facts.keys():
            raise InputError(f"{str(path)!r} was not made by stakes train; train it there.")
        costs = {name: given[name] or stored.facts["costs"][name] for name in COST_NAMES}
        missing = [f"--{name.replace('_', '-')}" for name, cost in costs.items() if cost is None]
        if missing:
            raise InputError(
                "The model was trained on a data set that brings its own costs, so say what they "
                f"are for these rows: {' and '.join(missing)}."
            )
        return cls(
            stored.model,
            stored.facts["kinds"],
            {name: CostExpression(cost) for name, cost in costs.items()},
            keep,
        )

    def decide(self, batch):
        """The result's rows for one batch of the table's."""
        self._check(batch)
        first = self.rows + 1
        table = cast_like(batch, self.kinds, first_row=first)
        costs = read_costs(table, self.costs, first_row=first)
        decided = np.asarray(predict_with_costs(self.model, table, **costs)) == 1
        priced = Costs.of(table.height, **costs)
        probability = self._probability(table)
        self.rows += table.height
        self.positive += int(decided.sum())
        columns = {
            "row": np.arange(first, first + table.height),
            **{name: batch[name] for name in self.keep},
            "decision": decided.astype(np.int8),
            "probability": probability,
            "break_even": priced.break_even,
        }
        if probability is None:
            self.cost = None
            nothing = pl.Series([None] * table.height, dtype=pl.Float64)
            return pl.DataFrame(columns | {"probability": nothing, "expected_cost": nothing})
        expected = priced.expected(probability, decided)
        self.cost += float(expected.sum())
        return pl.DataFrame(columns | {"expected_cost": expected})

    def _probability(self, X):
        if not hasattr(final_step(self.model)[0], "predict_proba"):
            return None
        return np.asarray(self.model.predict_proba(X), dtype=np.float64)[:, 1]

    def _check(self, batch):
        for name in self.keep:
            if name not in batch.columns:
                raise InputError(
                    f"The column {name!r} to keep is not in the table: "
                    + near_matches(name, batch.columns)
                )
        clash = set(self.keep) & {"row", "decision", "probability", "break_even", "expected_cost"}
        if clash:
            raise InputError(
                f"A kept column is called {min(clash)!r}, like one of the result; rename it."
            )
