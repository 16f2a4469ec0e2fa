"""What all learners share: label coding to {-1, +1}, cost intake, and a tag for `compare`."""

import inspect
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from stakes._sklearn import Interval, num_samples
from stakes.costs import COST_NAMES, Costs

COST_CONSTRAINTS = {name: [Interval(Real, None, None, closed="neither")] for name in COST_NAMES}


@dataclass(frozen=True)
class LearnerInfo:
    """What `compare` must know of a learner to run it well; a class attribute named `_info`.

    Parameters
    ----------
    family : str
        The folder that it comes from.
    needs_scaling : bool, default=False
        Whether features should be brought to one scale before.
    speed : {"fast", "medium", "slow"}, default="fast"
        Growth with the rows: linear, a few passes more, or worse than linear.
    max_rows : int or None, default=None
        More training rows than this are refused with a sentence, None: no limit.
    gives_probability : bool, default=True
        False: `compare` calibrates its scores before the Bayes decision.
    recommended : bool, default=False
        Whether `compare` runs it unasked: one or two of each family, linear in the rows.
    grid : dict, default={}
        What nested tuning tries, parameter by parameter.
    """

    family: str
    needs_scaling: bool = False
    speed: str = "fast"
    max_rows: int | None = None
    gives_probability: bool = True
    recommended: bool = False
    grid: dict = field(default_factory=dict)


class CostSensitiveClassifier(ClassifierMixin, BaseEstimator):
    """Base of the two-class learners that take costs.

    A learner gives `fit` and `decision_function` (or `predict_proba` as well) and finds here: the
    labels as -1 and +1, the costs as :class:`~stakes.costs.Costs`, `predict` with costs known only
    now, and `score`. Costs are requested from scikit-learn's metadata routing by default.
    """

    _accept_sparse = False
    _allow_nan = False
    _parameter_constraints = COST_CONSTRAINTS
    # read by scikit-learn's metadata routing, name-mangled or not
    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__predict = dict.fromkeys(COST_NAMES, True)
    __metadata_request__score = dict.fromkeys(COST_NAMES, True)

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row of X.

        Without costs, by the sign of `decision_function`; with costs, by the least expected cost
        under `predict_proba`, so that prices may differ from those of training.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost now.

        Returns
        -------
        ndarray of shape (n,)
            Labels out of `classes_`.
        """
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        if all(cost is None for cost in given):
            positive = self.decision_function(X) > 0
        elif not hasattr(self, "predict_proba"):
            raise ValueError(
                f"{type(self).__name__} gives scores, not probabilities, so it takes no costs in "
                "predict; wrap it in BayesDecisionClassifier(..., calibration='sigmoid')."
            )
        else:
            probability = self.predict_proba(X)[:, 1]
            costs = self._costs_of(len(probability), *given)
            positive = costs.decide(probability)
        return self.classes_[positive.astype(np.intp)]

    def score(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Share of what is at stake that was decided rightly: accuracy weighted by the regrets.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), default=None
            Weights beside the costs.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost.

        Returns
        -------
        float
            One if nothing was lost, zero if everything was; accuracy when all costs are equal.
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        y = column_or_1d(y)
        regret = self._costs_of(len(y), *given.values()).regret(y == self.classes_[1])
        weight = regret if sample_weight is None else regret * np.asarray(sample_weight)
        if weight.sum() <= 0:
            return 1.0
        return float(np.average(self.predict(X, **given) == y, weights=weight))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = bool(self._accept_sparse)
        tags.input_tags.allow_nan = self._allow_nan
        return tags

    def _validate_Xy(self, X, y):
        """Check the training data; return X as float64 (CSR if sparse) and y in {-1, +1}."""
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=self._accept_sparse,
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan" if self._allow_nan else True,
        )
        self.classes_, signs = code_labels(y)
        return _plain_csr(X), signs

    def _validate_X(self, X):
        """Check the rows to predict."""
        check_is_fitted(self)
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse=self._accept_sparse,
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan" if self._allow_nan else True,
        )
        return _plain_csr(X)

    def _costs_of(self, n, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """The costs of n examples: those given now, else the constructor's numbers."""
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        own = (getattr(self, name, None) for name in COST_NAMES)
        chosen = (mine if now is None else now for now, mine in zip(given, own, strict=True))
        return Costs.of(n, **dict(zip(COST_NAMES, chosen, strict=True)))


def code_labels(y):
    """Turn two-class labels into (classes, signs); the larger label, `classes[1]`, is +1.

    Examples
    --------
    >>> classes, signs = code_labels(np.array(["good", "bad", "good"]))
    >>> classes.tolist(), signs.tolist()
    (['bad', 'good'], [1.0, -1.0, 1.0])
    """
    y = column_or_1d(y)
    if y.dtype.kind in "biu" and len(y):
        least, most = y.min(), y.max()
        positive = y == most
        if least != most and (positive | (y == least)).all():
            return np.array([least, most]), np.where(positive, 1.0, -1.0)
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}; wrap the learner in sklearn's OneVsRestClassifier."
        )
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {classes[0]!r}; a decision needs examples of two classes."
        )
    return classes, np.where(index == 1, 1.0, -1.0)


def positive_mask(y, pos_label=None):
    """Which labels are positive: equal to `pos_label`, else to the larger of the two classes.

    Examples
    --------
    >>> positive_mask([0, 1, 1]).tolist()
    [False, True, True]
    """
    y = column_or_1d(y)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(f"Two classes are expected in y. Got {len(classes)} instead.")
    if pos_label is not None:
        return y == pos_label
    if len(classes) == 1 and classes[0] not in (-1, 0, 1):
        raise ValueError(
            f"y has one class only, {classes[0]!r}: say which label is positive with pos_label."
        )
    return y == (max(classes[-1], 1) if len(classes) == 1 else classes[1])


def final_step(estimator):
    """The estimator that decides inside searches and pipelines, and what is run before it.

    Returns
    -------
    (estimator, list of transformers)
    """
    before = []
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps") and hasattr(estimator, "named_steps"):
            before += [
                step for _, step in estimator.steps[:-1] if step not in (None, "passthrough")
            ]
            estimator = estimator.steps[-1][1]
        else:
            return estimator, before


def takes_costs(estimator, method="predict"):
    """Whether a method of the deciding step has the four cost arguments."""
    decider, _ = final_step(estimator)
    function = getattr(decider, method, None)
    return function is not None and "fp_cost" in inspect.signature(function).parameters


def predict_with_costs(estimator, X, **costs):
    """Call `predict` so that the costs reach the step that decides.

    Goes through fitted searches and pipelines by hand, since those pass costs on only when
    metadata routing is on. An estimator that takes no costs, or that has no probabilities to weigh
    them with, is asked without them.
    """
    if not takes_costs(estimator) or not hasattr(estimator, "predict_proba"):
        return estimator.predict(X)
    decider, before = final_step(estimator)
    for step in before:
        X = step.transform(X)
    return decider.predict(X, **costs)


def row_count(X):
    """How many rows a table of any accepted kind has."""
    return num_samples(X)


def _plain_csr(X):
    if sparse.issparse(X):
        X.sort_indices()
    return X
