"""What a model file may hold of a learner on kernel features."""

from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array, Flag, Part, Plain, Sometimes, Together, labels
from stakes._core.stored.state import same_classes
from stakes.online_kernel._features import MAPS

FILE_STATE = FEATURES | {
    "classes_": labels(2),
    "estimator_": Part(methods=("learn_one", "predict_proba")),
    "_map": Part(tuple(f"{one.__module__}.{one.__qualname__}" for one in MAPS.values())),
    "_started_with": Together((Plain(),) * 5),
    "_hashed": Flag(),
    "_entries": Sometimes(Array("i8", (2,), low=0)),
}


def check_file_state(state, scope):
    """Compiled loops trust the sizes of the map and of the learner behind it."""
    if "_map" not in state:
        return
    found = state["_map"].state
    scope.bind("d", len(found["W"] if "W" in found else found["L"]))
    width = 2 * found["W"].shape[1] if "W" in found else len(found["norms"])
    width += scope.sizes["d"] if state["passthrough"] else 0
    if state["estimator_"].state.get("n_features_in_", width) != width:
        raise Damaged("a kernel learner has another number of features than its map")
    same_classes(state["estimator_"], scope)
