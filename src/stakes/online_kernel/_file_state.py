"""What model files hold of the learners of this folder."""

import numpy as np

from stakes._core.jit.prequential import SIZE
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array, Number, Part, Sometimes, labels
from stakes.online_kernel._margins_jit import N_SLOTS

FILE_STATE = FEATURES | {
    "classes_": labels(2),
    "_store": Part(),
    "_mistakes": Array("i8", (2,), low=0),
    "_margin_state": Sometimes(Array("f8", (None,))),
    "_ratio": Sometimes(Number(infinite=True)),
    "_calibration": Sometimes(Array("f8", (SIZE,))),
}


def check_file_state(state, scope):
    """Refuse support vectors of another number of features."""
    if "_store" not in state:
        return
    store, d = state["_store"].state, scope.sizes["d"]
    if store.get("n_columns", store["n_features"]) != d:
        raise Damaged("a kernel learner has another number of features than its vectors")
    if len(state.get("_margin_state", np.zeros(N_SLOTS))) != N_SLOTS:
        raise Damaged("the margins of a kernel learner are damaged")
