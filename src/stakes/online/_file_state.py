"""What model files hold of the learners of this folder."""

import numpy as np

from stakes._core.intake import LARGEST
from stakes._core.jit.prequential import MEAN_SQUARE, VAR_A, VAR_B, A, B
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    FEATURES,
    Array,
    Flag,
    Mapping,
    Number,
    Plain,
    Sometimes,
    Together,
    labels,
)
from stakes.online._state import (
    ALARM,
    BOOK,
    GROWTH,
    HALF_LIFE,
    HEAD,
    MOST,
    N_AGAINST,
    N_BEFORE,
    PAIRED,
    SCALE,
    TALLY,
    USUAL,
)

FILE_STATE = FEATURES | {
    "classes_": labels(2),
    "_labels": Together((Plain(), Plain())),
    "_knows": Array("f8", (None,)),
    "_rivals": Array("f8", (None, None)),
    "_lead": Array("f8", (None,)),
    "_clock": Array("f8", (3,), low=0),
    "_spare": Sometimes(Number(0, 0, whole=True)),  # trimmed before it is saved
    "_intercept_changed": Sometimes(Flag()),
    "_columns": Sometimes(Mapping(Number(0, whole=True))),
}


def check_file_state(state, scope):
    """Refuse weights of another number than the features."""
    if "_knows" not in state:
        return
    knows, shape = state["_knows"], state.get("_shape", (0,))
    d = scope.sizes["d"]
    if "_shape" in state and shape not in ((d + 1,), (d + 1, d + 1)):
        raise Damaged("the weights of a linear learner have a wrong shape")
    if len(knows) != HEAD + d + 1 + int(np.prod(shape)):
        raise Damaged("a linear learner has another number of weights than features")
    if not _sound_head(knows) or not all(map(_sound_head, state["_rivals"])):
        raise Damaged("the counts or settings of a linear learner are out of range")
    rivals = state["_rivals"]
    if len(state["_lead"]) != len(rivals) + 1 or (len(rivals) and rivals.shape[1] != len(knows)):
        raise Damaged("the half-lives of a linear learner are damaged")
    if any(one[PAIRED] for one in (knows, *rivals)):
        raise Damaged("the weights of a linear learner are in no known order")
    if state["_labels"] != tuple(state["classes_"].tolist()):
        raise Damaged("a linear learner has two sets of labels")
    if "_every" in state and not np.array_equal(state["_every"], np.arange(d)):
        raise Damaged("a linear learner has another number of weights than features")
    if "_shape" in state:
        Sigma = knows[HEAD + d + 1 :].reshape(shape)
        if (Sigma if Sigma.ndim == 1 else Sigma.diagonal()).min() < 0:
            raise Damaged("a linear learner has a negative variance")
    for name, at in state.get("_columns", {}).items():
        if not isinstance(name, str) or at >= d or state["feature_names_in_"][at] != name:
            raise Damaged("the columns of a linear learner are damaged")


def _sound_head(knows):
    """Whether the numbers before the weights are ones that learning can reach."""
    return (
        min(knows[TALLY].min(), knows[BOOK].min(), knows[HALF_LIFE], knows[MOST]) >= 0
        and np.abs(knows[[A, B]]).max() <= LARGEST
        and min(knows[[VAR_A, VAR_B, MEAN_SQUARE]]) >= 0
        and 1 <= knows[GROWTH] <= 2
        and 0 < knows[SCALE]
        and min(knows[[N_AGAINST, N_BEFORE, USUAL, ALARM]]) >= 0
    )
