"""Stores over a Gram matrix: precomputed, or by a kernel function."""

import numpy as np
from scipy import sparse

from stakes._core.jit.kernel_rows import GRAM, ID, Batch, Support
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Kernel, Maybe
from stakes.online_kernel._expansion_jit import INTERCEPT, N_SEEN, N_VECTORS
from stakes.online_kernel._file_state import check_support
from stakes.online_kernel._store import SupportStore

CHUNK = 256  # examples added to the Gram matrix of the support vectors at a time
COUNTS = Support._fields.index("counts")
SAMPLE = 128  # examples of a given Gram matrix that are compared
FEW = 8  # vectors for which both orders of a kernel function are compared


class CallableStore(SupportStore):
    """A store for a kernel given as a function of two tables.

    It keeps the Gram matrix of the support vectors, and while a chunk of examples is learned that
    of the chunk as well: in the compiled loops an example is a row number of that matrix. Memory
    is quadratic in the number of support vectors.
    """

    _file_state = {
        "function": Kernel(),
        "pool": Maybe(Array("f8", (None, "d"), sparse=True)),
    }

    @staticmethod
    def _check_file_state(state, scope):
        check_support(state, scope)
        if state["function"] is None:
            raise Damaged("a kernel learner has lost its kernel function")
        pool = np.zeros((0, 0)) if state["pool"] is None else state["pool"]
        if pool.shape[0] < state["support"].state[COUNTS][N_VECTORS]:
            raise Damaged("the support vectors of a kernel learner do not fit together")

    can_fail = True  # in a later chunk, when earlier ones are learned

    def __init__(self, function, n_features, max_support_vectors=None, decay=1.0):
        super().__init__("linear", 1.0, 0.0, 1, n_features, max_support_vectors, decay)
        self.function, self.pool = function, None
        self.support = self.support._replace(kind=GRAM)

    def batches(self, X, order=None):
        """Chunks of X, with the Gram matrix of the support vectors and the chunk."""
        for start in range(0, X.shape[0], CHUNK):
            rows, m = X[start : start + CHUNK], len(self)
            n = rows.shape[0]
            pool = rows if m == 0 else _stack(self.pool, rows)
            gram = self._call(rows, pool)  # may raise, so it comes before any change
            _check_symmetric(gram[:, m:])
            if 0 < m <= FEW:  # one example at a time shows no two that could differ
                _check_symmetric(gram[:, :m], self._call(pool[:m], rows))
            self.pool = pool
            yield start, start + n, self._add_to_gram(gram)

    def batch_of_one(self, row):
        """A batch of one row, a float array or (places, values) of nonzeros, with room for it."""
        return next(self.batches(self._dense(row)))[2]

    def score_one(self, row):
        """f(x) of one row, given as for `batch_of_one`."""
        return float(self.scores(self._dense(row))[0])

    def _dense(self, row):
        if type(row) is not tuple:
            return row.reshape(1, -1)
        x = np.zeros((1, self.n_features))
        x[0, row[0]] = row[1]
        return x

    def settle(self):
        """Forget the examples of the chunk that did not become support vectors."""
        ids = self.support.ints[ID, : len(self)]
        gram = self.support.table.take(ids, axis=0).take(ids, axis=1)  # faster than np.ix_
        self.pool = self.pool[ids]
        ids[:] = np.arange(len(ids))
        self.support = self.support._replace(table=gram)

    def support_for(self, X):
        """Vectors, coefficients and intercept as they are before a thread learns more."""
        return self.pool, self.alpha.copy(), self.support.numbers[INTERCEPT]

    def scores(self, X, n_jobs=1, support=None):
        """f(x) of each row."""
        pool, alpha, intercept = support or self.support_for(X)
        if not len(alpha):
            return np.zeros(X.shape[0])
        return self._call(X, pool) @ alpha + intercept

    def gram_of(self, X):
        """The Gram matrix of some examples."""
        return np.ascontiguousarray(self._call(X, X))

    def vectors(self):
        """The support vectors as rows."""
        return np.zeros((0, self.n_features)) if self.pool is None else self.pool

    def widen(self, n_features):
        """Make room for new features; they are zero so far."""
        self.n_features = n_features
        if self.pool is not None:
            new = np.zeros((self.pool.shape[0], n_features - self.pool.shape[1]))
            self.pool = np.hstack([self.pool, new])

    def _add_to_gram(self, new):
        """Append the kernel of n examples with the m vectors and themselves; return the batch."""
        n, m = len(new), len(self)
        gram = np.empty((m + n, m + n))
        gram[:m, :m] = self.support.table[:m, :m]
        gram[m:] = new
        gram[:m, m:] = new[:, :m].T
        return self._batch_of(gram, np.arange(m, m + n))

    def _batch_of(self, gram, ids):
        self.support = self.support._replace(table=gram)
        self._reserve(len(ids), 0)
        return Batch(indices=ids)

    def _call(self, X, Y):
        K = np.asarray(self.function(X, Y), dtype=np.float64)
        if K.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"The kernel function must return one row per example, shape "
                f"{(X.shape[0], Y.shape[0])}. Got shape {K.shape} instead."
            )
        if not np.isfinite(K).all():
            raise ValueError("The kernel function returned NaN or infinity; check the features.")
        return K


