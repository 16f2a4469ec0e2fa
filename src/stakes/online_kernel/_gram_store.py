"""Stores over a Gram matrix: precomputed, or by a kernel function."""

import numpy as np
from scipy import sparse

from stakes._core.jit.kernel_rows import GRAM, Batch
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import COUNT, Array, Maybe, Text
from stakes.online_kernel._expansion_jit import INTERCEPT, N_SEEN, N_VECTORS
from stakes.online_kernel._store import SupportStore

CHUNK = 256  # examples added to the Gram matrix of the support vectors at a time


class CallableStore(SupportStore):
    """A store for a kernel given as a function of two tables.

    It keeps the Gram matrix of the support vectors, and while a chunk of examples is learned that
    of the chunk as well: in the compiled loops an example is a row number of that matrix. Memory
    is quadratic in the number of support vectors.
    """

    def __init__(self, function, max_support_vectors=None):
        super().__init__("linear", 1.0, 0.0, 1, 0, max_support_vectors)
        self.function, self.pool = function, None
        self.kind = GRAM
        self.support = self.support._replace(kind=GRAM)

    def batches(self, X, order=None):
        """Chunks of X, with the Gram matrix of the support vectors and the chunk."""
        for start in range(0, X.shape[0], CHUNK):
            rows, m = X[start : start + CHUNK], len(self)
            n = rows.shape[0]
            pool = rows if m == 0 else _stack(self.pool, rows)
            gram = self._call(rows, pool)  # may raise, so it comes before any change
            self.pool = pool
            yield start, start + n, self._add_to_gram(gram)

    def settle(self):
        """Forget the examples of the chunk that did not become support vectors."""
        ids = self.support.ids[: len(self)]
        gram = self.support.gram.take(ids, axis=0).take(ids, axis=1)  # faster than np.ix_
        self.pool = self.pool[ids]
        ids[:] = np.arange(len(ids))
        self.support = self.support._replace(gram=gram)

    def scores(self, X):
        """f(x) of each row."""
        if not len(self):
            return np.zeros(X.shape[0])
        return self._call(X, self.pool) @ self.alpha[: len(self)] + self.norm[INTERCEPT]

    def gram_of(self, X):
        """The Gram matrix of some examples."""
        return np.ascontiguousarray(self._call(X, X))

    def vectors(self):
        """The support vectors as rows."""
        return self.pool

    def widen(self, n_features):
        """Make room for new features; they are zero so far."""
        if self.pool is not None:
            new = np.zeros((self.pool.shape[0], n_features - self.pool.shape[1]))
            self.pool = np.hstack([self.pool, new])

    def _add_to_gram(self, new):
        """Append the kernel of n examples with the m vectors and themselves; return the batch."""
        n, m = len(new), len(self)
        gram = np.empty((m + n, m + n))
        gram[:m, :m] = self.support.gram[:m, :m]
        gram[m:] = new
        gram[:m, m:] = new[:, :m].T
        return self._batch_of(gram, np.arange(m, m + n))

    def _batch_of(self, gram, ids):
        self.support = self.support._replace(gram=gram)
        self._reserve(len(ids), 0)
        none = np.zeros(1, np.int64)
        return Batch(np.zeros((0, 0)), np.zeros((0, 0), np.uint64), none, none, np.zeros(0), ids)

    def _call(self, X, Y):
        K = np.asarray(self.function(X, Y), dtype=np.float64)
        if K.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"The kernel function must return one row per example, shape "
                f"{(X.shape[0], Y.shape[0])}. Got shape {K.shape} instead."
            )
        return K


class PrecomputedStore(CallableStore):
    """A store for rows of a Gram matrix, of which column t belongs to example t of the stream.

    The pool has the columns of the support vectors.
    """

    _file_state = {
        "function": Maybe(Text(("",))),
        "pool": Maybe(Array("i8", (None,), low=0)),
        "n_columns": COUNT,
    }

    @staticmethod
    def _check_file_state(state, scope):
        SupportStore._check_file_state(state, scope)
        pool, m = state["pool"], int(state["counts"][N_VECTORS])
        pool = np.zeros(0) if pool is None else pool
        if len(pool) < m or np.any(pool >= state["n_columns"]):
            raise Damaged("the support vectors of a kernel learner do not fit together")

    def __init__(self, n_columns, max_support_vectors=None):
        super().__init__(None, max_support_vectors)
        self.n_columns = n_columns

    def batches(self, X, order=None):
        """Chunks of X, or all of it if it is the Gram matrix of the whole stream."""
        X = X.toarray() if sparse.issparse(X) else X
        n, m = len(X), len(self)
        if order is None:
            seen = int(self.counts[N_SEEN])
            order = np.arange(seen, seen + n)
            if seen + n > self.n_columns:
                raise ValueError(
                    f"X has {self.n_columns} columns, so a stream with kernel='precomputed' has "
                    f"{self.n_columns} examples. Got {seen + n} instead; give rows with one "
                    "column for each example of the stream."
                )
        if m == 0 and n == self.n_columns and np.array_equal(order, np.arange(n)):
            self.pool = order
            yield 0, n, self._batch_of(X if X.flags.writeable else X.copy(), order)
            return
        for start in range(0, n, CHUNK):
            rows, m = X[start : start + CHUNK], len(self)
            ids = order[start : start + CHUNK]
            self.pool = ids if m == 0 else np.concatenate([self.pool, ids])
            yield start, start + len(ids), self._add_to_gram(rows[:, self.pool])

    def gram_of(self, X):
        """The Gram matrix of some examples, which X is."""
        return np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X)

    def vectors(self):
        """No rows: the vectors are known by their kernel values only."""
        return np.empty((len(self), 0))

    def widen(self, n_features):
        """Refuse: the columns are examples."""
        raise ValueError(
            f"x must have the {self.n_columns} columns of the precomputed kernel. Got "
            f"{n_features} instead."
        )

    def _call(self, X, columns):
        K = X[:, columns]
        return K.toarray() if sparse.issparse(K) else K


def _stack(above, below):
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.vstack([above, below], format="csr")
    return np.vstack([above, below])
