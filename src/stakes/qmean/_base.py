"""What the quadratic-mean classifiers share: classes as groups, costs inside each, the solution."""

from numbers import Integral, Real

import numpy as np
from scipy.special import softmax
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from stakes._core.base import ManyClassClassifier
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.qmean._losses import classification_loss, probability_of
from stakes.qmean._problem import Problem
from stakes.qmean._solve import SOLVERS, solve

MEAN_CONSTRAINTS = {
    "alpha": [Interval(Real, 0, None, closed="neither")],
    "p": [Interval(Real, 1, np.inf, closed="both")],
    "fit_intercept": ["boolean"],
    "regularize_intercept": ["boolean"],
    "solver": [StrOptions(set(SOLVERS))],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
}


def _is_logistic(estimator):
    return estimator.loss == "logistic"


class QuadraticMeanBase(ManyClassClassifier):
    """Fits scores that are linear in some features; a learner says which features."""

    _parameter_constraints = {
        **ManyClassClassifier._parameter_constraints,
        **MEAN_CONSTRAINTS,
        "loss": [StrOptions({"logistic", "hinge", "huber"})],
        "huber_width": [Interval(Real, 0, None, closed="neither")],
        "class_share": [StrOptions({"equal", "cost"})],
    }

    @available_if(_is_logistic)
    def predict_proba(self, X):
        """Probability of each class at the frequencies of the training set.

        The quadratic mean weighs classes by their losses; what that adds to the log odds is
        known and taken out again. With costs that differ inside a class the probabilities are
        tilted towards the dearer examples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, k)
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return softmax(scores - self._log_weight, axis=1)
        positive = probability_of(scores - (self._log_weight[1] - self._log_weight[0]))
        return np.column_stack([1.0 - positive, positive])

    def _class_scores(self, X):
        return self.decision_function(X)

    def _validate_training(self, X, y, sample_weight, given):
        """Checked X, the index of each class, base weights and regrets, without idle rows."""
        X, y = validate_data(
            self, X, y, accept_sparse=self._accept_sparse, dtype=np.float64, order="C"
        )
        index, weight, regret = self._read_classes(X, y, sample_weight, given)
        used = weight * regret > 0
        counts = np.bincount(index[used], minlength=len(self.classes_))
        if counts.min() == 0:
            raise ValueError(
                f"The class {self.classes_[counts.argmin()]} has no example of positive weight "
                "and cost; without one its mean loss is not defined."
            )
        if not used.all():
            X, index, weight, regret = X[used], index[used], weight[used], regret[used]
        return X, index, weight, regret

    def _fit_features(self, F, index, weight, regret):
        """Solve for the weights of the features F and keep what certifies them."""
        k = len(self.classes_)
        size = np.bincount(index, weight)
        share = np.full(k, 1.0 / k)
        if self.class_share == "cost":
            share = np.bincount(index, weight * regret) / size
            share /= share.sum()
        loss = classification_loss(self.loss, k, self.huber_width)
        problem = Problem(
            F,
            np.where(index == 1, 1.0, -1.0) if k == 2 else index,
            weight * regret,
            index,
            loss,
            share,
            p=float(self.p),
            alpha=self.alpha,
            fit_intercept=self.fit_intercept,
            regularize_intercept=self.regularize_intercept,
            outputs=None if k == 2 else k,
        )
        check_bundle(self)
        found = solve(problem, self.solver, self.tol, self.max_iter)
        self.objective_, self.duality_gap_ = found.objective, found.relative_gap
        self.gradient_norm_, self.n_iter_ = found.gradient_norm, found.n_iter
        self.class_losses_, self.class_weights_ = found.group_losses, found.group_weights
        self.gaps_ = found.relative_gaps
        with np.errstate(divide="ignore"):
            self._log_weight = np.log(found.group_weights / size)
        return found.W


def check_bundle(estimator):
    """Algorithm 6 needs a penalty on everything: its first planes do not bound a free intercept."""
    if estimator.solver == "bundle" and estimator.fit_intercept:
        if not estimator.regularize_intercept:
            raise ValueError(
                "solver='bundle' needs regularize_intercept=True: with a free intercept its "
                "first lower bounds have no minimum. Use solver='auto' instead."
            )
