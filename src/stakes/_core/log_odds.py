"""Two-class models that add up log-odds: trees kept as arrays, and blends of other models."""

import numpy as np
from scipy.special import expit, logit
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags

from stakes._core.sklearn_private import BaseComposition

SMALLEST = 1e-4  # probabilities of members are clipped to [SMALLEST, 1 - SMALLEST]


class LogOddsClassifier(ClassifierMixin):
    """Probabilities and classes from `decision_function`, the log-odds of `classes_[1]`."""

    def predict_proba(self, X):
        """Probabilities of both classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples, in any form that `fit` takes.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        p = expit(self.decision_function(X))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        """Most probable class of each row; for costs, wrap it in `BayesDecisionClassifier`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples, in any form that `fit` takes.

        Returns
        -------
        ndarray of shape (n,)
        """
        positive = self.decision_function(X) > 0  # raises if not fitted
        return self.classes_[positive.astype(np.intp)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LogOddsBlend(LogOddsClassifier, MetaEstimatorMixin, BaseComposition):
    """A weighted sum of the log-odds of named members, `estimators`."""

    def get_params(self, deep=True):
        """Return the parameters of the blend and of its named members."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params):
        """Set parameters of the blend or of its named members."""
        self._set_params("estimators", **params)
        return self

    def _take_over(self, model):
        """What a fitted member knows of the classes and the columns."""
        self.classes_ = model.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = [get_tags(member).input_tags for _, member in self.estimators]
        tags.input_tags.allow_nan = all(one.allow_nan for one in inner)
        tags.input_tags.sparse = all(one.sparse for one in inner)
        return tags


def clipped_log_odds(probabilities):
    """Log-odds of probabilities of the positive class, none of them beyond `SMALLEST`."""
    probabilities = np.asarray(probabilities, dtype=np.float64)
    if not np.isfinite(probabilities).all():
        raise ValueError(
            "A member gave probabilities that are not finite; scale the features or remove the "
            "member."
        )
    return logit(np.clip(probabilities, SMALLEST, 1 - SMALLEST))
