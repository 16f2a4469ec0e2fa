"""The moves of an adversary on the rows of a table: amounts within reach, prices, moved rows."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from stakes.errors import InputError, near_matches
from stakes.game._leaf_search_jit import CATEGORY, NUMBER

MOST_CATEGORIES = 64  # of a movable column: a set of them is one machine word


@dataclass
class Levers:
    """What each case of a table can move.

    Attributes
    ----------
    table : data frame or ndarray
        Rows of the cases before any move.
    names : list of str
        Names of the levers.
    rates : list of dict
        Of each lever, column -> change per unit.
    kinds, integer : ndarray of shape (L,)
        Whether a lever is a number or a category, and moves by whole numbers only.
    unit, change : ndarray of shape (L,)
        Prices per unit and per change.
    lower, upper : ndarray of shape (n, L)
        Smallest and largest amount of number levers, around zero.
    home, allowed : ndarray of shape (n, L)
        Category of the case, and the set of categories within reach as bits.
    categories : list
        Of a category lever, its values; None for a number.
    squared : bool
        Whether prices add up as squares.
    """

    table: object
    names: list
    rates: list
    kinds: np.ndarray
    integer: np.ndarray
    unit: np.ndarray
    change: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    home: np.ndarray
    allowed: np.ndarray
    categories: list
    squared: bool

    @classmethod
    def of(cls, moves, table, all_rows=None):
        """Bind the moves to the rows of a table; categories are those of `all_rows`."""
        table = frame_or_array(table)
        names = column_names(table)
        all_rows = table if all_rows is None else frame_or_array(all_rows)
        wanted = _wanted(moves, names, all_rows)
        n, L = len(table), len(wanted)
        lower, upper = np.zeros((n, L)), np.zeros((n, L))
        home, allowed = np.zeros((n, L), dtype=np.int64), np.zeros((n, L), dtype=np.uint64)
        kinds, categories = np.full(L, NUMBER), [None] * L
        for l, (name, lever, rates) in enumerate(wanted):
            if _is_number(all_rows, next(iter(rates))) and lever.values is None:
                lower[:, l], upper[:, l] = _reach(table, name, lever, rates)
                continue
            if lever.columns is not None:
                raise InputError(f"The group {name!r} has a column of categories; leave it out.")
            kinds[l] = CATEGORY
            categories[l] = _categories(all_rows, name, lever)
            home[:, l], allowed[:, l] = _sets(table, name, lever, categories[l])
        return cls(
            table,
            [name for name, _, _ in wanted],
            [rates for _, _, rates in wanted],
            kinds,
            np.array([lever.integer for _, lever, _ in wanted]),
            np.array([float(lever.unit_price) for _, lever, _ in wanted]),
            np.array([float(lever.change_price) for _, lever, _ in wanted]),
            lower,
            upper,
            home,
            allowed,
            categories,
            moves.norm == "l2",
        )

    def __len__(self):
        return len(self.names)

    def take(self, rows):
        """Levers of some of the cases."""
        per_case = {k: getattr(self, k)[rows] for k in ("lower", "upper", "home", "allowed")}
        return Levers(**{**vars(self), **per_case, "table": rows_of(self.table, rows)})

    def values(self, l):
        """Values of the first column of a number lever."""
        return column(self.table, next(iter(self.rates[l])))

    def stay(self):
        """Amounts of cases that do not move."""
        return np.where(self.kinds == CATEGORY, self.home, 0).astype(np.float64)

    def price(self, amounts):
        """Price of the amounts of each case."""
        moved = self.moved(amounts)
        size = np.where(self.kinds == CATEGORY, 0.0, np.abs(amounts))
        each = np.where(moved, self.change + self.unit * size, 0.0)
        return np.sqrt((each**2).sum(axis=1)) if self.squared else each.sum(axis=1)

    def moved(self, amounts):
        """Which levers of each case are moved."""
        return amounts != self.stay()

    def apply(self, amounts):
        """The rows after the moves."""
        moved = self.moved(amounts)
        if isinstance(self.table, np.ndarray):
            out = self.table.astype(np.float64)
            for l, rates in enumerate(self.rates):
                rows = np.flatnonzero(moved[:, l])
                for name, rate in rates.items():
                    j = int(name[1:])
                    if self.kinds[l] == CATEGORY:
                        values = np.asarray(self.categories[l], dtype=np.float64)
                        out[rows, j] = values[amounts[rows, l].astype(np.intp)]
                    else:
                        out[rows, j] += rate * amounts[rows, l]
            return out
        columns = []
        for l, rates in enumerate(self.rates):
            if not moved[:, l].any():
                continue
            for name, rate in rates.items():
                column = self.table[name]
                if self.kinds[l] == CATEGORY:
                    codes = amounts[:, l].astype(np.intp)
                    new = pl.Series(name, [self.categories[l][k] for k in codes])
                    new = new.cast(column.dtype)
                else:
                    new = column.cast(pl.Float64) + pl.Series(rate * amounts[:, l])
                    column = column.cast(pl.Float64)
                mask = pl.Series(moved[:, l])
                columns.append(new.zip_with(mask, column).alias(name))
        return self.table.with_columns(columns)


def frame_or_array(X):
    """X as a polars frame if it has named columns, else as a dense array."""
    if sparse.issparse(X):
        return X.toarray()
    if isinstance(X, pl.DataFrame):
        return X
    if hasattr(X, "columns"):
        return pl.from_pandas(X)
    return np.asarray(X, dtype=np.float64)


def rows_of(table, rows):
    """Rows of a frame or an array."""
    rows = np.asarray(rows)
    return table[np.flatnonzero(rows) if rows.dtype == bool else rows]


def column_names(table):
    """Names of the columns; x0, x1, ... for an array."""
    if isinstance(table, np.ndarray):
        return [f"x{j}" for j in range(table.shape[1])]
    return list(table.columns)


def column(table, name):
    """A column of numbers as float64; missing values are NaN."""
    if isinstance(table, np.ndarray):
        return table[:, int(name[1:])]
    return table[name].cast(pl.Float64).fill_null(np.nan).to_numpy()


def _is_number(table, name):
    return isinstance(table, np.ndarray) or table[name].dtype.is_numeric()


def _wanted(moves, names, table):
    """(name, lever, column -> rate) of every lever, in the order of the columns."""
    for name in [*moves.columns, *(c for g in moves.groups.values() for c in g.rates)]:
        if name not in names and name != "*":
            raise InputError(
                f"The column {name!r} of the moves is not in the table: "
                + near_matches(name, names)
            )
    grouped = {c for group in moves.groups.values() for c in group.rates}
    found = []
    for name in names:
        lever = moves.columns.get(name)
        if lever is None and name not in grouped and _is_number(table, name):
            lever = moves.columns.get("*")
        if lever is not None and not lever.fixed:
            found.append((name, lever, {name: 1.0}))
    found += [(name, group, group.rates) for name, group in moves.groups.items()]
    if not found:
        raise InputError("The adversary cannot move any column of the table.")
    return found


def _reach(table, name, lever, rates):
    """Smallest and largest amount of a number lever; zero where a value is missing."""
    n = len(table)
    low = np.full(n, 0.0 if lever.direction == "up" else -np.inf)
    high = np.full(n, 0.0 if lever.direction == "down" else np.inf)
    for one, rate in rates.items():
        if not rate:
            continue
        x = column(table, one)
        ends = np.sort([(lever.lower - x) / rate, (lever.upper - x) / rate], axis=0)
        low, high = np.fmax(low, ends[0]), np.fmin(high, ends[1])
        low[np.isnan(x)] = high[np.isnan(x)] = 0.0
    # a case outside its bounds may stay there
    low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    return (np.ceil(low), np.floor(high)) if lever.integer else (low, high)


def _categories(table, name, lever):
    if isinstance(table, np.ndarray):
        seen = np.unique(column(table, name))
        seen = seen[~np.isnan(seen)].tolist()
    else:
        seen = table[name].drop_nulls().unique().sort().to_list()
    extra = [value for value in lever.values or () if value not in seen]
    found = [*seen, *extra]
    if len(found) > MOST_CATEGORIES:
        raise InputError(
            f"{name!r} has {len(found)} categories; a column that moves may have at most "
            f"{MOST_CATEGORIES}. Merge rare ones, or give numbers a unit_price and no values."
        )
    return found


def _sets(table, name, lever, categories):
    """Number of each case's category, and the set of those within reach."""
    number = {value: k for k, value in enumerate(categories)}
    values = table[:, int(name[1:])] if isinstance(table, np.ndarray) else table[name].to_list()
    home = np.array([number.get(value, -1) for value in values])
    free = set(categories if lever.values is None else lever.values)
    reach = sum(1 << number[value] for value in free)
    allowed = [1 << int(h) | reach if h >= 0 else 1 for h in home]
    return np.maximum(home, 0), np.array(allowed, dtype=np.uint64)
