"""Check the objects of a model file against what their classes declare.

A class of this package declares its fitted attributes as `_file_state`, a dict of attribute ->
:class:`~stakes._core.stored.spec.Spec` to which base classes add theirs. Classes of other packages
are declared in `foreign.py`. Everything else is refused.
"""

import importlib
import inspect
import re
from dataclasses import dataclass, field
from numbers import Integral

import joblib
import numpy as np
from sklearn.base import BaseEstimator

from stakes._core.parallel import N_JOBS
from stakes._core.stored.names import known_class
from stakes._core.stored.parameters import check_parameters
from stakes._core.stored.plain import Damaged, Named, Record, Unknown
from stakes._core.stored.spec import (
    Array,
    Count,
    Either,
    Fields,
    Flag,
    Listed,
    Parameter,
    Plain,
    Sometimes,
    Text,
    inside,
    labels,
)
from stakes._core.stored.unbuilt import Unbuilt, inner

_OURS = re.compile(r"stakes(\.\w+)+\.\w+")
_TUPLES = {"stakes._core.jit.kernel_rows.Support"}  # of compiled loops, which declare nothing
# what learners call the number of threads or processes that they start
THREADS = frozenset({"n_jobs", "num_threads", "num_thread", "nthread", "nthreads"})
# what scikit-learn's base classes add to any estimator
ESTIMATOR = {
    "_sklearn_version": Sometimes(Text()),
    "_sklearn_output_config": Sometimes(
        Fields({"transform": Sometimes(Text(("default", "pandas", "polars")))})
    ),
    "n_features_in_": Sometimes(Count("d")),
    # skrub keeps a list, and a wrapper keeps what the estimator in it has
    "feature_names_in_": Sometimes(Either((Array("O", ("d",)), Listed(Text(), "d")))),
    "classes_": Sometimes(labels("k")),
    "_fit_had_costs": Sometimes(Flag()),
}


@dataclass(frozen=True)
class State:
    """What objects of one class may hold.

    Attributes
    ----------
    fields : dict of str -> Spec
        The attributes; all but those under `Sometimes` must be there.
    fitted : dict of str -> Spec
        Attributes of a fitted estimator: all of them, but for `Sometimes`, or none.
    args : tuple of Spec or None
        Arguments of the constructor, for objects that are made by a call.
    check : callable or None
        A further check of (state, scope).
    constraints : dict or None
        Constraints on parameters in the form of scikit-learn.
    extra : callable or None
        Names of further attributes, from the state.
    extra_spec : Spec or None
        What these may be.
    """

    fields: dict = field(default_factory=dict)
    fitted: dict = field(default_factory=dict)
    args: tuple | None = None
    check: object = None
    constraints: dict | None = None
    extra: object = None
    extra_spec: object = None


class Scope:
    """The dimensions of one object, as far as they are known."""

    def __init__(self, checker):
        self.sizes = {}
        self.labels = None  # the classes, if the object has any
        self._seen = {}
        self.check_record = checker.check_record

    def has_method(self, record, name):
        """Whether the object of a checked record will have a method."""
        return hasattr(known_class(record.name), name) and hasattr(Unbuilt(record), name)

    def is_new(self, spec, value):
        """Whether a container is asked about for the first time; it may be in a list many times."""
        key = id(spec), id(value)
        is_new = key not in self._seen
        self._seen[key] = spec, value  # which live as long, so that their ids are theirs
        return is_new

    def bind(self, name, size):
        """Set a dimension, or check that it has this size."""
        if self.sizes.setdefault(name, size) != size:
            raise Damaged(f"has size {size} where {name} = {self.sizes[name]}")

    def match(self, wanted, shape):
        """Check a shape against sizes, names of dimensions, and None for any size."""
        if len(wanted) != len(shape):
            raise Damaged(f"has {len(shape)} dimensions instead of {len(wanted)}")
        for want, size in zip(wanted, shape, strict=True):
            if isinstance(want, str):
                self.bind(want, size)
            elif want is not None and want != size:
                raise Damaged(f"has size {size} instead of {want}")


