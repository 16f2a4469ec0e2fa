"""Tables with categories as matrices of numbers: text and codes become 0, 1, 2, ..."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from stakes._core.frames import as_table
from stakes._core.intake import checked_sparse, validate_data
from stakes._core.labels import category_mask

OTHER = 254  # code of rare and new categories; 255 is free for missing values
ROWS = dict(dtype=np.float64, order="C", ensure_all_finite="allow-nan")


class TakesCategories:
    """Mixin of classifiers whose tables may hold text, categories, NaN, or be sparse."""

    _allow_nan = True
    _accept_sparse = "csr"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _validate_X(self, X):
        check_is_fitted(self)
        return read_rows(self, X)

    @property
    def _categorical(self):
        """Mask of the categorical features."""
        return np.array([known is not None for known in self.categories_])


def read_training(estimator, X, y):
    """Training table as float64 with codes for categories, and the labels.

    Columns of text are categories, as are those of `categorical_features`. Each of the `OTHER` most
    frequent categories of a column has its own code, all others share the code `OTHER`. Sets
    `categories_`, which :func:`read_rows` uses for new rows.

    Parameters
    ----------
    estimator : estimator
        With `categorical_features`.
    X : {array-like, sparse matrix, data frame} of shape (n, d)
        Training examples.
    y : array-like of shape (n,)
        Labels.

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    """
    X = as_table(X)
    mixed = is_mixed(X)
    if mixed:
        validate_data(estimator, X, skip_check_array=True)
        columns, text = mixed_columns(X)
    else:
        X, y = validate_data(estimator, X, y, accept_sparse="csr", **ROWS)
        X = _dense(X)
        columns, text = X.T, np.zeros(X.shape[1], dtype=bool)
    names = getattr(estimator, "feature_names_in_", ())
    chosen = text | category_mask(estimator.categorical_features, len(columns), names)
    categories = [_categories(x) if c else None for x, c in zip(columns, chosen, strict=True)]
    if mixed or chosen.any():
        X, y = check_X_y(_coded(columns, categories), y, **ROWS)
    estimator.categories_ = categories
    return X, y


def read_rows(estimator, X):
    """New rows as float64, with the codes of `categories_`."""
    X = as_table(X)
    if is_mixed(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        columns, _ = mixed_columns(X)
    else:
        X = validate_data(estimator, X, reset=False, accept_sparse="csr", **ROWS)
        if all(known is None for known in estimator.categories_):
            return _dense(X)
        columns = _dense(X).T
    return check_array(_coded(columns, estimator.categories_), **ROWS)


def is_mixed(X):
    """Whether a table has columns that are not numbers.

    Examples
    --------
    >>> is_mixed(np.array([["a", 1.0]], dtype=object)), is_mixed([[1, 2.0]])
    (True, False)
    """
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        kinds = [_frame_column(X, j).dtype.kind for j in range(len(X.columns))]
    elif sparse.issparse(X):
        return False
    else:
        kinds = [np.asarray(X).dtype.kind] if not hasattr(X, "dtype") else [X.dtype.kind]
    return any(kind not in "biufc" for kind in kinds)


def mixed_columns(X):
    """The columns of a table: numbers as float64, others as objects; a mask of the latter."""
    if hasattr(X, "columns"):
        columns = [_frame_column(X, j) for j in range(len(X.columns))]
    else:
        table = np.asarray(X, dtype=object)
        if table.ndim != 2:
            check_array(table, dtype=None)  # raises
        columns = list(table.T)
    columns = [_as_numbers(x) for x in columns]
    return columns, np.array([x.dtype == object for x in columns])


def _frame_column(X, j):
    return (X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j)).to_numpy()


def _as_numbers(x):
    """A column as float64, or as objects if some entry is text."""
    if x.dtype.kind in "biuf":
        return x.astype(np.float64)
    missing = _missing(x)
    if not any(isinstance(v, str) for v in x[~missing]):
        return np.where(missing, np.nan, x).astype(np.float64)  # raises if it is no number either
    return np.where(missing, None, x.astype(object))


def _missing(x):
    if x.dtype.kind in "biuU":
        return np.zeros(len(x), dtype=bool)
    if x.dtype.kind == "f":
        return np.isnan(x)
    return np.array([v is None or v is not v or str(v) in ("<NA>", "nan", "NaT") for v in x], bool)


def _categories(x):
    """The categories with a code of their own, in order: numbers, or text."""
    there = x[~_missing(x)]
    values, counts = np.unique(_comparable(there), return_counts=True)
    if len(values) > OTHER:
        values = np.sort(values[np.argsort(-counts, kind="stable")[:OTHER]])
    return values


def _comparable(x):
    return np.array([str(v) for v in x], dtype=str) if x.dtype == object else x


def _coded(columns, categories):
    table = np.empty((len(columns[0]), len(columns)))
    for j, (x, known) in enumerate(zip(columns, categories, strict=True)):
        table[:, j] = x if known is None else codes_of(x, known)
    return table


def codes_of(x, known):
    """Codes of a column: the place among the known categories, `OTHER` for any other, or NaN.

    Examples
    --------
    >>> codes_of(np.array(["b", None, "z"], dtype=object), np.array(["a", "b"])).tolist()
    [1.0, nan, 254.0]
    """
    missing = _missing(x)
    if known.dtype.kind == "U" or x.dtype == object:
        known, x = known.astype(str), _comparable(np.where(missing, "", x.astype(object)))
    at = np.minimum(np.searchsorted(known, x), max(len(known) - 1, 0))
    same = known[at] == x if len(known) else np.zeros(len(x), dtype=bool)
    return np.where(missing, np.nan, np.where(same, at, OTHER))


def category_name(known, code):
    """Name of a category by its code, as it is written in a rule.

    Examples
    --------
    >>> category_name(np.array([0.0, 7.0]), 1), category_name(np.array(["a"]), 254)
    ('7', 'other')
    """
    if code >= len(known):
        return "other"
    value = known[code]
    return f"{value:g}" if known.dtype.kind == "f" else str(value)


def _dense(X):
    if sparse.issparse(X):
        return np.ascontiguousarray(checked_sparse(X).toarray())
    return X if X.flags.writeable else X.copy()  # loops are compiled for writeable tables
