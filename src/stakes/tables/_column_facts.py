"""What must be known of a column before rows are encoded, for a table in one piece or in parts."""

from dataclasses import dataclass, replace

import polars as pl

from stakes.errors import InputError
from stakes.tables._kinds import as_frame, fits, has_text, kind_of, kinds_to_guess, parsed

ID_LIKE = 0.5  # text with more distinct values than this share of the rows identifies its row
MAX_TEXTS = 100_000  # distinct texts of a column in parts that are counted


def find_kinds(table):
    """Kinds of the columns that a model can use, and notes about the others.

    Constant and empty columns are left out, as are text columns with too many distinct values
    (more than 50, and more than half as many as rows) and columns of lists and the like.

    Returns
    -------
    kinds : dict
        Column -> kind, as from :func:`kind_of`, in the order of the table; a datetime without
        times of day is a date.
    notes : list of str
        One sentence for each column that is left out.

    Examples
    --------
    >>> find_kinds(pl.DataFrame({"a": [1, 2], "b": ["x", "x"]}))
    ({'a': 'number'}, ["Column 'b' is constant and is left out."])
    """
    return kinds_of(ColumnFacts.of(column) for column in as_frame(table).iter_columns())


def kinds_of(facts):
    """As :func:`find_kinds`, from the facts of the columns.

    Parameters
    ----------
    facts : iterable of ColumnFacts
        One for each column.
    """
    kinds, notes = {}, []
    for column in facts:
        kind, reason = column.kind_and_reason()
        if reason:
            notes.append(f"Column {column.name!r} {reason} and is left out.")
        else:
            kinds[column.name] = kind
    return kinds, notes


@dataclass(frozen=True)
class ColumnFacts:
    """Facts of a column that do not depend on how its rows are cut into parts.

    Attributes
    ----------
    name, kind, type : str
        Name, kind (see :func:`kind_of`) and polars type.
    rows, present : int
        Number of rows, and of values that are not missing.
    low, high : object
        Smallest and largest value of a column that is not text.
    midnight : bool
        Whether a column of times has no times of day.
    counts : polars.DataFrame or None
        Of text: each distinct value and how often it occurs; None: too many to count.
    guessed : tuple of str or None
        Of text that may be numbers or dates: the kinds that every value fits so far; None: no
        value yet, or the column stays text.
    words : int
        Values that are missing if the column is not text after all ("n/a").

    Examples
    --------
    >>> facts = [ColumnFacts.of(pl.Series("x", v), guess=True) for v in (["1"], ["2", "n/a"])]
    >>> together = facts[0].merge(facts[1])
    >>> together.kind_and_reason(), together.rows
    (('number', None), 3)
    """

    name: str
    kind: str
    type: str
    rows: int
    present: int
    low: object = None
    high: object = None
    midnight: bool = True
    counts: pl.DataFrame | None = None
    guessed: tuple | None = None
    words: int = 0

    @classmethod
    def of(cls, column, *, guess=False):
        """Facts of some rows; with `guess`, text may turn out to be numbers or dates."""
        kind, name = kind_of(column.dtype), column.name
        present = column.drop_nulls()
        if column.dtype.is_float():
            present = present.drop_nans()
        found = cls(name, kind, str(column.dtype), len(column), len(present))
        if kind == "text":
            texts = present.cast(pl.String)
            found = replace(found, counts=texts.alias("text").value_counts(name="count"))
            if guess:
                meant = texts.filter(has_text(texts))
                kinds = tuple(k for k in kinds_to_guess() if fits(meant, k)) if len(meant) else None
                found = replace(found, guessed=kinds, words=len(texts) - len(meant))
        elif kind != "other" and len(present):
            found = replace(found, low=present.min(), high=present.max())
            if kind == "datetime":
                midnight = bool((present.dt.time().cast(pl.Int64) == 0).all())
                found = replace(found, midnight=midnight)
        return found

    def merge(self, other):
        """Facts of the rows of both."""
        if "null" in (self.kind, other.kind):  # a part of which all values are missing
            known = self if other.kind == "null" else other
            return replace(known, rows=self.rows + other.rows)
        if self.kind != other.kind:
            raise InputError(
                f"Column {self.name!r} is {self.type} in one part of the table and {other.type} in "
                "another; give it one type."
            )
        lows = [value for value in (self.low, other.low) if value is not None]
        highs = [value for value in (self.high, other.high) if value is not None]
        return replace(
            self,
            rows=self.rows + other.rows,
            present=self.present + other.present,
            low=min(lows, default=None),
            high=max(highs, default=None),
            midnight=self.midnight and other.midnight,
            counts=_together(self.counts, other.counts),
            guessed=_both(self.guessed, other.guessed),
            words=self.words + other.words,
        )

    def settled(self):
        """The same, of the kind that text turned out to have."""
        if not self.guessed:
            return self
        kind, found = self.guessed[0], None
        if self.counts is not None:
            found = parsed(self.counts["text"].alias(self.name), kind).drop_nulls()
            found = ColumnFacts.of(found)
        return replace(
            self,
            kind=kind,
            type=kind,
            present=self.present - self.words,
            # too many texts to count: they are not all equal, nor are they all days
            low=False if found is None else found.low,
            high=True if found is None else found.high,
            midnight=found is not None and found.midnight,
            counts=None,
            guessed=None,
            words=0,
        )

    def kind_and_reason(self):
        """Kind of the column, and why a model cannot use it, or None."""
        facts = self.settled()
        kind, present, counts = facts.kind, facts.present, facts.counts
        if kind == "other":
            return kind, f"contains {self.type}"
        if not present:
            return kind, "is empty"
        if kind == "text" and counts is None:
            return kind, f"has more than {MAX_TEXTS:,} distinct texts"
        same = counts.height == 1 if kind == "text" else facts.low == facts.high
        if same and present == facts.rows:
            return kind, "is constant"
        if kind == "text" and counts.height > max(50, ID_LIKE * present):
            return kind, f"has {counts.height:,} distinct texts in {present:,} rows"
        return "date" if kind == "datetime" and facts.midnight else kind, None


def _together(counts, others):
    if counts is None or others is None:
        return None
    both = pl.concat([counts, others]).group_by("text").agg(pl.col("count").sum())
    return both if both.height <= MAX_TEXTS else None


def _both(kinds, others):
    if kinds is None or others is None:
        return others if kinds is None else kinds
    return tuple(kind for kind in kinds if kind in others)
