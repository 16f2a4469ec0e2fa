"""The door for tables and weights: consistent, and small enough that products do not overflow."""

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags, validation

from stakes._core.frames import as_table
from stakes._core.sklearn_private import check_sample_weight
from stakes._core.words import shown

LARGEST, SMALLEST = 1e100, 1e-100  # of features; the largest of the weights
TINY = 1e-150  # squares of smaller features lose their digits or vanish


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


def checked_for(estimator, X, *, fitting=False):
    """X as a known kind of table; bounded as well for an estimator that calculates with it.

    With `fitting`, such an estimator gets no numbers whose squares vanish: liblinear searches on
    for ever if the squares of a gradient do.
    """
    X = checked_sparse(as_table(X))
    if fitting and _calculates(estimator):
        X = without_tiny(X)
    numbers = (sparse.issparse(X) and X.format in ("csr", "csc", "coo")) or isinstance(
        X, np.ndarray
    )
    if numbers and not get_tags(estimator).input_tags.allow_nan:
        check_bounded(X)
    return X


def _calculates(estimator):
    """Whether an estimator, or a step of a pipeline, takes no NaN, and so more than compares.

    Pipelines that begin with a table encoder of stakes give their learners no tiny numbers.
    """
    steps = [step for _, step in getattr(estimator, "steps", ()) if hasattr(step, "fit")]
    if steps and type(steps[0]).__module__.startswith("stakes."):
        return False
    return any(map(_calculates, steps)) or not get_tags(estimator).input_tags.allow_nan


def without_tiny(X):
    """X with zeros for numbers below `TINY`; a column of nothing else is an error.

    Examples
    --------
    >>> without_tiny(np.array([[1e-200, 2.0], [3.0, 4.0]]))
    array([[0., 2.],
           [3., 4.]])
    """
    if sparse.issparse(X):
        if X.format not in ("csr", "csc", "coo") or not _has_tiny(X.data):
            return X
        columns = X.tocsc()
        parts = np.split(columns.data, columns.indptr[1:-1])
        zeroed = [_without_tiny(part, j) for j, part in enumerate(parts)]
        columns = type(columns)(
            (np.concatenate(zeroed), columns.indices, columns.indptr), shape=X.shape
        )
        return columns.asformat(X.format)
    if isinstance(X, np.ndarray):
        if X.ndim != 2 or X.dtype.kind != "f" or not _has_tiny(X):
            return X
        return np.column_stack([_without_tiny(column, j) for j, column in enumerate(X.T)])
    if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
        whole = X
        for j in range(X.shape[1]):
            column = X.iloc[:, j]
            if getattr(column.dtype, "kind", "O") == "f":
                values = column.to_numpy(dtype=np.float64, na_value=np.nan)
                if _has_tiny(values):
                    whole = X.copy() if whole is X else whole
                    whole.isetitem(j, _without_tiny(values, X.columns[j]))
        return whole
    if hasattr(X, "with_columns"):
        zeroed = {
            column.name: _without_tiny(column.to_numpy(), column.name)
            for column in X.get_columns()
            if column.dtype.is_float() and _has_tiny(column.to_numpy())
        }
        return X.with_columns(**zeroed) if zeroed else X
    return X


def _has_tiny(values):
    block = 65_536  # rows at a time: a large table is not copied
    return any(_are_tiny(values[i : i + block]).any() for i in range(0, len(values), block))


def _are_tiny(values):
    return (values != 0) & (np.abs(values) < TINY)


def _without_tiny(column, name):
    tiny = _are_tiny(column)
    if tiny.any() and not (np.abs(column) >= TINY).any():
        raise ValueError(
            f"Column {shown(name)} of X has no value beyond {TINY:g} except zeros: squares of its "
            "values vanish; multiply it by a constant."
        )
    return np.where(tiny, 0.0, column)


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
