"""Rows of a kernel matrix against a store of support vectors, bit for bit the same in any block.

A stream read in one batch must equal the same stream read example by example, so a kernel value
may depend on its two vectors only: not on the block it is computed in, not on the layout of the
store, and not on which of the two is the support vector. Every inner product is therefore summed
feature by feature in ascending order, zeros left out. BLAS gives no such guarantee.

Four layouts: features by vectors (dense; the inner loop runs over neighbouring vectors), bits for
features that are all 0 or 1 (a kernel value is a bit count and a table lookup), compressed rows
for wide sparse data, and a given Gram matrix. Each has its own loops. Which of them a call means
follows from the type of the store, so that a first fit compiles one layout only. Copies are written
as loops, which numba compiles much faster than slices.
"""

from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numba import njit, types

from stakes._core.jit import INNER
from stakes._core.jit._by_type import let_types_choose
from stakes._core.jit.kernel_values import (
    LINEAR,
    RBF,
    add_four,
    add_one,
    count_row,
    kernel_of_dots,
    popcount,
)

DENSE, BITS, CSR, GRAM = 0, 1, 2, 3

# rows of Support.floats and Support.ints, which have one entry per vector
NORM, ALPHA, SIGN, MARGIN, THETA = range(5)
INDEX, USED, START, LENGTH = range(4)
ID = START  # of a Gram matrix

# slots of Query.whole
NONZEROS, EXAMPLE = 0, 1


class Support(NamedTuple):
    """The support vectors of a learner; arrays of unused layouts are empty.

    The compiled loops see :func:`for_loops` of it.
    `kind` is the layout. DENSE: `table`, features by vectors. BITS: `words`, 64-bit words by
    vectors, and `values`, the kernel by bit count. CSR: `indices` and `values`, a pool of rows, of
    which `ints` has the start and the length, and `wide`, one zero per feature. GRAM: `table`, the
    matrix, of which `ints` has the row. `floats` and `ints` have one column per vector; their rows
    and the slots of `counts` and `numbers` are named in this file and in the caller's.
    `row_size` is the largest number of nonzeros of a row. `pairs` has the kernel of the vectors
    with each other if their number is limited. f shrinks by `decay` with each example.
    """

    kind: int
    kernel: int
    gamma: float
    coef0: float
    degree: int
    row_size: int
    limit: int
    decay: float
    table: np.ndarray
    words: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    wide: np.ndarray
    floats: np.ndarray
    ints: np.ndarray
    pairs: np.ndarray
    counts: np.ndarray
    numbers: np.ndarray


class Batch(NamedTuple):
    """Examples in the layout of the store: rows, words, or compressed rows.

    Those of a Gram matrix are row numbers in `indices`. What a layout does not use is None.
    """

    X: np.ndarray | None = None
    W: np.ndarray | None = None
    indptr: np.ndarray | None = None
    indices: np.ndarray | None = None
    data: np.ndarray | None = None


class Query(NamedTuple):
    """One vector: its nonzeros, its words, its count of nonzeros and example number, its norm."""

    index: np.ndarray | None
    value: np.ndarray | None
    words: np.ndarray | None
    whole: np.ndarray
    norm: np.ndarray


# what the compiled loops of a layout do not read
UNUSED = {
    DENSE: dict.fromkeys(("words", "indices", "values", "wide")),
    BITS: dict.fromkeys(("table", "indices", "wide")),
    CSR: dict.fromkeys(("table", "words")),
    GRAM: dict.fromkeys(("row_size", "words", "indices", "values", "wide")),
}


def _view(kind, limited):
    """What takes the fields for the loops of a layout out of all fields and None."""
    missing = {*UNUSED[kind], *(() if limited else ("pairs",))}
    n = len(Support._fields)
    return itemgetter(*(n if f in missing else i for i, f in enumerate(Support._fields)))


_VIEWS = {(kind, limited): _view(kind, limited) for kind in UNUSED for limited in (False, True)}


def for_loops(S):
    """The support vectors as the compiled loops see them: what is not needed is None.

    Arrays that are None need not be handed over, and their types say which loops to compile.
    Runs for every single event: `S._replace` takes three times as long.
    """
    return tuple.__new__(Support, _VIEWS[S.kind, S.limit > 0]((*S, None)))


