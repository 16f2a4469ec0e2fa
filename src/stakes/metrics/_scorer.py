"""A scorer that carries each example's costs into the decision and into the metric."""

import inspect

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from stakes._core.deciding import predict_with_costs, row_count
from stakes._core.plotting import column_of, probability_of
from stakes.costs import COST_NAMES
from stakes.metrics._cost import cost_loss, expected_cost_loss
from stakes.metrics._rates import minimum_risk
from stakes.metrics._roc import h_measure, partial_auc_score
from stakes.metrics._tail import budget_cost_loss

# what a metric reads, where it is not the decisions
READS = {
    expected_cost_loss: "predict_proba",
    minimum_risk: "decision_function",
    partial_auc_score: "decision_function",
    h_measure: "decision_function",
    budget_cost_loss: "decision_function",
}
_LARGER_IS_BETTER = {minimum_risk: False, h_measure: True}


def make_cost_scorer(
    metric=cost_loss,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    response=None,
    greater_is_better=None,
    pos_label=None,
    **metric_options,
):
    """Make a `scoring=` for scikit-learn's cross-validation and searches that knows the costs.

    scikit-learn's own scorers call `predict(X)` without the costs of these rows. This one gives
    them both to `predict` (through pipelines and searches; an estimator that takes none is asked
    without) and to the metric.

    Parameters
    ----------
    metric : callable, default=cost_loss
        `metric(y_true, y_pred, fp_cost=..., ...)`, of :mod:`stakes.metrics` or your own; it gets
        the costs that it has parameters for.
    fp_cost, fn_cost, tp_cost, tn_cost : float, str, callable or Series, default=None
        Where the costs of the scored rows come from if they are not routed: a number, the name of
        a column of X, a function of X, or a pandas Series whose index holds X's. An array fits
        only data of its own length, so not the folds of a cross-validation.
    response : {"predict", "predict_proba", "decision_function"}, default=None
        What the metric reads; None: what suits the metric, `predict` for one it does not know.
        "decision_function" is the probability where an estimator has no such method.
    greater_is_better : bool, default=None
        None: told by the metric's name, `*_score` or `*_loss`. A loss is returned negated.
    pos_label : label, default=None
        The positive class, which the costs speak of; None: the estimator's `classes_[1]`. Where
        it is the other one, `predict` is given the costs turned round.
    **metric_options
        Passed to the metric, such as `baseline="negative"`.

    Returns
    -------
    CostScorer
        A callable `(estimator, X, y, **costs) -> float`.

    Notes
    -----
    With scikit-learn's metadata routing on, the scorer requests the four costs by default:
    `cross_val_score(model, X, y, scoring=scorer, params={"fn_cost": fn})` splits them with the
    rows. Routed costs take precedence over those given here.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = pd.DataFrame({"amount": [10.0, 20, 30, 40] * 5}), [0, 0, 0, 1] * 5
    >>> scorer = make_cost_scorer(fp_cost=1.0, fn_cost="amount")
    >>> cross_val_score(DummyClassifier(), X, y, scoring=scorer)
    array([-10., -10., -10., -10., -10.])
    """
    if response not in (None, "predict", "predict_proba", "decision_function"):
        raise ValueError(
            "response must be 'predict', 'predict_proba' or 'decision_function'. "
            f"Got {response!r} instead."
        )
    if greater_is_better is None:
        greater_is_better = _larger_is_better(metric)
    if response is None:
        response = READS.get(metric, "predict")
    return CostScorer(
        metric=metric,
        fp_cost=fp_cost,
        fn_cost=fn_cost,
        tp_cost=tp_cost,
        tn_cost=tn_cost,
        response=response,
        greater_is_better=greater_is_better,
        pos_label=pos_label,
        metric_options=metric_options,
    )