class PrecomputedStore(CallableStore):
    """A store for rows of a Gram matrix, of which column t belongs to example t of the stream.

    The pool has the columns of the support vectors.
    """

    _file_state = {"pool": Maybe(Array("i8", (None,), low=0))}

    @staticmethod
    def _check_file_state(state, scope):
        check_support(state, scope)
        pool = np.zeros(0) if state["pool"] is None else state["pool"]
        if len(pool) < state["support"].state[COUNTS][N_VECTORS] or np.any(
            pool >= state["n_features"]
        ):
            raise Damaged("the support vectors of a kernel learner do not fit together")

    def __init__(self, n_columns, max_support_vectors=None, decay=1.0):
        super().__init__(None, n_columns, max_support_vectors, decay)

    def batches(self, X, order=None):
        """Chunks of X, or all of it if it is the Gram matrix of the whole stream."""
        X = X.toarray() if sparse.issparse(X) else X
        n, m = len(X), len(self)
        if order is None:
            seen = int(self.support.counts[N_SEEN])
            order = np.arange(seen, seen + n)
            if seen + n > self.n_features:
                raise ValueError(
                    f"X has {self.n_features} columns, so a stream with kernel='precomputed' has "
                    f"{self.n_features} examples. Got {seen + n} instead; give rows with one "
                    "column for each example of the stream."
                )
        if m == 0 and n == self.n_features and np.array_equal(order, np.arange(n)):
            _check_symmetric(X)
            self.pool = order
            yield 0, n, self._batch_of(X if X.flags.writeable else X.copy(), order)
            return
        for start in range(0, n, CHUNK):
            rows, m = X[start : start + CHUNK], len(self)
            ids = order[start : start + CHUNK]
            _check_symmetric(rows[:, ids])
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
            f"x must have the {self.n_features} columns of the precomputed kernel. Got "
            f"{n_features} instead."
        )

    def _call(self, X, columns):
        K = X[:, columns]
        return K.toarray() if sparse.issparse(K) else K


def _stack(above, below):
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.vstack([above, below], format="csr")
    return np.vstack([above, below])


def _check_symmetric(K, transposed=None):
    """Refuse kernel values that depend on the order of their two examples; large ones by sample."""
    if transposed is None:
        sample = np.unique(np.linspace(0, len(K) - 1, min(len(K), SAMPLE)).astype(np.intp))
        K = K[np.ix_(sample, sample)]
        transposed = K
    room = 1e-9 * np.abs(K).max(initial=1.0) + 1e-6 * np.abs(K)
    if (np.abs(K - transposed.T) > room).any():  # values are finite; np.allclose is slower
        raise ValueError(
            "The kernel is not symmetric: k(x, z) and k(z, x) differ; check the kernel function or "
            "the Gram matrix."
        )
