"""Base classes of all learners: labels as -1 and +1, costs as regrets, `predict` with costs."""

import functools
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.deciding import (
    predict_with_costs,
    spread_rows,
    take_rows,
    warn_below_trivial,
    warn_if_costs_got_lost,
)
from stakes._core.docs import documented
from stakes._core.frames import as_table
from stakes._core.intake import SMALLEST, check_weights, validate_data
from stakes._core.labels import class_indices, code_labels
from stakes._core.locks import unchanged_if_it_fails
from stakes._core.sklearn_private import Interval
from stakes.costs import COST_NAMES, NEUTRAL_COSTS, Costs

COST_CONSTRAINTS = {name: [Interval(Real, None, None, closed="neither")] for name in COST_NAMES}


@dataclass(frozen=True)
class LearnerInfo:
    """Facts about a learner that `compare` needs; the class attribute `_info`.

    Parameters
    ----------
    family : str
        Folder of the learner.
    speed : {"fast", "medium", "slow"}, default="fast"
        How the time grows with the rows: linearly, linearly with several passes, or faster.
    max_rows : int or None, default=None
        Maximum number of training rows in `compare`; None means no limit.
    gives_probability : bool, default=True
        If False, `compare` calibrates the scores before the Bayes decision.
    recommended : bool, default=False
        Whether `compare` runs it by default: one or two per family, all linear in the rows.
    grid : dict, default={}
        Values for nested tuning, by parameter.
    """

    family: str
    speed: str = "fast"
    max_rows: int | None = None
    gives_probability: bool = True
    recommended: bool = False
    grid: dict = field(default_factory=dict)


