"""A scorer that passes the costs of each example to `predict` and to the metric."""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from stakes._core.deciding import final_step, predict_with_costs, row_count
from stakes._core.plotting import column_of, probability_of
from stakes.costs import COST_NAMES
from stakes.errors import near_matches
from stakes.metrics._cost import cost_loss, expected_cost_loss
from stakes.metrics._rates import minimum_risk
from stakes.metrics._roc import h_measure, partial_auc_score
from stakes.metrics._tail import budget_cost_loss

# input of a metric, where it is not the decisions
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
    sample_weight=None,
    response=None,
    greater_is_better=None,
    pos_label=None,
    **metric_options,
):
    """Make a cost-sensitive `scoring=` for scikit-learn's cross-validation and searches.

    scikit-learn's own scorers call `predict(X)` without the costs of the rows. This one passes
    them to `predict` (through pipelines and searches, if the estimator takes them) and to the
    metric.

    Parameters
    ----------
    metric : callable or str, default=cost_loss
        `metric(y_true, y_pred, fp_cost=..., ...)`, from :mod:`stakes.metrics` (also by its name,
        such as "savings_score") or your own; it is passed the costs that it has parameters for.
    fp_cost, fn_cost, tp_cost, tn_cost : float, str, callable or Series, default=None
        Source of the costs of the scored rows unless they are routed: a number, the name of a
        column of X, a function of X, or a pandas Series whose index contains that of X. An array
        must have the length of the scored data, so it does not work in cross-validation.
    sample_weight : str, callable or Series, default=None
        Source of the weights of the scored rows, in the same forms.
    response : {"predict", "predict_proba", "decision_function"}, default=None
        Input of the metric; None: the one that a metric of :mod:`stakes.metrics` needs, `predict`
        for any other. "decision_function" falls back to the probability.
    greater_is_better : bool, default=None
        None: inferred from the name of the metric, `*_score` or `*_loss`. A loss is negated.
    pos_label : label, default=None
        Positive class of the costs; None: the estimator's `classes_[1]`. If it is the other
        class, the costs are swapped for `predict`.
    **metric_options
        Passed to the metric, such as `baseline="negative"`.

    Returns
    -------
    CostScorer
        A callable `(estimator, X, y, **costs) -> float`.

    Notes
    -----
    With scikit-learn's metadata routing enabled, the scorer requests the four costs by default:
    `cross_val_score(model, X, y, scoring=scorer, params={"fn_cost": fn})` splits them with the
    rows. Routed costs take precedence over those given here. As in scikit-learn, weights are
    routed after `scorer.set_score_request(sample_weight=True)`.

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
    metric = _named(metric) if isinstance(metric, str) else metric
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
        sample_weight=sample_weight,
        response=response,
        greater_is_better=greater_is_better,
        pos_label=pos_label,
        metric_options=metric_options,
    )


def _named(name):
    """A metric of this folder by its name."""
    metrics = importlib.import_module("stakes.metrics")  # which imports this file
    known = [one for one in metrics.__all__ if one.endswith(("_loss", "_score", "_measure"))]
    known.append("minimum_risk")
    if name not in known:
        raise ValueError(f"There is no metric {name!r} to score with: " + near_matches(name, known))
    return getattr(metrics, name)


@dataclass(eq=False, repr=False)
class CostScorer(BaseEstimator):
    """Result of :func:`make_cost_scorer`; an estimator of scikit-learn, so it can be cloned."""

    # read by scikit-learn's metadata routing
    __metadata_request__score = dict.fromkeys((*COST_NAMES, "cost_matrix"), True) | {
        "estimator": UNUSED
    }

    metric: Callable
    _: KW_ONLY
    fp_cost: object = None
    fn_cost: object = None
    tp_cost: object = None
    tn_cost: object = None
    sample_weight: object = None
    response: str = "predict"
    greater_is_better: bool = False
    pos_label: object = None
    metric_options: dict | None = None

    def __call__(self, estimator, X, y, sample_weight=None, **costs):
        """Score a fitted estimator on X and y; larger is better, so a loss is negated."""
        unknown = sorted(set(costs) - {*COST_NAMES, "cost_matrix"})
        if unknown:
            raise TypeError(
                f"A cost scorer takes sample_weight, {', '.join(COST_NAMES)}, cost_matrix. "
                f"Got {', '.join(unknown)} instead."
            )
        return self.score(estimator, X, y, sample_weight, **costs)

    def score(
        self,
        estimator,
        X,
        y,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        cost_matrix=None,
    ):
        """Score, with the signature that scikit-learn's routing reads."""
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        costs = self._of_rows(X, costs)
        if cost_matrix is not None:
            costs["cost_matrix"] = cost_matrix
        weight = self._of_rows(X, {"sample_weight": sample_weight})
        pos_label = self._positive_label(estimator)
        answer = self._response_of(estimator, X, costs, pos_label)
        context = costs | {"pos_label": pos_label} | self._class_order(estimator, cost_matrix)
        # a metric without the parameter sample_weight must not ignore weights silently
        context = _accepted(self.metric, context) | weight
        value = self.metric(y, answer, **context | (self.metric_options or {}))
        value = float(getattr(value, "value", value))
        return value if self.greater_is_better else -value

    # TunedThresholdClassifierCV decides itself and reads these three
    @property
    def _sign(self):
        return 1 if self.greater_is_better else -1

    @property
    def _kwargs(self):
        given = {name: getattr(self, name) for name in (*COST_NAMES, "sample_weight")}
        rows = [name for name, source in given.items() if source is not None and np.ndim(source)]
        rows += [name for name, source in given.items() if isinstance(source, str)]
        rows += [name for name, source in given.items() if callable(source)]
        if rows:
            raise ValueError(
                f"A search for a threshold scores decisions without their rows, so {rows[0]} must "
                "be a number; for one value per row, enable "
                "sklearn.set_config(enable_metadata_routing=True) and pass the array to fit: "
                f"fit(X, y, {rows[0]}=...)."
            )
        numbers = {name: source for name, source in given.items() if source is not None}
        positive = {} if self.pos_label is None else {"pos_label": self.pos_label}
        return numbers | positive

    @property
    def _score_func(self):
        if self.response != "predict":
            raise ValueError(
                "A search for a threshold compares decisions, but this metric reads scores or "
                "probabilities; use cost_loss or savings_score."
            )
        return self._score_decisions

    def _score_decisions(self, y_true, y_pred, *, pos_label=None, sample_weight=None, **costs):
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        context = _accepted(self.metric, costs | {"pos_label": pos_label}) | weight
        value = self.metric(y_true, y_pred, **context | (self.metric_options or {}))
        return float(getattr(value, "value", value))

    def _of_rows(self, X, routed):
        """The routed values, else those of the constructor, that are given, for the rows of X."""
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

    def _class_order(self, estimator, cost_matrix):
        """Classes and actions of a matrix, because a fold may lack one of them."""
        classes = getattr(estimator, "classes_", ())
        fixed = (self.metric_options or {}).get("cost_matrix")
        matrix = fixed if cost_matrix is None else cost_matrix
        if matrix is None or (len(classes) < 3 and cost_matrix is None):
            return {}
        order = {"labels": classes} if np.shape(matrix)[-2] == len(classes) else {}
        actions = getattr(final_step(estimator)[0], "actions", None)
        return order if actions is None else order | {"actions": actions}

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
        f"The name {name} does not show whether greater is better (*_score or *_loss); "
        "give greater_is_better."
    )


def _accepted(metric, options):
    parameters = inspect.signature(metric).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return options
    return {name: value for name, value in options.items() if name in parameters}


def _resolve(name, source, X):
    """The values of the rows of X from a number, a column name, a function or a Series."""
    if isinstance(source, str):
        columns = getattr(X, "columns", None)
        if columns is None or source not in list(columns):
            raise ValueError(
                f"{name}={source!r} names a column, but X has no such column; "
                "pass a data frame that has it, or a function of X."
            )
        return np.asarray(X[source], dtype=np.float64)
    if callable(source):
        return np.asarray(source(X), dtype=np.float64)
    if hasattr(source, "index") and hasattr(source, "reindex"):
        return _aligned(name, source, X)
    return source


def _aligned(name, series, X):
    if not hasattr(X, "index") or not hasattr(X, "iloc"):
        return series  # rows without an index are matched by position
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
            f"{name} has {len(cost)} values for {n} scored rows: an array cannot be split with the "
            "rows. Give a column name, a function of X or a Series with the index of X, or enable "
            "sklearn.set_config(enable_metadata_routing=True) and pass the array as "
            f"params={{'{name}': ...}}."
        )
