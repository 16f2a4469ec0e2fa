"""Base of trees and forests: validation, leaf probabilities, decisions by expected cost."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.base import ManyClassClassifier
from stakes._core.columns import TakesCategories, read_training
from stakes._core.deciding import warn_many_below_trivial
from stakes._core.intake import example_counts
from stakes._core.jit.gain import CRITERIA
from stakes._core.sklearn_private import Interval, StrOptions
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    FEATURES,
    Array,
    Listed,
    Maybe,
    Number,
    Part,
    Plain,
    Sometimes,
    labels,
)
from stakes.costs import COST_NAMES, NEUTRAL_COSTS, CostMatrix
from stakes.tree._bins import bin_features
from stakes.tree._docs import documented
from stakes.tree._grow_jit import Settings
from stakes.tree._histograms_jit import Binned
from stakes.tree._split_jit import MISSING
from stakes.tree._walk_jit import node_gains

NO_LIMIT = 2**31 - 1


class Training(NamedTuple):
    """The examples that are at stake: binned features, class index, weight, size and regret.

    `size` is the number of examples that each one counts as, `weight` that times its class weight;
    `regret` is in units of its mean. `used` is the mask of these examples.
    """

    binned: Binned
    label: np.ndarray
    weight: np.ndarray
    size: np.ndarray
    regret: np.ndarray
    used: np.ndarray


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class TreeBase(TakesCategories, ManyClassClassifier):
    """Base of tree learners."""

    criterion: str = "ccp_entropy"
    branch_weight: str = "rate"
    max_depth: int | None = None
    min_samples_leaf: float = 2
    smoothing_target: str = "parent"
    categorical_features: object = None
    monotonic_cst: object = None
    class_weight: object = None
    max_bins: int = 255
    random_state: object = None
    cost_matrix: object = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _parameter_constraints = ManyClassClassifier._parameter_constraints | {
        "criterion": [StrOptions(set(CRITERIA))],
        "branch_weight": [StrOptions({"rate", "count"})],
        "max_depth": [None, Interval(Integral, 1, None, closed="left")],
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "smoothing_target": [StrOptions({"parent", "uniform", "rate"})],
        "categorical_features": ["array-like", None],
        "monotonic_cst": ["array-like", dict, None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "exact_rows": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
        "cost_matrix": ["array-like", None],
    }
    _file_state = FEATURES | {
        "classes_": labels("k", least=2),
        "has_missing_": Array("b", ("d",)),
        "categories_": Listed(Maybe(Array("label", (None,))), "d"),
        "mean_regret_": Number(0),
        "nodes_": Part(("stakes.tree._nodes.Nodes",)),
        "roots_": Sometimes(Array("i", (None,), low=0)),
        "n_leaves_": Sometimes(Plain()),
        "oob_score_": Sometimes(Plain()),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "nodes_" not in state:
            return
        nodes = state["nodes_"].state
        if np.any(nodes["feature"] >= scope.sizes["d"]):
            raise Damaged("a tree node points outside the tree")
        if nodes["weight"].shape[1] != scope.sizes["k"] or nodes["probability"].ndim != (
            1 if scope.sizes["k"] == 2 else 2
        ):
            raise Damaged("a tree has another number of classes than it says")
        roots = state.get("roots_", np.zeros(1, np.int64))
        if len(roots) == 0 or roots.max() >= len(nodes["feature"]):
            raise Damaged("a tree node points outside the tree")

    _instead_of_costs = "set cost_matrix instead"

    def decision_function(self, X):
        """Score of each decision, at the costs of training.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,), or (n, k) with more than two classes
            Two classes: the regret of deciding negative minus that of deciding positive, as a
            share of their sum. More: probabilities, or expected costs with the sign changed if
            there is a `cost_matrix`.
        """
        X = self._validate_X(X)
        if len(self.classes_) == 2 or self.cost_matrix is None:
            return self._leaf_values(X, "score")
        return -self._matrix().expected(self._leaf_values(X, "probability"))

    def predict_proba(self, X):
        """Probability of each class: its smoothed share in the leaf, averaged over trees.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n, k)
        """
        values = self._leaf_values(self._validate_X(X), "probability")
        return np.column_stack([1.0 - values, values]) if values.ndim == 1 else values

    def importances(self, X, y, *, n_repeats=5, random_state=None, **costs):
        """Permutation importance in money: extra cost per row when a feature is shuffled.

        Parameters
        ----------
        [rows]
            They should not be training rows.
        y : array-like of shape (n,)
            Labels.
        n_repeats : int, default=5
            Number of shuffles per feature.
        random_state : int, RandomState instance or None, default=None
            Seed of the shuffles.
        **costs : float or array-like of shape (n,)
            `fp_cost`, `fn_cost`, `tp_cost`, `tn_cost`; with more than two classes, `cost_matrix`
            of the constructor is used.

        Returns
        -------
        ndarray of shape (d,)
            Mean cost with the feature shuffled minus mean cost without.
        """
        X, random = self._validate_X(X).copy(), check_random_state(random_state)
        truth, many = np.searchsorted(self.classes_, column_or_1d(y)), len(self.classes_) > 2
        if many:
            self._refuse_costs(costs)
        prices = self._matrix() if many else self._costs_of(len(X), **costs)

        def cost():
            decided = prices.decide(self._leaf_values(X, "probability"))
            return prices.paid(truth if many else truth == 1, decided).mean()

        plain, found = cost(), np.zeros(X.shape[1])
        for f in range(X.shape[1]):
            column = X[:, f].copy()
            for _ in range(n_repeats):
                X[:, f] = random.permutation(column)
                found[f] += (cost() - plain) / n_repeats
            X[:, f] = column
        return found

    @property
    def feature_importances_(self):
        """Share of each feature in the total gain of the splits, each weighted by its examples.

        The gain is that of `criterion`. It is computed from the training examples, so that a
        feature with many distinct values can look important by chance; :meth:`importances` uses
        other rows, and money.
        """
        check_is_fitted(self)
        nodes, how = self.nodes_, self._settings(1)
        masses = nodes.regret if self.criterion == "cost" else nodes.weight
        gain = node_gains(nodes.left, masses, how, how.cost) * masses.sum(axis=1)
        inner = ~nodes.is_leaf
        total = np.bincount(nodes.feature[inner], gain[inner], self.n_features_in_)
        return total / total.sum() if total.sum() > 0 else total

    def _class_scores(self, X):
        return self.decision_function(X)

    def _validate_training(self, X, y, sample_weight, given):
        X, y = read_training(self, X, y)
        label, weight, regret = self._read_classes(X, y, sample_weight, given)
        used = weight * regret > 0
        if not used.any():
            raise ValueError(
                "No example has a positive weight and cost, so there is nothing to learn from; "
                "check sample_weight, fp_cost and fn_cost."
            )
        if not used.all():
            X, label, weight, regret = X[used], label[used], weight[used], regret[used]
        size = example_counts(np.ascontiguousarray(weight))
        # in units of the mean regret: the currency then changes no rounding
        self.mean_regret_ = float(np.average(regret, weights=size))
        mask = self._categorical
        binned = bin_features(X, mask, self.max_bins, self._directions(mask))
        self.has_missing_ = (binned.codes == MISSING).any(axis=1)
        label = label.astype(np.uint16)
        weight = size * self._class_weights(label)[label]
        return Training(binned, label, weight, size, regret / self.mean_regret_, used)

    def _class_weights(self, label):
        present = np.unique(label)
        found = np.ones(len(self.classes_))
        found[present] = compute_class_weight(
            self.class_weight, classes=self.classes_[present], y=self.classes_[label]
        )
        return found

    def _directions(self, categorical):
        """Monotonic constraint of each feature: -1, 0 or 1."""
        given, d = self.monotonic_cst, len(categorical)
        if isinstance(given, dict):
            names = list(getattr(self, "feature_names_in_", ()))
            unknown = [name for name in given if name not in names]
            if unknown:
                raise ValueError(
                    f"monotonic_cst contains {unknown[0]!r}, which is not a column of X."
                )
            given = [given.get(name, 0) for name in names]
        found = np.zeros(d, np.int8) if given is None else np.asarray(given)
        if found.shape != (d,) or not np.isin(found, (-1, 0, 1)).all():
            raise ValueError(
                f"monotonic_cst must have one entry -1, 0 or 1 for each of {d} features."
            )
        if found.any() and len(self.classes_) > 2:
            raise ValueError(f"monotonic_cst needs two classes. Got {len(self.classes_)} instead.")
        if (found != 0)[categorical].any():
            raise ValueError("monotonic_cst must be 0 for categorical features.")
        return found.astype(np.int8)

    def _settings(self, features_tried):
        k = len(self.classes_)
        return Settings(
            n_classes=k,
            cost=self._matrix().table if k > 2 else None,
            criterion=CRITERIA[self.criterion],
            by_count=self.branch_weight == "count",
            # masses that are no counts of examples: costs, or weighted classes
            sized=k > 2 or self.criterion == "cost" or self.class_weight is not None,
            max_depth=NO_LIMIT if self.max_depth is None else self.max_depth,
            min_leaf=float(self.min_samples_leaf),
            exact_rows=self.exact_rows,
            max_features=features_tried,
        )

    def _matrix(self):
        """Costs of all classes: `cost_matrix`, or one for every mistake."""
        k = len(self.classes_)
        given = 1.0 - np.eye(k) if self.cost_matrix is None else self.cost_matrix
        return CostMatrix.of(given, k, self.classes_)

    def _costs_of(self, n, *given, **named):
        """Costs of two classes; a `cost_matrix` takes the place of the constructor's numbers."""
        if self.cost_matrix is None:
            return super()._costs_of(n, *given, **named)
        if {name: getattr(self, name) for name in COST_NAMES} != NEUTRAL_COSTS:
            raise ValueError(
                "Give either cost_matrix or fp_cost, fn_cost, tp_cost, tn_cost, not both."
            )
        (tn, fp), (fn, tp) = self._matrix().table
        own = dict(fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn)
        now = dict(zip(COST_NAMES, given, strict=False)) | named
        now = {name: cost for name, cost in now.items() if cost is not None}
        return super()._costs_of(n, **own | now)

    def _has_prices(self, given):
        return self.cost_matrix is not None or super()._has_prices(given)

    def _compare_many_with_trivial(self, X, y, sample_weight):
        warn_many_below_trivial(self, self._matrix(), X, y, sample_weight, self.classes_)
