"""The support vectors of one learner: their layout, their growth, and the numbers of each."""

import math

import numpy as np
from scipy import sparse

from stakes._core.base import canonical
from stakes._core.jit.kernel_rows import (
    BITS,
    CSR,
    DENSE,
    GRAM,
    LINEAR,
    POLY,
    RBF,
    Batch,
    Support,
    kernel_of_dots,
)
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import COUNT, Array, Count, Maybe, Number, Part
from stakes.online_kernel._expansion_jit import INTERCEPT, N_VECTORS, POOL_USED, Expansion, Pairs
from stakes.online_kernel._passes_jit import scores_of

KERNELS = {"linear": LINEAR, "rbf": RBF, "poly": POLY}
CHUNK = 1024  # examples between two checks of the room that is left
WIDE = 2048  # sparse data with more features than this stay compressed
_PER_VECTOR = ("alpha", "y", "f", "theta", "index")


class SupportStore:
    """Support vectors with a coefficient, label, margin, theta and stream index each.

    The layout is chosen by the first examples and changed when later ones need it: bits while all
    features are 0 or 1, features by vectors otherwise, compressed rows for wide sparse data. The
    kernel values have the same bits in all of them.

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
    """

    _file_state = {
        "n_features": Count("d"),
        "limit": COUNT,
        "counts": Array("i8", (4,), low=0),
        "norm": Array("f8", (2,)),
        "record": Array("f8", (7,)),
        **dict.fromkeys(("alpha", "y", "f", "theta"), Array("f8", ("s",))),
        "index": Array("i8", ("s",)),
        "pairs": Part(),
        "kind": Maybe(Number(0, 3, whole=True)),
        "support": Part(),
    }

    @staticmethod
    def _check_file_state(state, scope):
        d, s, limit = scope.sizes["d"], scope.sizes["s"], int(state["limit"])
        S, pairs = Support(*state["support"].state), Pairs(*state["pairs"].state)
        m, used = int(state["counts"][N_VECTORS]), int(state["counts"][POOL_USED])
        kind = DENSE if state["kind"] is None else state["kind"]
        size = limit + 1 if limit else 0
        wanted = {
            "T": (np.float64, (d, s if kind == DENSE else S.T.shape[-1])),
            "W": (np.uint64, (_words(d) if kind == BITS else 0, s if kind == BITS else 0)),
            "norms": (np.float64, (s,)),
            **dict.fromkeys(("starts", "lengths", "ids"), (np.int64, (s,))),
            "indices": (np.int64, (used if used > len(S.values) else len(S.values),)),
            "values": (np.float64, (len(S.indices),)),
            "gram": (np.float64, (len(S.gram),) * 2),
        }
        size_of_table = 64 * _words(d) + 1 if kind == BITS else S.table.size
        wanted["table"] = np.float64, (size_of_table,)
        whole = all(type(code) is int for code in (S.kind, S.kernel, S.degree))
        ok = (
            whole
            and m <= s
            and S.kind == kind
            and S.kernel in KERNELS.values()
            and (not limit or s <= size)
        )
        for name, (dtype, shape) in wanted.items():
            array = getattr(S, name)
            ok = ok and array.dtype == dtype and array.shape == shape
            ok = ok and (dtype != np.float64 or bool(np.isfinite(array).all()))
        ok = (
            ok
            and pairs.K.shape == (size, size)
            and pairs.near.shape == pairs.value.shape == (size,)
        )
        ok = (
            ok and pairs.K.dtype == pairs.value.dtype == np.float64 and pairs.near.dtype == np.int64
        )
        ok = ok and bool(np.all((pairs.near >= 0) & (pairs.near < max(size, 1))))
        ok = (
            ok
            and all(
                isinstance(number, float) and math.isfinite(number) for number in (S.gamma, S.coef0)
            )
            and S.degree >= 1
        )
        if ok and kind == CSR:
            starts, ends = S.starts[:m], S.starts[:m] + S.lengths[:m]
            ok = bool(np.all((starts >= 0) & (S.lengths[:m] >= 0) & (ends <= len(S.values))))
            ok = ok and bool(np.all((S.indices >= 0) & (S.indices < max(d, 1))))
        elif ok and kind == GRAM:
            ok = bool(np.all((S.ids[:m] >= 0) & (S.ids[:m] < len(S.gram))))
        if not ok:
            raise Damaged("the support vectors of a kernel learner do not fit together")

    def __init__(self, kernel, gamma, coef0, degree, n_features, max_support_vectors=None):
        self.n_features, self.limit = n_features, max_support_vectors or 0
        # their slots have names in _expansion_jit
        self.counts, self.norm, self.record = np.zeros(4, np.int64), np.zeros(2), np.zeros(7)
        self.alpha, self.y, self.f, self.theta = (np.zeros(0) for _ in range(4))
        self.index = np.zeros(0, np.int64)
        size = self.limit + 1 if self.limit else 0  # one more, before a vector is removed
        self.pairs = Pairs(np.zeros((size, size)), np.zeros(size, np.int64), np.zeros(size))
        self.kind = None
        self.support = Support(
            DENSE,
            KERNELS.get(kernel, LINEAR),
            float(gamma),
            float(coef0),
            int(degree),
            T=np.zeros((n_features, 0)),
            W=np.zeros((0, 0), np.uint64),
            starts=np.zeros(0, np.int64),
            lengths=np.zeros(0, np.int64),
            indices=np.zeros(0, np.int64),
            values=np.zeros(0),
            norms=np.zeros(0),
            table=np.zeros(0),
            gram=np.zeros((0, 0)),
            ids=np.zeros(0, np.int64),
        )

    def __len__(self):
        return int(self.counts[N_VECTORS])

    def expansion(self):
        """The arrays as the compiled passes take them."""
        per_vector = self.alpha, self.y, self.f, self.theta, self.index
        state = self.counts, self.norm, self.record
        return Expansion(self.support, self.pairs, *per_vector, *state, self.limit)

    def batches(self, X, order=None):
        """Cut X into chunks that the store has room for: (start, stop, batch) each."""
        for start in range(0, X.shape[0], CHUNK):
            rows = X[start : start + CHUNK]
            self._choose_layout(rows)
            batch = self._batch(rows)
            self._reserve(rows.shape[0], len(batch.data))
            yield start, start + rows.shape[0], batch

    def settle(self):
        """Tidy up after a batch has been learned."""

    def own(self):
        """Copy the arrays that a loaded model maps read-only from its file."""
        if not self.counts.flags.writeable:
            for name, value in vars(self).items():
                if isinstance(value, np.ndarray):
                    setattr(self, name, np.array(value))
                elif isinstance(value, tuple):
                    copied = (np.array(a) if isinstance(a, np.ndarray) else a for a in value)
                    setattr(self, name, type(value)(*copied))

    def widen(self, n_features):
        """Make room for new features; they are zero so far."""
        S, fields = self.support, {}
        T = np.zeros((n_features, S.T.shape[1]))
        T[: self.n_features] = S.T
        self.n_features, fields["T"] = n_features, T
        if self.kind == BITS:
            W = np.zeros((_words(n_features), S.W.shape[1]), np.uint64)
            W[: len(S.W)] = S.W
            fields["W"], fields["table"] = W, self._bit_table()
        self.support = S._replace(**fields)

    def scores(self, X):
        """f(x) of each row."""
        scores = np.zeros(X.shape[0])
        if not len(self):
            return scores
        for start in range(0, X.shape[0], CHUNK):
            rows = X[start : start + CHUNK]
            if self.kind == BITS and not _is_binary(rows):
                self._to_dense()
            out = scores[start : start + CHUNK]
            batch, intercept = self._batch(rows), self.norm[INTERCEPT]
            scores_of(self.support, batch, len(out), len(self), self.alpha, intercept, out)
        return scores

    def gram_of(self, X):
        """The Gram matrix of some examples, with this store's kernel."""
        S = self.support
        dots = X @ X.T
        gram = dots.toarray() if sparse.issparse(dots) else dots
        norms = gram.diagonal().copy()
        for row, norm in zip(gram, norms, strict=True):
            kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, norm, norms, row)
        return gram

    def vectors(self):
        """The support vectors as rows: an array, or CSR where the store is compressed."""
        m, S = len(self), self.support
        if self.kind == BITS:
            return _unpack(S.W[:, :m].T, self.n_features)
        if self.kind != CSR:
            return np.ascontiguousarray(S.T[:, :m].T)
        take = np.concatenate([np.arange(s, s + n) for s, n in zip(*self._spans(), strict=True)])
        indptr = np.concatenate([[0], np.cumsum(S.lengths[:m])])
        return sparse.csr_array(
            (S.values[take], S.indices[take], indptr), shape=(m, self.n_features)
        )

    def _choose_layout(self, rows):
        binary = _is_binary(rows)
        if self.kind is None:
            wide = sparse.issparse(rows) and self.n_features > WIDE
            self.kind = CSR if wide else BITS if binary else DENSE
            fields = {"kind": self.kind}
            if self.kind == BITS:
                fields["table"] = self._bit_table()
                fields["W"] = np.zeros((_words(self.n_features), 0), np.uint64)
            self.support = self.support._replace(**fields)
        elif self.kind == BITS and not binary:
            self._to_dense()

    def _to_dense(self):
        T = np.zeros((self.n_features, len(self.alpha)))
        T[:, : len(self)] = self.vectors().T
        self.kind = DENSE
        empty = np.zeros((0, 0), np.uint64)
        self.support = self.support._replace(kind=DENSE, T=T, W=empty)

    def _batch(self, rows):
        X, W = np.zeros((0, self.n_features)), np.zeros((0, 0), np.uint64)
        indptr = indices = np.zeros(1, np.int64)
        data = np.zeros(0)
        if self.kind == CSR:
            rows = canonical(sparse.csr_array(rows))
            indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
            data = rows.data
        else:
            X = np.ascontiguousarray(rows.toarray() if sparse.issparse(rows) else rows)
            X = X if X.flags.writeable else X.copy()  # one compiled form is enough
            if self.kind == BITS:
                X, W = np.zeros((0, self.n_features)), _pack(X)
        return Batch(X, W, indptr, indices, data, np.zeros(0, np.int64))

    def _reserve(self, n, nonzeros):
        """Make room for n more vectors, or for one more than the limit."""
        need = self.limit + 1 if self.limit else len(self) + n
        size = len(self.alpha)
        if need > size:
            size = need if self.limit else max(need, 2 * size)
            for name in _PER_VECTOR:
                setattr(self, name, _grown(getattr(self, name), size))
            S = self.support
            fields = {name: _grown(getattr(S, name), size) for name in ("norms", "starts")}
            fields["lengths"], fields["ids"] = _grown(S.lengths, size), _grown(S.ids, size)
            if self.kind == DENSE:
                fields["T"] = _grown(S.T, size)
            elif self.kind == BITS:
                fields["W"] = _grown(S.W, size)
            self.support = S._replace(**fields)
        if self.counts[POOL_USED] + nonzeros > len(self.support.values):
            self._compact(nonzeros)

    def _compact(self, nonzeros):
        """Close the gaps in the CSR pool and double its room."""
        S, m = self.support, len(self)
        used = int(S.lengths[:m].sum())
        size = 2 * (used + nonzeros)
        indices, values = np.zeros(size, np.int64), np.zeros(size)
        place = 0
        for j, (start, n) in enumerate(zip(*self._spans(), strict=True)):
            indices[place : place + n] = S.indices[start : start + n]
            values[place : place + n] = S.values[start : start + n]
            S.starts[j] = place
            place += n
        self.counts[POOL_USED] = place
        self.support = S._replace(indices=indices, values=values)

    def _spans(self):
        m = len(self)
        return self.support.starts[:m].tolist(), self.support.lengths[:m].tolist()

    def _bit_table(self):
        """The kernel by the number of bits that differ (rbf) or are common (others)."""
        S = self.support
        counts = np.arange(64.0 * _words(self.n_features) + 1)
        dots, norms = counts.copy(), np.zeros(len(counts))
        if S.kernel == RBF:
            dots, norms = norms, counts
        kernel_of_dots(S.kernel, S.gamma, S.coef0, S.degree, 0.0, norms, dots)
        return dots


def _grown(a, size):
    """The array with a longer last axis."""
    new = np.zeros((*a.shape[:-1], size), a.dtype)
    new[..., : a.shape[-1]] = a
    return new


def _is_binary(rows):
    values = rows.data if sparse.issparse(rows) else rows
    return bool(((values == 0) | (values == 1)).all())


def _words(n_features):
    return max(2, -(-n_features // 64))  # two at least: the compiled loop has a fast path for two


def _pack(X):
    """Rows of zeros and ones as 64-bit words, feature k in bit k % 64 of word k // 64."""
    packed = np.zeros((len(X), 8 * _words(X.shape[1])), np.uint8)
    bits = np.packbits(X != 0, axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64, copy=False)


def _unpack(W, n_features):
    octets = np.ascontiguousarray(W).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")[:, :n_features].astype(np.float64)
