"""Base of the models of class confidence: a density per class."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, check_X_y, column_or_1d

from stakes._core.intake import check_weights, example_counts, validate_data
from stakes._core.sklearn_private import fit_context
from stakes._core.stored.spec import FEATURES, labels
from stakes.neighbors._docs import documented

BLOCK_ROWS = 2**13  # rows that stay in the cache


@documented
class ClassDensity(BaseEstimator):
    """Base of the estimators of p(x | y).

    A subclass has `_fit(X, groups, weight)`, for the row numbers of each class, and
    `_log_density_of(k)`, which returns a function of (X, rows).
    """

    _file_state = FEATURES | {"classes_": labels("k")}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Estimate the density of each class.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights; a row of weight two counts as two, one of weight zero is ignored. Their unit
            has no effect.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        weight = example_counts(check_weights(sample_weight, X, ensure_non_negative=True))
        used = np.flatnonzero(weight)
        self.classes_, index = np.unique(column_or_1d(y)[used], return_inverse=True)
        self._fit(X, [used[index == k] for k in range(len(self.classes_))], weight)
        return self

    def log_density(self, X):
        """Log density p(x | c) of each row, for each class.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        rows = np.arange(len(X))
        return np.column_stack(
            [self._log_density_of(k)(X, rows) for k in range(len(self.classes_))]
        )

    def log_confidence(self, X, y, sample_weight=None):
        """Log density p(x_i | y_i) of each training example, fitted to all of them.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Training examples.
        y : ndarray of shape (n,)
            Classes.
        sample_weight : ndarray of shape (n,), default=None
            Numbers of examples that the rows stand for; None: one each.

        Returns
        -------
        ndarray of shape (n,)
        """
        X, y = check_X_y(X, y, dtype=np.float64, order="C")
        return log_confidence_of(self, X, np.unique(y, return_inverse=True)[1], sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def log_confidence_of(model, X, index, weight=None, cv=None):
    """Log density p(x_i | y_i) of each training example.

    Parameters
    ----------
    model : ClassDensity, or object with `log_confidence`
        The model of the density.
    X, index : ndarray of shape (n, d) and (n,)
        Training examples and the numbers of their classes.
    weight : ndarray of shape (n,), default=None
        Numbers of examples that the rows stand for, if the model is a `ClassDensity`; None: one
        each.
    cv : int or None, default=None
        Number of folds, in which the examples of each class take turns: a density is then fitted
        without the fold of its example. None: to all examples, as for models that are no
        `ClassDensity`. The only example of a class has a density that was fitted to it.

    Returns
    -------
    ndarray of shape (n,)
    """
    if not isinstance(model, ClassDensity):
        return np.asarray(model.log_confidence(X, index))
    model._validate_params()
    weight = np.ones(len(X)) if weight is None else weight
    groups = [np.flatnonzero(index == k) for k in np.flatnonzero(np.bincount(index))]
    parts = []
    for turn in range(1 if cv is None else min(cv, max(len(rows) for rows in groups))):
        mine = np.s_[:] if cv is None else np.s_[turn::cv]
        train = [g if cv is None or len(g) == 1 else np.delete(g, mine) for g in groups]
        fitted = clone(model)
        fitted._fit(X, train, weight)
        parts += [(rows[mine], fitted._log_density_of(k)) for k, rows in enumerate(groups)]
    out = np.empty(len(X))
    for start in range(0, len(X), BLOCK_ROWS):
        block = X[start : start + BLOCK_ROWS].copy()  # read once and in order, whatever the folds
        for rows, log_density in parts:
            first, last = np.searchsorted(rows, (start, start + BLOCK_ROWS))
            if first < last:
                out[rows[first:last]] = log_density(block, rows[first:last] - start)
    return out


def with_categories(model, categorical):
    """The model, with `categorical_features` where it has this parameter and none was given."""
    if not categorical.any() or getattr(model, "categorical_features", categorical) is not None:
        return model
    return clone(model).set_params(categorical_features=categorical)
