"""Read a skops file as plain values: numbers, text, containers, arrays and records of attributes.

Nothing is imported or constructed here. `build.py` makes the objects from these values once they
have been checked, so that nothing can be in a model that no check has seen. Kinds of nodes that no
model needs are refused.
"""

import io
import json
import math
import re
import zipfile
from collections import OrderedDict, defaultdict
from dataclasses import dataclass

import numpy as np
from scipy import sparse

MAX_BYTES = 4 * 2**30  # uncompressed; a small file may otherwise expand without limit
MAX_MEMBERS = 200_000
OBJECT_BYTES = 400  # about what an object in an array takes, in the file and in memory
MAX_DEPTH = 150
_MEMBER = re.compile(r"[\w-]+\.(npy|npz|bin)")
_KEY_TYPES = {
    "builtins.str": str,
    "builtins.int": int,
    "builtins.float": float,
    "builtins.bool": lambda key: key == "true",
    "numpy.int64": np.int64,
    "numpy.float64": np.float64,
    "numpy.str_": str,
}
_DTYPES = {np.dtype(kind) for kind in "?bBhHiIqQlLfd"}  # in the byte order of this machine
_SPARSE = {f"scipy.sparse._{f}.{f}_{kind}" for f in ("csr", "csc") for kind in ("matrix", "array")}
_BIT_GENERATORS = {"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"}


class Damaged(Exception):
    """A model file that cannot be what stakes wrote; the message completes "is damaged: "."""


class Unknown(Exception):
    """A class or function that no model contains; the message is its name."""


@dataclass(eq=False)
class Record:
    """An object that does not exist yet.

    Attributes
    ----------
    name : str
        Full name of its class.
    state : dict, tuple or None
        What its attributes are set from.
    args : tuple
        What its constructor is called with.
    by_call : bool
        Whether it is made by calling its class with `args`; the others are made without a call
        and get their state.
    """

    name: str
    state: object = None
    args: tuple = ()
    by_call: bool = False


@dataclass(frozen=True)
class Named:
    """A class or function, by its full name."""

    name: str


def read_plain(path, max_bytes=MAX_BYTES):
    """The content of a skops file as plain values.

    Parameters
    ----------
    path : path or file object
        The file.
    max_bytes : int, default=4 GiB
        Maximum size after decompression.

    Returns
    -------
    object
        Plain values, with a :class:`Record` for each object.
    """
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise Damaged(f"it has {len(members):,} members")
        total = sum(member.file_size for member in members)
        if total > max_bytes:
            raise Damaged(f"it expands to {total:,} bytes, more than the limit of {max_bytes:,}")
        try:
            return _Reader(archive, max_bytes).read(json.loads(archive.read("schema.json")))
        except RecursionError:
            raise Damaged("it is nested too deeply") from None
        except (Damaged, Unknown):
            raise
        except Exception as error:  # numpy, zlib and zipfile raise many kinds
            reason = f"{type(error).__name__}: {error}"[:120]
            raise Damaged(f"a part of it cannot be read ({reason})") from None


