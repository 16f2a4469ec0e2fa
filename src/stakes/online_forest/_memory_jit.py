"""All arrays of a forest in one piece of memory, which compiled loops take in one argument.

Numba needs a tenth of a microsecond and more for every array that comes from Python, so that the
twelve of a forest would take as long as the prediction for one event.
"""

import numpy as np
from numba import carray, njit, types
from numba.extending import intrinsic, overload

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


@intrinsic
def pointer(_, memory, offset, like):
    """Pointer to numbers of the type of `like` in an array of bytes."""
    kind = types.CPointer(like)

    def build(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.bitcast(builder.gep(array.data, [args[1]]), context.get_value_type(kind))

    return kind(memory, offset, like), build


def view(memory, offset, shape, like):
    """Array of this shape and of the type of `like` in an array of bytes."""
    flat = memory[offset : offset + like.nbytes * int(np.prod(shape))]
    return flat.view(like.dtype).reshape(shape)


@overload(view, inline="always")
def compiled_view(memory, offset, shape, like):
    """As `view`, in compiled code: nothing is checked or counted, the caller holds the memory."""

    def view_of_type(memory, offset, shape, like):
        return carray(pointer(memory, offset, like), shape)

    return view_of_type


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


unpacked = njit(cache=True, **INNER)(views_of)
