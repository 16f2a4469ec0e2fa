"""What the decision classifiers share: an inner estimator, calibration, prior shift, routing."""

import warnings

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._sklearn import HasMethods, StrOptions, routing_enabled
from stakes.base import COST_CONSTRAINTS, CostSensitiveClassifier, row_count
from stakes.decision._fit_params import inner_fit_params, is_frozen
from stakes.decision._prior import as_prior, shift_prior


class DecisionClassifier(MetaEstimatorMixin, CostSensitiveClassifier):
    """Base of the classifiers that turn another estimator's answers into actions.

    X is never looked at here: frames, categories, missing values and sparse matrices reach the
    inner estimator as they are.
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit"])],
        "calibration": [StrOptions({"isotonic", "sigmoid"}), None],
        "cv": ["cv_object"],
        "prior": ["array-like", float, int, None],
        "training_prior": ["array-like", float, int, None],
        **COST_CONSTRAINTS,
    }

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.target_tags.required = True
        return tags

    def get_metadata_routing(self):
        """Say which metadata goes where: to this object itself and to the inner `fit`."""
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(
                estimator=self.estimator,
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
        )

    def predict_proba(self, X):
        """Class probabilities: calibrated and corrected for the prior, where asked for.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, as the inner estimator takes them.

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

    def _fit_params(self, sample_weight, costs):
        """What the inner `fit` is given: by routing if that is on, else by its signature."""
        given = {name: cost for name, cost in costs.items() if cost is not None}
        if sample_weight is not None:
            given["sample_weight"] = sample_weight
        if routing_enabled():
            return dict(process_routing(self, "fit", **given).estimator.fit)
        return inner_fit_params(self.estimator, **given)

    def _fit_probabilities(self, X, y, sample_weight, costs):
        """Fit the inner estimator (and its calibration) and store what predict needs."""
        name = type(self.estimator).__name__
        if self.calibration is None and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"{name} gives no probabilities, which an expected cost needs: set "
                f"calibration='sigmoid' or 'isotonic' in {type(self).__name__}."
            )
        params = self._fit_params(sample_weight, costs)
        if self.calibration is None:
            self.estimator_ = clone(self.estimator).fit(X, y, **params)
        else:
            self.estimator_ = self._calibrated(X, y, sample_weight, params)
        self._take_over(self.estimator_)
        self._set_prior(y, sample_weight if any("sample_weight" in p for p in params) else None)

    def _calibrated(self, X, y, sample_weight, params):
        """Calibrate on scores of rows that the scoring model has not seen."""
        model = CalibratedClassifierCV(self.estimator, method=self.calibration, cv=self.cv)
        if not any("sample_weight" in name for name in params):
            return model.fit(X, y, **params)
        params = {name: value for name, value in params.items() if name != "sample_weight"}
        with warnings.catch_warnings():
            # a pipeline takes the weights under the prefix of its last step
            warnings.filterwarnings("ignore", message="Since .* does not appear to accept")
            return model.fit(X, y, sample_weight=sample_weight, **params)

    def _take_over(self, model):
        """Show the inner estimator's classes and feature names as our own."""
        self.classes_ = model.classes_
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only, {self.classes_[0]!r}; a decision needs two classes."
            )
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def _set_prior(self, y, sample_weight):
        """Settle from which class shares to which the probabilities are corrected."""
        self.prior_ = self.training_prior_ = None
        if self.prior is None and self.training_prior is None:
            return
        if self.calibration is not None and self.training_prior is not None:
            raise ValueError(
                "With calibration the probabilities have the class shares of y, so training_prior "
                "must be None; give only prior."
            )
        if self.calibration is None and self.training_prior is None and is_frozen(self.estimator):
            raise ValueError(
                "A frozen estimator does not tell the class shares that it was trained on: give "
                "training_prior beside prior."
            )
        k = len(self.classes_)
        training_prior, prior = self.training_prior, self.prior
        if training_prior is None:
            training_prior = _shares(y, self.classes_, sample_weight)
        if prior is None:
            prior = _shares(y, self.classes_, None)
        self.training_prior_ = as_prior("training_prior", training_prior, k)
        self.prior_ = as_prior("prior", prior, k)


def check_costs_of_fit(owner, X, costs):
    """Refuse bad costs before any work is done, also where the inner estimator takes none."""
    if any(cost is not None for cost in costs.values()):
        owner._costs_of(row_count(X), **costs)


def _shares(y, classes, sample_weight):
    y = column_or_1d(y)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    total = np.array([weight[y == label].sum() for label in classes])
    return total / total.sum()
