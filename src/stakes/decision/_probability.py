"""Probabilities for decisions: calibration and correction of the prior."""

import warnings
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.deciding import only_scores_count
from stakes._core.sklearn_private import StrOptions
from stakes.decision._prior import as_prior, shift_prior
from stakes.decision._wrapper import DecisionClassifier, is_frozen


class ProbabilityDecisionClassifier(DecisionClassifier):
    """Base of the classifiers that decide by the probabilities of the inner estimator."""

    _parameter_constraints = {
        **DecisionClassifier._parameter_constraints,
        "calibration": [StrOptions({"isotonic", "sigmoid"}), None],
        "prior": ["array-like", Real, None],
        "training_prior": ["array-like", Real, None],
    }

    def predict_proba(self, X):
        """Class probabilities, calibrated and corrected for the prior if requested.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples in any form that the inner estimator takes.

        Returns
        -------
        ndarray of shape (n, k)
            One column for each of `classes_`.
        """
        check_is_fitted(self)
        probabilities = self.estimator_.predict_proba(X)
        if self.prior_ is None:
            return probabilities
        return shift_prior(probabilities, self.training_prior_, self.prior_)

    def _fit_probabilities(self, X, y, sample_weight, costs):
        """Fit the inner estimator and its calibration; settle the prior."""
        name = type(self.estimator).__name__
        if self.calibration is None and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"{name} gives no probabilities, which expected costs require: set "
                f"calibration='sigmoid' or 'isotonic' in {type(self).__name__}."
            )
        params = self._fit_params(sample_weight, costs)
        with only_scores_count():
            if self.calibration is None:
                self.estimator_ = clone(self.estimator).fit(X, y, **params)
            else:
                self.estimator_ = self._calibrated(X, y, sample_weight, params)
        self._take_over(self.estimator_)
        self._set_prior(y, sample_weight if any("sample_weight" in p for p in params) else None)

    def _calibrated(self, X, y, sample_weight, params):
        """Calibrate on held-out scores."""
        model = CalibratedClassifierCV(self.estimator, method=self.calibration, cv=self.cv)
        if not any("sample_weight" in name for name in params):
            return model.fit(X, y, **params)
        params = {name: value for name, value in params.items() if name != "sample_weight"}
        with warnings.catch_warnings():
            # a pipeline takes the weights too, prefixed with the name of its last step
            warnings.filterwarnings("ignore", message="Since .* does not appear to accept")
            return model.fit(X, y, sample_weight=sample_weight, **params)

    def _set_prior(self, y, sample_weight):
        """Settle the class shares that the probabilities are corrected from and to."""
        self.prior_ = self.training_prior_ = None
        if self.prior is None and self.training_prior is None:
            return
        if self.calibration is not None and self.training_prior is not None:
            raise ValueError(
                "Calibrated probabilities have the class shares of y, so training_prior must be "
                "None; give only prior."
            )
        if self.calibration is None and self.training_prior is None and is_frozen(self.estimator):
            raise ValueError(
                "The class shares that a frozen estimator was trained on are unknown: give "
                "training_prior as well as prior."
            )
        k = len(self.classes_)
        training_prior, prior = self.training_prior, self.prior
        if training_prior is None:
            training_prior = _shares(y, self.classes_, sample_weight)
        if prior is None:
            prior = _shares(y, self.classes_, None)
        self.training_prior_ = as_prior("training_prior", training_prior, k)
        self.prior_ = as_prior("prior", prior, k)


def _shares(y, classes, sample_weight):
    y = column_or_1d(y)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    total = np.array([weight[y == label].sum() for label in classes])
    return total / total.sum()
