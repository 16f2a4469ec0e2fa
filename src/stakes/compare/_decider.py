"""A trained model that decides about batches of new rows, with limits and reasons."""

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from stakes._core.deciding import decide_with_costs, final_step
from stakes._core.model_file import load_model
from stakes._core.stored.facts import check_trained
from stakes.compare._certified import certified, gives_certificates
from stakes.compare._exact_reasons import exact_values
from stakes.compare._periods import days_of
from stakes.compare._reasons import EXACT, Reasons, adverse_action, largest, typical_value
from stakes.costs import COST_NAMES, Costs
from stakes.errors import InputError, near_matches
from stakes.tables import CostExpression, blank_out, cast_like, join_replicates, read_costs

RESULTS = ("row", "decision", "probability", "break_even", "expected_cost")
REVIEWS = ("certificate", "review")  # next to them, of a learner that uses error bars


@dataclass
class BatchDecider:
    """Decides about batches of new rows with a model of :func:`train_to_file`.

    Parameters
    ----------
    model : estimator
        The stored model.
    kinds : dict
        Column -> kind in training.
    costs : dict
        Name -> :class:`~stakes.tables.CostExpression`.
    keep : list of str
        Columns to copy to the result.
    missing : list of str, default=[]
        Texts that were missing values in training.
    replicates : dict, default={}
        If rows are replicates of examples: their id `column` and the standard deviations `pooled`.
    max_error : float, default=0.05
        A decision needs a review if its certificate is larger.

    Attributes
    ----------
    rows, positive : int
        Decisions so far, and positive ones among them.
    reviewed : int
        Reviews among them, see :meth:`decide_within`.
    cost : float or None
        Their expected cost; None if the model gives no probabilities.
    words : (str, str)
        The positive and the negative decision in words.
    reasons : Reasons or None
        Explains decisions in money, see :meth:`with_reasons`.
    """

    model: object
    kinds: dict
    costs: dict
    keep: list = field(default_factory=list)
    rows: int = 0
    positive: int = 0
    cost: float | None = 0.0
    missing: list = field(default_factory=list)
    replicates: dict = field(default_factory=dict)
    max_error: float = 0.05
    reviewed: int = 0
    words: tuple = ("1", "0")
    reasons: Reasons | None = None

    @classmethod
    def load(cls, path, keep=(), *, max_error=0.05, verify=None, **costs):
        """From a model file; costs that are not None replace those of training.

        `verify` is the file of a public key, as for :func:`stakes.model_file.load_model`.
        """
        stored = load_model(path, verify=verify)
        check_trained(path, stored.facts)
        return cls.of(path, stored, keep, max_error=max_error, **costs)

    @classmethod
    def of(cls, path, stored, keep=(), *, max_error=0.05, **costs):
        """From what a model file holds, which has been checked."""
        if stored.facts.get("cost_matrix"):
            raise InputError(f"{str(path)!r} is a model of many classes; this needs two.")
        costs = {name: costs.get(name) or stored.facts["costs"][name] for name in COST_NAMES}
        missing = tuple(name for name, cost in costs.items() if cost is None)
        if missing:
            raise InputError(
                "The model was trained on a data set that has its own costs; give those of the "
                f"new rows: {' and '.join(f'{{{name}}}' for name in missing)}.",
                missing,
            )
        costs = {name: CostExpression(cost) for name, cost in costs.items()}
        # none in files of earlier versions
        more = dict(missing=stored.facts.get("missing", []), max_error=max_error)
        more["replicates"] = stored.facts.get("replicates", {})
        ids = [more["replicates"]["column"]] if more["replicates"] else []
        keep = [*ids, *(name for name in keep if name not in ids)]
        words = stored.facts.get("words", ["", ""])
        positive = words[0] or str(stored.facts.get("positive", 1))
        words = (positive, words[1] or f"not {positive}")
        kinds = stored.facts["kinds"]
        found = cls(stored.model, kinds, costs, keep, words=words, **more)
        background = stored.facts.get("background")
        if background and hasattr(final_step(stored.model)[0], "predict_proba"):
            names = list(background)
            rows = pl.DataFrame(background, strict=False)
            rows = cast_like(rows, {name: kinds[name] for name in names})
            exact = exact_values(stored.model, rows, names) if len(names) > EXACT else None
            found.reasons = Reasons(found.probability, rows, names, exact=exact)
        return found

    @property
    def settings(self):
        """What the decisions depend on, for the record of a folder."""
        return {name: cost.text for name, cost in self.costs.items()} | {
            "max_error": self.max_error
        }

    def fresh(self):
        """The same, with nothing decided yet."""
        return replace(self, rows=0, positive=0, cost=0.0)

    def probability(self, table):
        """Probability of the positive class for rows that have the kinds of training."""
        return np.asarray(self.model.predict_proba(table))[:, 1]

    def with_reasons(self, batch, result, k, letters=False):
        """A result with the main reasons of each decision, in money.

        Parameters
        ----------
        batch, result : polars.DataFrame
            The rows, and what :meth:`decide` returned for them.
        k : int
            Number of reasons. For a positive decision (and a review) they are the columns that add
            most to the advantage of acting, otherwise those that take most from it.
        letters : bool, default=False
            Whether to add the wording of a letter for each positive decision.

        Returns
        -------
        polars.DataFrame
            With the columns reason_1, amount_1, and so on.
        """
        if self.reasons is None:
            raise InputError(
                "Reasons need a model that gives probabilities, trained with this version of "
                "stakes."
            )
        table = self._read(batch)[1]
        priced = Costs.of(table.height, **read_costs(table, self.costs))
        values, names = self.reasons.of(table, priced), np.array(self.reasons.columns)
        acted = result["decision"].to_numpy() != 0
        top = largest(values, k, np.where(acted, 1, -1))
        columns = []
        for place in range(top.shape[1]):
            chosen = top[:, place]
            amount = values[np.arange(len(values)), chosen]
            columns += [pl.Series(f"reason_{place + 1}", names[chosen].tolist(), dtype=pl.String)]
            columns += [pl.Series(f"amount_{place + 1}", amount)]
        if letters:
            columns.append(pl.Series("letter", self._letters(table, acted, names[top])))
        return result.with_columns(columns)

    def _letters(self, table, acted, names):
        usual = {n: typical_value(self.reasons.background[n]) for n in self.reasons.columns}
        return [
            adverse_action(self.words[0], [(n, table[n][i], usual[n]) for n in names[i]])
            if acted[i]
            else None
            for i in range(table.height)
        ]

    def in_words(self, result):
        """A result with its decisions in words; a review is called so."""
        shown = pl.col("decision").replace_strict(
            [1, 0, -1], [*self.words, "review"], return_dtype=pl.String
        )
        return result.with_columns(decision=shown)

    def decide_within(self, batches, capacity, review_cost=None, time=None):
        """The result for all batches, with a limited number of alerts and reviews.

        The rows share the capacity, so their result is kept in memory until all are read.

        Parameters
        ----------
        batches : iterable of polars.DataFrame
            The rows.
        capacity : Capacity
            The limits; the cost of a review in it is not used.
        review_cost : str or None, default=None
            Expression for the cost of a review; None: no reviews.
        time : str or None, default=None
            Column of times; the limits are then per day.

        Returns
        -------
        polars.DataFrame
            As from :meth:`decide`; the decision is -1 for a review.
        """
        found, prices, reviews, days = [], [], [], []
        for batch in batches:
            first = self.rows + 1
            found.append(self.decide(batch))
            if self.cost is None:
                raise InputError("The model does not predict probabilities, which limits need.")
            batch, table = self._read(batch, first)
            costs = read_costs(table, self.costs, first_row=first)
            prices.append(Costs.of(table.height, **costs))
            if review_cost is not None:
                given = read_costs(table, {"review_cost": review_cost}, first_row=first)
                reviews.append(np.broadcast_to(given["review_cost"], (table.height,)))
            if time is not None:
                days.append(days_of(batch, time))
        if not found:
            return None
        result = pl.concat(found)
        names = ("fp", "fn", "tp", "tn")
        costs = Costs(*(np.concatenate([getattr(one, name) for one in prices]) for name in names))
        review_cost = np.concatenate(reviews) if reviews else None
        capacity = replace(capacity, review_cost=review_cost)
        probability = result["probability"].to_numpy()
        action = capacity.act(probability, costs, np.concatenate(days) if days else None)
        expected = capacity.expected(costs, probability, action)
        self.positive, self.reviewed = int((action == 1).sum()), int((action == -1).sum())
        self.cost = float(expected.sum())
        return result.with_columns(
            pl.Series("decision", action.astype(np.int8)), pl.Series("expected_cost", expected)
        )

    def decide(self, batch):
        """Rows of the result for one batch of a table."""
        self._check(batch)
        if not batch.height:
            return self._nothing(batch)
        first = self.rows + 1
        batch, table = self._read(batch, first)
        costs = read_costs(table, self.costs, first_row=first)
        decided, probability = decide_with_costs(self.model, table, **costs)
        decided = np.asarray(decided) == 1
        priced = Costs.of(table.height, **costs)
        self.rows += table.height
        self.positive += int(decided.sum())
        columns = {
            "row": np.arange(first, first + table.height),
            **{name: batch[name] for name in self.keep},
            "decision": decided.astype(np.int8),
            "probability": probability,
            "break_even": priced.break_even,
        }
        certificate = certified(self.model, table, **costs)
        if certificate is not None:
            columns["certificate"] = certificate
            columns["review"] = (certificate > self.max_error).astype(np.int8)
        if probability is None:
            self.cost = None
            nothing = pl.Series([None] * table.height, dtype=pl.Float64)
            return pl.DataFrame(columns | {"probability": nothing, "expected_cost": nothing})
        expected = priced.expected(probability, decided)
        self.cost += float(expected.sum())
        return pl.DataFrame(columns | {"expected_cost": expected})

    def _read(self, batch, first=1):
        """The rows, with replicates joined, as they are and with the kinds of training."""
        table = blank_out(batch, self.missing)
        if self.replicates:
            own = {name: kind for name, kind in self.kinds.items() if name in table.columns}
            batch = table = join_replicates(cast_like(table, own), **self.replicates)[0]
        return batch, cast_like(table, self.kinds, first_row=first)

    def _nothing(self, batch):
        """A result without rows, with the columns and types of any other."""
        kept = {name: batch.schema[name] for name in self.keep}
        money = dict.fromkeys(RESULTS[2:], pl.Float64)
        if gives_certificates(self.model):
            money |= {"certificate": pl.Float64, "review": pl.Int8, "expected_cost": pl.Float64}
            money["expected_cost"] = money.pop("expected_cost")
        return pl.DataFrame(schema={"row": pl.Int64} | kept | {"decision": pl.Int8} | money)

    def _check(self, batch):
        for name in self.keep:
            if name not in batch.columns:
                raise InputError(
                    f"The column {name!r} to keep is not in the table: "
                    + near_matches(name, batch.columns)
                )
            if name in (*RESULTS, *REVIEWS):
                raise InputError(
                    f"A kept column is called {name!r}, like one of the result; rename it."
                )
