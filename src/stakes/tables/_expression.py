"""Costs as expressions over columns, `0.75*amount`: parsed into a tree, never run as code."""

import ast
import operator

import numpy as np
import polars as pl

from stakes.errors import InputError, near_matches
from stakes.tables._kinds import why_text

MAX_LENGTH = 1000
MAX_DEPTH = 60
MAX_EXPONENT = 10
_HOW = "a cost is a number or an expression over columns such as 0.75*amount or max(5, 0.1*amount)"

_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISON = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class CostExpression:
    """One cost, written as a number or as an expression over the columns of a table.

    Allowed are numbers, text in quotes, column names (in backquotes if they are not plain words),
    ``+ - * / **``, comparisons, ``and or not``, and the functions min, max, abs, log, exp, sqrt,
    clip(x, low, high) and where(condition, yes, no). Nothing else is: no attributes, no other
    calls, no large powers. A value that a row's cost needs and lacks makes that cost missing.

    Parameters
    ----------
    text : str or float
        What the cost is.

    Attributes
    ----------
    columns : tuple of str
        The columns that it reads, in the order of their first use.

    Examples
    --------
    >>> table = pl.DataFrame({"amount": [10.0, 200.0], "kind": ["gold", "plain"]})
    >>> cost = CostExpression('where(kind == "gold", 10, max(5, 0.1*amount))')
    >>> cost.columns
    ('kind', 'amount')
    >>> cost.evaluate(table)
    array([10., 20.])
    """

    def __init__(self, text):
        self.text = str(text).strip()
        source, self._quoted = _take_out_backquotes(self.text)
        self._tree = self._parsed(source)
        self.columns = tuple(
            dict.fromkeys(
                self._column(node.id)
                for node in _in_order(self._tree)
                if isinstance(node, ast.Name)
            )
        )

    def __repr__(self):
        return f"CostExpression({self.text!r})"

    def evaluate(self, frame):
        """The cost of each row of a polars frame; a number where no column is used.

        Returns
        -------
        float or ndarray of shape (n,)
            NaN where a value that the row needs is missing.
        """
        try:
            expression = self.expression(frame.schema)
        except InputError as error:
            reason = [f"{name!r}: {why}" for name in self.columns if (why := _why(frame, name))]
            if not reason:
                raise
            raise InputError(f"{error} Column {', column '.join(reason)}.") from None
        if not self.columns:
            return float(pl.select(expression).item())
        values = frame.select(expression.alias("cost"))["cost"]
        return values.fill_null(np.nan).to_numpy()

    def expression(self, schema):
        """The polars expression over a table of this schema, of type Float64."""
        value, kind = self._build(self._tree, schema)
        if kind == "text":
            raise InputError(f"The cost {self.text!r} is text; {_HOW}.")
        return value.cast(pl.Float64)

    def _parsed(self, source):
        if not source:
            raise InputError(f"A cost is empty; {_HOW}.")
        if len(source) > MAX_LENGTH:
            raise InputError(f"A cost is longer than {MAX_LENGTH} characters; {_HOW}.")
        try:
            tree = ast.parse(source, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise InputError(
                f"The cost {self.text!r} cannot be read; {_HOW}, and a column name that is not "
                "one plain word goes between backquotes."
            ) from None
        if _depth(tree) > MAX_DEPTH:
            raise InputError(f"The cost {self.text[:40]!r}... is nested too deeply; simplify it.")
        return tree

    def _column(self, name):
        return self._quoted.get(name, name)

    def _refuse(self, what):
        raise InputError(
            f"The cost {self.text!r} has {what}, which is not allowed; use numbers, columns, "
            f"+ - * / **, comparisons, and, or, not, and {', '.join(sorted(_FUNCTIONS))}."
        )

    def _build(self, node, schema):
        """A polars expression and its kind: number, boolean or text."""
        if isinstance(node, ast.Constant):
            return self._constant(node.value)
        if isinstance(node, ast.Name):
            return self._read(self._column(node.id), schema)
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            left, right = (self._number(side, schema) for side in (node.left, node.right))
            return _ARITHMETIC[type(node.op)](left, right), "number"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self._power(node, schema), "number"
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, schema)
        if isinstance(node, ast.Compare):
            return self._comparison(node, schema), "boolean"
        if isinstance(node, ast.BoolOp):
            parts = [self._condition(part, schema) for part in node.values]
            join = pl.all_horizontal if isinstance(node.op, ast.And) else pl.any_horizontal
            return join(parts), "boolean"
        if isinstance(node, ast.Call):
            return self._call(node, schema), "number"
        return self._refuse(f"a part of kind {type(node).__name__}")

    def _constant(self, value):
        if isinstance(value, bool):
            return pl.lit(value), "boolean"
        if isinstance(value, int | float):
            try:
                return pl.lit(float(value), dtype=pl.Float64), "number"
            except OverflowError:
                self._refuse("a number that is too large")
        if isinstance(value, str):
            return pl.lit(value), "text"
        return self._refuse(f"the value {value!r}")

    def _read(self, name, schema):
        if name not in schema:
            raise InputError(
                f"The cost {self.text!r} uses column {name!r}, which is not in the table: "
                + near_matches(name, schema)
            )
        dtype = schema[name]
        if dtype.is_numeric():
            value = pl.col(name).cast(pl.Float64)
            return value.fill_nan(None), "number"
        if dtype == pl.Boolean:
            return pl.col(name), "boolean"
        if dtype in (pl.String, pl.Categorical, pl.Enum):
            return pl.col(name).cast(pl.String), "text"
        raise InputError(
            f"The cost {self.text!r} uses column {name!r}, which holds {dtype}; "
            "a cost can be computed from numbers, true/false and text columns only."
        )

    def _number(self, node, schema):
        value, kind = self._build(node, schema)
        if kind == "text":
            raise InputError(
                f"The cost {self.text!r} computes with {self._named(node)}, which is text; use a "
                'column of numbers, or compare it: where(column == "word", 10, 2).'
            )
        return value.cast(pl.Float64)

    def _condition(self, node, schema):
        value, kind = self._build(node, schema)
        if kind != "boolean":
            raise InputError(
                f"The cost {self.text!r} uses {self._named(node)} as a condition; "
                "compare it with something, such as amount > 100."
            )
        return value

    def _named(self, node):
        if isinstance(node, ast.Name):
            return f"column {self._column(node.id)!r}"
        return repr(node.value) if isinstance(node, ast.Constant) else "a part"

    def _power(self, node, schema):
        exponent = node.right
        sign = 1.0
        if isinstance(exponent, ast.UnaryOp) and isinstance(exponent.op, ast.USub):
            exponent, sign = exponent.operand, -1.0
        value = exponent.value if isinstance(exponent, ast.Constant) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse("a power whose exponent is not a number")
        if abs(value) > MAX_EXPONENT:
            self._refuse(f"a power above {MAX_EXPONENT}")
        return self._number(node.left, schema) ** (sign * float(value))

    def _unary(self, node, schema):
        if isinstance(node.op, ast.Not):
            return ~self._condition(node.operand, schema), "boolean"
        if isinstance(node.op, ast.USub):
            return -self._number(node.operand, schema), "number"
        if isinstance(node.op, ast.UAdd):
            return self._number(node.operand, schema), "number"
        return self._refuse("the operator ~")

    def _comparison(self, node, schema):
        parts = [node.left, *node.comparators]
        built = [self._build(part, schema) for part in parts]
        links = []
        for i, op in enumerate(node.ops):
            if type(op) not in _COMPARISON:
                self._refuse("a comparison other than == != < <= > >=")
            (left, left_kind), (right, right_kind) = built[i : i + 2]
            if (left_kind == "text") != (right_kind == "text"):
                raise InputError(
                    f"The cost {self.text!r} compares {self._named(parts[i])} with "
                    f"{self._named(parts[i + 1])}: one is text and the other is not; "
                    "text goes between quotes and numbers do not."
                )
            if left_kind != "text":
                left, right = left.cast(pl.Float64), right.cast(pl.Float64)
            links.append(_COMPARISON[type(op)](left, right))
        return pl.all_horizontal(links)

    def _call(self, node, schema):
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in _FUNCTIONS:
            called = repr(self._column(name)) if name else "something that is no function"
            self._refuse(f"a call to {called}")
        low, high, function = _FUNCTIONS[name]
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            self._refuse(f"a named or starred argument of {name}")
        if not low <= len(node.args) <= high:
            wanted = f"{low}" if low == high else f"{low} or more"
            raise InputError(
                f"The cost {self.text!r} gives {name} {len(node.args)} value(s); it takes {wanted}."
            )
        first = self._condition if name == "where" else self._number
        values = [first(node.args[0], schema)]
        return function(*values, *(self._number(arg, schema) for arg in node.args[1:]))


