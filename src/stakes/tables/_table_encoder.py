"""Tables of mixed columns as one matrix of numbers."""

from numbers import Integral

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from stakes._core.intake import checked_sparse
from stakes._core.sklearn_private import Interval
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Flag, Listed, Mapping, Maybe, Sometimes, Text
from stakes.errors import InputError, near_matches
from stakes.tables._column_facts import ColumnFacts, find_kinds
from stakes.tables._event_rows import EventRows
from stakes.tables._kinds import as_frame, cast_like

MIN_VALUES = 10
MAX_CATEGORIES = 200  # HistGradientBoosting takes at most 255

_DAY = 86_400_000_000.0  # microseconds
_PARTS = {
    "number": {"": lambda c: c.cast(pl.Float64)},
    "boolean": {"": lambda c: c.cast(pl.Float64)},
    "date": {
        ".days": lambda c: c.cast(pl.Date).to_physical().cast(pl.Float64),
        ".month": lambda c: c.dt.month().cast(pl.Float64),
        ".weekday": lambda c: c.dt.weekday().cast(pl.Float64),
    },
    "time": {".hours": lambda c: c.cast(pl.Int64).cast(pl.Float64) / 3.6e12},
    "duration": {".days": lambda c: c.dt.total_microseconds().cast(pl.Float64) / _DAY},
}
_PARTS["datetime"] = _PARTS["date"] | {
    ".days": lambda c: c.dt.timestamp("us").cast(pl.Float64) / _DAY,
    ".hour": lambda c: c.dt.hour().cast(pl.Float64),
}