def missing_in(S):
    """The fields of `for_loops` that are None, by its numba type."""
    fields = zip(S.fields, S.types, strict=True)
    return {field for field, kind in fields if isinstance(kind, types.NoneType)}


def by_layout(*loops):
    """A function that runs the loop for the layout of its first argument, out of four.

    For compiled callers the type of that argument decides, for others its value.
    """

    def chosen(S, *others):
        return loops[S.kind](S, *others)

    def compiled(S, *others):
        missing = missing_in(S) - {"pairs"}
        return next(loops[kind] for kind, unused in UNUSED.items() if missing == unused.keys())

    let_types_choose(chosen, compiled)
    return chosen


def with_limit(limited, unlimited):
    """A function that runs one of two loops, by whether the number of vectors is limited."""

    def chosen(S, *others):
        return (limited if S.limit else unlimited)(S, *others)

    def compiled(S, *others):
        return unlimited if "pairs" in missing_in(S) else limited

    let_types_choose(chosen, compiled)
    return chosen


# whatever is read of a query was written when an example was loaded: `empty` compiles faster
def _query_of_nonzeros(S):
    index, value = np.empty(S.row_size, np.int64), np.empty(S.row_size, np.float64)
    return Query(index, value, None, np.empty(2, np.int64), np.empty(1, np.float64))


def _query_of_words(S):
    words = np.empty(S.words.shape[0], np.uint64)
    return Query(None, None, words, np.empty(2, np.int64), np.empty(1, np.float64))


def _query_of_number(S):
    return Query(None, None, None, np.empty(2, np.int64), np.empty(1, np.float64))


# room for one vector in the layout of the store
new_query = by_layout(_query_of_nonzeros, _query_of_words, _query_of_nonzeros, _query_of_number)


def _load_row(S, batch, t, q):
    x = batch.X[t]
    n = 0
    for k in range(x.size):
        if x[k] != 0.0:
            q.index[n], q.value[n] = k, x[k]
            n += 1
    q.whole[NONZEROS] = n
    q.norm[0] = _squared_norm(q)


def _load_words(S, batch, t, q):
    total = 0.0
    for w in range(q.words.size):
        q.words[w] = batch.W[t, w]
        total += popcount(q.words[w])
    q.norm[0] = total


def _load_nonzeros(S, batch, t, q):
    start, n = batch.indptr[t], batch.indptr[t + 1] - batch.indptr[t]
    for i in range(n):
        q.index[i], q.value[i] = batch.indices[start + i], batch.data[start + i]
    q.whole[NONZEROS] = n
    q.norm[0] = _squared_norm(q)


def _load_number(S, batch, t, q):
    q.whole[EXAMPLE] = batch.indices[t]
    q.norm[0] = 0.0


# (S, batch, t, q): make example t of the batch the query
load_example = by_layout(_load_row, _load_words, _load_nonzeros, _load_number)


def _reload_row(S, j, q):
    n = 0
    for k in range(S.table.shape[0]):
        if S.table[k, j] != 0.0:
            q.index[n], q.value[n] = k, S.table[k, j]
            n += 1
    q.whole[NONZEROS] = n
    q.norm[0] = S.floats[NORM, j]


def _reload_words(S, j, q):
    for w in range(q.words.size):
        q.words[w] = S.words[w, j]
    q.norm[0] = S.floats[NORM, j]


def _reload_nonzeros(S, j, q):
    start, n = S.ints[START, j], S.ints[LENGTH, j]
    for i in range(n):
        q.index[i], q.value[i] = S.indices[start + i], S.values[start + i]
    q.whole[NONZEROS] = n
    q.norm[0] = S.floats[NORM, j]


def _reload_number(S, j, q):
    q.whole[EXAMPLE] = S.ints[ID, j]
    q.norm[0] = S.floats[NORM, j]


# (S, j, q): make support vector j the query
load_support = by_layout(_reload_row, _reload_words, _reload_nonzeros, _reload_number)


def _store_row(S, q, j, used):
    S.floats[NORM, j] = q.norm[0]
    for k in range(S.table.shape[0]):
        S.table[k, j] = 0.0
    for i in range(q.whole[NONZEROS]):
        S.table[q.index[i], j] = q.value[i]
    return used


