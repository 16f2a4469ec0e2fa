"""Base of the samplers: the interface of imbalanced-learn, imported only when it is used."""

import importlib

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets

from stakes._core.intake import validate_data
from stakes._core.labels import code_labels
from stakes.errors import InputError


class Sampler(BaseEstimator):
    """Base of the samplers, whose `fit_resample` a pipeline of imbalanced-learn calls in `fit`.

    It does not inherit from imbalanced-learn, so that the samplers can be imported and listed
    without that package.
    """

    _estimator_type = "sampler"

    def fit(self, X, y):
        """Resample and keep only the fitted attributes.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training examples.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        self
        """
        self.fit_resample(X, y)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "sampler"
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = True
        tags.input_tags.sparse = True
        return tags

    def _validate(self, X, y):
        """X as floats, dense or CSR, and the labels of at least two classes."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        if (y == y[0]).all():
            code_labels(y)  # raises
        return X, y


def imbalanced_learn(module, owner):
    """Import a module of imbalanced-learn for its owner, or name the command that installs it."""
    try:
        return importlib.import_module(f"imblearn.{module}")
    except ImportError:
        raise InputError(
            f"{type(owner).__name__} needs imbalanced-learn, which is not installed; "
            "run: pip install 'stakes[imbalanced-learn]'"
        ) from None


def like_given(values, given):
    """The sample as a data frame with the same columns, if the examples were one."""
    columns = getattr(given, "columns", None)
    if columns is None or sparse.issparse(values):
        return values
    if hasattr(given, "schema"):  # polars
        return type(given)(values, schema=list(columns))
    return type(given)(values, columns=columns)
