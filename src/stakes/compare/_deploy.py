"""The winner of a comparison in use: trained on all rows, saved, deciding about new rows."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

from stakes._core.deciding import decide_with_costs
from stakes._core.model_file import load_model, save_model
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Either, Fields, Listed, Mapping, Maybe, Number, Sometimes, Text
from stakes._core.stored.state import check_plain
from stakes.compare._error_bars import certified, gives_certificates
from stakes.compare._fit import fit_on_all
from stakes.compare._periods import days_of
from stakes.compare._priced_pipeline import PricedPipeline
from stakes.costs import COST_NAMES, Costs
from stakes.errors import InputError, near_matches
from stakes.tables import (
    CostExpression,
    as_frame,
    blank_out,
    cast_like,
    join_replicates,
    kind_of,
    read_costs,
)

_FACTS = Fields(
    {
        "kinds": Mapping(Text()),
        "costs": Fields(dict.fromkeys(COST_NAMES, Maybe(Either((Number(), Text()))))),
        "missing": Sometimes(Listed(Text())),
    }
)
RESULTS = ("row", "decision", "probability", "break_even", "expected_cost")
REVIEWS = ("certificate", "review")  # next to them, of a learner that uses error bars


def winner_of(folder, learner=None):
    """The learner to deploy after a comparison.

    Parameters
    ----------
    folder : Path
        Results of a comparison.
    learner : str, default=None
        A contestant, refused if it lost to a constant policy; None: the best one.
    """
    path = Path(folder) / "report.json"
    try:
        report = json.loads(path.read_text())["datasets"][0]
        best = report["best"]
        lost = {found["learner"] for found in report["learners"] if found["below_trivial"]}
    except (OSError, ValueError, LookupError):
        raise InputError(
            f"{str(path)!r} does not say which learner won; run stakes compare again."
        ) from None
    if learner in lost:
        raise InputError(
            f"{learner} cost more in {folder} than the best constant policy; name another learner, "
            "or train it without {parameter}.",
            "from",
        )
    return learner or best


def train_to_file(path, learner, settings, data, *, random_state=0, tune=True, key=None):
    """Fit a contestant on all rows and save it with all that :class:`BatchDecider` needs.

    Parameters
    ----------
    path : str or Path
        The model file.
    learner : str
        Name of a contestant.
    settings : TableSettings
        Where the data came from.
    data : PricedData
        What `settings` loaded.
    random_state : int, default=0
        Seed for all random choices.
    tune : bool, default=True
        Whether the contestant's grid is searched.
    key : private key, default=None
        What to sign the file with; None: it is not signed.
    """
    if sparse.issparse(data.X):
        raise InputError(f"{data.name} is sparse; train models for sparse data in Python.")
    if data.kinds is None:  # an array: new rows are matched by column names
        data = replace(data, X=as_frame(data.X))
    model, chosen = fit_on_all(learner, data, random_state=random_state, tune=tune)
    costs = settings.expressions(data)
    kinds = {name: kind_of(dtype) for name, dtype in data.X.schema.items()}
    save_model(
        PricedPipeline(model.steps, costs=costs, kinds=kinds),
        path,
        learner=learner,
        params=chosen,
        target=settings.target,
        positive=data.positive,
        costs=costs,
        kinds=kinds,
        missing=list(settings.missing),
        replicates=data.replicates,
        rows=len(data),
        data=data.name,
        key=key,
    )


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

    @classmethod
    def load(cls, path, keep=(), *, max_error=0.05, verify=None, **costs):
        """From a model file; costs that are not None replace those of training.

        `verify` is the file of a public key, as for :func:`stakes.model_file.load_model`.
        """
        stored = load_model(path, verify=verify)
        if not {"kinds", "costs", "target"} <= stored.facts.keys():
            raise InputError(f"{str(path)!r} was not made by stakes train; train it there.")
        try:
            check_plain(
                {name: stored.facts[name] for name in _FACTS.specs if name in stored.facts}, _FACTS
            )
        except Damaged as error:
            raise InputError(f"The model file {str(path)!r} is damaged: {error}.") from None
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
        return cls(stored.model, stored.facts["kinds"], costs, keep, **more)

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
                raise InputError("The model gives no probabilities, which a limit needs.")
            table = cast_like(blank_out(batch, self.missing), self.kinds, first_row=first)
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
        table = blank_out(batch, self.missing)
        if self.replicates:
            own = {name: kind for name, kind in self.kinds.items() if name in table.columns}
            table, _, _ = join_replicates(cast_like(table, own), **self.replicates)
            batch = table
        table = cast_like(table, self.kinds, first_row=first)
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