def _complete(value, *parts):
    """The value where no part is missing; polars itself would pass over a missing one."""
    return pl.when(pl.all_horizontal([part.is_not_null() for part in parts])).then(value)


def _where(condition, yes, no):
    return pl.when(condition).then(yes).when(~condition).then(no)


_FUNCTIONS = {
    "min": (2, 20, lambda *parts: _complete(pl.min_horizontal(parts), *parts)),
    "max": (2, 20, lambda *parts: _complete(pl.max_horizontal(parts), *parts)),
    "abs": (1, 1, lambda x: x.abs()),
    "log": (1, 1, lambda x: x.log()),
    "exp": (1, 1, lambda x: x.exp()),
    "sqrt": (1, 1, lambda x: x.sqrt()),
    "clip": (3, 3, lambda x, *ends: _complete(x.clip(*ends), x, *ends)),
    "where": (3, 3, _where),
}


def _take_out_backquotes(text):
    """The text with each `quoted name` replaced by a plain word, and what the words stand for."""
    out, names, quote, start = [], {}, None, None
    for i, letter in enumerate(text):
        if start is not None:
            if letter == "`":
                word = f"_backquoted_{len(names)}_"
                names[word] = text[start:i]
                out.append(f" {word} ")
                start = None
        elif quote:
            out.append(letter)
            quote = None if letter == quote else quote
        elif letter == "`":
            start = i + 1
        else:
            out.append(letter)
            quote = letter if letter in "'\"" else None
    if start is not None:
        raise InputError(f"The cost {text!r} has a backquote that is not closed; add the second.")
    return "".join(out).strip(), names


def _in_order(node):
    """All parts from left to right, less the names of the functions that are called."""
    yield node
    for child in node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node):
        yield from _in_order(child)


def _depth(tree):
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _why(frame, name):
    return why_text(frame[name]) if name in frame.columns else None
