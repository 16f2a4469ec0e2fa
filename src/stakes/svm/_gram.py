"""Kernel values between rows, in blocks: one matrix product, and one pass over the result."""

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

KERNELS = ("rbf", "linear", "poly")
CACHE_BYTES = 2**22  # of one block, so that exp finds it in the processor's cache


def resolve_gamma(gamma, X, weight):
    """The kernel coefficient as a number: 'scale' is 1 / (d Var(X)), 'auto' is 1 / d."""
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        return float(gamma)
    if np.ptp(weight) > 0:
        share = weight / (weight.sum() * X.shape[1])
        squares = X.multiply(X) if sparse.issparse(X) else X**2
        variance = (squares.T @ share).sum() - (X.T @ share).sum() ** 2
    elif sparse.issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = X.var()
    if 0 < variance < 1e-200:  # exp(-gamma d^2) needs gamma and d^2 as numbers of their own
        raise ValueError(
            f"The variance of X is {variance:.1g}, so its kernel coefficient overflows; scale the "
            "features."
        )
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


class Gram:
    r"""Kernel matrix of some rows, computed block by block on request.

    `rbf`: :math:`\exp(-\gamma\|x - z\|^2)`; `linear`: :math:`x^\top z`; `poly`:
    :math:`(\gamma x^\top z + c_0)^p`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The rows.
    kernel : {"rbf", "linear", "poly"}
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
        self.center = None
        if kernel == "rbf" and not sparse.issparse(X):
            # distances do not change, and |x|^2 + |z|^2 - 2 x'z cancels fewer digits
            self.center = X.mean(axis=0)
            X = X - self.center
        self._store(X, row_norms(X, squared=True), np.dtype(dtype))

    def _store(self, X, norms, dtype):
        self.dtype = dtype
        self.X, self.norms = X.astype(dtype, copy=False), norms.astype(dtype, copy=False)
        self.shape = (len(norms), len(norms))
        # exp of a positive exponent: rounding makes squared distances negative far from the origin
        self.clip = self.gamma * self.norms.max(initial=0) > 100
        if self.kernel == "rbf" and not sparse.issparse(X):
            # one product [2g z, -g |z|^2, 1] [x, 1, -g |x|^2]' is the exponent
            ones = np.ones((len(norms), 1), dtype=dtype)
            self.right = np.hstack([self.X, ones, -self.gamma * self.norms[:, None]]).astype(dtype)
        else:
            self.right = self.X

    def block(self, rows, out=None):
        """Kernel values of some rows with all rows, shape (len(rows), n)."""
        return self._values(self.X[rows], self.norms[rows], out)

    def cross(self, Z, out=None):
        """Kernel values of new rows, dense or sparse, with all rows, shape (len(Z), n)."""
        if sparse.issparse(self.X) != sparse.issparse(Z):
            Z = Z.toarray() if sparse.issparse(Z) else sparse.csr_array(Z)
        if self.center is not None:
            Z = Z - self.center
        Z = Z.astype(self.dtype, copy=False)
        return self._values(Z, row_norms(Z, squared=True).astype(self.dtype), out)

    def diagonal(self):
        """The kernel of each row with itself."""
        if self.kernel == "rbf":
            return np.ones(len(self.norms))
        if self.kernel == "linear":
            return self.norms.astype(np.float64)
        return (self.gamma * self.norms.astype(np.float64) + self.coef0) ** self.degree

    def full(self):
        """The whole matrix."""
        return self.block(np.arange(self.shape[0]))

    def times(self, coefficients):
        """K @ coefficients, computed from the nonzero coefficients only."""
        used = np.flatnonzero(coefficients)
        X = self.X if self.center is None else self.X + self.center
        return self.take(used).score(X, coefficients[used])

    def score(self, Z, coefficients):
        """K(Z, rows) @ coefficients, in blocks that stay in the processor's cache."""
        out = np.zeros(Z.shape[0])
        if len(coefficients) == 0:
            return out
        step = self._cache_rows()
        for start in range(0, Z.shape[0], step):
            out[start : start + step] = self.cross(Z[start : start + step]) @ coefficients
        return out

    def take(self, rows):
        """The same kernel on some of the rows."""
        return self._copy(self.X[rows], self.norms[rows], self.dtype)

    def astype(self, dtype):
        """The same kernel in another precision."""
        return self._copy(self.X, self.norms, np.dtype(dtype))

    def _copy(self, X, norms, dtype):
        other = object.__new__(Gram)
        other.__dict__.update(self.__dict__)
        other._store(X, norms, dtype)
        return other

    def _cache_rows(self):
        return max(8, CACHE_BYTES // (self.dtype.itemsize * max(1, len(self.norms))))

    def _values(self, Z, norms, out):
        if out is None:
            out = np.empty((Z.shape[0], len(self.norms)), dtype=self.dtype)
        if sparse.issparse(self.X):
            out[:] = (self.X @ Z.T.toarray()).T
            return self._finish_sparse(out, norms)
        left = Z
        if self.kernel == "rbf":
            g = self.dtype.type(self.gamma)
            left = np.column_stack([2 * g * Z, -g * norms, np.ones_like(norms)])
        step = self._cache_rows()
        for start in range(0, len(left), step):
            part = out[start : start + step]
            np.matmul(left[start : start + step], self.right.T, out=part)
            self._finish(part)
        return out

    def _finish(self, part):
        if self.kernel == "rbf":
            if self.clip:
                np.minimum(part, 0, out=part)
            np.exp(part, out=part)
        elif self.kernel == "poly":
            part *= self.dtype.type(self.gamma)
            part += self.dtype.type(self.coef0)
            np.power(part, self.degree, out=part)

    def _finish_sparse(self, out, norms):
        if self.kernel == "rbf":
            out *= self.dtype.type(2.0)
            out -= norms[:, None]
            out -= self.norms
            out *= self.dtype.type(self.gamma)
        self._finish(out)
        return out
