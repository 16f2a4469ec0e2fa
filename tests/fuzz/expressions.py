"""Odd cost expressions: refused, or the same for a table and for its rows one by one."""

import math

import numpy as np
import polars as pl

from fuzz.fields import damaged_bytes, seeded
from stakes.errors import InputError
from stakes.tables import CostExpression

NUMBERS = [None, math.nan, 0.0, -0.0, 1.0, -2.5, 1e-320, 1e155, 1e308, -1e308, math.inf, 7.0]
TEXTS = [None, "u", "v w", "12", "true", "it's", "\u00fc", "a" * 500]
ATOMS = ["a", "b", "kind", "`odd name`", "flag", "1", "0", "2.5", "1e308", "1e-320", "'u'", '"12"']
ATOMS += ["True", "nan", "missing", "9" * 50, "-1", "1e999"]
CALLS = ["min", "max", "abs", "log", "exp", "sqrt", "clip", "where", "print", "__import__"]
SIGNS = ["+", "-", "*", "/", "**", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", "%", "@"]
WORST = ["(" * 100, "a" * 999, "a." * 50, "lambda: 1", "[1 for a in a]", "a if b else 1", "-" * 90]
WORST += [
    "9**9**9",
    "2**10**10",
    "a[0]",
    "f'{a}'",
    "a:=1",
    "\x00",
    "\u2028",
    "1" * 900,
    "1j",
    "b'x'",
]


def table(rng):
    """Rows with missing, huge and tiny numbers, texts and flags."""
    n = 6
    return pl.DataFrame(
        {
            "a": [rng.choice(NUMBERS) for _ in range(n)],
            "b": [rng.choice(NUMBERS) for _ in range(n)],
            "kind": [rng.choice(TEXTS) for _ in range(n)],
            "odd name": [rng.choice(NUMBERS) for _ in range(n)],
            "flag": [rng.choice([True, False, None]) for _ in range(n)],
        },
        schema={
            "a": pl.Float64,
            "b": pl.Float64,
            "kind": pl.String,
            "odd name": pl.Float64,
            "flag": pl.Boolean,
        },
    )


def expression(rng, depth):
    """A random expression, most often of the right form."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(ATOMS) if rng.random() < 0.97 else rng.choice(WORST)
    how = rng.randrange(5)
    if how < 2:
        parts = [expression(rng, depth - 1) for _ in range(rng.choice([1, 2, 2, 3, 3]))]
        return f"{rng.choice(CALLS)}({', '.join(parts)})"
    if how == 2:
        return f"({expression(rng, depth - 1)})"
    if how == 3:
        return f"{rng.choice(['-', 'not ', '+', '~'])}{expression(rng, depth - 1)}"
    return f"{expression(rng, depth - 1)} {rng.choice(SIGNS)} {expression(rng, depth - 1)}"


def case(seed):
    """Evaluate one expression both ways."""
    rng = seeded(seed)
    text = expression(rng, rng.choice([1, 2, 3, 4, 9]))
    if rng.random() < 0.3:
        text = damaged_bytes(rng, text.encode()).decode("utf-8", "replace")
    frame = table(rng)
    try:
        cost = CostExpression(text)
        whole = np.broadcast_to(cost.evaluate(frame), frame.height)
    except InputError as error:
        if not str(error).strip().endswith((".", "?")):
            return f"no sentence: {error}"
        whole = None
    refused = 0
    for i, record in enumerate(frame.to_dicts()):
        try:
            one = CostExpression(text).evaluate_one(record)
        except InputError:
            refused += 1
            continue
        if whole is not None and not _same(one, whole[i]):
            return f"{text!r} of row {record} is {one} alone and {whole[i]} in the table"
    if whole is not None and refused:
        return f"{text!r} is refused for {refused} rows of a table that is accepted"
    return "refused" if whole is None else "harmless"


def _same(one, other):
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other or math.isclose(one, other, rel_tol=1e-9)
