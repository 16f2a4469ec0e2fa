"""All arrays of a forest in one piece of memory, which compiled loops take in one argument.

Numba needs a tenth of a microsecond and more for every array that comes from Python, so that the
twelve of a forest would take as long as the prediction for one event.
"""

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numba.np.arrayobj import populate_array

from stakes._core.jit import INNER
from stakes._core.jit.prequential import SIZE, new_calibration
from stakes.online_forest._state import (
    FEATURE,
    HEAD,
    INTERCEPT_VARIANCE,
    N_BINS,
    N_COLUMNS,
    N_CUTS,
    SEED,
    SHARES,
    VARIANCE,
    WEIGHT_VARIANCE,
    WHERE,
    Forest,
)

N_SIZES = 6  # numbers at the beginning of a buffer: trees, nodes, observers, candidates, ...


class Buffer(np.ndarray):
    """The memory of one forest."""


def new_forest(n_trees, max_nodes, max_features, categorical, n_half_lives, seed, n_columns):
    """A forest before the first event; `n_trees` without the one on trial."""
    d = len(categorical)
    f = blank(n_trees + 1, max_nodes, min(max_features, d), n_half_lives, d)
    f.trees[:, WHERE] = np.arange(n_trees + 1)
    f.nodes[:, :, FEATURE] = -1
    f.linear[:, :d, VARIANCE] = WEIGHT_VARIANCE
    f.linear[:, d, VARIANCE] = INTERCEPT_VARIANCE
    f.categorical[:] = categorical
    f.head[:SIZE] = new_calibration()
    f.head[[SEED, N_COLUMNS]] = seed, n_columns
    f.head[SHARES : SHARES + n_half_lives] = 1.0 / n_half_lives
    return f


def packed(arrays):
    """Copy the arrays of a forest into one buffer; they become views of it."""
    f = Forest(*arrays)
    (t, n, h, _), c, d = f.value.shape, f.cuts.shape[2], f.scale.shape[1]
    views = blank(t, n, c, h, d)
    for view, array in zip(views, arrays, strict=True):
        view[...] = array
    return views


def blank(t, n, c, h, d):
    """Zeros for t trees of n nodes, c candidates of an observer, h half-lives and d features."""
    s = (n + 1) // 2
    per_tree = 8 + n * (16 + 16 + 16 * h) + s * (48 + c * (4 + 8 * N_CUTS + 8 * (N_BINS + 1)))
    size = 8 * N_SIZES + t * per_tree + 16 * h * (d + 1) + 16 * d + 8 * HEAD + d
    memory = Buffer(size, np.uint8).view(np.ndarray)
    memory[:] = 0
    memory[: 8 * N_SIZES].view(np.int64)[:] = t, n, s, c, h, d
    return views_of(memory)


def buffer_of(arrays):
    """Memory that the arrays of a forest are views of, or None, as in a copy or a model file."""
    memory = arrays[0].base
    return memory if type(memory) is np.ndarray and type(memory.base) is Buffer else None


def view(memory, offset, shape, like):
    """Array of this shape and of the type of `like` in an array of bytes."""
    flat = memory[offset : offset + like.nbytes * int(np.prod(shape))]
    return flat.view(like.dtype).reshape(shape)


@infer_global(view)
class _ViewType(AbstractTemplate):
    def generic(self, args, keywords):
        memory, _, shape, like = args
        return signature(types.Array(like, len(shape), "C"), memory, types.intp, shape, like)


@lower_builtin(view, types.Array, types.intp, types.UniTuple, types.Number)
def _compiled_view(target, builder, kind, values):
    """As `view`, in compiled code: nothing is checked or counted, the caller holds the memory.

    It is written in the compiler's words because each kind of array would otherwise be a function
    of its own, with numba's for pointers: a seventh of the time of a first fit.
    """
    made = kind.return_type
    memory = target.make_array(kind.args[0])(target, builder, values[0])
    place = builder.bitcast(
        builder.gep(memory.data, [values[1]]), target.get_data_type(made.dtype).as_pointer()
    )
    shape, strides = cgutils.unpack_tuple(builder, values[2]), []
    itemsize = step = target.get_constant(types.intp, made.dtype.bitwidth // 8)
    for length in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, length)
    array = target.make_array(made)(target, builder)
    populate_array(array, place, shape, strides, itemsize, meminfo=None)
    return array._getvalue()


FLOAT64, FLOAT32, INT32, BYTE = np.float64(0), np.float32(0), np.int32(0), np.uint8(0)


def views_of(memory):
    """The arrays of a forest in its buffer: 8 bytes a number first, so that all are aligned."""
    sizes = view(memory, 0, (N_SIZES,), np.int64(0))
    t, n, s, c, h, d = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]
    at = 8 * N_SIZES
    points = view(memory, at, (t, n, 2), FLOAT64)
    at += 16 * t * n
    value = view(memory, at, (t, n, h, 2), FLOAT64)
    at += 16 * t * n * h
    tally = view(memory, at, (t, s, 6), FLOAT64)
    at += 48 * t * s
    cuts = view(memory, at, (t, s, c, N_CUTS), FLOAT64)
    at += 8 * t * s * c * N_CUTS
    linear = view(memory, at, (h, d + 1, 2), FLOAT64)
    at += 16 * h * (d + 1)
    scale = view(memory, at, (2, d), FLOAT64)
    at += 16 * d
    head = view(memory, at, (HEAD,), FLOAT64)
    at += 8 * HEAD
    trees = view(memory, at, (t, 2), INT32)
    at += 8 * t
    nodes = view(memory, at, (t, n, 4), INT32)
    at += 16 * t * n
    candidates = view(memory, at, (t, s, c), INT32)
    at += 4 * t * s * c
    mass = view(memory, at, (t, s, c, N_BINS + 1, 2), FLOAT32)
    at += 8 * t * s * c * (N_BINS + 1)
    categorical = view(memory, at, (d,), BYTE)
    return Forest(trees, nodes, points, value, tally, candidates, cuts, mass, linear, scale,
                  head, categorical)  # fmt: skip


unpacked = njit(**INNER)(views_of)
