"""Base of the models of class confidence: a density per class."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.intake import validate_data
from stakes._core.sklearn_private import fit_context
from stakes._core.stored.spec import FEATURES, labels
from stakes.neighbors._docs import documented


@documented
class ClassDensity(BaseEstimator):
    """Base of the estimators of p(x | y); a subclass has `_fit` and `_log_density_of`."""

    _file_state = FEATURES | {"classes_": labels("k")}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Estimate the density of each class.

        Parameters
        ----------
        [training]

        Returns
        -------
        self
        """
        X, index = self._validate_Xy(X, y)
        self._fit(X, index)
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
        return np.column_stack([self._log_density_of(X, k) for k in range(len(self.classes_))])

    def log_confidence(self, X, index):
        """Log density p(x_i | y_i) of each training example, fitted to all of them.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Training examples.
        index : ndarray of shape (n,)
            Classes.

        Returns
        -------
        ndarray of shape (n,)
        """
        model, index = clone(self).fit(X, index), np.asarray(index)
        out = np.empty(len(X))
        for k, label in enumerate(model.classes_):
            rows = np.flatnonzero(index == label)
            out[rows] = model._log_density_of(X[rows], k)
        return out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _validate_Xy(self, X, y):
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        self.classes_, index = np.unique(column_or_1d(y), return_inverse=True)
        return X, index


def log_confidence_of(model, X, index, weight=None, cv=None):
    """Log density p(x_i | y_i) of each training example.

    Parameters
    ----------
    model : ClassDensity, or object with `log_confidence`
        The model of the density.
    X, index : ndarray of shape (n, d) and (n,)
        Training examples and their classes.
    weight : ndarray of shape (n,), default=None
        Weights, if the model takes them.
    cv : int or None, default=None
        Number of folds, in which the examples of each class take turns: a density is then fitted
        without the fold of its example. None: to all examples, as for models that are no
        `ClassDensity`. The only example of a class has a density that was fitted to it.

    Returns
    -------
    ndarray of shape (n,)
    """
    if cv is None or not isinstance(model, ClassDensity):
        return np.asarray(model.log_confidence(X, index))
    fold, out = np.zeros(len(X), dtype=np.intp), np.empty(len(X))
    for k in np.unique(index):
        of_class = np.flatnonzero(index == k)
        fold[of_class] = np.arange(len(of_class)) % cv
    for turn in np.unique(fold):
        test, train = np.flatnonzero(fold == turn), fold != turn
        train |= np.isin(index, np.setdiff1d(index, index[train]))
        more = () if weight is None else (weight[train],)
        fitted = clone(model).fit(X[train], index[train], *more)
        for place, label in enumerate(fitted.classes_):
            rows = test[index[test] == label]
            if len(rows):
                out[rows] = fitted._log_density_of(X[rows], place)
    return out


def with_categories(model, categorical):
    """The model, with `categorical_features` where it has this parameter and none was given."""
    if not categorical.any() or getattr(model, "categorical_features", categorical) is not None:
        return model
    return clone(model).set_params(categorical_features=categorical)