class Checker:
    """Checks the objects of one file.

    Parameters
    ----------
    foreign : callable
        The :class:`State` of a class of another package by its name, or None.

    Attributes
    ----------
    names : set of str
        Full names of all classes that have occurred.
    """

    def __init__(self, foreign):
        self._foreign = foreign
        self._done = set()
        self.names = set()

    def check(self, content):
        """Check every object in a value."""
        for one in inside(content):
            if isinstance(one, Record):
                self.check_record(one)
            elif isinstance(one, Named):
                raise Unknown(one.name)

    def check_record(self, record):
        """Check one object, and the objects in it."""
        if id(record) in self._done:
            return
        self._done.add(id(record))
        self.names.add(record.name)
        declared = self._foreign(record.name) or own_state(record.name)
        if declared is None:
            raise Unknown(record.name)
        short = record.name.rpartition(".")[2]
        state = record.state
        if isinstance(state, tuple):  # a named tuple
            if len(state) != len(declared.fields):
                raise Damaged(f"a {short} has {len(state)} fields")
            state = dict(zip(declared.fields, state, strict=True))
        if not isinstance(state, dict | None):
            raise Damaged(f"the state of a {short} is not a dict")
        if record.by_call != (declared.args is not None):
            raise Damaged(f"a {short} is not stored as usual")
        if isinstance(record.state, dict):
            limit_threads(record.state)
        self._check_fields(short, state or {}, declared, record.args)

    def _check_fields(self, short, state, declared, args):
        scope, fields = Scope(self), declared.fields | declared.fitted
        wanted = [n for n, spec in declared.fields.items() if not isinstance(spec, Sometimes)]
        if any(_says_fitted(name) for name in state.keys() - declared.fields.keys()):
            wanted += [n for n, spec in declared.fitted.items() if not isinstance(spec, Sometimes)]
        for name in wanted:
            if name not in state:
                raise Damaged(f"{short} has no {name}")
        if len(args) != len(declared.args or ()):
            raise Damaged(f"{short} is made from {len(args)} arguments")
        given = [
            (f"argument {i}", a, s)
            for i, (a, s) in enumerate(zip(args, declared.args or (), strict=True))
        ]
        extra = dict.fromkeys(declared.extra(state), declared.extra_spec) if declared.extra else {}
        for name, value in state.items():
            if name not in fields and name not in extra:
                raise Damaged(f"{short} has an unknown attribute {str(name)[:50]!r}")
            given.append((name, value, fields.get(name) or extra[name]))
        # sizes first, so that shapes are checked against them
        for name, value, spec in sorted(given, key=lambda one: not _is_size(one[2])):
            try:
                spec.check(value, scope)
            except Damaged as error:
                verb = str(error).split(" ", 1)[0] in ("is", "has", "contains", "holds")
                between = " " if verb else ": "
                raise Damaged(f"{name} of {short}{between}{error}") from None
        check_parameters(short, state, declared.constraints or {})
        if declared.check is not None:
            try:
                declared.check(state, scope)
            except Damaged as error:
                about = f"a part of {short} " if str(error).startswith("has ") else ""
                raise Damaged(f"{about}{error}") from None


def limit_threads(state):
    """Lower all numbers of threads to the number of cores, in place.

    A file is read on another machine than it was written on, and must not start a thread or a
    process for each number that someone put there.

    Examples
    --------
    >>> state = {"n_jobs": 10**9, "kwargs": {"nthread": 10**9}, "max_depth": 10**9}
    >>> limit_threads(state)
    >>> state["n_jobs"] == state["kwargs"]["nthread"] == joblib.cpu_count(), state["max_depth"]
    (True, 1000000000)
    """
    for settings in (state, *(value for value in state.values() if isinstance(value, dict))):
        for name in THREADS & settings.keys():
            if isinstance(settings[name], Integral) and settings[name] > 1:
                settings[name] = min(int(settings[name]), joblib.cpu_count())


