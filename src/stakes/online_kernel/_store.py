"""The support vectors of one learner: their layout, their growth, and the numbers of each."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy import sparse

from stakes._core.base import canonical
from stakes._core.intake import LARGEST
from stakes._core.jit.kernel_rows import (
    ALPHA,
    BITS,
    CSR,
    DENSE,
    INDEX,
    LENGTH,
    MARGIN,
    SIGN,
    START,
    THETA,
    Batch,
    Support,
    for_loops,
)
from stakes._core.jit.kernel_values import LINEAR, POLY, RBF, kernel_of_dots
from stakes._core.stored.spec import Count, Part
from stakes.online_kernel._expansion_jit import (
    DUAL_VALUE,
    N_COUNTS,
    N_NUMBERS,
    N_VECTORS,
    POOL_USED,
    SQUARED_NORM,
)
from stakes.online_kernel._file_state import KERNELS, N_FLOATS, N_INTS, UNDECIDED, check_support
from stakes.online_kernel._packing import NO_WORDS, pack_row, unpack, words_of
from stakes.online_kernel._passes_jit import score_of
from stakes.online_kernel._rows import (
    NO_INDICES,
    NO_ROWS,
    NO_VALUES,
    batch_of,
    own_zeros,
    score,
    with_room_for,
)

CHUNK = 1024  # examples between two checks of the room that is left


class SupportStore:
    """Support vectors with a coefficient, label, margin, theta and stream index each.

    The layout is chosen by the first examples and changed when later ones need it: bits while all
    features are 0 or 1, features by vectors otherwise, compressed rows for dicts and where they
    save much memory. The kernel values have the same bits in all of them.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly"}
        Name of the kernel.
    gamma, coef0 : float
        Its parameters.
    degree : int
        Degree of the polynomial kernel.
    n_features : int
        Number of features.
    max_support_vectors : int or None, default=None
        Maximum number of support vectors.
    decay : float, default=1.0
        Factor on f before each example.
    """

    _file_state = {"n_features": Count("d"), "support": Part((f"{Support.__module__}.Support",))}

    _check_file_state = staticmethod(check_support)

    def __init__(
        self, kernel, gamma, coef0, degree, n_features, max_support_vectors=None, decay=1.0
    ):
        self.n_features = n_features
        limit = max_support_vectors or 0
        size = limit + 1 if limit else 0  # one more, before a vector is removed
        self.support = Support(
            UNDECIDED,
            KERNELS.get(kernel, LINEAR),
            float(gamma),
            float(coef0),
            int(degree),
            row_size=0,
            limit=int(limit),
            decay=float(decay),
            table=NO_ROWS,
            words=NO_WORDS,
            indices=NO_INDICES,
            values=NO_VALUES,
            wide=NO_VALUES,
            floats=np.zeros((N_FLOATS, size)),
            ints=np.zeros((N_INTS, size), np.int64),
            pairs=np.zeros((size, size)),
            counts=np.zeros(N_COUNTS, np.int64),
            numbers=np.zeros(N_NUMBERS),
        )

    def __len__(self):
        return int(self.support.counts[N_VECTORS])

    @property
    def can_fail(self):
        """Whether a later chunk of a table may be refused when earlier ones are learned."""
        return self.support.kernel == POLY

    @property
    def kind(self):
        """The layout."""
        return self.support.kind

    @property
    def alpha(self):
        """Coefficients of the vectors, a view."""
        return self.support.floats[ALPHA, : len(self)]

    @property
    def signs(self):
        """Their labels, -1 or +1, a view."""
        return self.support.floats[SIGN, : len(self)]

    @property
    def theta(self):
        """Their required margins, a view."""
        return self.support.floats[THETA, : len(self)]

    @property
    def index(self):
        """Their positions in the stream, a view."""
        return self.support.ints[INDEX, : len(self)]

    def batches(self, X, order=None):
        """Cut X into chunks that the store has room for: (start, stop, batch) each."""
        for start in range(0, X.shape[0], CHUNK):
            rows = X[start : start + CHUNK]
            self._check_powers(rows)
            self._fit_layout(rows)
            batch = self._batch(rows)
            self._reserve(rows.shape[0], 0 if batch.data is None else len(batch.data))
            yield start, start + rows.shape[0], batch

    def batch_of_one(self, row):
        """A batch of one row, a float array or (places, values) of nonzeros, with room for it."""
        if self.support.kernel == POLY:
            self._check_powers(row[1] if type(row) is tuple else row)
        return self._one_sparse(*row) if type(row) is tuple else self._one(row)

    def score_one(self, row):
        """f(x) of one row, given as for `batch_of_one`."""
        if not len(self):
            return 0.0
        batch = self.batch_of_one(row)  # first: it may change the layout
        return score_of(for_loops(self.support), batch)

    def _one(self, x):
        kind = self.support.kind
        if kind == DENSE:
            batch = Batch(x[None])
        elif kind == CSR:
            index = np.flatnonzero(x)
            return self._one_sparse(index, x[index])
        else:
            words = np.empty((1, words_of(len(x))), np.uint64)
            if kind == UNDECIDED or not pack_row(x, words):
                return next(self.batches(x[None]))[2]
            batch = Batch(W=words)
        if self.support.counts[N_VECTORS] == self.support.floats.shape[1]:
            self._reserve(1, 0)
        return batch

    def _one_sparse(self, index, values):
        if self.support.kind == UNDECIDED:
            self._convert(CSR)
        elif self.support.kind != CSR:
            x = np.zeros(self.n_features)
            x[index] = values
            return self._one(x)
        n, S = len(values), self.support
        if n > S.row_size:
            S = self.support = S._replace(row_size=n)
        full = S.counts[N_VECTORS] == S.floats.shape[1]
        if full or S.counts[POOL_USED] + n > len(S.values):
            self._reserve(1, n)
        return Batch(indptr=np.array([0, n]), indices=index, data=values)

    def settle(self):
        """Tidy up after a batch has been learned."""

    def own(self):
        """Copy the arrays that a loaded model maps read-only from its file."""
        if not self.support.counts.flags.writeable:
            S = self.support
            self.support = Support(*(np.array(a) if isinstance(a, np.ndarray) else a for a in S))

    def widen(self, n_features):
        """Make room for new features; they are zero so far."""
        self.n_features = n_features
        if self.support.kind != CSR:
            self._convert(CSR)
        elif n_features > len(self.support.wide):
            self.support = self.support._replace(wide=np.zeros(2 * n_features))

    def support_for(self, X):
        """The vectors in a layout for these rows, as they are before a thread learns more."""
        self._check_powers(X)
        if self.kind == BITS and len(self) and not _is_binary(X):
            self._convert(_layout(X, self.n_features, False))
        S = self.support
        ints = S.ints.copy() if S.kind == CSR else S.ints  # where rows are, which may move
        return S._replace(counts=S.counts.copy(), ints=ints)

    def scores(self, X, n_jobs=1, support=None):
        """f(x) of each row, in `n_jobs` threads."""
        scores, S = np.zeros(X.shape[0]), support or self.support_for(X)
        if not S.counts[N_VECTORS]:
            return scores
        starts = range(0, X.shape[0], CHUNK)
        parts = (slice(start, start + CHUNK) for start in starts)
        if n_jobs == 1 or len(starts) == 1:
            S = own_zeros(S)
            for part in parts:
                score(X[part], scores[part], S)
            return scores
        with ThreadPoolExecutor(n_jobs) as pool:
            for done in [pool.submit(score, X[part], scores[part], own_zeros(S)) for part in parts]:
                done.result()
        return scores

    def _check_powers(self, rows):
        """Refuse rows whose polynomial kernel overflows, with themselves or with each other."""
        S = self.support
        if S.kernel != POLY or not rows.shape[0]:
            return
        if rows.ndim == 1:
            square = rows @ rows
        elif sparse.issparse(rows):
            square = rows.multiply(rows).sum(axis=1).max()
        else:
            square = np.einsum("ij,ij->i", rows, rows).max()
        base = abs(S.gamma) * float(square) + abs(S.coef0)  # no kernel value is beyond its power
        if base > 1.0 and S.degree * math.log(base) > math.log(LARGEST):
            raise ValueError(
                f"kernel='poly' with degree={S.degree} has values beyond {LARGEST:g} for these "
                "rows: scale the features, or lower degree, gamma or coef0."
            )

    def gram_of(self, X):
        """The Gram matrix of some examples, with this store's kernel."""
        S = self.support
        dots = X @ X.T
        gram = dots.toarray() if sparse.issparse(dots) else dots
        norms = gram.diagonal().copy()
        for row, norm in zip(gram, norms, strict=True):
            kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, norm, norms, row)
        return gram

    def set_gamma(self, gamma):
        """Change the kernel under the vectors: what is known of f follows, its weights stay."""
        S = self.support = self.support._replace(gamma=float(gamma))
        m = len(self)
        if not m:
            return
        K = self.gram_of(self.vectors())
        f = K @ self.alpha
        S.floats[MARGIN, :m] = self.signs * f
        S.numbers[SQUARED_NORM] = self.alpha @ f
        S.numbers[DUAL_VALUE] = self.theta @ np.abs(self.alpha) - 0.5 * (self.alpha @ f)
        if S.limit:
            S.pairs[:m, :m] = K

    def vectors(self):
        """The support vectors as rows: an array, or CSR where the store is compressed."""
        m, S = len(self), self.support
        if self.kind == BITS:
            return unpack(S.words[:, :m].T, self.n_features)
        if self.kind == DENSE:
            return np.ascontiguousarray(S.table[:, :m].T)
        if not m:
            return np.zeros((0, self.n_features))
        take = np.concatenate([np.arange(s, s + n) for s, n in zip(*self._spans(), strict=True)])
        indptr = np.concatenate([[0], np.cumsum(S.ints[LENGTH, :m])])
        return sparse.csr_array(
            (S.values[take], S.indices[take], indptr), shape=(m, self.n_features)
        )

    def _fit_layout(self, rows):
        """Choose the layout by the first rows, or change it for rows that it cannot hold."""
        if self.kind in (DENSE, CSR):
            return
        binary = _is_binary(rows)
        if self.kind == UNDECIDED or not binary:
            self._convert(_layout(rows, self.n_features, binary))

    def _convert(self, kind):
        """Change the layout."""
        V, d, m = self.vectors(), self.n_features, len(self)
        S, size = self.support, self.support.floats.shape[1]
        fields = dict(kind=kind, table=NO_ROWS, words=NO_WORDS, indices=NO_INDICES)
        fields |= dict(values=NO_VALUES, wide=NO_VALUES, row_size=0)
        S.counts[POOL_USED] = 0
        if kind == CSR:
            V = canonical(sparse.csr_array(V))
            S.ints[START, :m], S.ints[LENGTH, :m] = V.indptr[:-1], np.diff(V.indptr)
            S.counts[POOL_USED] = V.nnz
            fields |= dict(indices=V.indices.astype(np.int64), values=V.data, wide=np.zeros(2 * d))
            fields["row_size"] = int(np.diff(V.indptr).max(initial=0))
        elif kind == BITS:  # from nothing only
            fields |= dict(words=np.zeros((words_of(d), size), np.uint64), values=self._bit_table())
        else:
            fields |= dict(table=np.zeros((d, size)), row_size=d)
            fields["table"][:, :m] = V.T
        self.support = S._replace(**fields)

    def _batch(self, rows):
        batch = batch_of(rows, self.kind)
        if self.kind == CSR:
            self.support = with_room_for(self.support, batch)
        return batch

    def _reserve(self, n, nonzeros):
        """Make room for n more vectors, or for one more than the limit."""
        S = self.support
        need, size = (S.limit + 1 if S.limit else len(self) + n), S.floats.shape[1]
        if need > size:
            size = max(need, 2 * size)
            fields = dict(floats=_grown(S.floats, size), ints=_grown(S.ints, size))
            if self.kind == DENSE:
                fields["table"] = _grown(S.table, size)
            elif self.kind == BITS:
                fields["words"] = _grown(S.words, size)
            self.support = S._replace(**fields)
        if S.counts[POOL_USED] + nonzeros > len(S.values):
            self._compact(nonzeros)

    def _compact(self, nonzeros):
        """Close the gaps in the CSR pool and double its room."""
        S, m = self.support, len(self)
        used = int(S.ints[LENGTH, :m].sum())
        size = 2 * (used + nonzeros)
        indices, values = np.zeros(size, np.int64), np.zeros(size)
        place = 0
        for j, (start, n) in enumerate(zip(*self._spans(), strict=True)):
            indices[place : place + n] = S.indices[start : start + n]
            values[place : place + n] = S.values[start : start + n]
            S.ints[START, j] = place
            place += n
        S.counts[POOL_USED] = place
        self.support = S._replace(indices=indices, values=values)

    def _spans(self):
        m, ints = len(self), self.support.ints
        return ints[START, :m].tolist(), ints[LENGTH, :m].tolist()

    def _bit_table(self):
        """The kernel by the number of bits that differ (rbf) or are common (others)."""
        S = self.support
        counts = np.arange(64.0 * words_of(self.n_features) + 1)
        dots, norms = counts.copy(), np.zeros(len(counts))
        if S.kernel == RBF:
            dots, norms = norms, counts
        kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, 0.0, norms, dots)
        return dots


def _layout(rows, n_features, binary):
    """The layout for rows like these: compressed where it takes a small part of the memory."""
    if sparse.issparse(rows) and _saves_memory(rows.nnz, rows.shape[0], n_features, binary):
        return CSR
    return BITS if binary else DENSE


def _saves_memory(nonzeros, n, d, binary):
    """Whether compressed rows are smaller than bits, or an eighth of all numbers.

    They are slower than numbers, and faster than bits that are nearly all zero.
    """
    return 16 * nonzeros < n * (d / 8 if binary else d)


def _grown(a, size):
    """The array with a longer last axis."""
    new = np.zeros((*a.shape[:-1], size), a.dtype)
    new[..., : a.shape[-1]] = a
    return new


def _is_binary(rows):
    values = rows.data if sparse.issparse(rows) else rows
    return bool(((values == 0) | (values == 1)).all())
