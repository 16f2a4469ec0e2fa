"""Base of trees and forests: validation, leaf probabilities, decisions by expected cost."""

from numbers import Integral, Real

import numpy as np

from stakes._core.base import ManyClassClassifier
from stakes._core.intake import validate_data
from stakes._core.labels import category_mask
from stakes._core.sklearn_private import Interval, StrOptions
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array, Listed, Part, Plain, Sometimes, labels
from stakes.tree._bins import bin_features
from stakes.tree._docs import documented
from stakes.tree._gain_jit import CRITERIA
from stakes.tree._grow_jit import Settings
from stakes.tree._split_jit import MISSING

NO_LIMIT = 2**31 - 1
TREE_CONSTRAINTS = {
    "criterion": [StrOptions(set(CRITERIA))],
    "branch_weight": [StrOptions({"rate", "count"})],
    "max_depth": [None, Interval(Integral, 1, None, closed="left")],
    "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
    "smoothing": [Interval(Real, 0, None, closed="left")],
    "smoothing_target": [StrOptions({"parent", "uniform", "rate"})],
    "categorical_features": ["array-like", None],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "exact_rows": [Interval(Integral, 0, None, closed="left")],
    "random_state": ["random_state"],
}


@documented
class TreeBase(ManyClassClassifier):
    """Base of tree learners; with k > 2 classes they grow one tree or forest per class."""

    _file_state = FEATURES | {
        "classes_": labels("k", least=2),
        "has_missing_": Array("b", ("d",)),
        "trees_": Listed(Part(("stakes.tree._nodes.Nodes",))),
        "roots_": Sometimes(Listed(Array("i", (None,), low=0))),
        "n_leaves_": Sometimes(Plain()),
        "oob_score_": Sometimes(Plain()),
    }

    @staticmethod
    def _check_file_state(state, scope):
        trees = state.get("trees_", ())
        if "trees_" in state and len(trees) != (1 if scope.sizes["k"] <= 2 else scope.sizes["k"]):
            raise Damaged("a tree has another number of classes than it says")
        for nodes in trees:
            if np.any(nodes.state["feature"] >= scope.sizes["d"]):
                raise Damaged("a tree node points outside the tree")
        roots = state.get("roots_", [np.zeros(1, np.int64)] * len(trees))
        if len(roots) != len(trees) or any(
            len(some) == 0 or some.max() >= len(nodes.state["feature"])
            for some, nodes in zip(roots, trees, strict=True)
        ):
            raise Damaged("a tree node points outside the tree")

    _allow_nan = True

    def decision_function(self, X):
        """Regret of deciding negative minus that of deciding positive, as a share of their sum.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,), or (n, k) with more than two classes
        """
        scores = self._leaf_values(self._validate_X(X), "score")
        return scores[0] if len(scores) == 1 else np.column_stack(scores)

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
        if len(values) == 1:
            return np.column_stack([1.0 - values[0], values[0]])
        table = np.column_stack(values)
        total = table.sum(axis=1, keepdims=True)
        return np.where(total > 0, table / np.where(total > 0, total, 1.0), 1.0 / len(values))

    def _class_scores(self, X):
        return self.predict_proba(X)

    def _validate_training(self, X, y, sample_weight, given):
        """Binned features, class index, weight and regret of the used examples; a mask of these."""
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan")
        index, weight, regret = self._read_classes(X, y, sample_weight, given)
        used = weight * regret > 0
        if not used.any():
            raise ValueError(
                "No example has a positive weight and cost, so there is nothing to learn from; "
                "check sample_weight, fp_cost and fn_cost."
            )
        if not used.all():
            X, index, weight, regret = X[used], index[used], weight[used], regret[used]
        weight, regret = np.ascontiguousarray(weight), np.ascontiguousarray(regret)
        # in units of the mean regret: the currency then changes no rounding
        regret = regret / np.average(regret, weights=weight)
        binned = bin_features(X, self._categorical_mask(X.shape[1]), self.max_bins)
        self.has_missing_ = (binned.codes == MISSING).any(axis=1)
        return binned, index, weight, regret, used

    def _settings(self, features_tried):
        return Settings(
            criterion=CRITERIA[self.criterion],
            by_count=self.branch_weight == "count",
            sized=self.criterion == "cost",  # its masses are costs, a leaf's size is its weight
            max_depth=NO_LIMIT if self.max_depth is None else self.max_depth,
            min_leaf=float(self.min_samples_leaf),
            exact_rows=self.exact_rows,
            max_features=features_tried,
        )

    def _categorical_mask(self, d):
        names = getattr(self, "feature_names_in_", ())
        return category_mask(self.categorical_features, d, names)