class CostScorer(BaseEstimator):
    """What :func:`make_cost_scorer` returns; an object of scikit-learn, so it can be cloned."""

    # scikit-learn's routing passes the costs to a scorer that asks for them
    __metadata_request__score = dict.fromkeys(COST_NAMES, True) | {"estimator": UNUSED}

    def __init__(
        self,
        metric,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        response="predict",
        greater_is_better=False,
        pos_label=None,
        metric_options=None,
    ):
        self.metric = metric
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.response = response
        self.greater_is_better = greater_is_better
        self.pos_label = pos_label
        self.metric_options = metric_options

    def __call__(self, estimator, X, y, **costs):
        """Score a fitted estimator on X and y; larger is better, so a loss is negated."""
        unknown = sorted(set(costs) - set(COST_NAMES))
        if unknown:
            raise TypeError(
                f"A cost scorer takes {', '.join(COST_NAMES)}. Got {', '.join(unknown)} instead."
            )
        return self.score(estimator, X, y, **costs)

    def score(self, estimator, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """The same; its signature is what scikit-learn's routing reads."""
        routed = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        costs = self._costs_of(X, routed)
        pos_label = self._positive_label(estimator)
        answer = self._response_of(estimator, X, costs, pos_label)
        context = costs | {"pos_label": pos_label} | self._class_order(estimator)
        context = _accepted(self.metric, context)
        value = self.metric(y, answer, **context | (self.metric_options or {}))
        value = float(getattr(value, "value", value))
        return value if self.greater_is_better else -value

    def _costs_of(self, X, routed):
        given = {
            name: _resolve(name, getattr(self, name), X) if cost is None else cost
            for name, cost in routed.items()
        }
        given = {name: cost for name, cost in given.items() if cost is not None}
        for name, cost in given.items():
            _check_length(name, cost, row_count(X))
        return given

    def _positive_label(self, estimator):
        if self.pos_label is not None:
            return self.pos_label
        classes = getattr(estimator, "classes_", ())
        return classes[1] if len(classes) == 2 else None

    def _class_order(self, estimator):
        """The classes of a matrix of more than two: a fold may lack one of them."""
        matrix = (self.metric_options or {}).get("cost_matrix")
        classes = getattr(estimator, "classes_", ())
        if matrix is None or len(classes) < 3 or len(classes) != len(matrix):
            return {}
        return {"labels": classes}

    def _response_of(self, estimator, X, costs, pos_label):
        if self.response == "predict":
            return predict_with_costs(estimator, X, pos_label=pos_label, **costs)
        if self.response == "decision_function" and hasattr(estimator, "decision_function"):
            scores = estimator.decision_function(X)
            return scores if column_of(estimator, pos_label) == 1 else -scores
        P = probability_of(estimator, X)
        return P if pos_label is None else P[:, column_of(estimator, pos_label)]


def _larger_is_better(metric):
    name = getattr(metric, "__name__", type(metric).__name__)
    if metric in _LARGER_IS_BETTER:
        return _LARGER_IS_BETTER[metric]
    if name.endswith("_loss"):
        return False
    if name.endswith("_score"):
        return True
    raise ValueError(
        f"Whether more of {name} is better cannot be told from its name (*_score or *_loss); "
        "give greater_is_better."
    )


def _accepted(metric, options):
    parameters = inspect.signature(metric).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return options
    return {name: value for name, value in options.items() if name in parameters}


def _resolve(name, source, X):
    """The costs of the rows of X from a number, a column's name, a function or a Series."""
    if isinstance(source, str):
        columns = getattr(X, "columns", None)
        if columns is None or source not in list(columns):
            raise ValueError(
                f"{name}={source!r} names a column, but X has no such column; "
                "give a data frame that has it, or a function of X."
            )
        return np.asarray(X[source], dtype=np.float64)
    if callable(source):
        return np.asarray(source(X), dtype=np.float64)
    if hasattr(source, "index") and hasattr(source, "reindex"):
        return _aligned(name, source, X)
    return source


def _aligned(name, series, X):
    if not hasattr(X, "index") or not hasattr(X, "iloc"):
        return series  # without an index the rows can only be matched by their number
    if not series.index.is_unique:
        raise ValueError(f"{name} is a Series with repeated index labels; make its index unique.")
    absent = ~X.index.isin(series.index)
    if absent.any():
        raise ValueError(
            f"{name} is a Series without a value for {absent.sum()} of the rows of X; "
            "give it the same index as X."
        )
    return series.loc[X.index].to_numpy(dtype=np.float64)


def _check_length(name, cost, n):
    if np.ndim(cost) and len(cost) != n:
        raise ValueError(
            f"{name} has {len(cost)} values for the {n} rows that are scored: an array cannot be "
            "split with the rows. Give a column name, a function of X or a Series with X's index, "
            "or turn on sklearn.set_config(enable_metadata_routing=True) and pass the array as "
            f"params={{'{name}': ...}}."
        )
