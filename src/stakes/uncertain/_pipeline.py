"""A pipeline in which error bars go through every step with their measurements."""

import sys

from sklearn.pipeline import Pipeline

from stakes._core.stored.plain import Damaged, Record
from stakes._core.stored.sklearn_checks import check_named_steps
from stakes._core.stored.unbuilt import Unbuilt
from stakes.uncertain._docs import documented
from stakes.uncertain._information import NAMES


@documented
class UncertainPipeline(Pipeline):
    """Pipeline whose steps transform measurements and their error bars together.

    scikit-learn's `Pipeline` passes error bars to the classifier as they are, whatever the steps
    before it do to the measurements. Here every step transforms both: it needs
    `transform_uncertainty`, as :class:`UncertainScaler` has it.

    Parameters
    ----------
    steps : list of (str, estimator)
        Transformers, and a classifier of uncertain points at the end.
    transform_input, memory, verbose
        As in scikit-learn's `Pipeline`; `memory` is not used.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.uncertain import UncertainMarginClassifier, UncertainScaler
    >>> X, y = np.array([[0.0, 10.0], [1.0, 90.0], [3.0, 20.0], [4.0, 70.0]]), [0, 0, 1, 1]
    >>> learner = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5)
    >>> model = UncertainPipeline([("scale", UncertainScaler()), ("learn", learner)])
    >>> model = model.fit(X, y, std=[0.1, 20.0])
    >>> model.predict_certificate([[0.5, 40.0]], std=[0.1, 20.0]).round(3)
    array([0.04])
    """

    _file_state = {}  # all of it are parameters

    @staticmethod
    def _check_file_state(state, scope):
        check_named_steps(state, scope)
        last = Unbuilt(state["steps"][-1][1])
        if not (hasattr(last, "predict_proba") and hasattr(last, "decision_function")):
            raise Damaged("a pipeline does not end with a classifier of uncertain points")
        for _, step in state["steps"][:-1]:
            if isinstance(step, Record) and not hasattr(Unbuilt(step), "transform_uncertainty"):
                raise Damaged("a step of a pipeline leaves error bars as they are")

    def fit(self, X, y=None, **params):
        """Fit every step; error bars are transformed with the measurements.

        Parameters
        ----------
        [measured]
        y : array-like of shape (n,)
            Labels.
        **params
            Uncertainty of the measurements by name, and all else that the classifier's `fit` takes,
            such as costs and `sample_weight`.

        Returns
        -------
        self
        """
        self._validate_steps()
        for name, step in self.steps[:-1]:
            if step in (None, "passthrough"):
                continue
            if not hasattr(step, "transform_uncertainty"):
                raise ValueError(
                    f"The step {name!r} has no transform_uncertainty, so error bars would stay as "
                    "they are; use UncertainScaler."
                )
            step.fit(X, y)
            X, params = self._moved(step, X, params)
        self.steps[-1][1].fit(X, y, **params)
        return self

    def predict(self, X, **params):
        """Label of each measurement, as the classifier's `predict`.

        Parameters
        ----------
        [measured]
        **params
            Their uncertainty by name, and costs.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._ask("predict", X, params)

    def predict_proba(self, X, **params):
        """Probability of each class, as the classifier's `predict_proba`.

        Parameters
        ----------
        [measured]
        **params
            Their uncertainty by name.

        Returns
        -------
        ndarray of shape (n, k)
        """
        return self._ask("predict_proba", X, params)

    def decision_function(self, X, **params):
        """Score of each measurement, as the classifier's `decision_function`.

        Parameters
        ----------
        [measured]
        **params
            Their uncertainty by name.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._ask("decision_function", X, params)

    def predict_certificate(self, X, **params):
        """Bounds on the probability of a flip, as the classifier's `predict_certificate`.

        Parameters
        ----------
        [measured]
        **params
            Their uncertainty by name, and `measure`.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._ask("predict_certificate", X, params)

    def needs_review(self, X, **params):
        """Which predictions need a review, as the classifier's `needs_review`.

        Parameters
        ----------
        [measured]
        **params
            `max_error`, their uncertainty by name, and `measure`.

        Returns
        -------
        ndarray of bool of shape (n,)
        """
        return self._ask("needs_review", X, params)

    def score(self, X, y=None, sample_weight=None, **params):
        """Share of what is at stake that was decided correctly, as the classifier's `score`.

        Parameters
        ----------
        [measured]
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), default=None
            Weights of the examples.
        **params
            Uncertainty of the measurements by name, and costs.

        Returns
        -------
        float
        """
        return self._ask("score", X, params, y, sample_weight)

    def _ask(self, method, X, params, *others):
        for _, step in self.steps[:-1]:
            if step not in (None, "passthrough"):
                X, params = self._moved(step, X, params)
        return getattr(self.steps[-1][1], method)(X, *others, **params)

    @staticmethod
    def _moved(step, X, params):
        known = {name: params[name] for name in NAMES if params.get(name) is not None}
        given = step.transform_uncertainty(**known) if known else {}
        return (None if X is None else step.transform(X)), params | given


def refuse_untransformed():
    """Raise if a pipeline that transforms only measurements is passing on their error bars.

    A classifier at the end of scikit-learn's `Pipeline` gets transformed measurements with error
    bars as they were, and nothing in its arguments says so; only the call stack does.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if {"self", "params"} <= {*frame.f_code.co_varnames}:
            pipeline, params = (frame.f_locals.get(name) for name in ("self", "params"))
            if isinstance(pipeline, Pipeline) and not hasattr(pipeline, "predict_certificate"):
                passed = {name.rpartition("__")[2] for name in params} & {*NAMES}
                before = [step for _, step in pipeline.steps[:-1] if step is not None]
                if passed and any(step != "passthrough" for step in before):
                    raise ValueError(
                        f"A {type(pipeline).__name__} transforms measurements, and passes on "
                        f"{', '.join(sorted(passed))} as it was; use UncertainPipeline with "
                        "UncertainScaler, or transform both before."
                    )
        frame = frame.f_back
