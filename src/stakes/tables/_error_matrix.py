"""Tables with columns of error bars, for learners that use them."""

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from stakes._core.sklearn_private import HasMethods
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Listed, Mapping, Maybe, Number, Part, Text
from stakes.errors import InputError, near_matches
from stakes.tables._kinds import as_frame
from stakes.tables._model_matrix import ModelMatrix
from stakes.tables._table_encoder import TableTransformer


class ErrorMatrix(TableTransformer):
    """Encode a table with error bars: the matrix of its values, and the errors in its units.

    For d columns of values, the matrix has 2 d columns (values, standard errors), 3 d (values,
    lower and upper bounds) or, if errors are correlated, d + d^2 (values, covariance matrix of
    their errors). Values without error bars are exact. A missing error bar becomes the
    mean one of its column; a missing value, which is imputed, has the deviation of its column.

    Parameters
    ----------
    matrix : ModelMatrix, default=None
        Encoder of the values; None: with its defaults.
    errors : dict of str -> list of str, default=None
        Measurement -> [column of standard errors] or [lower, upper].
    error_correlation : dict of str -> list of float, default=None
        Measurement -> its row of the correlation matrix of the errors, in the order of the keys;
        errors of measurements without a row are independent. Not with intervals.

    Attributes
    ----------
    matrix_ : ModelMatrix
        Fitted encoder.
    places_ : ndarray of int
        Column of the matrix of each measurement with an error bar.
    typical_ : ndarray of float
        Mean error bar of each of them; of an interval half its width.
    feature_names_out_ : list of str
        Names of the matrix's columns.

    Examples
    --------
    >>> table = pl.DataFrame({"mass": [1.0, 3.0], "se": [0.5, None], "size": [2.0, 4.0]})
    >>> ErrorMatrix(errors={"mass": ["se"]}).fit_transform(table)
    array([[-1. , -1. ,  0.5,  0. ],
           [ 1. ,  1. ,  0.5,  0. ]])
    """

    _file_state = {
        "errors": Maybe(Mapping(Listed(Text()))),
        "error_correlation": Maybe(Mapping(Listed(Number(-1, 1)))),
        "matrix_": Part(("stakes.tables._model_matrix.ModelMatrix",)),
        "places_": Array("i8", ("errors",), low=0),
        "typical_": Array("f8", ("errors",), low=0),
        "feature_names_out_": Listed(Text(), "all"),
    }

    _parameter_constraints = {
        "matrix": [HasMethods(["fit", "transform"]), None],
        "errors": [dict, None],
        "error_correlation": [dict, None],
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "places_" not in state:
            return
        matrix, errors = state["matrix_"].state, state["errors"] or {}
        names = np.array(matrix["encoder_"].state["feature_names_out_"], dtype=object)
        used = set(errors) & set(names[matrix.get("numbers_", np.arange(len(names)))])
        if len(used) != len(state["places_"]) or np.any(state["places_"] >= len(matrix["scale_"])):
            raise Damaged("an error bar belongs to no number")
        if not all(len(parts) in (1, 2) for parts in errors.values()):
            raise Damaged("an error bar is neither a standard error nor two bounds")
        rows = state["error_correlation"] or {}
        if not all(len(row) == len(rows) for row in rows.values()):
            raise Damaged("the correlations of the errors are no square matrix")

    def __init__(self, matrix=None, *, errors=None, error_correlation=None):
        self.matrix = matrix
        self.errors = errors
        self.error_correlation = error_correlation

    def fit(self, X, y=None):
        """Fit the encoder of the values and find the typical error bars."""
        frame, errors = as_frame(X), self.errors or {}
        self.matrix_ = clone(self.matrix) if self.matrix is not None else ModelMatrix()
        self.matrix_.fit(frame.drop([one for parts in errors.values() for one in parts]))
        used = self._used()
        self.places_ = np.array(list(used.values()), dtype=np.int64)
        bars = [self._bars(frame, name, errors[name]) for name in used]
        self.typical_ = np.array([_mean(half) for _, half in bars], dtype=np.float64)
        values = self.matrix_.feature_names_out_
        kinds = [""]
        if self._correlated:
            kinds += [f" error, {name} error" for name in values]
        else:
            kinds += [" lower", " upper"] if self._intervals else [" error"]
        self.feature_names_out_ = [f"{name}{kind}" for kind in kinds for name in values]
        return self

    def transform(self, X):
        """Encode a table that has the columns of training."""
        check_is_fitted(self)
        frame = as_frame(X)
        Z = self.matrix_.transform(frame)
        blocks = [Z.copy(), Z.copy()] if self._intervals else [np.zeros_like(Z)]
        scaled = self.matrix_.scale
        for k, (name, j) in enumerate(self._used().items()):
            parts = self.errors[name]
            unit = self.matrix_.scale_[j] if scaled else 1.0
            missing = frame[name].is_null().to_numpy() | ~np.isfinite(_floats(frame, name))
            middle, half = self._bars(frame, name, parts)
            half = np.where(np.isnan(half), self.typical_[k], half)
            half = np.where(missing, self.matrix_.scale_[j], half) / unit
            if self._intervals:
                at = (middle - self.matrix_.center_[j]) / unit if scaled else middle
                at = np.where(missing | np.isnan(middle), Z[:, j], at)
                blocks[0][:, j], blocks[1][:, j] = at - half, at + half
            else:
                blocks[0][:, j] = half
        if self._correlated:
            std, R = blocks[0], self._correlation(Z.shape[1])
            blocks = [(std[:, :, None] * R * std[:, None, :]).reshape(len(Z), -1)]
        return np.hstack([Z, *blocks])

    def _correlation(self, d):
        """Correlation of the errors of all columns of the matrix."""
        R, rows = np.eye(d), self.error_correlation
        used = {name: j for name, j in self._used().items() if name in rows}
        order = {name: k for k, name in enumerate(rows)}
        for name, j in used.items():
            for other, k in used.items():
                R[j, k] = rows[name][order[other]]
        return R

    @property
    def _correlated(self):
        return bool(self.error_correlation) and not self._intervals

    def _used(self):
        """Measurement -> its column of the matrix; constant ones have none."""
        names = list(np.asarray(self.matrix_.encoder_.feature_names_out_)[self.matrix_.numbers_])
        return {name: names.index(name) for name in self.errors or () if name in names}

    @property
    def _intervals(self):
        return any(len(parts) == 2 for parts in (self.errors or {}).values())

    @staticmethod
    def _bars(frame, name, parts):
        """Middle and half-width of each interval; the value and its standard error."""
        for one in parts:
            if one not in frame.columns:
                raise InputError(
                    f"Column {one!r} of training, an error bar, is not in the table: "
                    + near_matches(one, frame.columns)
                )
        values = [_floats(frame, one) for one in parts]
        if len(parts) == 1:
            return _floats(frame, name), values[0]
        return (values[0] + values[1]) / 2, (values[1] - values[0]) / 2


def _floats(frame, name):
    return frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()


def _mean(values):
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else 0.0
