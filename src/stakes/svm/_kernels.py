"""What the solvers need from a kernel matrix, and the matrices that the user provides."""

from functools import cached_property

import numpy as np
from scipy import linalg, sparse

BLOCK_BYTES = 2**22  # of one block, so that exp finds it in the processor's cache


TESTED = 4000  # rows up to which an unknown kernel is tested for being positive semi-definite


class Kernel:
    """Base of kernel matrices over some rows: blocks of rows, products, a bound on the rounding."""

    convex = True  # whether the matrix is known to be positive semi-definite
    dtype = np.dtype(np.float64)

    @cached_property
    def largest(self):
        """The largest value of the diagonal."""
        return float(np.abs(self.diagonal()).max(initial=0))

    @cached_property
    def is_convex(self):
        """Whether the matrix is positive semi-definite, by a Cholesky factor if unknown."""
        if self.convex or self.shape[0] > TESTED:
            return bool(self.convex)
        K = self.full()
        K = (K + K.T) / 2
        shift = 2 * len(K) * np.finfo(np.float64).eps * max(self.largest, 1e-300)
        K[np.diag_indices_from(K)] += shift
        try:
            linalg.cholesky(K, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return False
        return True

    def full(self, out=None):
        """The whole matrix."""
        return self.block(np.arange(self.shape[0]), out)

    def score(self, Z, coefficients):
        """K(Z, rows) @ coefficients, in blocks that stay in the processor's cache."""
        out = np.zeros(Z.shape[0])
        if len(coefficients) == 0:
            return out
        step = self._cache_rows()
        for start in range(0, Z.shape[0], step):
            out[start : start + step] = self.cross(Z[start : start + step]) @ coefficients
        return out

    def times(self, coefficients, rows=slice(None)):
        """Some entries of K @ coefficients, computed from the nonzero coefficients only."""
        used = np.flatnonzero(coefficients)
        out = np.zeros(self.shape[0])
        for start in range(0, len(used), step := self._cache_rows()):
            part = used[start : start + step]
            out += coefficients[part] @ self.block(part)
        return out[rows]

    def error(self, coefficients):
        """Upper bound on the rounding of each entry of K @ coefficients, entries taken as exact."""
        used = np.count_nonzero(coefficients)
        eps = (used + 4) * np.finfo(np.float64).eps
        return np.full(self.shape[0], eps * self.largest * np.abs(coefficients).sum())

    def shift(self, coefficients):
        """What K @ coefficients lacks; see :class:`Gram`."""
        return 0.0

    def single_precision(self):
        """The same kernel in float32, if it can be computed in float32."""
        return self

    def working_bytes(self):
        """Memory for blocks of kernel values and copies of the rows in both precisions."""
        return 3 * BLOCK_BYTES

    def _cache_rows(self):
        return max(8, BLOCK_BYTES // (self.dtype.itemsize * max(1, self.shape[0])))


class KernelMatrix(Kernel):
    """A kernel matrix that is given, used as it is.

    Examples
    --------
    >>> KernelMatrix(np.array([[2.0, 1.0], [1.0, 2.0]])).times(np.array([1.0, -1.0]))
    array([ 1., -1.])
    """

    convex = None  # unknown

    def __init__(self, matrix):
        if sparse.issparse(matrix):
            matrix = matrix.toarray()
        self.matrix, self.shape = np.ascontiguousarray(matrix, dtype=np.float64), matrix.shape

    def block(self, rows, out=None):
        """Kernel values of some rows with all rows, shape (len(rows), n)."""
        if out is None:
            return self.matrix[rows]
        out[:] = self.matrix[rows]
        return out

    def full(self):
        """The matrix itself."""
        return self.matrix

    def cross(self, Z, out=None):
        """Kernel values of new rows with all rows: Z holds them already."""
        return Z.toarray() if sparse.issparse(Z) else Z

    def diagonal(self):
        """The kernel of each row with itself."""
        return np.diag(self.matrix)

    def take(self, rows):
        """The same kernel on some of the rows."""
        return KernelMatrix(self.matrix[np.ix_(rows, rows)])


class UserKernel(Kernel):
    """A kernel that is a function of two tables, as in scikit-learn's SVC.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0]])
    >>> UserKernel(X, lambda A, B: A @ B.T).full()
    array([[1., 2.],
           [2., 4.]])
    """

    convex = None  # unknown

    def __init__(self, X, function):
        self.X, self.function, self.shape = X, function, (X.shape[0], X.shape[0])

    def block(self, rows, out=None):
        """Kernel values of some rows with all rows, shape (len(rows), n)."""
        return self.cross(self.X[rows], out)

    def cross(self, Z, out=None):
        """Kernel values of new rows with all rows, shape (len(Z), n)."""
        values = np.asarray(self.function(Z, self.X), dtype=np.float64)
        if values.shape != (Z.shape[0], self.shape[0]):
            raise ValueError(
                "kernel must return a matrix of one row for each row of its first table and one "
                f"column for each row of its second, {(Z.shape[0], self.shape[0])}. Got shape "
                f"{values.shape} instead."
            )
        if out is None:
            return values
        out[:] = values
        return out

    def diagonal(self):
        """The kernel of each row with itself."""
        rows = range(self.shape[0])
        return np.array([self.function(self.X[[i]], self.X[[i]])[0, 0] for i in rows])

    def take(self, rows):
        """The same kernel on some of the rows."""
        return UserKernel(self.X[rows], self.function)
