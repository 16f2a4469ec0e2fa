"""Piecewise linear splines of the columns of a matrix, for linear models."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stakes._core.intake import validate_data
from stakes._core.sklearn_private import Interval
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array


class HingeSplines(TransformerMixin, BaseEstimator):
    r"""Add hinges :math:`\max(x - q, 0)` at quantiles of each column, so a line may bend there.

    Columns with few values, such as those of categories, get none.

    Parameters
    ----------
    n_knots : int, default=4
        Number of quantiles per column.

    Attributes
    ----------
    columns_ : ndarray of shape (m,)
        Column of each hinge.
    knots_ : ndarray of shape (m,)
        Where each hinge bends.

    Examples
    --------
    >>> HingeSplines(n_knots=1).fit_transform(np.arange(9.0)[:, None])[[0, 4, 8]].tolist()
    [[0.0, 0.0], [4.0, 0.0], [8.0, 4.0]]
    """

    _file_state = FEATURES | {"columns_": Array("i8", ("m",)), "knots_": Array("f8", ("m",))}

    _parameter_constraints = {"n_knots": [Interval(Integral, 1, None, closed="left")]}

    @staticmethod
    def _check_file_state(state, scope):
        columns = state.get("columns_", ())
        if len(columns) and not (0 <= columns.min() <= columns.max() < state["n_features_in_"]):
            raise Damaged("a spline has a column that is not there")

    def __init__(self, *, n_knots=4):
        self.n_knots = n_knots

    def fit(self, X, y=None):
        """Find the knots.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Finite numbers.
        y : ignored

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64)
        columns, knots = [], []
        for j, x in enumerate(X.T):
            if len(np.unique(x[:1000])) <= self.n_knots + 2:
                continue
            found = np.unique(np.quantile(x, np.linspace(0, 1, self.n_knots + 2)[1:-1]))
            found = found[(found > x.min()) & (found < x.max())]
            columns += [j] * len(found)
            knots += found.tolist()
        self.columns_, self.knots_ = np.array(columns, dtype=np.int64), np.array(knots, dtype=float)
        return self

    def transform(self, X):
        """The columns and their hinges.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n, d + m)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.hstack([X, np.maximum(X[:, self.columns_] - self.knots_, 0.0)])
