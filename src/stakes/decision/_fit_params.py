"""Which of weights and costs an estimator's `fit` takes, and under which names."""

from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import has_fit_parameter


def is_frozen(estimator):
    """Whether the deciding step of an estimator was fitted before and will not be again."""
    return isinstance(_decider(estimator)[1], FrozenEstimator)


def inner_fit_params(estimator, **params):
    """The arguments that `estimator.fit` takes, for use without metadata routing.

    Goes into pipelines (the last step's arguments are prefixed by its name, as scikit-learn wants
    it) and into searches; what the deciding step does not take is left out, as is what is None.

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
        for name, value in params.items()
        if value is not None and has_fit_parameter(decider, name)
    }


def _decider(estimator):
    """The step that decides in an unfitted pipeline or search, with the prefix of its arguments."""
    prefix = ""
    while True:
        if hasattr(estimator, "steps"):
            name, estimator = estimator.steps[-1]
            prefix += f"{name}__"
        elif hasattr(estimator, "refit") and hasattr(estimator, "estimator"):
            estimator = estimator.estimator
        else:
            return prefix, estimator
