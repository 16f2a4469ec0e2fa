"""What the decision classifiers share: an inner estimator, and what reaches its `fit`."""

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import column_or_1d

from stakes._core.base import COST_CONSTRAINTS, CostSensitiveClassifier
from stakes._core.deciding import row_count
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import HasMethods, routing_enabled
from stakes.costs import COST_NAMES, Costs
from stakes.decision._fit_params import inner_fit_params


class DecisionClassifier(MetaEstimatorMixin, CostSensitiveClassifier):
    """Base of the classifiers that turn another estimator's answers into actions.

    X is never looked at here: frames, categories, missing values and sparse matrices reach the
    inner estimator as they are.
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit"])],
        "cv": ["cv_object"],
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

    def _own_costs(self):
        """What the constructor says that the four outcomes of two classes cost."""
        return {name: getattr(self, name) for name in COST_NAMES}

    def _fit_params(self, sample_weight, costs):
        """What the inner `fit` is given: by routing if that is on, else by its signature."""
        given = {name: cost for name, cost in costs.items() if cost is not None}
        if sample_weight is not None:
            given["sample_weight"] = np.asarray(sample_weight)
        if routing_enabled():
            return dict(process_routing(self, "fit", **given).estimator.fit)
        return inner_fit_params(self.estimator, **given)

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


def check_costs_of_fit(owner, X, costs):
    """Refuse bad costs before any work is done, also where the inner estimator takes none."""
    given = {name: cost for name, cost in costs.items() if cost is not None}
    if given:
        Costs.of(row_count(X), **owner._own_costs() | given)


def two_classes(y):
    """The labels as one column and as signs; a sentence if there are not two classes."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if not row_count(y):
        raise ValueError("Found 0 rows; a decision needs examples of two classes.")
    y = column_or_1d(y, warn=True)
    return y, code_labels(y)[1]
