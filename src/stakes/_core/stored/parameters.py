"""Check the constructor arguments in a model file against the constraints of their class.

These are the `_parameter_constraints` of scikit-learn, ours and theirs. They were written for what
programs pass, where anything with a length is an array and any class is callable; in a file only a
list or an array is one, and what refers to a class is a dtype and nothing else.
"""

import functools

import numpy as np

from stakes._core.sklearn_private import InvalidParameterError, validate_parameter_constraints
from stakes._core.stored.names import KERNELS, known_class
from stakes._core.stored.plain import Damaged, Named, Record
from stakes._core.stored.unbuilt import Unbuilt


def check_parameters(owner, state, constraints):
    """Raise an error unless the parameters in the state of an object satisfy its constraints."""
    known = {name: state[name] for name in constraints if name in state}
    for name, value in known.items():
        rules = constraints[name]
        if "array-like" in rules and isinstance(value, dict | set) and dict not in rules:
            raise Damaged(f"{name} of {owner} is not an array")
    values = {name: _stand_in(value) for name, value in known.items()}
    try:
        validate_parameter_constraints(constraints, values, caller_name=owner)
    except InvalidParameterError as error:
        raise Damaged(str(error).rstrip(".")) from None


# a few lists that contain each other ten times each would make an endless error message
_BRIEF = {
    one: type(one.__name__, (one,), {"__repr__": lambda self: f"a {type(self).__name__}"})
    for one in (list, tuple, dict, set)
}


class _BriefArray(np.ndarray):
    def __repr__(self):
        return f"an array of shape {self.shape}"


def _stand_in(value):
    """What a value that is not built yet looks like to a constraint."""
    if isinstance(value, Named):
        return KERNELS.get(value.name, object())  # a dtype is declared as one
    if isinstance(value, list | tuple | dict | set):
        return _BRIEF[type(value)](value) if type(value) in _BRIEF else _BRIEF[dict](value)
    if isinstance(value, np.ndarray):
        return value.view(_BriefArray)
    if not isinstance(value, Record):
        return value
    owner = known_class(value.name)
    if owner is np.random.RandomState:
        return owner()
    return len if owner is functools.partial else Unbuilt(value)
