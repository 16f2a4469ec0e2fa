"""Base classes of all learners: labels as -1 and +1, costs as regrets, `predict` with prices."""

import contextlib
import functools
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from stakes._core.deciding import (
    predict_with_costs,
    spread_rows,
    take_rows,
    warn_below_trivial,
)
from stakes._core.docs import documented
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import Interval, check_sample_weight
from stakes.costs import COST_NAMES, NEUTRAL_COSTS, Costs

COST_CONSTRAINTS = {name: [Interval(Real, None, None, closed="neither")] for name in COST_NAMES}


@dataclass(frozen=True)
class LearnerInfo:
    """What `compare` must know of a learner to run it well; a class attribute named `_info`.

    Parameters
    ----------
    family : str
        The folder that it comes from.
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
    speed: str = "fast"
    max_rows: int | None = None
    gives_probability: bool = True
    recommended: bool = False
    grid: dict = field(default_factory=dict)


@documented()
class CostSensitiveClassifier(ClassifierMixin, BaseEstimator):
    """Base of the two-class learners that take costs.

    A learner gives `fit` and `decision_function` (or `predict_proba` as well) and finds here: the
    labels as -1 and +1, the costs as :class:`~stakes.costs.Costs`, `predict` with costs known only
    now, and `score`. Costs are requested from scikit-learn's metadata routing by default. Where
    prices are given and the decisions on the training rows cost more than one answer for all of
    them, `fit` warns `BelowTrivialWarning`; stream learners pay before they learn and look there.
    """

    _accept_sparse = False
    _allow_nan = False
    _parameter_constraints = COST_CONSTRAINTS
    # read by scikit-learn's metadata routing, name-mangled or not
    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__predict = dict.fromkeys(COST_NAMES, True)
    __metadata_request__score = dict.fromkeys(COST_NAMES, True)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "fit" in vars(cls) and not hasattr(cls, "learn_one"):
            cls.fit = _then_compare_with_trivial(cls.fit)

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row of X.

        Without costs, by the sign of `decision_function`; with costs, by the least expected cost
        under `predict_proba`, so that prices may differ from those of training.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        [predict_costs]

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
        [sample_weight]
        [predict_costs]

        Returns
        -------
        float
            One if nothing was lost, zero if everything was; accuracy when all costs are equal.
        """
        check_is_fitted(self)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        y = column_or_1d(y)
        regret = self._costs_of(len(y), *given.values()).regret(y == self.classes_[1])
        weight = regret if sample_weight is None else regret * np.asarray(sample_weight)
        if weight.sum() <= 0:
            return 1.0
        decided = predict_with_costs(self, X, **given)
        return float(np.average(decided == y, weights=weight))

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
        return canonical(X), signs

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
        return canonical(X)

    def _costs_of(self, n, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """The costs of n examples: those given now, else the constructor's numbers."""
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        own = (getattr(self, name, None) for name in COST_NAMES)
        chosen = (mine if now is None else now for now, mine in zip(given, own, strict=True))
        return Costs.of(n, **dict(zip(COST_NAMES, chosen, strict=True)))

    def _has_prices(self, given):
        """Whether anybody has said what mistakes cost; where not, nothing is known to be lost."""
        own = {name: getattr(self, name, None) for name in COST_NAMES}
        return any(cost is not None for cost in given.values()) or own != NEUTRAL_COSTS

    def _costs_of_fit(self, n, **given):
        """What the decisions on the training rows are held against."""
        return self._costs_of(n, **given)

    def _compare_with_trivial(self, X, y, sample_weight, given):
        """Warn if the decisions on rows of the training set cost more than one answer for all."""
        if X is None or len(self.classes_) != 2 or not self._has_prices(given):
            return
        positive = column_or_1d(y) == self.classes_[1]
        costs = self._costs_of_fit(len(positive), **given)
        rows, weight = spread_rows(positive)
        costs = costs[rows]
        decided = predict_with_costs(self, take_rows(X, rows), **costs.keywords())
        if sample_weight is not None:
            costs = costs * np.asarray(sample_weight, dtype=np.float64)[rows]
        warn_below_trivial(
            self,
            costs,
            positive[rows],
            decided == self.classes_[1],
            weight,
            where="its own training rows",
            stacklevel=3,
        )


def _then_compare_with_trivial(fit):
    """A `fit` that looks at what it has learnt; the outermost one only, where one calls another."""

    @functools.wraps(fit)
    def fit_and_compare(self, X, y, *args, **keywords):
        with unchanged_if_it_fails(self):
            fit(self, X, y, *args, **keywords)
        if type(self).fit is fit_and_compare:
            given = {name: keywords.get(name) for name in COST_NAMES}
            sample_weight = args[0] if args else keywords.get("sample_weight")
            self._compare_with_trivial(X, y, sample_weight, given)
        return self

    return fit_and_compare


def at_stake(regret):
    """Which examples cost anything if they are got wrong: those that a learner learns from.

    Examples
    --------
    >>> at_stake(np.array([0.0, 3.0])).tolist()
    [False, True]
    """
    costs_anything = np.asarray(regret) > 0
    if not costs_anything.any():
        raise ValueError(
            "No example costs anything: all regrets are zero, so there is nothing to learn; "
            "say what mistakes cost by fp_cost and fn_cost."
        )
    return costs_anything


def canonical(X):
    """X itself, or a copy of a sparse X whose rows name each column once, in order.

    Examples
    --------
    >>> twice = sparse.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 3))
    >>> canonical(twice).data.tolist(), twice.nnz
    ([3.0], 2)
    """
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


@contextlib.contextmanager
def unchanged_if_it_fails(model):
    """Put a model back to what it was where learning raises.

    Half of a new state beside half of an old one is no model: a compiled loop would read as many
    features as the one says out of the arrays of the other.
    """
    before = vars(model).copy()
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise


@documented()
class ManyClassClassifier(CostSensitiveClassifier):
    """Base of the learners that also take k > 2 classes, then without costs.

    A learner gives `fit`, `decision_function` and `_class_scores`, the (n, k) scores whose largest
    is the class.
    """

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row of X.

        Without costs by the learner's own rule, at the prices of training; with costs by the least
        expected cost under `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        [predict_costs]
            Two classes only.

        Returns
        -------
        ndarray of shape (n,)
            Labels out of `classes_`.
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return super().predict(X, **given)
        self._refuse_costs(given)
        return self.classes_[self._class_scores(X).argmax(axis=1)]

    def score(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Share of what is at stake that was decided rightly; accuracy if all costs are equal.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels.
        [sample_weight]
        [predict_costs]
            Two classes only.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if len(self.classes_) == 2:
            return super().score(X, y, sample_weight, **given)
        self._refuse_costs(given)
        return float(np.average(self.predict(X) == column_or_1d(y), weights=sample_weight))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _read_classes(self, X, y, sample_weight, given):
        """Store the classes; the index of each example's class, its weight and its regret."""
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            code_labels(y)  # refuses a single class
        if len(self.classes_) == 2:
            return index, weight, self._costs_of(len(y), **given).regret(index == 1)
        self._refuse_costs(given)
        return index, weight, np.ones(len(y))

    def _refuse_costs(self, given):
        own = {name: getattr(self, name) for name in COST_NAMES}
        if any(cost is not None for cost in given.values()) or own != NEUTRAL_COSTS:
            raise ValueError(
                f"{type(self).__name__} takes fp_cost, fn_cost, tp_cost and tn_cost for two "
                f"classes only, and y has {len(self.classes_)}; give sample_weight instead."
            )
