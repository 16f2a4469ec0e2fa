"""Make the objects of a model file from plain values that have been checked."""

import functools

import joblib
import numpy as np

from stakes._core.stored.names import PREDICATES, VALUES, known_class
from stakes._core.stored.plain import Named, Record


class Builder:
    """Turns records into objects; a record that occurs twice becomes one object.

    Parameters
    ----------
    names : set of str
        Full names of the classes that the check has seen.
    """

    def __init__(self, names):
        self._names = names
        self._made = {}

    def build(self, value):
        """A plain value with objects in place of records."""
        if isinstance(value, Named):
            return known_class(value.name) if value.name in PREDICATES else VALUES[value.name]
        if not isinstance(value, Record | dict | list | tuple | set) and not (
            isinstance(value, np.ndarray) and value.dtype == object
        ):
            return value
        if id(value) not in self._made:
            made = self._object(value) if isinstance(value, Record) else self._container(value)
            self._made[id(value)] = value, made  # keeps the value alive, and so its id
        return self._made[id(value)][1]

    def _container(self, value):
        if isinstance(value, dict):
            made = value.copy()  # keeps its class and default factory
            for key, one in value.items():
                made[key] = self.build(one)
            return made
        if isinstance(value, np.ndarray):
            made = np.empty_like(value)
            for at in np.ndindex(value.shape):
                made[at] = self.build(value[at])
            return made
        return type(value)(self.build(one) for one in value)

    def _object(self, record):
        if record.name not in self._names:
            raise RuntimeError(f"{record.name} was not checked")
        if record.name in _SPECIAL:
            return _SPECIAL[record.name](self, record)
        owner = known_class(record.name)
        args = self.build(record.args)
        if hasattr(owner, "_fields"):  # a named tuple
            return owner(*self.build(record.state))
        instance = owner(*args) if record.by_call else owner.__new__(owner)
        state = self.build(record.state)
        if state:
            if hasattr(instance, "__setstate__"):
                instance.__setstate__(state)
            else:
                vars(instance).update(state)
        return instance

    def _generator(self, record):
        state = record.state["state"]
        bits = np.random.PCG64(np.random.SeedSequence(**record.state["seeds"]))
        bits.state = state
        return np.random.Generator(bits)

    def _random_state(self, record):
        made = np.random.RandomState()
        made.set_state(record.state)
        return made

    def _partial(self, record):
        function = self.build(record.state["func"])
        return functools.partial(function, **self.build(record.state["kwds"]))

    def _xgboost(self, record):
        from xgboost import Booster

        made = Booster({"nthread": min(record.state["threads"], joblib.cpu_count())})
        made.load_model(record.state["content"])
        return made


_SPECIAL = {
    "numpy.random.Generator": Builder._generator,
    "numpy.random.RandomState": Builder._random_state,
    "functools.partial": Builder._partial,
    "xgboost.core.Booster": Builder._xgboost,
}
