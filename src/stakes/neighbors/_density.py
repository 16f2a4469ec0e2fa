"""What all confidences share: a density for each class, and what it says of the training set."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from stakes._core.sklearn_private import fit_context


class ClassDensity(BaseEstimator):
    """Base of the estimates of p(x | y); a subclass gives `_fit` and `_log_density_of`."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Estimate the density of each class.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their classes.

        Returns
        -------
        self
        """
        X, index = self._validate_Xy(X, y)
        self._fit(X, index)
        return self

    def log_density(self, X):
        """Logarithm of p(x | c) of each row under each class.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        return np.column_stack([self._log_density_of(X, k) for k in range(len(self.classes_))])

    def log_confidence(self, X, index):
        """Logarithm of p(x_i | y_i) of each training example, under a fit to all of them.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The examples.
        index : ndarray of shape (n,)
            Their classes.

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