def _store_words(S, q, j, used):
    S.floats[NORM, j] = q.norm[0]
    for w in range(q.words.size):
        S.words[w, j] = q.words[w]
    return used


def _store_nonzeros(S, q, j, used):
    n = q.whole[NONZEROS]
    S.floats[NORM, j] = q.norm[0]
    S.ints[START, j], S.ints[LENGTH, j] = used, n
    for i in range(n):
        S.indices[used + i], S.values[used + i] = q.index[i], q.value[i]
    return used + n


def _store_number(S, q, j, used):
    S.floats[NORM, j] = q.norm[0]
    S.ints[ID, j] = q.whole[EXAMPLE]
    return used


# (S, q, j, used): write the query into place j; returns how much of the CSR pool is then used
store_query = by_layout(_store_row, _store_words, _store_nonzeros, _store_number)


@njit(**INNER)
def _move_numbers(S, source, target):
    for i in range(S.floats.shape[0]):
        S.floats[i, target] = S.floats[i, source]
    for i in range(S.ints.shape[0]):
        S.ints[i, target] = S.ints[i, source]


def _move_row(S, source, target):
    _move_numbers(S, source, target)
    for k in range(S.table.shape[0]):
        S.table[k, target] = S.table[k, source]


def _move_words(S, source, target):
    _move_numbers(S, source, target)
    for w in range(S.words.shape[0]):
        S.words[w, target] = S.words[w, source]


def _move_place(S, source, target):
    _move_numbers(S, source, target)


# (S, source, target): copy one support vector, with its numbers, over another
move_support = by_layout(_move_row, _move_words, _move_place, _move_place)


def _own_value(S, q):
    if S.kernel == RBF:
        return 1.0
    if S.kernel == LINEAR:
        return q.norm[0]
    return (S.gamma * q.norm[0] + S.coef0) ** S.degree


def _own_number(S, q):
    return S.table[q.whole[EXAMPLE], q.whole[EXAMPLE]]


# (S, q): the kernel of the query with itself
self_value = by_layout(_own_value, _own_value, _own_value, _own_number)


def _fill_dots(S, q, low, high, row):
    if high <= low:
        return
    out, norms = row[low:high], S.floats[NORM, low:high]
    dot_row(S, q, low, high, out)
    kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, q.norm[0], norms, out)


def _fill_counts(S, q, low, high, row):
    if high > low:
        count_row(S.words[:, low:high], q.words, S.kernel == RBF, S.values, row[low:high])


def _fill_given(S, q, low, high, row):
    given, ids = S.table[q.whole[EXAMPLE]], S.ints[ID]
    for j in range(low, high):
        row[j] = given[ids[j]]


# (S, q, low, high, row): row[low:high] = kernel of the query with the vectors low to high
fill_row = by_layout(_fill_dots, _fill_counts, _fill_dots, _fill_given)


def _dots_of_row(S, q, low, high, out):
    n = q.whole[NONZEROS]
    for j in range(out.size):
        out[j] = 0.0
    # four features a sweep: `out` is read and written a quarter as often, in the same order
    i = 0
    while i + 4 <= n:
        a, b = S.table[q.index[i], low:high], S.table[q.index[i + 1], low:high]
        c, d = S.table[q.index[i + 2], low:high], S.table[q.index[i + 3], low:high]
        add_four(out, a, b, c, d, q.value[i : i + 4])
        i += 4
    while i < n:
        add_one(out, S.table[q.index[i], low:high], q.value[i])
        i += 1


def _dots_of_nonzeros(S, q, low, high, out):
    n = q.whole[NONZEROS]
    # a stored zero adds nothing, so the sum has the same bits as over the common nonzeros
    for i in range(n):
        S.wide[q.index[i]] = q.value[i]
    for j in range(low, high):
        start = S.ints[START, j]
        total = 0.0
        for i in range(start, start + S.ints[LENGTH, j]):
            total += S.wide[S.indices[i]] * S.values[i]
        out[j - low] = total
    for i in range(n):
        S.wide[q.index[i]] = 0.0


# (S, q, low, high, out): inner products of the query with the vectors low to high
dot_row = by_layout(_dots_of_row, None, _dots_of_nonzeros, None)


@njit(**INNER)
def _squared_norm(q):
    total = 0.0
    for i in range(q.whole[NONZEROS]):
        total += q.value[i] * q.value[i]
    return total