@documented()
class CostSensitiveClassifier(ClassifierMixin, BaseEstimator):
    """Base class of two-class learners that take costs.

    A subclass implements `fit` and `decision_function`, optionally `predict_proba`. The base
    provides labels as -1 and +1, costs as :class:`~stakes.costs.Costs`, `predict` with costs that
    are known only at prediction time, and `score`; scikit-learn's metadata routing passes them on.
    If costs are given and decisions on the training rows cost more than the best constant policy,
    `fit` warns; stream learners check the decisions they made before learning.
    """

    _accept_sparse = False
    _allow_nan = False
    _indices_at_once = True  # whether to look at the columns of sparse entries before any loop
    _with_X = ()  # arguments of fit that predict needs as well
    _parameter_constraints = COST_CONSTRAINTS
    # read by scikit-learn's metadata routing, with or without name mangling
    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__predict = dict.fromkeys(COST_NAMES, True)
    __metadata_request__score = dict.fromkeys(COST_NAMES, True)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "fit" in vars(cls) and not hasattr(cls, "learn_one"):
            cls.fit = _then_compare_with_trivial(cls.fit)

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row of X.

        Without costs, decide by the sign of `decision_function`; with costs, by least expected
        cost under `predict_proba`, so that costs may differ from those in training.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        [predict_costs]

        Returns
        -------
        ndarray of shape (n,)
            Labels from `classes_`.
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if all(cost is None for cost in given.values()):
            positive = self.decision_function(X) > 0
            return self.classes_[positive.astype(np.intp)]
        if not hasattr(self, "predict_proba"):
            raise ValueError(
                f"{type(self).__name__} has no predict_proba, so predict takes no costs; "
                "wrap it in BayesDecisionClassifier(..., calibration='sigmoid')."
            )
        return self._predict_from(self.predict_proba(X), **given)

    def _predict_from(self, probabilities, **given):
        """Decisions of `predict` with costs, from what `predict_proba` returned."""
        positive = self._costs_of(len(probabilities), **given).decide(probabilities[:, 1])
        return self.classes_[positive.astype(np.intp)]

    def score(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Accuracy weighted by the regrets: the share of the money at stake that was not lost.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels.
        [sample_weight]
        [predict_costs]

        Returns
        -------
        float
            1 if nothing was lost, 0 if everything was; plain accuracy if all costs are equal.
        """
        check_is_fitted(self)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        warn_if_costs_got_lost(self, given)
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
            indices=self._indices_at_once,
            ensure_all_finite="allow-nan" if self._allow_nan else True,
        )
        return canonical(X)

    def _costs_of(self, n, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Costs of n examples: those given in the call, else those of the constructor."""
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        own = (getattr(self, name, None) for name in COST_NAMES)
        chosen = (mine if now is None else now for now, mine in zip(given, own, strict=True))
        costs = Costs.of(n, **dict(zip(COST_NAMES, chosen, strict=True)))
        largest = max(costs.positive_regret.max(initial=0), costs.negative_regret.max(initial=0))
        if 0 < largest < SMALLEST:
            raise ValueError(
                f"No mistake costs more than {largest:.1g}, and products of such costs are rounded "
                "to zero; give the costs in a smaller unit."
            )
        return costs

    def _remember_costs(self, given):
        """Note whether `fit` was given costs, which `score` then needs as well."""
        self._fit_had_costs = any(cost is not None for cost in given.values())

    def _has_prices(self, given):
        """Whether costs were given at all; without them there is no loss to compare."""
        own = {name: getattr(self, name, None) for name in COST_NAMES}
        return any(cost is not None for cost in given.values()) or own != NEUTRAL_COSTS

    @staticmethod
    def _rows_of(others, rows):
        """Selected rows of what `fit` was given next to X."""
        return others

    def _costs_of_fit(self, n, **given):
        """Costs at which the decisions on the training rows are judged."""
        return self._costs_of(n, **given)

    def _compare_with_trivial(self, X, y, sample_weight, given, **others):
        """Warn if a constant policy is cheaper on the training rows; `others` go to `predict`."""
        if X is None or not self._has_prices(given):
            return
        if not self._has_two_decisions():
            self._compare_many_with_trivial(X, y, sample_weight)
            return
        positive = column_or_1d(y) == self.classes_[1]
        costs = self._costs_of_fit(len(positive), **given)
        rows, weight = spread_rows(positive)
        costs, others = costs[rows], self._rows_of(others, rows)
        decided = predict_with_costs(self, take_rows(X, rows), **costs.keywords(), **others)
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

    def _has_two_decisions(self):
        return len(self.classes_) == 2

    def _compare_many_with_trivial(self, X, y, sample_weight):
        """The same for more than two classes, in learners that take costs between them."""


def _then_compare_with_trivial(fit):
    """Wrap `fit` to check its decisions afterwards; only the outermost of nested calls checks."""

    @functools.wraps(fit)
    def fit_and_compare(self, X, y, *args, **keywords):
        X = as_table(X)
        with unchanged_if_it_fails(self):
            fit(self, X, y, *args, **keywords)
        if type(self).fit is fit_and_compare:
            given = {name: keywords.get(name) for name in COST_NAMES}
            self._remember_costs(given)
            sample_weight = args[0] if args else keywords.get("sample_weight")
            others = {name: keywords[name] for name in self._with_X if name in keywords}
            self._compare_with_trivial(X, y, sample_weight, given, **others)
        return self

    return fit_and_compare


def at_stake(regret):
    """Mask of the examples whose misclassification costs anything: those worth learning from.

    Examples
    --------
    >>> at_stake(np.array([0.0, 3.0])).tolist()
    [False, True]
    """
    if not (costs_anything := np.asarray(regret) > 0).any():
        raise ValueError(
            "No mistake costs anything: all regrets are zero, so there is nothing to learn; "
            "set fp_cost and fn_cost."
        )
    return costs_anything


def canonical(X):
    """X itself, or a copy of a sparse X with sorted indices and no duplicates.

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


@documented()
class ManyClassClassifier(CostSensitiveClassifier):
    """Base class of learners that also support k > 2 classes, without costs.

    A subclass implements `fit`, `decision_function` and `_class_scores`, (n, k) scores of which
    the largest is the predicted class.
    """

    _instead_of_costs = "use sample_weight instead"

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row of X.

        Without costs, decide by the learner's own rule at the costs of training; with costs (two
        classes only), by least expected cost under `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        [predict_costs]
            Two classes only.

        Returns
        -------
        ndarray of shape (n,)
            Labels from `classes_`.
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return super().predict(X, **given)
        self._refuse_costs(given)
        return self.classes_[self._class_scores(X).argmax(axis=1)]

    def _predict_from(self, probabilities, **given):
        if len(self.classes_) > 2:
            self._refuse_costs(given)
        return super()._predict_from(probabilities, **given)

    def score(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Share of what is at stake that was decided rightly; accuracy if all costs are equal.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels.
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
        """Store the classes; return each example's class index, weight and regret."""
        check_classification_targets(y)
        weight = check_weights(sample_weight, X, ensure_non_negative=True)
        self.classes_, index = class_indices(y)
        if len(self.classes_) < 2:
            code_labels(y)  # raises for a single class
        if len(self.classes_) == 2:
            return index, weight, self._costs_of(len(y), **given).regret(index == 1)
        self._refuse_costs(given)
        return index, weight, np.ones(len(y))

    def _refuse_costs(self, given):
        own = {name: getattr(self, name) for name in COST_NAMES}
        if any(cost is not None for cost in given.values()) or own != NEUTRAL_COSTS:
            raise ValueError(
                f"{type(self).__name__} supports fp_cost, fn_cost, tp_cost and tn_cost for two "
                f"classes only, and y has {len(self.classes_)}; {self._instead_of_costs}."
            )
