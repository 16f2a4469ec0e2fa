"""An ONNX graph that is written like arithmetic: values with operators, in double precision."""

import numpy as np

ML = "ai.onnx.ml"
OPSETS = {"": 20, ML: 5}  # the first with regular expressions, the first with trees of doubles
IR_VERSION = 10


class Graph:
    """Nodes and constants of a graph that grows.

    Attributes
    ----------
    nodes, constants : list
        Nodes and initializers so far.
    inputs : dict
        Name -> kind of value ("number" or "text") of every input so far.
    refused : list of Value
        Conditions under which a row cannot be decided.
    """

    def __init__(self):
        self.nodes, self.constants, self.inputs, self.refused = [], [], {}, []
        self._known = {}

    def constant(self, value, dtype=np.float64):
        """A constant; numbers become 1 x 1, so that they stretch over all rows."""
        if isinstance(value, Value):
            return value
        array = np.asarray(value, dtype=object if isinstance(value, str) else dtype)
        array = array.reshape(1, 1) if array.ndim == 0 else array
        key = (array.shape, array.dtype.str, array.tobytes() if array.dtype != object else value)
        if key not in self._known:
            self._known[key] = self._add_constant(array)
        return Value(self, self._known[key])

    def vector(self, values, dtype=np.int64):
        """A one-dimensional constant, such as the axes or the indices of an operator."""
        return self.constant(np.asarray(values, dtype=dtype).reshape(-1), dtype)

    def texts(self, values):
        """A one-dimensional constant of texts."""
        return Value(self, self._add_constant(np.array(list(values), dtype=object)))

    def input(self, name, kind):
        """A column of the table: numbers, or text."""
        self.inputs.setdefault(name, "text" if kind == "text" else "number")
        return Value(self, name)

    def op(self, kind, *inputs, domain="", **attributes):
        """Add one node; its only output."""
        names = [self.constant(part).name for part in inputs]
        return Value(self, self._add_node(kind, names, domain, attributes))

    def join(self, values):
        """Several columns side by side."""
        values = list(values)
        return values[0] if len(values) == 1 else self.op("Concat", *values, axis=1)

    def where(self, condition, yes, no):
        """One of two values in every row."""
        return self.op("Where", condition, yes, no)

    def _add_constant(self, array):
        from onnx import TensorProto, helper, numpy_helper

        name = f"c{len(self.constants)}"
        if array.dtype == object:
            texts = [text.encode() for text in array.ravel()]
            made = helper.make_tensor(name, TensorProto.STRING, array.shape, texts)
        else:
            made = numpy_helper.from_array(np.ascontiguousarray(array), name)
        self.constants.append(made)
        return name

    def _add_node(self, kind, names, domain, attributes):
        from onnx import helper

        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, names, [name], domain=domain, **attributes))
        return name


class Value:
    """A value of a graph: a matrix with one row per row of the table."""

    def __init__(self, graph, name):
        self.graph, self.name = graph, name

    def op(self, kind, *others, **attributes):
        """An operator whose first input is this value."""
        return self.graph.op(kind, self, *others, **attributes)

    def cast(self, dtype=np.float64):
        """The same numbers in another type."""
        from onnx import helper

        return self.op("Cast", to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def take(self, columns):
        """Some columns, in the given order."""
        return self.op("Gather", self.graph.vector(columns), axis=1)

    def is_missing(self):
        """Where a number is NaN."""
        return self.op("IsNaN")

    def filled(self, value):
        """The numbers, with another value for NaN."""
        return self.graph.where(self.is_missing(), value, self)

    def clip(self, low, high):
        """The numbers, at least `low` and at most `high`."""
        return self.op("Max", low).op("Min", high)

    def sigmoid(self):
        """The logistic function, which does not overflow."""
        return 1.0 / (1.0 + (-self.clip(-700.0, 700.0)).op("Exp"))

    def __add__(self, other):
        return self.op("Add", other)

    def __radd__(self, other):
        return self.graph.op("Add", other, self)

    def __sub__(self, other):
        return self.op("Sub", other)

    def __rsub__(self, other):
        return self.graph.op("Sub", other, self)

    def __mul__(self, other):
        return self.op("Mul", other)

    def __rmul__(self, other):
        return self.graph.op("Mul", other, self)

    def __truediv__(self, other):
        return self.op("Div", other)

    def __rtruediv__(self, other):
        return self.graph.op("Div", other, self)

    def __matmul__(self, other):
        # not MatMul: onnxruntime joins it with a factor before or after, which it rounds to 32 bits
        return self.op("Gemm", other)

    def __neg__(self):
        return self.op("Neg")

    def __gt__(self, other):
        return self.op("Greater", other)

    def __lt__(self, other):
        return self.op("Less", other)

    def __le__(self, other):
        return self.op("LessOrEqual", other)

    def __and__(self, other):
        return self.op("And", other)

    def __or__(self, other):
        return self.op("Or", other)

    def __invert__(self):
        return self.op("Not")

    def equals(self, other):
        """Where two values are the same."""
        return self.op("Equal", other)
