"""Operations of cost expressions, twice: on polars columns and, for one event, on plain values.

In the scalar form a part of an expression is a function of the tuple of column values. A missing
number is NaN there (arithmetic passes it on), a missing condition or text is None. In the polars
form all three are null.
"""

import math
import operator
from types import SimpleNamespace

import polars as pl

from stakes.tables._values import MISSING_WORDS, is_missing

COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# name -> fewest and most arguments
FUNCTIONS = {
    "min": (2, 20),
    "max": (2, 20),
    "abs": (1, 1),
    "log": (1, 1),
    "exp": (1, 1),
    "sqrt": (1, 1),
    "clip": (3, 3),
    "where": (3, 3),
    "coalesce": (2, 20),
    "is_missing": (1, 1),
}


def _complete(value, *parts):
    """The value where no part is missing; min, max and clip of polars skip missing values."""
    return pl.when(pl.all_horizontal([part.is_not_null() for part in parts])).then(value)


def _column(name, index, kind):
    column = pl.col(name)
    if kind == "number":
        return _number(column)
    return column.cast(pl.String) if kind == "text" else column


def _number(value):
    return value.cast(pl.Float64).fill_nan(None)


def _missing_text(value):
    return value.is_null() | value.str.strip_chars().is_in(["", *MISSING_WORDS])


POLARS = SimpleNamespace(
    constant=lambda value: pl.lit(value),
    column=_column,
    number=_number,
    condition=lambda value: value.cast(pl.Boolean),
    compare=lambda sign, left, right: COMPARE[sign](left, right),
    all=pl.all_horizontal,
    any=pl.any_horizontal,
    not_=lambda part: ~part,
    is_missing=lambda part, kind: _missing_text(part) if kind == "text" else part.is_null(),
    negative=lambda part: -part,
    functions={
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "**": operator.pow,
        "min": lambda *parts: _complete(pl.min_horizontal(parts), *parts),
        "max": lambda *parts: _complete(pl.max_horizontal(parts), *parts),
        "abs": lambda x: x.abs(),
        "log": lambda x: x.log(),
        "exp": lambda x: x.exp(),
        "sqrt": lambda x: x.sqrt(),
        "clip": lambda x, *ends: _complete(x.clip(*ends), x, *ends),
        "coalesce": lambda *parts: pl.coalesce(parts),
        "where": lambda condition, yes, no: pl.when(condition).then(yes).when(~condition).then(no),
    },
)


def _on_values(function):
    """A function of values as one of parts: each part is computed, then the function."""

    def join(*parts):
        if len(parts) == 1:
            (x,) = parts
            return lambda row: function(x(row))
        if len(parts) == 2:
            x, y = parts
            return lambda row: function(x(row), y(row))
        return lambda row: function(*[part(row) for part in parts])

    return join


def _scalar_compare(sign, left, right):
    compare = COMPARE[sign]

    def compared(row):
        a, b = left(row), right(row)
        # missing: None, or NaN, which does not equal itself
        if a is None or b is None or a != a or b != b:
            return None
        return compare(a, b)

    return compared


def _all(parts):
    """Three-valued: False if any part is, else None if any is missing."""

    def every(row):
        values = [part(row) for part in parts]
        return False if False in values else None if None in values else True

    return every


def _any(parts):
    def some(row):
        values = [part(row) for part in parts]
        return True if True in values else None if None in values else False

    return some


def _divide(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        if x == 0.0 or x != x:
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1.0, y)


def _power(x, exponent):
    if x != x:
        return math.nan  # Python's nan ** 0 is 1
    if exponent == 0.5:
        return _sqrt(x)  # as polars computes it; Python's (-inf) ** 0.5 is inf
    if -math.inf < x < 0 and exponent % 1:
        return math.nan  # Python's is complex, or an OverflowError
    try:
        return x**exponent
    except ZeroDivisionError:
        odd = exponent % 2 == 1
        return math.copysign(math.inf, x) if odd else math.inf
    except OverflowError:
        return -math.inf if x < 0 and exponent % 2 == 1 else math.inf


def _extreme(choose):
    def of(*values):
        return math.nan if any(value != value for value in values) else choose(values)

    return of


def _sqrt(x):
    return math.sqrt(x) if x >= 0 else math.nan


def _log(x):
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _clip(x, low, high):
    if x != x or low != low or high != high:
        return math.nan
    return low if x < low else high if x > high else x


def _where(condition, yes, no):
    return math.nan if condition is None else yes if condition else no


SCALAR = SimpleNamespace(
    constant=lambda value: lambda row: value,
    column=lambda name, index, kind: operator.itemgetter(index),
    number=_on_values(lambda value: math.nan if value is None else float(value)),
    condition=lambda value: value,
    compare=_scalar_compare,
    all=_all,
    any=_any,
    not_=_on_values(lambda value: None if value is None else not value),
    is_missing=lambda part, kind: _on_values(is_missing)(part),
    negative=_on_values(operator.neg),
    functions={
        name: _on_values(function)
        for name, function in {
            "+": operator.add,
            "-": operator.sub,
            "*": operator.mul,
            "/": _divide,
            "**": _power,
            "min": _extreme(min),
            "max": _extreme(max),
            "abs": abs,
            "log": _log,
            "exp": _exp,
            "sqrt": _sqrt,
            "clip": _clip,
            "coalesce": lambda *values: next((v for v in values if v == v), math.nan),
            "where": _where,
        }.items()
    },
)