def check_plain(value, spec):
    """Check facts stored with a model, which hold no objects."""
    Plain().check(value, None)
    try:
        spec.check(value, Scope(Checker(lambda name: None)))
    except Damaged as error:
        raise Damaged(f"it {error}") from None


def same_input(record, scope):
    """Refuse an estimator with another number of features than the object it belongs to."""
    state = inner(record, 0).state
    if isinstance(state, dict) and "n_features_in_" in state and "d" in scope.sizes:
        scope.bind("d", int(state["n_features_in_"]))


def same_classes(record, scope):
    """Refuse an estimator with other classes than the object it belongs to."""
    found = classes_of(record)
    scope.bind("k", len(found))
    if not np.array_equal(found, scope.labels):
        raise Damaged("has other classes than the estimator in it")


def classes_of(record):
    """The classes that a fitted classifier knows."""
    last = inner(record, -1)
    state = last.state if isinstance(last.state, dict) else {}
    found = state.get("classes_", state.get("_classes"))
    if found is None and last.name.endswith(".XGBClassifier") and "n_classes_" in state:
        found = np.arange(state["n_classes_"])
    if not isinstance(found, np.ndarray) or not hasattr(Unbuilt(last), "predict"):
        raise Damaged("has an estimator in it that is no fitted classifier")
    return found


def _says_fitted(name):
    """Whether scikit-learn takes an estimator with this attribute as fitted."""
    return isinstance(name, str) and name.endswith("_") and not name.startswith("__")


def _is_size(spec):
    while isinstance(spec, Sometimes):
        spec = spec.spec
    return isinstance(spec, Count)


def estimator(fitted, check=None, **parameters):
    """How to declare an estimator of scikit-learn, whose own constraints hold for parameters."""

    def declare(name):
        owner = known_class(name)
        names = owner._get_param_names()
        rules = getattr(owner, "_parameter_constraints", {})
        constraints = {n: rule for n, rule in rules.items() if n in names}
        if "n_jobs" in names:  # scikit-learn's own rule allows 0
            constraints["n_jobs"] = N_JOBS
        fields = dict.fromkeys(names, Parameter()) | parameters
        return State(fields, ESTIMATOR | fitted, check=check, constraints=constraints)

    return declare


def thing(*args, **more):
    """How to declare an object that is no estimator."""
    return lambda name: State(*args, **more)


def own_state(name):
    """What a class of this package declares, or None if there are no such objects."""
    owner = own_class(name)
    if owner is None or not (hasattr(owner, "_file_state") or name in _TUPLES):
        return None
    declared = {}
    for one in reversed(owner.__mro__):
        declared |= vars(one).get("_file_state", {})
    check = getattr(owner, "_check_file_state", None)
    if hasattr(owner, "_fields"):  # a named tuple
        # its owner checks it in detail
        return State(dict.fromkeys(owner._fields, Plain()) | declared, check=check)
    if not issubclass(owner, BaseEstimator):
        return State(declared, check=check)
    if _is_base(owner):
        return None
    parameters = dict.fromkeys(owner._get_param_names(), Parameter())
    parameters |= {name: declared.pop(name) for name in parameters if name in declared}
    constraints = getattr(owner, "_parameter_constraints", None)
    fitted = ESTIMATOR | declared
    return State(parameters, fitted, check=check, constraints=constraints)


def _is_base(owner):
    """Whether a learner of this package is there to be completed by others."""
    others = [one for one in owner.__subclasses__() if one.__module__.startswith("stakes.")]
    folder = importlib.import_module(owner.__module__.rpartition(".")[0])
    return bool(others) and getattr(folder, owner.__name__, None) is not owner


def own_class(name):
    """The class of this package that has this full name, or None."""
    if not _OURS.fullmatch(name):
        return None
    module, _, attribute = name.rpartition(".")
    try:
        thing = getattr(importlib.import_module(module), attribute, None)
    except ImportError:
        return None
    return thing if inspect.isclass(thing) and thing.__module__ == module else None
