"""Costs as expressions over columns, `0.75*amount`: parsed into a tree, never run as code."""

import ast
from numbers import Real
from typing import NamedTuple

import numpy as np
import polars as pl

from stakes.errors import InputError, near_matches
from stakes.tables._expression_ops import FUNCTIONS, POLARS, SCALAR
from stakes.tables._kinds import kind_of, why_text
from stakes.tables._values import is_missing, parse_value

MAX_LENGTH = 1000
MAX_DEPTH = 60
MAX_EXPONENT = 10
SMALLEST, LARGEST = 1e-300, 1e300  # of a constant: its reciprocal is finite as well
_HOW = "a cost is a number or an expression over columns such as 0.75*amount or max(5, 0.1*amount)"

_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARISON = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_KINDS = {float: "number", int: "number", bool: "boolean", str: "text", type(None): "null"}


class CostExpression:
    """One cost, written as a number or as an expression over the columns of a table.

    Allowed: numbers, text in quotes, column names (in backquotes unless they are plain words),
    ``+ - * / **``, comparisons, ``and or not``, and the functions min, max, abs, log, exp, sqrt,
    clip(x, low, high), where(condition, yes, no), coalesce(x, y) (the first that is not missing)
    and is_missing(x). Anything else is refused: attributes, other calls, large powers. The cost of
    a row is missing if a value that it needs is missing.

    Parameters
    ----------
    text : str or float
        The expression.

    Attributes
    ----------
    columns : tuple of str
        Columns that the expression uses, in order of first use.

    Examples
    --------
    >>> table = pl.DataFrame({"amount": [10.0, 200.0], "kind": ["gold", "plain"]})
    >>> cost = CostExpression('where(kind == "gold", 10, max(5, 0.1*amount))')
    >>> cost.columns
    ('kind', 'amount')
    >>> cost.evaluate(table)
    array([10., 20.])
    >>> cost.evaluate_one({"amount": 80.0, "kind": "plain"})
    8.0
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
        self._compiled = {}  # types of the values -> function of them

    def __repr__(self):
        return f"CostExpression({self.text!r})"

    def __getstate__(self):
        return self.__dict__ | {"_compiled": {}}  # functions cannot be pickled

    def evaluate(self, frame):
        """Cost of each row of a polars frame; a single number if no column is used.

        Returns
        -------
        float or ndarray of shape (n,)
            NaN where a value that the row needs is missing.
        """
        kinds = {name: kind_of(frame.schema[name]) for name in self.columns if name in frame.schema}
        try:
            expression = self._built(POLARS, kinds, frame.columns)
        except InputError as error:
            reasons = [f"{name!r}: {why}" for name in kinds if (why := why_text(frame[name]))]
            if not reasons:
                raise
            raise InputError(f"{error} Column {', column '.join(reasons)}.") from None
        if not self.columns:
            value = pl.select(expression).item()
            return np.nan if value is None else value
        return frame.select(expression.alias("cost"))["cost"].fill_null(np.nan).to_numpy()

    def evaluate_one(self, record):
        """Cost of one event, the same as :meth:`evaluate` gives for a table of that one row.

        Parameters
        ----------
        record : dict
            Column -> number, bool, text or None. Text is read as a field of a CSV is, so "12.5"
            is a number, unless the expression compares it with text.

        Returns
        -------
        float
            NaN if a value that the cost needs is missing.
        """
        try:
            row = [record[name] for name in self.columns]
        except KeyError:
            self._built(SCALAR, dict.fromkeys(record, "null"), record)  # raises, with the name
            raise
        values = [value if type(value) is float else _plain_value(value) for value in row]
        types = (*map(type, values), *map(type, row))
        function = self._compiled.get(types)
        if function is None:
            kinds = {
                name: _KINDS.get(type(value), "other")
                for name, value in zip(self.columns, values, strict=True)
            }
            texts = {n for n, value in zip(self.columns, row, strict=True) if type(value) is str}
            function = self._compiled[types] = self._built(SCALAR, kinds, record, texts)
        return function(values + row)

    def evaluate_many(self, events):
        """Costs of :class:`Events`, as :meth:`evaluate_one` gives them one by one."""
        columns = [events.column(name) for name in self.columns]
        floats = all(set(map(type, column)) == {float} for column in columns)
        function = self._compiled.get((float,) * (2 * len(columns))) if floats else None
        if function is None:
            return [self.evaluate_one(event) for event in events.rows]
        return [function(row) for row in zip(*columns, *columns, strict=True)]

    def build_with(self, ops, kinds):
        """The expression made of other operations, such as those of an ONNX graph.

        Parameters
        ----------
        ops : SimpleNamespace
            The operations, named as in `_expression_ops`.
        kinds : dict
            Column -> kind.

        Returns
        -------
        object
            What the operations make of it.
        """
        return self._built(ops, kinds, list(kinds))

    def _built(self, ops, kinds, names, texts=()):
        """The expression of numbers for columns of these kinds, in one of the two forms."""
        value, kind = self._build(self._tree, _Columns(ops, kinds, names, texts))
        if kind == "text":
            raise InputError(f"The cost {self.text!r} is text; {_HOW}.")
        return ops.number(value)

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
            f"+ - * / **, comparisons, and, or, not, and {', '.join(sorted(FUNCTIONS))}."
        )

    def _build(self, node, columns):
        """A part of the expression and its kind: number, boolean, text or null."""
        ops = columns.ops
        if isinstance(node, ast.Constant):
            return self._constant(node.value, ops)
        if isinstance(node, ast.Name):
            return self._read(self._column(node.id), columns)
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            sides = [self._number(side, columns) for side in (node.left, node.right)]
            return ops.functions[_ARITHMETIC[type(node.op)]](*sides), "number"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self._power(node, columns), "number"
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, columns)
        if isinstance(node, ast.Compare):
            return self._comparison(node, columns), "boolean"
        if isinstance(node, ast.BoolOp):
            parts = [self._condition(part, columns) for part in node.values]
            return (ops.all if isinstance(node.op, ast.And) else ops.any)(parts), "boolean"
        if isinstance(node, ast.Call):
            return self._call(node, columns)
        return self._refuse(f"a part of kind {type(node).__name__}")

    def _constant(self, value, ops):
        if isinstance(value, bool):
            return ops.constant(value), "boolean"
        if isinstance(value, int | float):
            if value and not SMALLEST <= abs(value) <= LARGEST:
                self._refuse("a number that is too large or too small")
            return ops.constant(float(value)), "number"
        if isinstance(value, str):
            return ops.constant(value), "text"
        return self._refuse(f"the value {value!r}")

    def _read(self, name, columns):
        if name not in columns.kinds:
            raise InputError(
                f"The cost {self.text!r} uses column {name!r}, which is not in the table: "
                + near_matches(name, columns.names)
            )
        kind = columns.kinds[name]
        if kind not in ("number", "boolean", "text", "null"):
            raise InputError(
                f"The cost {self.text!r} uses column {name!r}, which holds values of kind "
                f"{kind!r}; only numbers, true/false and text can be used in a cost."
            )
        return columns.ops.column(name, self.columns.index(name), kind), kind

    def _number(self, node, columns):
        value, kind = self._build(node, columns)
        if kind == "text":
            raise InputError(
                f"The cost {self.text!r} computes with {self._named(node)}, which is text; use a "
                'column of numbers, or compare it: where(column == "word", 10, 2).'
            )
        return columns.ops.number(value)

    def _condition(self, node, columns):
        value, kind = self._build(node, columns)
        if kind not in ("boolean", "null"):
            raise InputError(
                f"The cost {self.text!r} uses {self._named(node)} as a condition; "
                "compare it with something, such as amount > 100."
            )
        return columns.ops.condition(value)

    def _named(self, node):
        if isinstance(node, ast.Name):
            return f"column {self._column(node.id)!r}"
        return repr(node.value) if isinstance(node, ast.Constant) else "a part"

    def _power(self, node, columns):
        exponent = node.right
        sign = 1.0
        if isinstance(exponent, ast.UnaryOp) and isinstance(exponent.op, ast.USub):
            exponent, sign = exponent.operand, -1.0
        value = exponent.value if isinstance(exponent, ast.Constant) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse("a power whose exponent is not a number")
        if abs(value) > MAX_EXPONENT:
            self._refuse(f"a power above {MAX_EXPONENT}")
        ops = columns.ops
        return ops.functions["**"](self._number(node.left, columns), ops.constant(sign * value))

    def _unary(self, node, columns):
        if isinstance(node.op, ast.Not):
            return columns.ops.not_(self._condition(node.operand, columns)), "boolean"
        if isinstance(node.op, ast.USub):
            return columns.ops.negative(self._number(node.operand, columns)), "number"
        if isinstance(node.op, ast.UAdd):
            return self._number(node.operand, columns), "number"
        return self._refuse("the operator ~")

    def _comparison(self, node, columns):
        ops, parts = columns.ops, [node.left, *node.comparators]
        built = [self._build(part, columns) for part in parts]
        links = []
        for i, op in enumerate(node.ops):
            if type(op) not in _COMPARISON:
                self._refuse("a comparison other than == != < <= > >=")
            (left, left_kind), (right, right_kind) = built[i : i + 2]
            kinds = {left_kind, right_kind} - {"null"}
            if "text" in kinds and len(kinds) > 1:
                left, left_kind = self._as_text(parts[i], columns) or built[i]
                right, right_kind = self._as_text(parts[i + 1], columns) or built[i + 1]
                kinds = {left_kind, right_kind}
            if "text" in kinds and len(kinds) > 1:
                raise InputError(
                    f"The cost {self.text!r} compares {self._named(parts[i])} with "
                    f"{self._named(parts[i + 1])}: one is text and the other is not; "
                    "text goes between quotes and numbers do not."
                )
            if "text" not in kinds:
                left, right = ops.number(left), ops.number(right)
            links.append(ops.compare(_COMPARISON[type(op)], left, right))
        return links[0] if len(links) == 1 else ops.all(links)

    def _as_text(self, node, columns):
        """The text of a field of an event, whatever it reads as; None for anything else."""
        name = self._column(node.id) if isinstance(node, ast.Name) else None
        if name not in columns.texts:
            return None
        # texts come after the values, see evaluate_one
        index = len(self.columns) + self.columns.index(name)
        return columns.ops.column(name, index, "text"), "text"

    def _call(self, node, columns):
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in FUNCTIONS:
            called = repr(self._column(name)) if name else "something that is not a function"
            self._refuse(f"a call to {called}")
        low, high = FUNCTIONS[name]
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            self._refuse(f"a named or starred argument of {name}")
        if not low <= len(node.args) <= high:
            wanted = f"{low}" if low == high else f"{low} or more"
            raise InputError(
                f"The cost {self.text!r} gives {name} {len(node.args)} value(s); it takes {wanted}."
            )
        if name == "is_missing":
            value, kind = self._build(node.args[0], columns)
            value = columns.ops.number(value) if kind == "number" else value
            return columns.ops.is_missing(value, kind), "boolean"
        first = self._condition if name == "where" else self._number
        values = [first(node.args[0], columns)]
        values += [self._number(arg, columns) for arg in node.args[1:]]
        return columns.ops.functions[name](*values), "number"


class _Columns(NamedTuple):
    """What an expression is built over."""

    ops: object  # POLARS or SCALAR
    kinds: dict  # column -> kind
    names: list  # of all columns, for messages
    texts: set  # columns of an event that came as text


def _plain_value(value):
    """A value of an event as None, bool, float or, if it is none of these, as it is."""
    if type(value) is str:
        return parse_value(value)
    if is_missing(value):
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return float(value) if isinstance(value, Real) else value


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
