"""Words to declare what a stored attribute may be: its type, shape and range.

Shapes name their dimensions, and a name has one value within an object: `Count("d")` for
`n_features_in_` and `Array("f", ("d",))` for a weight vector state that the two agree.
"""

import math
import re
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy import sparse

from stakes._core.stored.names import KERNELS, VALUES
from stakes._core.stored.plain import Damaged, Named, Record, Unknown

LARGEST = 1e150  # of a finite number; products of larger ones overflow
_NUMBERS = ("float64", "float32", "int64", "int32")
_KINDS = {"f": "f", "i": "iu", "u": "u", "b": "b", "U": "U", "O": "O", "label": "biufUO"}


class Spec:
    """What a value may be; `check` raises :class:`Damaged` if it is something else."""

    def check(self, value, scope):
        """Check a value against this specification, within the dimensions of its object."""
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Spec):
    """A finite number between two bounds, or NaN where that is allowed."""

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    nan: bool = False
    infinite: bool = False

    def check(self, value, scope):
        if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
            raise Damaged("is not a number")
        if self.whole and not isinstance(value, Integral):
            raise Damaged("is not a whole number")
        if math.isnan(value):
            if not self.nan:
                raise Damaged("is NaN")
        elif math.isinf(value):
            if not self.infinite:
                raise Damaged("is infinite")
        elif not self.low <= value <= self.high:
            raise Damaged("is out of range")
        elif math.inf in (-self.low, self.high) and not self.infinite and abs(value) > LARGEST:
            raise Damaged("is out of range")


@dataclass(frozen=True)
class Count(Spec):
    """A whole number from `low` that is also the size of a dimension."""

    name: str
    low: int = 0

    def check(self, value, scope):
        Number(self.low, 2**53, whole=True).check(value, scope)
        scope.bind(self.name, int(value))


@dataclass(frozen=True)
class Flag(Spec):
    """True or False."""

    def check(self, value, scope):
        if not isinstance(value, bool | np.bool_):
            raise Damaged("is neither True nor False")


@dataclass(frozen=True)
class Text(Spec):
    """Text, possibly one of a few."""

    choices: tuple = ()

    def check(self, value, scope):
        if not isinstance(value, str):
            raise Damaged("is not text")
        if self.choices and value not in self.choices:
            raise Damaged("is not one of the known values")


@dataclass(frozen=True)
class Array(Spec):
    """An array: its kind or dtype, the size of each dimension, its range.

    A kind is a letter of numpy, "label", or a dtype such as "f8"; a size is a number, a name or
    None.

    `low` and `high` are inclusive; `below` is the name of a dimension that entries index into.
    """

    kind: str
    shape: tuple = ()
    low: float | None = None
    high: float | None = None
    below: str | None = None
    nan: bool = False
    infinite: bool = False
    increasing: bool = False
    sparse: bool = False

    def check(self, value, scope):
        if self.sparse and sparse.issparse(value):
            scope.match(self.shape, value.shape)
            value = value.data
        elif not isinstance(value, np.ndarray):
            raise Damaged("is not an array")
        else:
            scope.match(self.shape, value.shape)
        if value.dtype.kind not in _KINDS[self.kind[0] if len(self.kind) == 2 else self.kind] or (
            len(self.kind) == 2 and value.dtype.str[1:] != self.kind
        ):
            raise Damaged(f"has the type {value.dtype}")
        if value.dtype.kind == "O":
            if not all(
                isinstance(one, str) or (self.nan and _is_missing(one)) for one in value.flat
            ):
                raise Damaged("holds something other than text")
        elif value.dtype.kind in "fiu" and value.size:
            self._check_range(value, scope)

    def _check_range(self, value, scope):
        if value.dtype.kind == "f":
            if not self.nan and np.isnan(value).any():
                raise Damaged("contains NaN")
            if not self.infinite and float(np.fmax.reduce(np.abs(value), axis=None)) > LARGEST:
                raise Damaged("contains infinite or too large values")
        high = self.high if self.below is None else scope.sizes[self.below] - 1
        if self.low is not None and (value < self.low).any():
            raise Damaged("contains values that are too small")
        if high is not None and (value > high).any():
            raise Damaged("contains values that are too large")
        if self.increasing and (np.diff(value) < 0).any():
            raise Damaged("is not sorted")


@dataclass(frozen=True)
class Labels(Spec):
    """The classes: distinct labels of one kind, in ascending order."""

    size: str | int
    least: int = 1

    def check(self, value, scope):
        Array("label", (self.size,)).check(value, scope)
        if len(value) < self.least:
            raise Damaged(f"has fewer than {self.least} labels")
        if np.any(value[1:] <= value[:-1]):
            raise Damaged("is not sorted")
        scope.labels = value


def labels(size="k", least=1):
    """The classes: distinct labels of one kind, in ascending order."""
    return Labels(size, least)


@dataclass(frozen=True)
class Word(Spec):
    """Text of letters, digits and a few signs."""

    def check(self, value, scope):
        if not isinstance(value, str) or not re.fullmatch(r"[\w.:-]*", value):
            raise Damaged("is not a word")


@dataclass(frozen=True)
class Maybe(Spec):
    """None, or what another specification allows."""

    spec: Spec

    def check(self, value, scope):
        if value is not None:
            self.spec.check(value, scope)


