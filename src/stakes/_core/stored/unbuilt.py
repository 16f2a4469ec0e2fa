"""What an object of a model file will be able to do, asked before it exists."""

import inspect

from stakes._core.sklearn_private import AvailableIf
from stakes._core.stored.names import known_class
from stakes._core.stored.plain import MAX_DEPTH, Damaged, Record

_FROZEN = "sklearn.frozen._frozen.FrozenEstimator"
PIPELINES = {
    "sklearn.pipeline.Pipeline",
    "stakes.uncertain._pipeline.UncertainPipeline",
    "stakes.compare._priced_pipeline.PricedPipeline",
}


class Unbuilt:
    """A record with the methods that its object will have; those of a pipeline are its last step's.

    Some methods depend on parameters: a linear SVM of `SGDClassifier` has no `predict_proba`.
    """

    def __init__(self, record):
        self._record = inner(record, -1)
        self._owner = known_class(self._record.name)

    def __getattr__(self, name):
        state = self._record.state
        if isinstance(state, dict) and name in state:
            return Unbuilt(state[name]) if isinstance(state[name], Record) else state[name]
        found = inspect.getattr_static(self._owner, name)
        if isinstance(found, AvailableIf) and self._record.name in PIPELINES:
            raise AttributeError(name)  # one that ends with no estimator
        return found.__get__(self, self._owner) if hasattr(found, "__get__") else found

    def __repr__(self):
        return f"{self._owner.__name__}(...)"


def transforms(record):
    """Whether an object will transform tables; a `LabelEncoder` transforms labels."""
    return hasattr(Unbuilt(record), "transform") and not record.name.endswith(".LabelEncoder")


def inner(record, step):
    """The estimator that a frozen one or a pipeline begins (0) or ends (-1) with."""
    for _ in range(MAX_DEPTH):
        state = record.state
        if record.name == _FROZEN:
            record = state["estimator"]
        elif record.name in PIPELINES and isinstance(state["steps"], list | tuple):
            if not state["steps"] or not isinstance(state["steps"][step][1], Record):
                return record
            record = state["steps"][step][1]
        else:
            return record
    raise Damaged("it is nested too deeply")
