"""Kernel values between rows, in blocks: one matrix product, and one pass over the result."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.utils.extmath import row_norms

from stakes.svm._certificate import far_center
from stakes.svm._distance_jit import squared_distances
from stakes.svm._kernels import Kernel, KernelMatrix, UserKernel

PRODUCT_KERNELS = ("rbf", "linear", "poly", "sigmoid")
KERNELS = (*PRODUCT_KERNELS, "precomputed")
DENSE_BYTES = 2**24  # of sparse rows that are made dense at a time
EXACT_ABOVE = 1e-10  # rounding of the exponent above which distances come from differences


def make_gram(X, kernel, gamma, coef0, degree):
    """The kernel matrix of some rows, by the kind of kernel."""
    if kernel == "precomputed":
        return KernelMatrix(X)
    if callable(kernel):
        return UserKernel(X, kernel)
    return Gram(X, kernel, gamma, coef0, degree)


def resolve_gamma(gamma, X, weight):
    """The kernel coefficient as a number: 'scale' is 1 / (d Var(X)), 'auto' is 1 / d."""
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        return float(gamma)
    variance = _variance(X, weight / (weight.sum() * X.shape[1]))
    if 0 < variance < 1e-200:  # exp(-gamma d^2) needs gamma and d^2 as numbers of their own
        raise ValueError(
            f"The variance of X is {variance:.1g}, so its kernel coefficient overflows; scale the "
            "features."
        )
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _variance(X, share):
    """Variance of all entries, in two passes: E[x^2] - E[x]^2 would cancel far from the origin."""
    if not sparse.issparse(X):
        if np.ptp(share) == 0:
            return X.var()
        mean = (X.T @ share).sum()
        return float(((X - mean) ** 2).sum(axis=1) @ share)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    mean = X.data @ share[rows]
    zeros = (X.shape[1] - np.diff(X.indptr)) @ share
    return float((X.data - mean) ** 2 @ share[rows] + zeros * mean**2)


class Gram(Kernel):
    r"""Kernel matrix of some rows, computed block by block on request.

    `rbf`: :math:`\exp(-\gamma\|x - z\|^2)`; `linear`: :math:`x^\top z`, of rows far from the
    origin after subtracting their mean, which the bias makes up for; `poly`:
    :math:`(\gamma x^\top z + c_0)^p`; `sigmoid`: :math:`\tanh(\gamma x^\top z + c_0)`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The rows.
    kernel : {"rbf", "linear", "poly", "sigmoid"}
        Which kernel.
    gamma, coef0, degree : float, float, int
        Its parameters :math:`\gamma, c_0, p`.
    dtype : numpy dtype, default=float64
        Precision of the blocks.

    Examples
    --------
    >>> Gram(np.array([[0.0], [1.0]]), "rbf", gamma=1.0).block(np.array([0])).round(4)
    array([[1.    , 0.3679]])
    """

    def __init__(self, X, kernel="rbf", gamma=1.0, coef0=0.0, degree=3, dtype=np.float64):
        self.kernel, self.gamma, self.coef0, self.degree = kernel, gamma, coef0, degree
        certain = kernel in ("rbf", "linear") or (kernel == "poly" and coef0 >= 0)
        self.convex = True if certain else None  # None: unknown
        self.sparse = sparse.issparse(X)
        self.center, self.given = None, X
        if kernel == "rbf" and not self.sparse and len(X):
            # distances do not change, and |x|^2 + |z|^2 - 2 x'z cancels fewer digits
            self.center = X.mean(axis=0)
        elif kernel == "linear":
            self.center = far_center(X)
        if self.center is not None:
            X = X - self.center
        norms = row_norms(X, squared=True)
        # |x - z|^2 from products loses what |x|^2 has more than |x - z|^2; then from differences
        self.exact = False
        self.exact = kernel == "rbf" and self._exponent_error(norms) > EXACT_ABOVE
        self._store(self.given if self.exact else X, norms, np.dtype(dtype))

    def _store(self, X, norms, dtype):
        self.dtype = np.dtype(np.float64) if self.exact else dtype
        dtype = self.dtype
        self.X, self.norms = X.astype(dtype, copy=False), norms.astype(dtype, copy=False)
        self.shape = (len(norms), len(norms))
        # exp of a positive exponent: rounding makes squared distances negative far from the origin
        self.clip = self.gamma * self.norms.max(initial=0) > 100
        self.right = self.X.T
        if self.kernel == "rbf" and not self.sparse and not self.exact:
            # one product [2g z, -g |z|^2, 1] [x, 1, -g |x|^2]' is the exponent; its right factor
            # is stored row by row, in which order the product reads it
            self.right = np.empty((X.shape[1] + 2, len(norms)), dtype=dtype)
            self.right[:-2], self.right[-2], self.right[-1] = self.X.T, 1, -self.gamma * self.norms

    def block(self, rows, out=None):
        """Kernel values of some rows with all rows, shape (len(rows), n)."""
        return self._values(self.X[rows], self.norms[rows], out)

    def cross(self, Z, out=None):
        """Kernel values of new rows, dense or sparse, with all rows, shape (len(Z), n)."""
        if self.sparse != sparse.issparse(Z):
            Z = Z.toarray() if sparse.issparse(Z) else sparse.csr_array(Z)
        if self.center is not None and not self.exact:
            Z = Z - self.center
        Z = Z.astype(self.dtype, copy=False)
        return self._values(Z, row_norms(Z, squared=True).astype(self.dtype), out)

    def diagonal(self):
        """The kernel of each row with itself."""
        norms = self.norms.astype(np.float64)
        if self.kernel == "rbf":
            return np.ones(len(norms))
        if self.kernel == "linear":
            return norms
        inner = self.gamma * norms + self.coef0
        return np.tanh(inner) if self.kernel == "sigmoid" else inner**self.degree

    def times(self, coefficients, rows=slice(None)):
        """Some entries of K @ coefficients, computed from the nonzero coefficients only."""
        used = np.flatnonzero(coefficients)
        X, norms = self.X[rows], self.norms[rows]
        if self.kernel == "linear":
            return X @ (self.X[used].T @ coefficients[used])
        part, out = self.take(used), np.zeros(len(norms))
        factors = coefficients[used].astype(self.dtype)
        for start in range(0, len(out) if len(used) else 0, step := part._cache_rows()):
            chunk = slice(start, start + step)
            out[chunk] = part._values(X[chunk], norms[chunk], None) @ factors
        return out

    def error(self, coefficients):
        r"""Upper bound on the rounding of each entry of K @ coefficients.

        A sum of k products has an error of at most k eps times the sum of their absolute values;
        exp and powers pass the error of their argument on.
        """
        used = np.flatnonzero(coefficients)
        size, norms = np.abs(coefficients[used]), self.norms.astype(np.float64)
        eps, total = self._terms() * np.finfo(self.dtype).eps, size.sum()
        summing = (len(used) + 4) * np.finfo(np.float64).eps
        if self.kernel == "rbf":
            if self.exact:  # t exp(-t) is at most 1/e
                each = np.full(len(norms), 0.4 * eps + 4 * np.finfo(np.float64).eps)
            else:
                spread = 2 * self.gamma * (norms + (size @ norms[used]) / max(total, 1e-300))
                each = np.minimum(eps * spread + eps, 1.0)
            return total * (each + summing)
        lengths = np.sqrt(norms)
        if self.kernel == "linear":
            return (eps + summing) * lengths * (size @ lengths[used])
        if self.kernel == "sigmoid":
            inner = self.gamma * lengths * (size @ lengths[used]) + abs(self.coef0) * total
            return np.minimum(eps * inner, 2 * total) + summing * total
        longest = self.gamma * lengths * lengths.max(initial=0) + abs(self.coef0)
        return (self.degree * eps + summing) * longest**self.degree * total

    def shift(self, coefficients):
        """What K @ coefficients of the linear kernel lacks since the mean row was subtracted.

        The coefficients must sum to zero, as those of an SVM do.
        """
        if self.kernel != "linear" or self.center is None:
            return 0.0
        return float((coefficients @ self.X.astype(np.float64)) @ self.center)

    def take(self, rows):
        """The same kernel on some of the rows."""
        return self._copy(self.X[rows], self.norms[rows], self.dtype)

    def astype(self, dtype):
        """The same kernel in another precision."""
        return self._copy(self.X, self.norms, np.dtype(dtype))

    def single_precision(self):
        """The same kernel in float32, or as it is if float32 would change the problem."""
        if self.exact or self._exponent_error(self.norms, np.float32) > 0.01:
            return self
        return self.astype(np.float32)

    def working_bytes(self):
        """Memory for blocks of kernel values and copies of the rows in both precisions."""
        size = self.X.data.nbytes if self.sparse else self.X.nbytes
        return super().working_bytes() + 5 * size * (8 // self.dtype.itemsize)

    def _terms(self):
        """Length of the sums of products, with some room for the rounding of their factors."""
        if self.sparse:
            return np.diff(self.given.indptr).max(initial=0) + 8
        return self.given.shape[1] + 8

    def _exponent_error(self, norms, dtype=np.float64):
        if self.kernel != "rbf":
            return 0.0
        return self._terms() * np.finfo(dtype).eps * 4 * self.gamma * norms.max(initial=0)

    def _copy(self, X, norms, dtype):
        other = object.__new__(Gram)
        other.__dict__.update(self.__dict__)
        other._store(X, norms, dtype)
        return other

    def _values(self, Z, norms, out):
        if out is None:
            out = np.empty((Z.shape[0], len(self.norms)), dtype=self.dtype)
        step = self._cache_rows()
        if self.sparse:
            step = max(1, DENSE_BYTES // (self.dtype.itemsize * self.X.shape[1]))
        elif self.kernel == "rbf" and not self.exact:
            g = self.dtype.type(self.gamma)
            Z = np.column_stack([2 * g * Z, -g * norms, np.ones_like(norms)])
        for start in range(0, Z.shape[0], step):
            part = out[start : start + step]
            rows = Z[start : start + step]
            if self.exact:
                part[:] = self._exact_exponents(rows)
            elif self.sparse:
                part[:] = (self.X @ rows.T.toarray()).T
                if self.kernel == "rbf":
                    part *= self.dtype.type(2.0)
                    part -= norms[start : start + step, None]
                    part -= self.norms
                    part *= self.dtype.type(self.gamma)
            else:
                np.matmul(rows, self.right, out=part)
            self._finish(part)
        return out

    def _exact_exponents(self, Z):
        if self.sparse:
            arrays = (a for M in (Z, self.X) for a in (M.data, M.indices, M.indptr))
            return -self.gamma * squared_distances(*arrays)
        return -self.gamma * cdist(Z, self.X, "sqeuclidean")

    def _finish(self, part):
        if self.kernel == "rbf":
            if self.clip:
                np.minimum(part, 0, out=part)
            np.exp(part, out=part)
        elif self.kernel != "linear":
            part *= self.dtype.type(self.gamma)
            part += self.dtype.type(self.coef0)
            if self.kernel == "poly":
                _power(part, self.degree)
            else:
                np.tanh(part, out=part)


def _power(part, degree):
    """Raise to a whole power in place, by squaring: numpy's power takes many times as long."""
    base = part.copy()
    part[:] = 1
    for bit in f"{degree:b}":
        part *= part
        if bit == "1":
            part *= base
