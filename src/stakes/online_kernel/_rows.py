"""Rows in the layout of the support vectors, and their scores."""

import numpy as np
from scipy import sparse

from stakes._core.base import canonical
from stakes._core.jit.kernel_rows import BITS, CSR, Batch, for_loops
from stakes.online_kernel._packing import pack
from stakes.online_kernel._passes_jit import scores_of

NO_ROWS, NO_VALUES = np.zeros((0, 0)), np.zeros(0)
NO_INDICES = np.zeros(0, np.int64)


def batch_of(rows, kind):
    """Rows in a layout."""
    if kind == CSR:
        rows = canonical(sparse.csr_array(rows))
        indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
        return Batch(indptr=indptr, indices=indices, data=rows.data)
    X = np.ascontiguousarray(rows.toarray() if sparse.issparse(rows) else rows)
    if kind == BITS:
        return Batch(W=pack(X))
    X = X if X.flags.writeable else X.copy()  # one compiled form is enough
    return Batch(X)


def with_room_for(S, batch):
    """The vectors, for queries of as many nonzeros as the longest row of a batch has."""
    longest = int(np.diff(batch.indptr).max(initial=0))
    return S if longest <= S.row_size else S._replace(row_size=longest)


def own_zeros(S):
    """The vectors for one thread: compressed rows spread an example over zeros of its own."""
    return S._replace(wide=np.zeros(len(S.wide))) if S.kind == CSR else S


def score(rows, out, S):
    """Write f(x) of each row."""
    batch = batch_of(rows, S.kind)
    S = with_room_for(S, batch) if S.kind == CSR else S
    scores_of(for_loops(S), batch, len(out), out)
