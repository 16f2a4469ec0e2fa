"""What comes into a stream, in the form that the compiled loops take."""

import numpy as np
from scipy import sparse

from stakes._core.labels import code_positive, positive_among

_LARGE = 1 << 16


def checked_later(X):
    """Whether X is so large that looking for NaN while learning saves a pass over it."""
    return (sparse.issparse(X) or isinstance(X, np.ndarray)) and np.prod(X.shape) > _LARGE


def binary_signs(y):
    """Both labels, and -1 or +1 for each of y; int8, an eighth of the memory to write."""
    classes, positive = code_positive(y)
    return classes, _coded(positive)


def signs_of(y, classes):
    """-1 or +1 for labels out of `classes`; int8 as in :func:`binary_signs`."""
    return _coded(positive_among(y, classes))


def _coded(positive):
    signs = positive.astype(np.int8)
    signs *= 2
    signs -= 1
    return signs


def csr_parts(X):
    """The three arrays of a CSR matrix in the types that the loops are compiled for."""
    short = X.nnz < 2**31
    return (
        X.indptr.astype(np.int32 if short else np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data,
    )
