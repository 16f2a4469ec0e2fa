"""What a model looks at, what its columns cost, and its most expensive mistakes."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from stakes._core.words import count
from stakes.compare._decider import BatchDecider
from stakes.compare._reasons import largest, shown
from stakes.compare._wording import Wording
from stakes.costs import Costs
from stakes.errors import InputError
from stakes.tables import CostExpression, LabelReader, blank_out, cast_like, read_costs

SAMPLE, CURVES, COLUMNS, SHOWN = 200, 25, 6, 20


@dataclass(eq=False)
class Explanation:
    """Explains a model of :func:`train_to_file` on a table.

    Parameters
    ----------
    decider : BatchDecider
        The model, its costs and its background.
    table : polars.DataFrame
        Rows with the columns of training.
    target, positive : str, default=None
        Label column and positive label, if the table has them; mistakes are shown then.
    other_costs : dict, default=None
        Other costs (fp_cost, ...) at which decisions are compared.
    wording : Wording, default=Wording()
        What the decisions are called, and the currency.
    random_state : int, default=0
        Seed of the sampled rows.
    """

    decider: BatchDecider
    table: pl.DataFrame
    target: str | None = None
    positive: str | None = None
    other_costs: dict | None = None
    wording: Wording = field(default_factory=Wording)
    random_state: int = 0

    def summary(self):
        """Everything that the page shows, as one dict.

        Returns
        -------
        dict
        """
        decider = self.decider
        if decider.reasons is None:
            raise InputError(
                "The model file has no background to compare with; train it again with this "
                "version of stakes."
            )
        X = cast_like(blank_out(self.table, decider.missing), decider.kinds)
        costs = Costs.of(X.height, **read_costs(X, decider.costs))
        p = decider.reasons.probability(X)
        rng = np.random.default_rng(self.random_state)
        some = np.sort(rng.permutation(X.height)[:SAMPLE])
        values = decider.reasons.of(X[some], costs[some])
        weight = np.abs(values).mean(axis=0)
        names, order = decider.reasons.columns, np.argsort(-weight, kind="stable")
        found = {
            "rows": X.height,
            "sampled": len(some),
            "importance": [
                {"column": names[j], "per_1000": float(1000 * weight[j])} for j in order
            ],
            "effects": [
                self._effect(names[j], X[some[:CURVES]], costs[some[:CURVES]])
                for j in order[:COLUMNS]
            ],
            "mistakes": self._mistakes(X, costs, p),
            "flips": self._flips(X, costs, p),
        }
        return found | {"sentences": self._sentences(found)}

    def _effect(self, name, X, costs):
        """Expected cost of the better decision as one column changes, for each of some rows."""
        grid, kind = self._grid(name)
        n, m = X.height, len(grid)
        each = X[np.repeat(np.arange(n), m)]
        each = each.with_columns(pl.Series(name, grid * n, dtype=X[name].dtype, strict=False))
        p = self.decider.reasons.probability(each)
        repeated = costs[np.repeat(np.arange(n), m)]
        both = [repeated.expected(p, np.full(n * m, decision)) for decision in (False, True)]
        cost = 1000 * np.minimum(*both).reshape(n, m)
        return {
            "column": name,
            "kind": kind,
            "grid": [one if kind == "number" else str(one) for one in grid],
            "curves": cost.tolist(),
            "mean": cost.mean(axis=0).tolist(),
        }

    def _grid(self, name):
        column = cast_like(
            blank_out(self.table.select(name), self.decider.missing),
            {name: self.decider.kinds[name]},
        )[name].drop_nulls()
        if column.dtype.is_numeric():
            column = column.cast(pl.Float64).drop_nans()
            cuts = np.unique(np.quantile(column.to_numpy(), np.linspace(0.02, 0.98, 13)))
            return cuts.tolist(), "number"
        if column.dtype == pl.String:
            top = column.value_counts(sort=True).head(8)
            return top.sort(name)[name].to_list(), "text"
        return column.unique().sort().gather_every(max(1, column.n_unique() // 8)).to_list(), "text"

    def _mistakes(self, X, costs, p):
        if self.target is None or self.target not in self.table.columns:
            return None
        labels = self.table[self.target]
        positive = LabelReader(self.target, self.positive).read_column(labels)[0] == 1
        decided = costs.decide(p)
        regret = costs.paid(positive, decided) - costs.paid(positive, positive)
        worst = np.argsort(-regret, kind="stable")[:SHOWN]
        worst = worst[regret[worst] > 0]
        values = self.decider.reasons.of(X[worst], costs[worst])
        sign = np.where(decided[worst], 1, -1)
        top = largest(values, 3, sign)
        total, names = float(regret.sum()), self.decider.reasons.columns
        rows = [
            {
                "row": int(i) + 1,
                "decision": self.decider.words[0 if decided[i] else 1],
                "truth": "positive" if positive[i] else "negative",
                "probability": float(p[i]),
                "cost": float(regret[i]),
                "because": [f"{names[j]} = {shown(X[names[j]][int(i)])}" for j in top[at]],
            }
            for at, i in enumerate(worst)
        ]
        share = float(regret[worst].sum() / total) if total > 0 else 0.0
        return {"rows": rows, "total": total, "share": share}

    def _flips(self, X, costs, p):
        if not self.other_costs:
            return None
        texts = {name: cost.text for name, cost in self.decider.costs.items()} | self.other_costs
        expressions = {name: CostExpression(text) for name, text in texts.items()}
        other = Costs.of(X.height, **read_costs(X, expressions))
        now, then = costs.decide(p), other.decide(p)
        differ = np.flatnonzero(now != then)
        near = np.argsort(np.abs(p[differ] - costs.break_even[differ]), kind="stable")
        rows = [
            {
                "row": int(i) + 1,
                "probability": float(p[i]),
                "break_even": [float(costs.break_even[i]), float(other.break_even[i])],
                "decision": [self.decider.words[0 if d[i] else 1] for d in (now, then)],
            }
            for i in differ[near[::-1]][:SHOWN]
        ]
        return {"n": len(differ), "rows": rows, "costs": self.other_costs}

    def _sentences(self, found):
        amount, top = self.wording.amount, found["importance"]
        first = ", ".join(f"{one['column']} ({amount(one['per_1000'])})" for one in top[:3])
        text = [
            "The columns that move decisions most, in money per 1,000 decisions (mean size of what "
            f"they add to or take from the advantage of acting): {first}."
        ]
        if found["mistakes"]:
            m = found["mistakes"]
            text.append(
                f"The {len(m['rows'])} most expensive mistakes are {m['share']:.0%} of the "
                f"{amount(m['total'])} that all mistakes on these rows cost."
            )
        if found["flips"]:
            flips = found["flips"]
            prices = ", ".join(f"{name} = {cost}" for name, cost in flips["costs"].items())
            text.append(
                f"At other costs ({prices}) {count(flips['n'])} of {count(found['rows'])} "
                "decisions would be different."
            )
        return text
