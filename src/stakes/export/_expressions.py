"""Operations of cost expressions in a graph.

Numbers and conditions are doubles, in which NaN is missing; a condition is 1 or 0. Missing text is
empty. The forms for tables and single events are in `stakes.tables`.
"""

from functools import reduce
from types import SimpleNamespace

import numpy as np

from stakes.errors import InputError

_SIGNS = {
    "==": "Equal",
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
}


class Text:
    """A value of a graph that is text; empty where it is missing."""

    def __init__(self, value):
        self.value = value


def operations(graph, kinds, missing_words):
    """The operations over the columns of a graph.

    Parameters
    ----------
    graph : Graph
        Where nodes are added.
    kinds : dict
        Column -> kind.
    missing_words : sequence of str
        Texts that stand for a missing value.

    Returns
    -------
    SimpleNamespace
        What :meth:`stakes.tables.CostExpression.build_with` needs.
    """

    def complete(value, *parts):
        """The value where no part is missing."""
        gaps = reduce(lambda a, b: a | b, [part.is_missing() for part in parts])
        return graph.where(gaps, np.nan, value)

    def constant(value):
        if isinstance(value, str):
            return Text(graph.constant(value))
        return graph.constant(float(value))

    def column(name, index, kind):
        value = graph.input(name, kinds[name])
        return Text(value) if kind == "text" else value

    def compare(sign, left, right):
        if isinstance(left, Text) or isinstance(right, Text):
            return compare_text(sign, left, right)
        if sign == "!=":
            return 1.0 - compare("==", left, right)
        return complete(left.op(_SIGNS[sign], right).cast(), left, right)

    def compare_text(sign, left, right):
        if sign not in ("==", "!="):
            raise InputError(
                f"ONNX has no order of texts, so a cost that compares them with {sign} cannot be "
                "exported; use == or !=."
            )
        if not (isinstance(left, Text) and isinstance(right, Text)):  # a column without values
            return graph.constant(np.nan)
        same = left.value.equals(right.value)
        gaps = left.value.equals("") | right.value.equals("")
        return graph.where(gaps, np.nan, (same if sign == "==" else ~same).cast())

    def all_of(parts):
        """False if any part is, else missing if any is missing."""
        smallest = reduce(lambda a, b: a.op("Mul", b), [part.filled(1.0) for part in parts])
        return graph.where(smallest.equals(0.0), 0.0, complete(smallest, *parts))

    def is_missing(part, kind):
        if isinstance(part, Text):
            words = "|".join(_escaped(word) for word in missing_words)
            pattern = rf"\s*(|{words})\s*"
            return part.value.op("RegexFullMatch", pattern=pattern).cast()
        return part.is_missing().cast()

    def choose(condition, yes, no):
        return complete(graph.where(condition.equals(1.0), yes, no), condition)

    def fold(kind):
        return lambda *parts: complete(reduce(lambda a, b: a.op(kind, b), parts), *parts)

    def clip(x, low, high):
        inside = graph.where(x > high, high, x)
        return complete(graph.where(x < low, low, inside), x, low, high)

    return SimpleNamespace(
        constant=constant,
        column=column,
        number=lambda value: value,
        condition=lambda value: value,
        compare=compare,
        all=all_of,
        any=lambda parts: 1.0 - all_of([1.0 - part for part in parts]),
        not_=lambda part: 1.0 - part,
        is_missing=is_missing,
        negative=lambda part: -part,
        functions={
            "+": lambda a, b: a + b,
            "-": lambda a, b: a - b,
            "*": lambda a, b: a * b,
            "/": lambda a, b: a / b,
            "**": lambda a, b: complete(a.op("Pow", b), a),
            "min": fold("Min"),
            "max": fold("Max"),
            "abs": lambda x: x.op("Abs"),
            "log": lambda x: x.op("Log"),
            "exp": lambda x: x.op("Exp"),
            "sqrt": lambda x: x.op("Sqrt"),
            "clip": clip,
            "coalesce": lambda *parts: reduce(lambda a, b: b.filled(a), reversed(parts)),
            "where": choose,
        },
    )


def _escaped(word):
    return "".join(letter if letter.isalnum() else f"\\{letter}" for letter in word)
