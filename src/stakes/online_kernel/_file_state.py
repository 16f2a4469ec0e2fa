"""What model files hold of the learners of this folder."""

import math

import numpy as np

from stakes._core.jit.kernel_rows import BITS, CSR, DENSE, GRAM, LENGTH, START, Support
from stakes._core.jit.kernel_values import LINEAR, POLY, RBF
from stakes._core.jit.prequential import SIZE
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    FEATURES,
    Array,
    Number,
    Part,
    Plain,
    Sometimes,
    Together,
    labels,
)
from stakes.online_kernel._expansion_jit import N_COUNTS, N_NUMBERS, N_VECTORS, POOL_USED
from stakes.online_kernel._margins_jit import N_SLOTS
from stakes.online_kernel._packing import words_of

KERNELS = {"linear": LINEAR, "rbf": RBF, "poly": POLY}
UNDECIDED = -1  # the layout before the first example
N_FLOATS, N_INTS = 5, 4

_STORES = (
    "stakes.online_kernel._store.SupportStore",
    "stakes.online_kernel._gram_store.CallableStore",
    "stakes.online_kernel._gram_store.PrecomputedStore",
)
FILE_STATE = FEATURES | {
    "classes_": labels(2),
    "_store": Part(_STORES),
    "_mistakes": Array("i8", (2,), low=0),
    "_margin_state": Sometimes(Array("f8", (N_SLOTS,), low=0)),
    "_ratio": Sometimes(Number(infinite=True)),
    "_calibration": Array("f8", (SIZE,)),
    "_labels": Together((Plain(), Plain())),
    "_started_with": Plain(),
    "_entries": Sometimes(Array("i8", (2,), low=0)),
}


def check_file_state(state, scope):
    """Refuse support vectors of another number of features."""
    if "_store" not in state:
        return
    store, d = state["_store"].state, scope.sizes["d"]
    if store["n_features"] != d:
        raise Damaged("a kernel learner has another number of features than its vectors")
    if state["_labels"] != tuple(state["classes_"].tolist()):
        raise Damaged("a kernel learner has two sets of labels")


def check_support(state, scope):
    """Refuse support vectors that do not fit together; compiled loops do not check."""
    d, S = scope.sizes["d"], Support(*state["support"].state)
    whole = all(type(n) is int for n in (S.kind, S.kernel, S.degree, S.row_size, S.limit))
    real = all(
        isinstance(number, float) and math.isfinite(number)
        for number in (S.gamma, S.coef0, S.decay)
    )
    arrays = all(isinstance(array, np.ndarray) for array in S[S._fields.index("table") :])
    if not (whole and real and arrays) or S.floats.ndim != 2 or S.counts.shape != (N_COUNTS,):
        raise Damaged("the support vectors of a kernel learner do not fit together")
    s, m, used = S.floats.shape[1], int(S.counts[N_VECTORS]), int(S.counts[POOL_USED])
    size = S.limit + 1 if S.limit else 0
    gram = S.table.shape[:1] * 2 if S.kind == GRAM else (0, 0)
    wanted = {
        "table": (np.float64, (d, s) if S.kind == DENSE else gram),
        "words": (np.uint64, (words_of(d), s) if S.kind == BITS else (0, 0)),
        "indices": (np.int64, (len(S.indices) if S.kind == CSR else 0,)),
        "values": (np.float64, (64 * words_of(d) + 1 if S.kind == BITS else len(S.indices),)),
        "wide": (np.float64, (max(d, len(S.wide)) if S.kind == CSR else 0,)),
        "floats": (np.float64, (N_FLOATS, s)),
        "ints": (np.int64, (N_INTS, s)),
        "pairs": (np.float64, (size, size)),
        "counts": (np.int64, (N_COUNTS,)),
        "numbers": (np.float64, (N_NUMBERS,)),
    }
    ok = (
        S.kind in (UNDECIDED, DENSE, BITS, CSR, GRAM)
        and S.kernel in KERNELS.values()
        and 1 <= S.degree <= 1000
        and 0.0 < S.decay <= 1.0
        and S.limit >= 0
        and S.row_size >= 0
        and (S.kind != DENSE or S.row_size >= d)
        and (not S.limit or s <= size)
        and bool((S.counts >= 0).all())
        and m <= s
        and (S.kind != UNDECIDED or m == 0)
    )
    for name, (dtype, shape) in wanted.items():
        array = getattr(S, name)
        ok = ok and array.dtype == dtype and array.shape == shape
        ok = ok and (dtype != np.float64 or bool(np.isfinite(array).all()))
    if ok and S.kind == CSR:
        starts, lengths = S.ints[START, :m], S.ints[LENGTH, :m]
        ends = starts + lengths
        ok = bool(np.all((starts >= 0) & (lengths >= 0) & (ends <= used)))
        ok = ok and used <= len(S.values) and bool(np.all(lengths <= S.row_size))
        ok = ok and bool(np.all((S.indices >= 0) & (S.indices < max(d, 1))))
        ok = ok and not S.wide.any()
    elif ok and S.kind == GRAM:
        ids = S.ints[START, :m]
        ok = bool(np.all((ids >= 0) & (ids < len(S.table))))
    if not ok:
        raise Damaged("the support vectors of a kernel learner do not fit together")
