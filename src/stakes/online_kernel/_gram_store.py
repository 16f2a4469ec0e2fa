"""Stores over a Gram matrix: a given one, or that of a kernel function."""

import numpy as np
from scipy import sparse

from stakes._core.jit.kernel_rows import GRAM, Batch
from stakes.online_kernel._store import SupportStore


class GramStore(SupportStore):
    """A store over a given Gram matrix; an example is the number of its row, as a column."""

    def __init__(self, gram, budget=None):
        super().__init__("linear", 1.0, 0.0, 1, 0, budget)
        self.kind = GRAM
        self.support = self.support._replace(kind=GRAM, gram=gram)

    def _choose_layout(self, rows):
        pass

    def _batch(self, rows):
        none = np.zeros(1, np.int64)
        ids = np.ascontiguousarray(rows[:, 0], dtype=np.int64)
        return Batch(np.zeros((0, 0)), np.zeros((0, 0), np.uint64), none, none, np.zeros(0), ids)


class CallableStore(GramStore):
    """A store for a kernel given as a function of two tables; keeps the Gram matrix of the store.

    Memory is therefore quadratic in the support vectors; `budget` bounds it.
    """

    def __init__(self, function, budget=None):
        super().__init__(np.zeros((0, 0)), budget)
        self.function, self.pool = function, None

    def batches(self, X):
        """Chunks of X, with the Gram matrix of the support vectors and the chunk."""
        for start in range(0, X.shape[0], 256):
            rows, m = X[start : start + 256], len(self)
            n = rows.shape[0]
            self.pool = rows if m == 0 else _stack(self.pool, rows)
            gram = np.empty((m + n, m + n))
            gram[:m, :m] = self.support.gram[:m, :m]
            gram[m:] = self._call(rows, self.pool)
            gram[:m, m:] = gram[m:, :m].T
            self.support = self.support._replace(gram=gram)
            self._reserve(n, 0)
            yield start, start + n, self._batch(np.arange(m, m + n)[:, None])

    def settle(self):
        """Forget the examples of the chunk that did not become support vectors."""
        ids = self.support.ids[: len(self)]
        gram = np.ascontiguousarray(self.support.gram[np.ix_(ids, ids)])
        self.pool = self.pool[ids]
        ids[:] = np.arange(len(ids))
        self.support = self.support._replace(gram=gram)

    def scores(self, X):
        """f(x) of each row."""
        if not len(self):
            return np.zeros(X.shape[0])
        return self._call(X, self.pool) @ self.alpha[: len(self)] + self.norm[1]

    def gram_of(self, X):
        """The Gram matrix of some examples."""
        return np.ascontiguousarray(self._call(X, X))

    def vectors(self):
        """The support vectors as rows."""
        return self.pool

    def widen(self, n_features):
        """Make room for features that were not known before; they are zero so far."""
        if self.pool is not None:
            new = np.zeros((self.pool.shape[0], n_features - self.pool.shape[1]))
            self.pool = np.hstack([self.pool, new])

    def _call(self, X, Y):
        K = np.asarray(self.function(X, Y), dtype=np.float64)
        if K.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"The kernel function must return one row per example, shape "
                f"{(X.shape[0], Y.shape[0])}. Got shape {K.shape} instead."
            )
        return K


def _stack(above, below):
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.vstack([above, below], format="csr")
    return np.vstack([above, below])