@dataclass(frozen=True)
class Either(Spec):
    """One of several specifications."""

    specs: tuple

    def check(self, value, scope):
        for spec in self.specs:
            try:
                return spec.check(value, scope)
            except Damaged as error:
                last = error
                if isinstance(value, Record) and isinstance(spec, Part):
                    break
        raise last


@dataclass(frozen=True)
class Listed(Spec):
    """A list, tuple or array of objects, each of one specification, possibly of a known length."""

    spec: Spec
    size: str | int | None = None

    def check(self, value, scope):
        if isinstance(value, np.ndarray) and value.dtype == object:
            value = value.ravel().tolist()
        if not isinstance(value, list | tuple):
            raise Damaged("is not a list")
        scope.match((self.size,), (len(value),))
        for one in value if scope.is_new(self, value) else ():
            self.spec.check(one, scope)


@dataclass(frozen=True)
class Together(Spec):
    """A tuple with one specification for each place."""

    specs: tuple

    def check(self, value, scope):
        if not isinstance(value, list | tuple) or len(value) != len(self.specs):
            raise Damaged(f"is not a tuple of {len(self.specs)}")
        for spec, one in zip(self.specs, value, strict=True):
            spec.check(one, scope)


@dataclass(frozen=True)
class Mapping(Spec):
    """A dict whose values have one specification, with text or numbers as keys."""

    spec: Spec

    def check(self, value, scope):
        if not isinstance(value, dict):
            raise Damaged("is not a dict")
        for one in value.values() if scope.is_new(self, value) else ():
            self.spec.check(one, scope)


@dataclass(frozen=True)
class Fields(Spec):
    """A dict with known keys, each with its own specification."""

    specs: dict

    def check(self, value, scope):
        if not isinstance(value, dict):
            raise Damaged("is not a dict")
        for name, spec in self.specs.items():
            if name not in value and not isinstance(spec, Sometimes):
                raise Damaged(f"has no {name}")
        for name, one in value.items():
            if name not in self.specs:
                raise Damaged(f"has an unknown entry {str(name)[:50]!r}")
            try:
                self.specs[name].check(one, scope)
            except Damaged as error:
                raise Damaged(f"has a damaged entry {name!r}, which {error}") from None


@dataclass(frozen=True)
class Part(Spec):
    """An object of a known class, or of one of the named classes, that has some methods."""

    names: tuple = ()
    methods: tuple = ()

    def check(self, value, scope):
        if isinstance(value, Named):
            raise Unknown(value.name)
        if not isinstance(value, Record):
            raise Damaged("is not an object")
        if self.names and value.name not in self.names:
            raise Damaged(f"is a {value.name}")
        scope.check_record(value)
        for method in self.methods:
            if not scope.has_method(value, method):
                raise Damaged(f"is a {value.name}, which has no {method}")


@dataclass(frozen=True)
class Sometimes(Spec):
    """An attribute that may be missing."""

    spec: Spec

    def check(self, value, scope):
        self.spec.check(value, scope)


@dataclass(frozen=True)
class Anything(Spec):
    """Whatever the further check of the object looks at."""

    def check(self, value, scope):
        pass


@dataclass(frozen=True)
class Plain(Spec):
    """A value without objects: numbers, text, None, arrays, and containers of these."""

    def check(self, value, scope):
        for one in inside(value):
            if isinstance(one, Record | Named):
                raise Unknown(one.name)


@dataclass(frozen=True)
class Kernel(Spec):
    """A kernel function of scikit-learn, or None."""

    def check(self, value, scope):
        if value is None:
            return
        if not isinstance(value, Named):
            raise Damaged("is not a function")
        if value.name not in KERNELS:
            raise Unknown(value.name)


@dataclass(frozen=True)
class Dtype(Spec):
    """The type of the numbers that a transformer makes."""

    def check(self, value, scope):
        name = value.name.removeprefix("numpy.") if isinstance(value, Named) else value
        if not isinstance(name, str | np.dtype) or str(name) not in _NUMBERS:
            raise Damaged("is not a type of numbers")


@dataclass(frozen=True)
class Parameter(Spec):
    """A constructor argument: a plain value, an estimator, or a list of named estimators."""

    def check(self, value, scope):
        for one in inside(value):
            if isinstance(one, Record):
                scope.check_record(one)
            elif isinstance(one, Named) and one.name not in VALUES:
                raise Unknown(one.name)


def _is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def inside(value):
    """A value and everything in its containers, each container once; objects are not opened."""
    stack, seen = [value], set()
    while stack:
        one = stack.pop()
        yield one
        if isinstance(one, dict):
            held = one.values()
        elif isinstance(one, list | tuple | set):
            held = one
        elif isinstance(one, np.ndarray) and one.dtype == object:
            held = one.ravel().tolist()
        else:
            continue
        if id(one) not in seen:
            seen.add(id(one))
            stack += held


CLASSIFIER = Part(methods=("predict",))
PROBABLE = Part(methods=("predict", "predict_proba"))
MEMBERS = Listed(Together((Text(), Part(methods=("fit",)))))  # as a constructor takes them
COUNT = Number(0, 2**53, whole=True)
FIGURE = Number(nan=True, infinite=True)  # a result that is shown, not used
FEATURES = {"n_features_in_": Count("d", 1)}
