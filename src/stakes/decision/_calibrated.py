"""A classifier with calibrated probabilities, from scores of rows that were held out."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold

from stakes._core.sklearn_private import fit_calibrator
from stakes.decision._held_out import folds_of, held_out


def calibrated(estimator, method, cv, X, y, sample_weight, params):
    """Fit `CalibratedClassifierCV`; folds may leave rows out.

    Parameters
    ----------
    estimator : classifier
        Unfitted classifier.
    method : {"isotonic", "sigmoid"}
        Kind of calibration.
    cv : splitter or iterable
        Folds.
    X, y, sample_weight
        Training rows.
    params : dict
        Arguments of the classifier's `fit`.
    """
    if not isinstance(cv, StratifiedKFold):  # which holds each row out once
        cv, whole = folds_of(cv, X, y)
        if not whole:
            return _on_some_rows(estimator, method, cv, X, y, sample_weight, params)
    model = CalibratedClassifierCV(estimator, method=method, cv=cv)
    model = _fit(model, X, y, sample_weight, params)
    model.cv = None  # the folds have been used, and a model file holds no splitter
    return model


def _fit(model, X, y, sample_weight, params):
    if not any("sample_weight" in name for name in params):
        return model.fit(X, y, **params)
    params = {name: value for name, value in params.items() if name != "sample_weight"}
    with warnings.catch_warnings():
        # a pipeline takes the weights too, prefixed with the name of its last step
        warnings.filterwarnings("ignore", message="Since .* does not appear to accept")
        return model.fit(X, y, sample_weight=sample_weight, **params)


def _on_some_rows(estimator, method, folds, X, y, sample_weight, params):
    """Fit on all rows, calibrate on the scores of the rows that the folds hold out.

    The mean of the folds' models, as for other folds, would be a mean of models of the past here.
    """
    scores = "decision_function" if hasattr(estimator, "decision_function") else "predict_proba"
    rows, found = held_out(estimator, X, y, folds, False, scores, params)
    fitted, y = clone(estimator).fit(X, y, **params), np.asarray(y)
    weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
    return calibrated_on(estimator, fitted, method, found, y[rows], weight)


def calibrated_on(estimator, fitted, method, found, y, weight=None):
    """`CalibratedClassifierCV` of a fitted classifier and its scores of rows it did not see.

    Parameters
    ----------
    estimator, fitted : classifier
        Unfitted classifier, and the fitted one.
    method : {"isotonic", "sigmoid"}
        Kind of calibration.
    found : ndarray of shape (n,) or (n, k)
        Its scores, or its probabilities if it has no scores.
    y, weight : ndarray of shape (n,)
        Labels and weights of these rows.
    """
    if len(fitted.classes_) == 2:
        found = (found if found.ndim == 1 else found[:, 1])[:, None]
    model = CalibratedClassifierCV(estimator, method=method, ensemble=False)
    model.classes_ = fitted.classes_
    how = (fitted.classes_, method, np, weight)
    model.calibrated_classifiers_ = [fit_calibrator(fitted, found, y, *how)]
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, name):
            setattr(model, name, getattr(fitted, name))
    return model