class _Reader:
    """Reads one node after the other; nodes with the same id are one object."""

    def __init__(self, archive, max_bytes):
        self._archive = archive
        self._bytes_left = max_bytes  # nodes may name one member many times
        self._memo = {}
        self._depth = 0

    def read(self, node):
        if not isinstance(node, dict) or not isinstance(node.get("__loader__"), str):
            raise Damaged("a node has no loader")
        key = node.get("__id__")
        if key is not None and not isinstance(key, int):
            raise Damaged("a node has an unknown kind of id")
        if key is not None and key in self._memo:
            value = self._memo[key]
            if value is _Reader:
                raise Damaged("an object contains itself")
            return value
        read = getattr(self, f"_{node['__loader__']}", None)
        if read is None:
            raise Damaged(f"it has a {node['__loader__']}, which no model needs")
        if self._depth >= MAX_DEPTH:
            raise Damaged("it is nested too deeply")
        if key is not None:
            self._memo[key] = _Reader  # being read
        self._depth += 1
        value = read(node)
        self._depth -= 1
        if key is not None:
            self._memo[key] = value
        return value

    def _name(self, node, *allowed):
        name = f"{node['__module__']}.{node['__class__']}"
        if allowed and name not in allowed:
            raise Damaged(f"a {name} is where {allowed[0]} belongs")
        return name

    def _member(self, node, suffix):
        name = node["file"]
        if not isinstance(name, str) or not _MEMBER.fullmatch(name) or not name.endswith(suffix):
            raise Damaged(f"it names the member {str(name)[:50]!r}")
        content = self._archive.read(name)
        self._bytes_left -= len(content)
        if self._bytes_left < 0:
            raise Damaged("its arrays are larger than the limit")
        return content

    def _JsonNode(self, node):
        return json.loads(node["content"])

    def _DictNode(self, node):
        name = self._name(node, "builtins.dict", "collections.OrderedDict")
        types = [key.name for key in self.read(node["key_types"])]
        content = node["content"]
        if len(types) != len(content) or not _KEY_TYPES.keys() >= set(types):
            raise Damaged("the keys of a dict have unknown types")
        pairs = {
            _KEY_TYPES[kind](key): self.read(value)
            for kind, (key, value) in zip(types, content.items(), strict=True)
        }
        return OrderedDict(pairs) if name == "collections.OrderedDict" else pairs

    def _DefaultDictNode(self, node):
        self._name(node, "collections.defaultdict")
        value = self.read(node["content"]["main"])
        if self.read(node["content"]["default_factory"]) != Named("collections.OrderedDict"):
            raise Damaged("a defaultdict has an unknown factory")
        return defaultdict(OrderedDict, value)

    def _ListNode(self, node):
        self._name(node, "builtins.list")
        return [self.read(value) for value in node["content"]]

    def _SetNode(self, node):
        self._name(node, "builtins.set")
        return {self.read(value) for value in node["content"]}

    def _TupleNode(self, node):
        values = tuple(self.read(value) for value in node["content"])
        name = self._name(node)
        return values if name == "builtins.tuple" else Record(name, values)

    def _TypeNode(self, node):
        return Named(self._name(node))

    _FunctionNode = _TypeNode

    def _SliceNode(self, node):
        self._name(node, "builtins.slice")
        ends = [node["content"][end] for end in ("start", "stop", "step")]
        if not all(end is None or isinstance(end, int) for end in ends):
            raise Damaged("a slice has ends that are not numbers")
        return slice(*ends)

    def _NdArrayNode(self, node):
        name = self._name(node)
        if node["type"] == "json":
            self._name(node, "numpy.ndarray")
            values = [self.read(value) for value in node["content"]]
            shape = tuple(self.read(node["shape"]))
            array = self._objects(values, shape)
        else:
            array = _read_npy(self._member(node, ".npy"))
            if name != "numpy.ndarray":
                if array.ndim or name != f"numpy.{array.dtype.type.__name__}":
                    raise Damaged(f"a {name} is stored as {array.dtype} of shape {array.shape}")
                return array[()]
            return array
        return array

    def _objects(self, values, shape):
        """An array of objects from nested lists, which may be one list many times."""
        if not all(isinstance(n, int) and n >= 0 for n in shape):
            raise Damaged("an array has a shape that is none")
        self._bytes_left -= OBJECT_BYTES * math.prod(shape)
        if self._bytes_left < 0:
            raise Damaged("its arrays are larger than the limit")
        rows = [values]
        for n in shape:
            if not all(isinstance(row, list) and len(row) == n for row in rows):
                raise Damaged("an array does not have its shape")
            rows = [one for row in rows for one in row]
        array = np.empty(len(rows), dtype=object)
        for i, value in enumerate(rows):
            array[i] = value
        return array.reshape(shape)

    def _DTypeNode(self, node):
        inner = node["content"]
        if inner.get("__loader__") == "NdArrayNode" and inner.get("type") == "numpy":
            return _read_npy(self._member(inner, ".npy"), times=True).dtype
        return self.read(inner).dtype

    def _SparseMatrixNode(self, node):
        self._name(node, *_SPARSE)
        content = self._member(node, ".npz")
        with zipfile.ZipFile(io.BytesIO(content)) as inner:
            self._bytes_left -= sum(member.file_size for member in inner.infolist())
            if self._bytes_left < 0:
                raise Damaged("a sparse matrix expands beyond the limit")
            for member in inner.namelist():
                _read_npy(inner.read(member))
        matrix = sparse.load_npz(io.BytesIO(content))
        if type(matrix).__name__ != node["__class__"]:
            raise Damaged("a sparse matrix has another format than it says")
        try:
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise Damaged(f"a sparse matrix is inconsistent ({error})") from None
        return matrix

    def _BytesNode(self, node):
        return self._member(node, ".bin")

    def _BytearrayNode(self, node):
        return bytearray(self._member(node, ".bin"))

    def _RandomStateNode(self, node):
        self._name(node, "numpy.random.mtrand.RandomState")
        return Record("numpy.random.RandomState", self.read(node["content"]))

    def _RandomGeneratorNode(self, node):
        self._name(node, "numpy.random._generator.Generator")
        state = self.read(node["content"]["bit_generator"])
        if not isinstance(state, dict) or state.get("bit_generator") not in _BIT_GENERATORS:
            raise Damaged("a random generator is unknown")
        seeds = self.read(node["content"]["seed_seq"])
        return Record("numpy.random.Generator", {"state": state, "seeds": seeds})

    def _PartialNode(self, node):
        self._name(node, "functools.partial")
        names = ("func", "args", "kwds", "namespace")
        return Record(
            "functools.partial", {name: self.read(node["content"][name]) for name in names}
        )

    def _ObjectNode(self, node):
        content = node.get("content")
        return Record(self._name(node), None if content is None else self.read(content))

    def _TreeNode(self, node):
        state = self.read(node["content"])
        args = tuple(self.read(node["__reduce__"]["args"]))
        return Record(self._name(node), state, args, by_call=True)

    _LossNode = _TreeNode


def _read_npy(content, times=False):
    """An array from the bytes of a .npy file whose header and size agree."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        raise Damaged(f"an array has format version {version}")
    shape, fortran, dtype = read_header(stream)
    kinds = {dtype} if dtype.names is None else {dtype[name] for name in dtype.names}
    if dtype.hasobject or any(n < 0 for n in shape) or not kinds <= _DTYPES:
        if (
            dtype.kind not in ("USM" if times else "US")
            or dtype.byteorder == ">"
            or any(n < 0 for n in shape)
        ):
            raise Damaged(f"an array has the type {dtype}")
    size = dtype.itemsize
    for n in shape:
        size *= n
    if size != len(content) - stream.tell():
        raise Damaged("an array is shorter or longer than its header says")
    if not size:
        return np.empty(shape, dtype, order="F" if fortran else "C")
    flat = np.frombuffer(content, dtype, offset=stream.tell()).copy()  # a copy can be written to
    if dtype.kind == "b" and flat.view(np.uint8).max() > 1:
        raise Damaged("an array of True and False has other values")
    if dtype.kind == "U" and flat.view(np.uint32).max() > 0x10FFFF:
        raise Damaged("text has characters that do not exist")
    return flat.reshape(shape, order="F" if fortran else "C")
