"""What trees and forests share: intake, probabilities of leaves, decisions by expected cost."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from stakes._sklearn import Interval, StrOptions, check_sample_weight
from stakes.base import CostSensitiveClassifier, code_labels
from stakes.costs import COST_NAMES
from stakes.tree._bins import bin_features
from stakes.tree._gain_jit import CRITERIA
from stakes.tree._split_jit import MISSING

TREE_CONSTRAINTS = {
    "criterion": [StrOptions(set(CRITERIA))],
    "branch_weight": [StrOptions({"rate", "count"})],
    "max_depth": [None, Interval(Integral, 1, None, closed="left")],
    "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
    "smoothing": [Interval(Real, 0, None, closed="left")],
    "prior": [StrOptions({"parent", "uniform", "rate"})],
    "categorical_features": ["array-like", None],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "exact_rows": [Interval(Integral, 0, None, closed="left")],
    "random_state": ["random_state"],
}


class TreeBase(CostSensitiveClassifier):
    """Base of the learners that decide by leaves; with k > 2 classes one tree (forest) for each."""

    _allow_nan = True

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row of X.

        Without costs, by the expected cost in the leaf at the prices of training; with costs, by
        the least expected cost under `predict_proba`.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples; missing values are NaN.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost now; two classes only.

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
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Share of what is at stake that was decided rightly; accuracy if all costs are equal.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), default=None
            Weights beside the costs.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; two classes only.

        Returns
        -------
        float
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if len(self.classes_) == 2:
            return super().score(X, y, sample_weight, **given)
        self._refuse_costs(given)
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def trees_are_sound(self):
        """Whether every walk from a root ends in a leaf; asked of models that come from a file."""
        return all(nodes.is_sound(self.n_features_in_) for nodes in getattr(self, "trees_", []))

    def _validate_training(self, X, y, sample_weight, given):
        """Binned features, class index, weight and regret of examples that count; which do."""
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan")
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            code_labels(y)  # refuses a single class
        regret = np.ones(len(y))
        if len(self.classes_) == 2:
            regret = self._costs_of(len(y), *given.values()).regret(index == 1)
        else:
            self._refuse_costs(given)
        used = weight * regret > 0
        if not used.any():
            raise ValueError("No example has a positive weight and cost: nothing to learn from.")
        if not used.all():
            X, index, weight, regret = X[used], index[used], weight[used], regret[used]
        weight, regret = np.ascontiguousarray(weight), np.ascontiguousarray(regret)
        # the regrets in units of their mean, so that their currency has no say in any rounding
        regret = regret / np.average(regret, weights=weight)
        binned = bin_features(X, self._categorical_mask(X.shape[1]), self.max_bins)
        self.has_missing_ = (binned.codes == MISSING).any(axis=1)
        return binned, index, weight, regret, used

    def _categorical_mask(self, d):
        mask = np.zeros(d, dtype=bool)
        if self.categorical_features is None:
            return mask
        chosen = np.asarray(self.categorical_features)
        if chosen.dtype == bool:
            if len(chosen) != d:
                raise ValueError(
                    f"categorical_features has {len(chosen)} entries for {d} features."
                )
            return chosen
        if chosen.dtype.kind in "UO":
            names = list(getattr(self, "feature_names_in_", []))
            unknown = [name for name in chosen if name not in names]
            if unknown:
                raise ValueError(f"categorical_features names {str(unknown[0])!r}, no column of X.")
            chosen = np.array([names.index(name) for name in chosen], dtype=np.intp)
        if chosen.size and (chosen.min() < 0 or chosen.max() >= d):
            raise ValueError(
                f"categorical_features must be columns from 0 to {d - 1}. "
                f"Got {chosen.min()} to {chosen.max()} instead."
            )
        mask[chosen.astype(np.intp)] = True
        return mask

    def _refuse_costs(self, given):
        own = {name: getattr(self, name) for name in COST_NAMES}
        default = {"fp_cost": 1.0, "fn_cost": 1.0, "tp_cost": 0.0, "tn_cost": 0.0}
        if any(cost is not None for cost in given.values()) or own != default:
            raise ValueError(
                f"{type(self).__name__} takes fp_cost, fn_cost, tp_cost and tn_cost for two "
                f"classes only, and y has {len(self.classes_)}; give sample_weight instead."
            )