class TableTransformer(TransformerMixin, BaseEstimator):
    """Base of transformers that take raw tables and know the names of their columns."""

    def get_feature_names_out(self, input_features=None):
        """Names of the matrix's columns."""
        check_is_fitted(self)
        return np.asarray(self.feature_names_out_, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


class TableEncoder(TableTransformer):
    """Encode a table of mixed columns as one float64 matrix; missing values are NaN.

    Numbers are kept (infinite ones are missing), booleans become 0 and 1, dates become days since
    1970, month and weekday (datetimes also the hour), text becomes one code per category. A
    category not seen in training gets the code "other" if training had more than `max_categories`
    categories, else it is missing. Arrays and sparse matrices are passed through. A column of
    another kind than text with hardly any value (one, or fewer than ten that are less than a tenth
    of the rows) is 0 in every row: some fold would have none, which HistGradientBoosting cannot
    learn from.

    Parameters
    ----------
    kinds : dict, default=None
        Column -> kind, as from :func:`find_kinds`; None: found in `fit`.
    max_categories : int, default=200
        Maximum number of categories with their own code, the most frequent ones of a column.

    Attributes
    ----------
    kinds_ : dict or None
        Kind of each column used; None for arrays.
    categories_ : dict
        Text column -> categories in the order of their codes.
    has_other_ : dict
        Text column -> whether there is a code for rarer categories.
    feature_names_out_ : list of str
        Names of the matrix's columns.
    categorical_mask_ : ndarray of bool
        Which columns of the matrix are codes.
    empty_ : list of str
        Columns with hardly any value.
    notes_ : list of str
        Notes of :func:`find_kinds`; empty if `kinds` was given.

    Examples
    --------
    >>> table = pl.DataFrame({"kind": ["b", "a", None], "amount": [1.5, None, 2.0]})
    >>> TableEncoder().fit_transform(table)
    array([[1. , 1.5],
           [0. , nan],
           [nan, 2. ]])
    """

    _parameter_constraints = {
        "kinds": [dict, None],
        "max_categories": [Interval(Integral, 1, None, closed="left")],
    }
    _file_state = {
        "notes_": Listed(Text()),
        "categories_": Mapping(Listed(Text())),
        "has_other_": Mapping(Flag()),
        "empty_": Sometimes(Listed(Text())),
        "kinds_": Maybe(Mapping(Text())),
        "feature_names_out_": Listed(Text(), "out"),
        "categorical_mask_": Array("b", ("out",)),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if state.get("kinds_") is None:
            return
        names = {name for name, kind in state["kinds_"].items() if kind == "text"}
        if not state["categories_"].keys() == state["has_other_"].keys() == names:
            raise Damaged("the categories of a table do not belong to its columns")
        numbers = {name: kind for name, kind in state["kinds_"].items() if kind != "text"}
        if not _PARTS.keys() >= set(numbers.values()):
            raise Damaged("a column of a table is of an unknown kind")
        if not numbers.keys() >= set(state.get("empty_", ())):
            raise Damaged("an empty column of a table is not one of its numbers")
        mask = TableEncoder.mask_of(state["kinds_"])
        if not np.array_equal(mask, state["categorical_mask_"]):
            raise Damaged("the columns of a table are of other kinds than their codes")

    def __init__(self, *, kinds=None, max_categories=MAX_CATEGORIES):
        self.kinds = kinds
        self.max_categories = max_categories

    def fit(self, X, y=None):
        """Find the kinds of the columns and the categories of text columns."""
        self.notes_, self.categories_, self.has_other_, self.empty_ = [], {}, {}, []
        if is_matrix(X):
            X = _matrix(X)
            self.kinds_ = None
            self.feature_names_out_ = [f"x{j}" for j in range(X.shape[1])]
            self.categorical_mask_ = np.zeros(X.shape[1], dtype=bool)
            return self
        frame = as_frame(X)
        if self.kinds is None:
            self.kinds_, self.notes_ = find_kinds(frame)
        else:
            self.kinds_ = dict(self.kinds)
        if not self.kinds_:
            raise InputError("No column of the table can be used: " + " ".join(self.notes_))
        frame = self._columns(frame)
        return self._settle({name: ColumnFacts.of(frame[name]) for name in self.kinds_})

    def fit_facts(self, facts):
        """As `fit`, from the facts of the columns, for a table whose rows come in parts.

        Parameters
        ----------
        facts : dict of str -> ColumnFacts
            The facts of all rows; `kinds` must have been given.

        Returns
        -------
        self
        """
        self.notes_, self.categories_, self.has_other_, self.empty_ = [], {}, {}, []
        self.kinds_ = dict(self.kinds)
        return self._settle({name: facts[name].settled() for name in self.kinds_})

    def _settle(self, facts):
        for name, kind in self.kinds_.items():
            few = max(2, min(MIN_VALUES, 0.1 * facts[name].rows))
            if kind == "text":
                self._learn_categories(name, facts[name].counts)
            elif facts[name].present < few:
                self.empty_.append(name)
        self.feature_names_out_ = [
            f"{name}{part}" for name, kind in self.kinds_.items() for part in _PARTS.get(kind, [""])
        ]
        self.categorical_mask_ = self.mask_of(self.kinds_)
        return self

    def transform(self, X):
        """Encode a table that has the columns of training; other columns are ignored."""
        return self.encode(X)

    def encode(self, X):
        """As `transform`, but always an array or a sparse matrix, whatever `set_output` says.

        Parameters
        ----------
        X : data frame, EventRows, array or sparse matrix
            Rows with the columns of training.

        Returns
        -------
        ndarray or sparse matrix
        """
        check_is_fitted(self)
        if isinstance(X, EventRows):
            Z = X.encoded_by(self)
            if Z is not None:
                return Z
            X = X.frame()
        if self.kinds_ is None:
            X = _matrix(X if is_matrix(X) else _numbers(as_frame(X)))
            if X.shape[1] != len(self.feature_names_out_):
                raise InputError(
                    f"X has {X.shape[1]} columns, but training had "
                    f"{len(self.feature_names_out_)}; give the same columns."
                )
            return X
        frame = self._columns(as_frame(X))
        parts = []
        for name, kind in self.kinds_.items():
            if name in getattr(self, "empty_", ()):  # files of earlier versions have none
                parts += [pl.lit(0.0).alias(f"{name}{part}") for part in _PARTS[kind]]
                continue
            if kind == "text":
                parts.append(self._codes(name).alias(name))
                continue
            for part, compute in _PARTS[kind].items():
                value = compute(pl.col(name))
                parts.append(pl.when(value.is_finite()).then(value).alias(f"{name}{part}"))
        return np.ascontiguousarray(frame.select(parts).fill_null(np.nan).to_numpy())

    @property
    def column_of_feature_(self):
        """Column of the table that each column of the matrix comes from."""
        if self.kinds_ is None:
            return list(self.feature_names_out_)
        return [name for name, kind in self.kinds_.items() for _ in _PARTS.get(kind, [""])]

    @staticmethod
    def mask_of(kinds):
        """Which columns of the matrix are codes, given the kinds of the table's columns."""
        return np.array(
            [kind == "text" for kind in kinds.values() for _ in _PARTS.get(kind, [""])], dtype=bool
        )

    def _columns(self, frame):
        known = set(frame.columns)
        for name in self.kinds_:
            if name not in known:
                raise InputError(
                    f"Column {name!r} of training is not in the table: "
                    + near_matches(name, frame.columns)
                )
        return cast_like(frame.select(list(self.kinds_)), self.kinds_)

    def _learn_categories(self, name, counts):
        counts = counts.sort("count", "text", descending=[True, False])
        kept = counts["text"].head(self.max_categories).to_list()
        self.categories_[name] = sorted(kept)
        self.has_other_[name] = counts.height > len(kept)

    def _codes(self, name):
        known = self.categories_[name]
        other = float(len(known)) if self.has_other_[name] else None
        value = pl.col(name).cast(pl.String)
        code = value.replace_strict(
            known, np.arange(len(known), dtype=float), default=other, return_dtype=pl.Float64
        )
        return pl.when(value.is_not_null()).then(code)


def is_matrix(X):
    """Whether X is a numeric array or a sparse matrix rather than a table."""
    return sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "biuf")


def _numbers(frame):
    """The values of a table for a model that was trained on an array."""
    for name, kind in frame.schema.items():
        if not (kind.is_numeric() or kind == pl.Boolean):
            raise InputError(
                f"Column {name!r} has the type {kind}, but training had numbers only; give an "
                "array of numbers."
            )
    return frame.cast(pl.Float64).to_numpy()


def _matrix(X):
    return check_array(
        checked_sparse(X),
        accept_sparse="csr",
        dtype=np.float64,
        order="C",
        ensure_all_finite="allow-nan",
    )
