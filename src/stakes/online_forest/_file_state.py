"""What a model file may hold of a forest for streams; the compiled loops trust every index."""

import numpy as np

from stakes._core.intake import LARGEST
from stakes._core.jit.prequential import COV_BA, A, B
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    FEATURES,
    Array,
    Flag,
    Listed,
    Mapping,
    Number,
    Plain,
    Sometimes,
    Together,
    labels,
)
from stakes.online_forest._state import (
    CHILD,
    CUT,
    FEATURE,
    GAIN,
    GROWTH,
    HEAD,
    MISSING_LEFT,
    N_BINS,
    N_COLUMNS,
    N_CUTS,
    N_FILLED,
    N_HALF_LIVES,
    OBSERVER,
    RIVAL,
    SHARES,
    USED,
    WHERE,
    Forest,
)

_ARRAYS = Forest(
    trees=Array("i4", ("t", 2), low=0),
    nodes=Array("i4", ("t", "n", 4), low=-1),
    points=Array("f8", ("t", "n", 2), infinite=True),
    value=Array("f8", ("t", "n", "h", 2)),
    tally=Array("f8", ("t", "s", 6), low=0),
    candidates=Array("i4", ("t", "s", "c"), low=0, below="d"),
    cuts=Array("f8", ("t", "s", "c", N_CUTS), infinite=True),
    mass=Array("f4", ("t", "s", "c", N_BINS + 1, 2), low=0),
    linear=Array("f8", ("h", None, 2)),
    scale=Array("f8", (2, "d"), infinite=True),
    head=Array("f8", (HEAD,)),
    categorical=Array("u1", ("d",), high=1),
)
FILE_STATE = FEATURES | {
    "classes_": labels("k", 2),
    "_forests": Listed(Together(tuple(_ARRAYS))),
    "_started_with": Plain(),
    "_columns": Sometimes(Mapping(Number(0, whole=True))),
    "_is_named": Flag(),
}


def check_file_state(state, scope):
    """Refuse trees that lead outside of their arrays or in a circle."""
    if "_forests" not in state:
        return
    if len(state["_forests"]) != (1 if scope.sizes["k"] == 2 else scope.sizes["k"]):
        raise Damaged("a stream forest has another number of forests than classes")
    for arrays in state["_forests"]:
        _check_forest(Forest(*arrays), scope.sizes["d"])
    names = state.get("_columns", {})
    if state["_is_named"] and "_columns" not in state:
        raise Damaged("a stream forest does not know its columns")
    if any(not isinstance(name, str) for name in names) or sorted(names.values()) != list(
        range(len(names))
    ):
        raise Damaged("the columns of a stream forest are damaged")
    if len(names) > scope.sizes["d"]:
        raise Damaged("a stream forest has more names than columns")


def _check_forest(f, d):
    t, n = f.nodes.shape[:2]
    if f.linear.shape[1] != d + 1 or f.tally.shape[1] != (n + 1) // 2 or t < 2 or n < 1:
        raise Damaged("the arrays of a stream forest do not fit together")
    if sorted(f.trees[:, WHERE].tolist()) != list(range(t)) or f.trees[:, USED].max() > n:
        raise Damaged("the trees of a stream forest are damaged")
    head = f.head
    if not (_sound_head(head) and head[RIVAL] < t - 1 and head[N_COLUMNS] <= d):
        raise Damaged("the counters of a stream forest are damaged")
    if f.tally[:, :, N_FILLED].max() > N_CUTS:
        raise Damaged("an observer of a stream forest is damaged")
    for tree in range(t):
        used = f.trees[tree, USED]
        nodes = f.nodes[tree, :used]
        inner = nodes[:, FEATURE] >= 0
        if (
            nodes[:, FEATURE].max(initial=-1) >= d
            or nodes[:, OBSERVER].max(initial=-1) >= f.tally.shape[1]
        ):
            raise Damaged("a node of a stream forest points outside")
        children, at = nodes[inner, CHILD], np.flatnonzero(inner)
        if np.any(children <= at) or np.any(children + 1 >= used):
            raise Damaged("a tree of a stream forest leads outside or in a circle")
        if nodes[:, OBSERVER].min(initial=0) < 0 or nodes[:, MISSING_LEFT].min(initial=0) < 0:
            raise Damaged("a node of a stream forest is damaged")
        if np.isnan(f.points[tree, :used, CUT]).any():
            raise Damaged("a cut of a stream forest is not a number")


def _sound_head(head):
    """Whether counters, shares and calibration are numbers that learning can reach."""
    signed = np.isin(np.arange(HEAD), (A, B, COV_BA, GAIN))
    shares, growth = head[SHARES : SHARES + N_HALF_LIVES], head[GROWTH : GROWTH + N_HALF_LIVES]
    return (
        head[~signed].min() >= 0
        and np.abs(head[[A, B]]).max() <= LARGEST
        and abs(shares.sum() - 1) <= 1e-6
        and growth.max() <= 1
    )
