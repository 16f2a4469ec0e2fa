"""The door for tables and weights: consistent, and small enough that products do not overflow."""

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags, validation

from stakes._core.frames import as_table
from stakes._core.sklearn_private import check_sample_weight

LARGEST, SMALLEST = 1e100, 1e-100  # of features; the largest of the weights


def validate_data(estimator, X, *args, bounded=True, indices=True, **how):
    """As scikit-learn's `validate_data`, for consistent sparse matrices and bounded numbers.

    Learners that compare features only, and so take NaN as well, take numbers of any size. Those
    that look at the column of every entry when they read it need no look at the `indices` here.
    """
    X = checked_sparse(as_table(X), indices=indices)
    try:
        found = validation.validate_data(estimator, X, *args, **how)
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        raise ValueError(
            f"X contains text, and {type(estimator).__name__} takes numbers only; encode it, for "
            "example with stakes.tables.prepare."
        ) from None
    if bounded and how.get("ensure_all_finite", True) is True and not how.get("skip_check_array"):
        check_bounded(found[0] if isinstance(found, tuple) else found)
    return found


def check_bounded(X):
    """Refuse numbers whose products overflow; X is an array or a sparse matrix."""
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind != "f" or not values.size:
        return
    largest = max(np.fmax.reduce(values, axis=None), -np.fmin.reduce(values, axis=None))
    if LARGEST < largest < np.inf:  # whether infinite ones are allowed is checked elsewhere
        raise ValueError(
            f"X contains values beyond {LARGEST:g}: products of their squares overflow; scale the "
            "features or drop these rows."
        )


def checked_for(estimator, X):
    """X as a known kind of table; bounded as well for an estimator that calculates with it."""
    X = checked_sparse(as_table(X))
    numbers = (sparse.issparse(X) and X.format in ("csr", "csc", "coo")) or isinstance(
        X, np.ndarray
    )
    if numbers and not get_tags(estimator).input_tags.allow_nan:
        check_bounded(X)
    return X


def check_weights(sample_weight, X, **how):
    """As scikit-learn's check, for weights whose sums and products keep their digits."""
    weight = check_sample_weight(sample_weight, X, **how)
    largest = np.abs(weight).max(initial=0)
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise ValueError(
            f"The largest sample_weight is {largest:.1g}; weights must be between {SMALLEST:g} and "
            f"{LARGEST:g}. Divide them by their mean."
        )
    return weight


def example_counts(weight):
    """Weights as numbers of examples, whatever their scale; zeros stay zeros.

    If all are whole multiples of the smallest one, they count copies of it. Else they are scaled
    so that their sum is Kish's effective number of examples, (sum w)^2 / sum w^2.

    Examples
    --------
    >>> example_counts(np.array([0.2, 0.1, 0.0])).tolist()
    [2.0, 1.0, 0.0]
    >>> example_counts(np.array([3.0, 4.0])).round(2).tolist()  # 49 / 25
    [0.84, 1.12]
    """
    used = weight[weight > 0]
    if not len(used):
        return weight
    copies = used / used.min()
    if np.abs(copies - np.rint(copies)).max() < 1e-6:
        return np.rint(weight / used.min())
    share = used / used.max()
    return weight / used.max() * (share.sum() / (share**2).sum())


def checked_sparse(X, *, indices=True):
    """X itself, unless it is a sparse matrix whose indices point outside, which is an error.

    scipy and scikit-learn convert and multiply sparse matrices without looking at their indices,
    and a wrong one reads or writes memory that is not theirs.

    Parameters
    ----------
    X : any
        A table; anything but a sparse matrix is returned as it is.
    indices : bool, default=True
        Whether to look at the column of every entry of a CSR matrix of 32-bit indices; what is
        converted before a compiled loop sees it is looked at in any case.

    Returns
    -------
    X

    Examples
    --------
    >>> X = sparse.csr_array([[0.0, 1.0]])
    >>> X.indices[0] = 5
    >>> checked_sparse(X)
    Traceback (most recent call last):
    ...
    ValueError: X is a damaged sparse matrix: an index is outside the columns.
    """
    if not sparse.issparse(X):
        return X
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions. Got a sparse array of {X.ndim} instead.")
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X, indices or X.format != "csr" or X.indices.dtype != np.int32)
    elif X.format == "coo":
        _check_coordinates(X)
    elif X.format == "dia":
        if np.ndim(X.data) != 2 or len(X.offsets) != len(X.data):
            raise _damaged("it has another number of diagonals than offsets")
    else:
        X = X.tocsr()
        _check_compressed(X, True)
    return X


def _check_compressed(X, all_indices):
    indptr, indices, data = X.indptr, X.indices, X.data
    block = getattr(X, "blocksize", (1, 1))
    rows, columns = (size // part for size, part in zip(X.shape, block, strict=True))
    if X.format == "csc":
        rows, columns = columns, rows
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise _damaged("its indices are not integers")
    if indptr.shape != (rows + 1,) or indices.ndim != 1 or len(data) != len(indices):
        raise _damaged("its arrays have different lengths")
    if indptr[0] != 0 or indptr[-1] > len(indices) or np.any(indptr[1:] < indptr[:-1]):
        raise _damaged("indptr is not ascending within the entries")
    if all_indices:
        _check_indices(indices, columns)


def _check_coordinates(X):
    if len({len(X.row), len(X.col), len(X.data)}) != 1:
        raise _damaged("its arrays have different lengths")
    for index, size in zip((X.row, X.col), X.shape, strict=True):
        if index.dtype.kind not in "iu":
            raise _damaged("its indices are not integers")
        _check_indices(index, size)


def _check_indices(indices, size):
    if not len(indices):
        return
    if not indices.flags.c_contiguous:
        indices = indices.copy()
    # negative numbers are large unsigned ones: one pass instead of two
    if indices.view(f"u{indices.itemsize}").max() >= size:
        raise _damaged("an index is outside the columns")


def _damaged(why):
    return ValueError(f"X is a damaged sparse matrix: {why}.")
