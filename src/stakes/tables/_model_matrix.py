"""Tables for learners that need scaled numbers without missing values."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from stakes._core.intake import LARGEST, TINY
from stakes._core.sklearn_private import HasMethods, Interval
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Listed, Part, Sometimes, Text
from stakes.errors import InputError
from stakes.tables._matrix_sums import MatrixSums
from stakes.tables._table_encoder import TableEncoder, TableTransformer

LEAST_SCALE = 1e-50  # a column that varies less counts as constant


class ModelMatrix(TableTransformer):
    """Encode a table as a dense matrix: one-hot categories, imputed and scaled numbers.

    A missing number becomes the training mean; if training had missing values in that column, an
    extra column marks them. A category gets its own column if at least `min_share` of the training
    rows have it, up to `max_columns` of them; rarer and new categories share one. Sparse matrices
    stay sparse, and their columns are only divided by their root mean square. A column that varies
    by less than 1e-50 counts as constant.

    Parameters
    ----------
    encoder : TableEncoder, default=None
        First step, from table to numbers; None: with its defaults.
    one_hot : bool, default=True
        Whether categories become columns of 0 and 1; else codes are used as numbers.
    scale : bool, default=True
        Whether numbers are scaled to mean zero and standard deviation one.
    min_share : float, default=0.01
        Minimum share of the rows for a category to get its own column.
    max_columns : int, default=50
        Maximum number of such columns per categorical column.

    Attributes
    ----------
    encoder_ : TableEncoder
        Fitted encoder.
    numbers_, codes_, gaps_ : ndarray of int
        Columns of the encoded table that are numbers, that are categories, and the numbers that
        had missing values in training.
    center_, scale_ : ndarray of shape (n_numbers,)
        Mean and standard deviation of the numbers.
    column_of_code_ : list of ndarray of int
        For each categorical column, the matrix's column of every code, -1 for none.
    feature_names_out_ : list of str
        Names of the matrix's columns.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"kind": ["b", "a", "b"], "amount": [1.0, None, 3.0]})
    >>> ModelMatrix().fit_transform(table)
    array([[-1.,  0.,  0.,  1.],
           [ 0.,  1.,  1.,  0.],
           [ 1.,  0.,  0.,  1.]])
    """

    _file_state = {
        "encoder_": Part(("stakes.tables._table_encoder.TableEncoder",)),
        "numbers_": Sometimes(Array("i8", ("numbers",), low=0)),
        "codes_": Sometimes(Array("i8", ("codes",), low=0)),
        "gaps_": Sometimes(Array("i8", (None,), low=0)),
        "center_": Sometimes(Array("f8", ("numbers",), low=-LARGEST, high=LARGEST)),
        "scale_": Array("f8", (None,), low=LEAST_SCALE, high=LARGEST),
        "column_of_code_": Sometimes(Listed(Array("i8", (None,), low=-1), "codes")),
        "feature_names_out_": Listed(Text(), "out"),
    }

    _parameter_constraints = {
        "encoder": [HasMethods(["fit", "encode"]), None],
        "one_hot": ["boolean"],
        "scale": ["boolean"],
        "min_share": [Interval(Real, 0, 1, closed="both")],
        "max_columns": [Interval(Integral, 1, None, closed="left")],
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "encoder_" not in state:
            return
        width = len(state["encoder_"].state.get("feature_names_out_", ()))
        if "numbers_" not in state:
            if len(state["scale_"]) != width or scope.sizes["out"] != width:
                raise Damaged("a model matrix has another number of columns than its table")
            return
        if not {"codes_", "gaps_", "center_", "column_of_code_"} <= state.keys():
            raise Damaged("a model matrix is incomplete")
        columns = state["column_of_code_"]
        total = len(state["numbers_"]) + len(state["gaps_"])
        total += sum(max(int(one.max(initial=-1)), -1) + 1 for one in columns)
        places = np.concatenate([state["numbers_"], state["codes_"]])
        if (
            total != scope.sizes["out"]
            or not np.array_equal(np.sort(places), np.arange(width))
            or not np.isin(state["gaps_"], state["numbers_"]).all()
            or len(state["scale_"]) != len(state["numbers_"])
            or any(len(one) < 2 for one in columns)
        ):
            raise Damaged("a model matrix has another number of columns than its table")
        # a code is an index, and any other number would point anywhere
        if not state["encoder_"].state["categorical_mask_"][state["codes_"]].all():
            raise Damaged("a model matrix takes a number for a category")

    def __init__(self, encoder=None, *, one_hot=True, scale=True, min_share=0.01, max_columns=50):
        self.encoder = encoder
        self.one_hot = one_hot
        self.scale = scale
        self.min_share = min_share
        self.max_columns = max_columns

    def fit(self, X, y=None):
        """Find means, scales and the categories that get a column."""
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """`fit`, then `transform`, encoding the table once."""
        return _without_tiny(self.fill(self._fit(X)))

    def transform(self, X):
        """Encode a table that has the columns of training."""
        check_is_fitted(self)
        return self.fill(self.encode(X))

    def _fit(self, X):
        self.encoder_ = clone(self.encoder) if self.encoder is not None else TableEncoder()
        self.encoder_.fit(X)
        Z = self.encode(X)
        if sparse.issparse(Z):
            self.scale_ = _root_mean_square(Z) if self.scale else np.ones(Z.shape[1])
            self.feature_names_out_ = list(self.encoder_.feature_names_out_)
            return Z
        self._settle(self.sums_of(Z))
        return Z

    def begin(self, encoder):
        """Take a fitted encoder, for a table in parts; :meth:`fit_sums` follows.

        Parameters
        ----------
        encoder : TableEncoder
            A fitted encoder.

        Returns
        -------
        self
        """
        self.encoder_ = encoder
        return self

    def encode(self, X):
        """The rows as the encoder gives them, before they are filled and scaled."""
        return _bounded(self.encoder_.encode(X), self.encoder_.feature_names_out_)

    def sums_of(self, Z):
        """The :class:`MatrixSums` of encoded rows, which add up over the parts of a table."""
        codes = self.encoder_.categorical_mask_ & self.one_hot
        return MatrixSums.of(Z, np.flatnonzero(~codes), np.flatnonzero(codes))

    def fit_sums(self, sums):
        """As `fit`, from the sums over all rows of a table in parts.

        Parameters
        ----------
        sums : MatrixSums
            The merged :meth:`sums_of` all rows.

        Returns
        -------
        self
        """
        self._settle(sums)
        return self

    def _settle(self, sums):
        names = np.asarray(self.encoder_.feature_names_out_, dtype=object)
        codes = self.encoder_.categorical_mask_ & self.one_hot
        self.numbers_, self.codes_ = np.flatnonzero(~codes), np.flatnonzero(codes)
        self._learn_numbers(sums)
        self.column_of_code_ = [
            self._learn_codes(counts, missing, sums.rows)
            for counts, missing in zip(sums.counts, sums.missing, strict=True)
        ]
        self.feature_names_out_ = [
            *names[self.numbers_],
            *(f"{name} missing" for name in names[self.gaps_]),
            *(
                f"{names[j]}={label}"
                for j, columns in zip(self.codes_, self.column_of_code_, strict=True)
                for label in self._labels(names[j], columns)
            ),
        ]

    def _learn_numbers(self, sums):
        self.gaps_ = self.numbers_[sums.present < sums.rows]
        self.center_ = sums.mean
        deviation = np.sqrt(sums.squares / np.maximum(sums.present, 1))
        # As in StandardScaler: do not blow up a column that is constant up to rounding.
        rounding = 10 * np.finfo(float).eps * np.abs(self.center_)
        self.scale_ = np.where(deviation > np.maximum(rounding, LEAST_SCALE), deviation, 1.0)

    def _learn_codes(self, counts, missing, rows):
        """Array code -> column; its last two entries: all rarer categories, missing."""
        n_codes = len(counts)
        enough = np.flatnonzero(counts >= max(1, self.min_share * rows))
        frequent = enough[np.argsort(-counts[enough], kind="stable")][: self.max_columns]
        columns = np.full(n_codes + 2, len(frequent))
        columns[np.sort(frequent)] = np.arange(len(frequent))
        n_columns = len(frequent) + int(len(frequent) < np.count_nonzero(counts))
        # -1, no column: training had no rarer category, or none missing
        columns[:-1][columns[:-1] >= n_columns] = -1
        columns[-1] = n_columns if missing else -1
        return columns

    def _labels(self, name, columns):
        known = [*self.encoder_.categories_[name], "other"]
        by_column = {}
        for code, column in enumerate(columns[:-2]):
            by_column.setdefault(column, []).append(known[code])
        labels = [
            members[0] if len(members) == 1 else "(rare)"
            for column, members in sorted(by_column.items())
            if column >= 0
        ]
        return labels + ["(missing)"] * int(columns[-1] >= 0)

    def fill(self, Z):
        """Fill, scale and expand rows that :meth:`encode` gave, the second half of `transform`."""
        if sparse.issparse(Z):
            return Z @ sparse.diags_array(1.0 / self.scale_, format="csr") if self.scale else Z
        out = np.zeros((len(Z), len(self.feature_names_out_)))
        numbers = out[:, : len(self.numbers_)]
        numbers[:] = Z if len(self.numbers_) == Z.shape[1] else Z[:, self.numbers_]
        gap = np.isnan(numbers)
        if gap.any():
            np.copyto(numbers, np.broadcast_to(self.center_, numbers.shape), where=gap)
        if self.scale:
            numbers -= self.center_
            numbers /= self.scale_
        at = len(self.numbers_)
        out[:, at : at + len(self.gaps_)] = np.isnan(Z[:, self.gaps_])
        at += len(self.gaps_)
        rows = np.arange(len(Z))
        for j, columns in zip(self.codes_, self.column_of_code_, strict=True):
            n_codes = len(columns) - 2
            missing = np.isnan(Z[:, j])
            code = np.where(missing, n_codes + 1, np.minimum(Z[:, j], n_codes)).astype(np.intp)
            column = columns[code]
            has = column >= 0
            out[rows[has], at + column[has]] = 1.0
            at += max(columns.max(), -1) + 1
        return out


def _bounded(Z, names):
    """The matrix itself, unless it has numbers whose products overflow."""
    values = np.abs(Z.data if sparse.issparse(Z) else Z)
    if np.fmax.reduce(values, axis=None, initial=0.0) > LARGEST:
        where = "The"
        if not sparse.issparse(Z):
            column = int(np.argmax(np.fmax.reduce(values, axis=0, initial=0.0)))
            where = f"Column {names[column]!r} of the"
        raise InputError(
            f"{where} table contains values beyond {LARGEST:g}, whose products overflow; scale "
            "the column or drop these rows."
        )
    return Z


def _without_tiny(Z):
    """The matrix with zeros for numbers that are too small to be squared."""
    if not sparse.issparse(Z):
        Z[np.abs(Z) < TINY] = 0.0
        return Z
    tiny = (np.abs(Z.data) < TINY) & (Z.data != 0)
    if tiny.any():
        Z = Z.copy()  # without scaling, it is the table that was given
        Z.data[tiny] = 0.0
    return Z


def _root_mean_square(Z):
    root = np.sqrt(np.asarray(Z.multiply(Z).mean(axis=0)).ravel())
    return np.where(root > LEAST_SCALE, root, 1.0)
