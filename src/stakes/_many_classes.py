"""What learners of more than two classes share: costs are for two classes, weights for any."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._labels import code_labels
from stakes._sklearn import check_sample_weight
from stakes.base import CostSensitiveClassifier
from stakes.costs import COST_NAMES, NEUTRAL_COSTS


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
        sample_weight : array-like of shape (n,), default=None
            Weights beside the costs.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; two classes only.

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
