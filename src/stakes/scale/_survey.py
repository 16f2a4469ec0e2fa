"""The first pass over a table in parts: kinds of columns, categories, labels and a sample."""

from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import polars as pl

from stakes._core.row_hash import hash_rows
from stakes.costs import COST_NAMES, NEUTRAL_COSTS, Costs
from stakes.errors import InputError, near_matches
from stakes.scale._verbs import fold_parts, parts_of
from stakes.tables import (
    ColumnFacts,
    CostExpression,
    LabelReader,
    blank_out,
    cast_like,
    kinds_of,
    load_table,
    read_costs,
)


def survey(
    source,
    target,
    positive=None,
    *,
    costs=None,
    drop=(),
    missing=(),
    cost_features=True,
    sample_rows=10_000,
    random_state=0,
    n_jobs=1,
):
    """Read a table in parts once, to find out all that reading it again needs.

    The kinds of the columns, the categories and the positive label are those that one table of all
    rows would have. Only a text column with more than 100,000 distinct values is left out in any
    case.

    Parameters
    ----------
    source : str, Path, Folder, list of Part or SparkTable
        The table. Its files must be of one kind, Parquet or text.
    target, positive, drop, missing, cost_features
        As in :func:`stakes.tables.load_table`.
    costs : dict, default=None
        fp_cost, fn_cost, tp_cost, tn_cost -> number or expression; None: 1 for a mistake, else 0.
    sample_rows : int, default=10000
        Size of a random sample of rows to keep.
    random_state : int, default=0
        Seed of the sample.
    n_jobs : int, default=1
        Number of parts in work at the same time.

    Returns
    -------
    SurveyedTable

    Examples
    --------
    >>> import tempfile
    >>> from stakes.datasets import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     loans = load("german")
    ...     table = loans.X.with_columns(bad=pl.Series(loans.y))
    ...     for k in range(4):
    ...         table[250 * k : 250 * (k + 1)].write_parquet(f"{folder}/{k}.parquet")
    ...     found = survey(folder, "bad", costs={"fn_cost": "amount"})
    >>> found.rows, found.positives, found.kinds == loans.kinds
    (1000, 300, True)
    """
    given = NEUTRAL_COSTS | {k: v for k, v in (costs or {}).items() if v is not None}
    texts = {name: cost for name, cost in given.items() if isinstance(cost, str)}
    used = [name for cost in texts.values() for name in CostExpression(cost).columns]
    drop = [drop] if isinstance(drop, str) else list(drop)
    look = _Look(
        LabelReader(target, positive),
        tuple(name for name in drop if name not in used),
        tuple([missing] if isinstance(missing, str) else missing),
        _is_text(source),
        sample_rows,
        random_state,
    )
    found = fold_parts(
        source, start=_Seen, add=look, merge=look.merge, numbered=True, n_jobs=n_jobs
    )
    if not found.rows:
        raise InputError("The table has no rows.")
    for name in (*drop, *used):
        if name not in found.columns:
            raise InputError(
                f"The column {name!r} is not in the table: " + near_matches(name, found.columns)
            )
    labels = pl.Series(list(found.labels))
    positives, positive = LabelReader(target, positive).read_column(labels)
    return SurveyedTable(
        source,
        target,
        positive,
        costs=given,
        drop=drop,
        missing=look.missing,
        cost_features=cost_features,
        rows=found.rows,
        positives=int(positives @ list(found.labels.values())),
        facts=found.facts,
        sampled=found.sample,
    )


@dataclass(frozen=True, eq=False)
class SurveyedTable:
    """A table in parts that can be read as features, labels and costs.

    Attributes
    ----------
    source : str, Path, Folder, list of Part or SparkTable
        The table.
    target, positive : str
        Label column and positive label.
    costs : dict
        The four costs, as numbers or expressions.
    rows, positives : int
        Number of rows and of positive ones.
    facts : dict of str -> ColumnFacts
        Facts of the columns.
    sampled : polars.DataFrame
        A random sample of rows, as they are read.
    """

    source: object
    target: str
    positive: str
    costs: dict
    drop: list
    missing: tuple
    cost_features: bool
    rows: int
    positives: int
    facts: dict
    sampled: pl.DataFrame = field(repr=False)

    @cached_property
    def cost_columns(self):
        """Columns that the costs are computed from."""
        texts = [cost for cost in self.costs.values() if isinstance(cost, str)]
        return list(dict.fromkeys(n for cost in texts for n in CostExpression(cost).columns))

    @cached_property
    def columns(self):
        """Column -> kind, of all columns that new rows must have or may have."""
        out = {self.target, *self.drop} - set(self.cost_columns)
        settled = {name: facts.settled() for name, facts in self.facts.items() if name not in out}
        return {name: facts.kind for name, facts in settled.items()}

    @cached_property
    def kinds(self):
        """Column -> kind of the columns that a model can use."""
        return self._found[0]

    @cached_property
    def notes(self):
        """Sentences on columns that are left out."""
        return self._found[1]

    @cached_property
    def _found(self):
        out = {self.target, *self.drop}
        out |= set() if self.cost_features else set(self.cost_columns)
        kinds, notes = kinds_of(facts for name, facts in self.facts.items() if name not in out)
        if not kinds:
            raise InputError("No column is left as a feature. " + " ".join(notes), "drop")
        return kinds, notes

    @cached_property
    def reader(self):
        """What turns a batch into features, labels and costs; it is sent to the workers."""
        read = dict(self.columns)
        return RowReader(self.target, self.positive, self.costs, self.missing, read)

    @cached_property
    def sample(self):
        """The sample as :class:`~stakes.tables.PricedData`."""
        frame = cast_like(blank_out(self.sampled, self.missing), self.columns)
        costs, out = {n: str(self.costs[n]) for n in COST_NAMES}, dict(drop=self.drop)
        out["cost_features"] = self.cost_features
        out["name"] = Path(str(self.source)).name if isinstance(self.source, str | Path) else None
        return load_table(frame, self.target, self.positive, **costs, **out)

    def fold(self, start, add, merge, *, numbered=False, n_jobs=1):
        """Fold all rows as :func:`fold_parts` does, with `add(state, rows)` for :class:`Rows`.

        Parameters
        ----------
        start, add, merge, n_jobs
            As there.
        numbered : bool, default=False
            Whether the rows have their numbers in the whole table, else in their part.

        Returns
        -------
        object
        """
        add = partial(_add_rows, self.reader, add)
        how = dict(start=start, add=add, merge=merge, n_jobs=n_jobs)
        return fold_parts(self.source, **how, numbered=numbered)


