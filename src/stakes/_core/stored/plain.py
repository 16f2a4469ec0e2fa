"""Read a skops file as plain values: numbers, text, containers, arrays and records of attributes.

Nothing is imported or constructed here. skops builds the objects later, from the same file, once
the values have been checked; node by node this reader follows the same rules as the loader of
skops, and refuses every kind of node that no model needs.
"""

import io
import json
import re
import zipfile
from dataclasses import dataclass

import numpy as np
from scipy import sparse

MAX_BYTES = 4 * 2**30  # uncompressed; a small file may otherwise expand without limit
MAX_MEMBERS = 200_000
MAX_DEPTH = 150
_MEMBER = re.compile(r"[\w-]+\.(npy|npz|bin)")
_KEY_TYPES = {"builtins.str", "builtins.int", "builtins.float", "builtins.bool", "numpy.int64"}
_SPARSE = {f"scipy.sparse._{f}.{f}_{kind}" for f in ("csr", "csc") for kind in ("matrix", "array")}
_BIT_GENERATORS = {"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"}


class Damaged(Exception):
    """A model file that cannot be what stakes wrote; the message completes "is damaged: "."""


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
        What its constructor is called with; empty for objects made without a call.
    """

    name: str
    state: object = None
    args: tuple = ()


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
            tree = json.loads(archive.read("schema.json"))
        except RecursionError:
            raise Damaged("it is nested too deeply") from None
        try:
            return _Reader(archive).read(tree)
        except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
            reason = f"{type(error).__name__}: {error}"[:120]
            raise Damaged(f"a node cannot be read ({reason})") from None


class _Reader:
    """Reads one node after the other, in the order of the loader of skops.

    The order matters: of several nodes with one id, the loader takes the first that it meets and
    ignores the content of the others, and so does this reader.
    """

    def __init__(self, archive):
        self._archive = archive
        self._memo = {}
        self._depth = 0

    def read(self, node):
        if not isinstance(node, dict) or not isinstance(node.get("__loader__"), str):
            raise Damaged("a node has no loader")
        key = node.get("__id__")
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
        return self._archive.read(name)

    def _JsonNode(self, node):
        return json.loads(node["content"])

    def _DictNode(self, node):
        self._name(node, "builtins.dict", "collections.OrderedDict")
        types = [key.name for key in self.read(node["key_types"])]
        if len(types) != len(node["content"]) or not _KEY_TYPES.issuperset(types):
            raise Damaged("the keys of a dict have unknown types")
        return {key: self.read(value) for key, value in node["content"].items()}

    def _DefaultDictNode(self, node):
        self._name(node, "collections.defaultdict")
        value = self.read(node["content"]["main"])
        if self.read(node["content"]["default_factory"]) != Named("collections.OrderedDict"):
            raise Damaged("a defaultdict has an unknown factory")
        return value

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
            shape = self.read(node["shape"])
            if len(shape) == 1:
                array = np.empty(len(values), dtype=object)
                for i, value in enumerate(values):
                    array[i] = value
            else:
                array = np.array(values, dtype=object)
        else:
            array = _read_npy(self._member(node, ".npy"))
            if name != "numpy.ndarray":
                if array.ndim or name != f"numpy.{array.dtype.type.__name__}":
                    raise Damaged(f"a {name} is stored as {array.dtype} of shape {array.shape}")
                return array[()]
            return array
        if array.shape != tuple(shape):
            raise Damaged("an array does not have its shape")
        return array

    def _SparseMatrixNode(self, node):
        self._name(node, *_SPARSE)
        content = self._member(node, ".npz")
        with zipfile.ZipFile(io.BytesIO(content)) as inner:
            if sum(member.file_size for member in inner.infolist()) > MAX_BYTES:
                raise Damaged("a sparse matrix expands beyond the limit")
            for member in inner.namelist():
                _read_npy(inner.read(member))
        matrix = sparse.load_npz(io.BytesIO(content))
        try:
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise Damaged(f"a sparse matrix is inconsistent ({error})") from None
        return matrix

    def _BytesNode(self, node):
        return self._member(node, ".bin")

    _BytearrayNode = _BytesNode

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
        return Record(self._name(node), state, tuple(self.read(node["__reduce__"]["args"])))

    _LossNode = _TreeNode


def _read_npy(content):
    """An array from the bytes of a .npy file whose header and size agree."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        raise Damaged(f"an array has format version {version}")
    shape, _, dtype = read_header(stream)
    if dtype.hasobject or any(n < 0 for n in shape):
        raise Damaged("an array has an impossible header")
    size = dtype.itemsize
    for n in shape:
        size *= n
    if size != len(content) - stream.tell():
        raise Damaged("an array is shorter or longer than its header says")
    stream.seek(0)
    return np.load(stream, allow_pickle=False)
