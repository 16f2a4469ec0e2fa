"""Base of the decision classifiers: the inner estimator and the arguments of its `fit`."""

import functools
import inspect

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.validation import column_or_1d, has_fit_parameter

from stakes._core.base import COST_CONSTRAINTS, CostSensitiveClassifier
from stakes._core.deciding import row_count, takes_costs
from stakes._core.intake import check_weights
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import HasMethods, routing_enabled
from stakes._core.stored.spec import CLASSIFIER, labels
from stakes._core.stored.state import same_classes, same_input
from stakes._core.words import shown
from stakes.costs import COST_NAMES, Costs


class DecisionClassifier(MetaEstimatorMixin, CostSensitiveClassifier):
    """Base of the classifiers that turn the output of an inner estimator into decisions.

    X is passed on unchecked: frames, categories, missing values and sparse matrices reach the
    inner estimator unchanged.
    """

    _file_state = {
        "estimator_": CLASSIFIER,
        "classes_": labels("k", least=2),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "estimator_" in state:
            same_input(state["estimator_"], scope)
            same_classes(state["estimator_"], scope)

    _parameter_constraints = {
        "estimator": [HasMethods(["fit"])],
        "cv": ["cv_object"],
        **COST_CONSTRAINTS,
    }

    def __init_subclass__(cls, **kwargs):
        if "fit" in vars(cls):  # first, for the base asks whether its own wrapper is outermost
            cls.fit = _takes_no_error_bars(cls.fit)
        super().__init_subclass__(**kwargs)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.target_tags.required = True
        return tags

    def get_metadata_routing(self):
        """Route metadata to this object and to the inner `fit`."""
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(
                estimator=self.estimator,
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
        )

    def _own_costs(self):
        """Costs of the four outcomes from the constructor."""
        return {name: getattr(self, name) for name in COST_NAMES}

    def _fit_params(self, sample_weight, costs):
        """Arguments of the inner `fit`: by routing if enabled, else by its signature."""
        given = _given(costs)
        if sample_weight is not None:
            given["sample_weight"] = np.asarray(sample_weight)
            check_weights(sample_weight, np.asarray(sample_weight), ensure_non_negative=True)
        if routing_enabled():
            return dict(process_routing(self, "fit", **given).estimator.fit)
        return inner_fit_params(self.estimator, **given)

    def _check_labels(self, y):
        """Raise on labels of one class, in other words than the inner estimator would."""
        labels = np.asarray(y)
        same = labels.ndim == 1 and len(labels) and np.all(labels == labels[0])
        if same and not is_frozen(self.estimator):
            raise _single_class(labels[0])

    def _take_over(self, model):
        """Copy classes and feature names of the inner estimator."""
        self.classes_ = model.classes_
        if len(self.classes_) < 2:
            raise _single_class(self.classes_[0])
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))


def check_costs_of_fit(owner, X, costs):
    """Raise on bad costs before any work is done, even if the inner estimator takes none."""
    if given := _given(costs):
        Costs.of(row_count(X), **owner._own_costs() | given)


def _takes_no_error_bars(fit):
    """Decorate `fit`: name the fix for an argument that only the inner `fit` takes.

    Error bars would have to come with every later call as well, and the classifiers that take them
    decide at costs, and calibrate, by themselves.
    """
    known = inspect.signature(fit).parameters

    @functools.wraps(fit)
    def explained(self, *args, **given):
        for name in (name for name in given if name not in known):
            decider = _decider(self.estimator)[1]
            request = getattr(get_routing_for_object(decider), "fit", None)  # none of a router
            if request is not None and name in request.requests:
                way = f"pass {name} and the costs to its predict"
                if not takes_costs(decider):
                    way = f"decide from its predict_proba, which takes {name}"
                raise TypeError(
                    f"{type(self).__name__}.fit does not take {name}; fit "
                    f"{type(decider).__name__} by itself and {way}."
                )
        return fit(self, *args, **given)

    return explained


def _single_class(label):
    return ValueError(f"y has only one class, {shown(label)}; a decision needs two classes.")


def two_classes(y):
    """Return the labels as a column and as signs; raise unless there are two classes."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if not row_count(y):
        raise ValueError("Found 0 rows; a decision needs examples of two classes.")
    y = column_or_1d(y, warn=True)
    return y, code_labels(y)[1]


def is_frozen(estimator):
    """Whether the final step of an estimator is frozen, so that `fit` does not change it."""
    return isinstance(_decider(estimator)[1], FrozenEstimator)


def inner_fit_params(estimator, **params):
    """Select the arguments that `estimator.fit` takes, for use without metadata routing.

    Looks into searches and pipelines, where arguments are prefixed with the name of the last
    step. Arguments that are None, or that the final step does not take, are dropped.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import Pipeline
    >>> inner_fit_params(Pipeline([("model", LogisticRegression())]), sample_weight=1, fp_cost=2)
    {'model__sample_weight': 1}
    """
    prefix, decider = _decider(estimator)
    return {
        prefix + name: value
        for name, value in _given(params).items()
        if has_fit_parameter(decider, name)
    }


def _given(params):
    return {name: value for name, value in params.items() if value is not None}


def _decider(estimator):
    """Final step of an unfitted pipeline or search, and the prefix of its arguments."""
    prefix = ""
    while True:
        if hasattr(estimator, "steps"):
            name, estimator = estimator.steps[-1]
            prefix += f"{name}__"
        elif hasattr(estimator, "refit") and hasattr(estimator, "estimator"):
            estimator = estimator.estimator
        else:
            return prefix, estimator
