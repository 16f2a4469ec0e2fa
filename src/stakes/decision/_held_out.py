"""Predictions for held-out rows, also where folds leave some rows out, as folds by time do."""

from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv, cross_val_predict

from stakes._core.deciding import row_count, take_rows


def random_folds(cv, random_state):
    """Stratified folds of random rows if `cv` is a number.

    Tables are often in some order, and blocks of rows differ more than new rows will.
    """
    cv = 5 if cv is None else cv
    if not isinstance(cv, Integral):
        return cv
    return StratifiedKFold(
        cv, shuffle=True, random_state=0 if random_state is None else random_state
    )


def folds_of(cv, X, y):
    """The folds as a list, and whether they hold every row out exactly once."""
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    tested = np.sort(np.concatenate([test for _, test in folds]))
    return folds, np.array_equal(tested, np.arange(row_count(X)))


def held_out(estimator, X, y, folds, whole, method, params):
    """Output of a method for the held-out rows, in the order of the folds if some are left out.

    Returns
    -------
    (ndarray of rows or slice, ndarray)
        The rows, and the output for them.
    """
    if whole:
        found = cross_val_predict(estimator, X, y, cv=folds, method=method, params=params or None)
        return slice(None), found
    y, n, found = np.asarray(y), row_count(X), []
    for train, test in folds:
        part = {name: _of(rows, train, n) for name, rows in (params or {}).items()}
        model = clone(estimator).fit(take_rows(X, train), y[train], **part)
        found.append(getattr(model, method)(take_rows(X, test)))
    return np.concatenate([test for _, test in folds]), np.concatenate(found)


def _of(value, rows, n):
    return np.asarray(value)[rows] if np.ndim(value) and len(value) == n else value