@dataclass(frozen=True)
class Rows:
    """Rows of a batch.

    Attributes
    ----------
    table : polars.DataFrame
        The features, and other columns of the table.
    y : ndarray of int
        1 for the positive class, else 0.
    costs : Costs
        What the outcomes cost.
    numbers : ndarray of int
        Numbers of the rows in the whole table.
    """

    table: pl.DataFrame
    y: np.ndarray
    costs: Costs
    numbers: np.ndarray

    @property
    def regret(self):
        """Regret of getting each row wrong."""
        return self.costs.regret(self.y == 1)

    def encoded(self, matrix):
        """The features as a :class:`~stakes.tables.ModelMatrix` encodes them."""
        return matrix.encode(self.table)

    def take(self, mask):
        """Some of the rows."""
        return Rows(self.table.filter(mask), self.y[mask], self.costs[mask], self.numbers[mask])


@dataclass(frozen=True)
class RowReader:
    """Reads batches with what a :func:`survey` found."""

    target: str
    positive: str
    costs: dict
    missing: tuple
    kinds: dict

    def read(self, batch, first=0):
        """The :class:`Rows` of a batch whose first row has this number."""
        table = cast_like(blank_out(batch, self.missing), self.kinds, first_row=first + 1)
        labels = LabelReader(self.target, self.positive)
        y = labels.read_column(table[self.target], one_class=True)[0]
        costs = read_costs(table, self.costs, self.target, first_row=first + 1)
        numbers = np.arange(first, first + table.height)
        return Rows(table, y, Costs.of(table.height, **costs), numbers)


def _add_rows(reader, add, state, batch, first=0):
    return add(state, reader.read(batch, first)) if batch.height else state


@dataclass
class _Seen:
    """What was found in some rows."""

    rows: int = 0
    columns: list = field(default_factory=list)
    facts: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)
    sample: pl.DataFrame | None = None
    keys: np.ndarray | None = None


@dataclass(frozen=True)
class _Look:
    """Adds a batch to what was found."""

    labels: LabelReader
    drop: tuple
    missing: tuple
    guess: bool
    sample_rows: int
    random_state: int

    def __call__(self, seen, batch, first):
        if not batch.height:
            return seen
        if self.labels.target not in batch.columns:
            raise InputError(
                f"The target column {self.labels.target!r} is not in the table: "
                + near_matches(self.labels.target, batch.columns),
                "target",
            )
        table = blank_out(batch, self.missing)
        facts = {}
        for column in table.iter_columns():
            if column.name not in (self.labels.target, *self.drop):
                # as in one table: words for missing values may hide a column of numbers
                changed = column.null_count() > batch[column.name].null_count()
                facts[column.name] = ColumnFacts.of(column, guess=self.guess or changed)
        keys = hash_rows(np.arange(first, first + batch.height), self.random_state)
        sample, keys = _lowest(batch, keys, self.sample_rows)
        labels = self.labels.count_labels(table[self.labels.target])
        found = _Seen(batch.height, batch.columns, facts, labels, sample, keys)
        return self.merge(seen, found)

    def merge(self, seen, other):
        """What was found in the rows of both."""
        if not seen.rows or not other.rows:
            return seen if seen.rows else other
        if set(seen.columns) != set(other.columns):
            odd = sorted(set(seen.columns) ^ set(other.columns))[0]
            raise InputError(f"Only some parts of the table have the column {odd!r}.")
        facts = {name: known.merge(other.facts[name]) for name, known in seen.facts.items()}
        labels = dict(seen.labels)
        for label, n in other.labels.items():
            labels[label] = labels.get(label, 0) + n
        both = [seen.sample, other.sample.select(seen.sample.columns)]
        sample = pl.concat(both, how="vertical_relaxed")
        keys = np.concatenate([seen.keys, other.keys])
        sample, keys = _lowest(sample, keys, self.sample_rows)
        return _Seen(seen.rows + other.rows, seen.columns, facts, labels, sample, keys)


def _lowest(frame, keys, k):
    """The k rows with the smallest keys, in the order of the rows."""
    if len(keys) <= k:
        return frame, keys
    chosen = np.sort(np.argpartition(keys, k)[:k])
    return frame[chosen], keys[chosen]


def _is_text(source):
    if hasattr(source, "fold"):
        return False
    kinds = {part.is_text for part in parts_of(source)}
    if len(kinds) > 1:
        raise InputError(
            "The table has Parquet and text files, whose columns may differ in type; convert them "
            "to one format."
        )
    return kinds == {True}
