"""Base of the quadratic-mean classifiers: classes as groups, costs within each."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.special import expit, softmax
from sklearn.utils.metaestimators import available_if

from stakes._core.base import ManyClassClassifier
from stakes._core.docs import documented
from stakes._core.intake import validate_data
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    CLASSIFIER,
    COUNT,
    FEATURES,
    FIGURE,
    Array,
    Number,
    Plain,
    Sometimes,
    labels,
)
from stakes._core.stored.state import same_classes, same_input
from stakes.qmean._losses import classification_loss
from stakes.qmean._problem import QuadraticMeanProblem
from stakes.qmean._solve import SOLVERS, minimize_quadratic_mean

MEAN_CONSTRAINTS = {
    "alpha": [Interval(Real, 0, None, closed="neither")],
    "p": [Interval(Real, 1, np.inf, closed="both")],
    "fit_intercept": ["boolean"],
    "regularize_intercept": ["boolean"],
    "solver": [StrOptions(set(SOLVERS))],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
}


@documented()
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class QuadraticMeanBase(ManyClassClassifier):
    """Base of the classifiers; a subclass gives `_fit_rows` and `_scores`."""

    loss: str = "logistic"
    p: float = 2.0
    huber_width: float = 0.01
    tol: float = 1e-6
    max_iter: int = 1000
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _file_state = FEATURES | {
        "classes_": labels("k", least=2),
        "coef_": Sometimes(Array("f8", ("rows", "d"))),
        "intercept_": Sometimes(Array("f8", ("rows",))),
        "landmarks_": Sometimes(Array("f8", ("m", "d"), sparse=True)),
        "dual_coef_": Sometimes(Array("f8", ("rows", "m"))),
        "gamma_": Sometimes(Number(0)),
        "estimator_": Sometimes(CLASSIFIER),
        "_log_weight": Array("f8", ("k",), low=-1000, high=1000),
        **dict.fromkeys(("class_losses_", "class_weights_"), Array("f8", ("k",), nan=True)),
        **dict.fromkeys(("objective_", "duality_gap_", "gradient_norm_"), Sometimes(FIGURE)),
        "n_iter_": COUNT,
        "gaps_": Sometimes(Plain()),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "_log_weight" not in state:
            return
        if not state.keys() & {"coef_", "dual_coef_", "estimator_"}:
            raise Damaged("a model has no coefficients")
        if "rows" in scope.sizes:
            scope.bind("rows", 1 if scope.sizes["k"] <= 2 else scope.sizes["k"])
        if "dual_coef_" in state and not {"landmarks_", "intercept_", "gamma_"} <= state.keys():
            raise Damaged("a kernel model lacks its landmarks, its width or its intercept")
        if "coef_" in state and "intercept_" not in state:
            raise Damaged("a model has no intercept")
        if "estimator_" in state:
            same_input(state["estimator_"], scope)
            same_classes(state["estimator_"], scope)

    _parameter_constraints = {
        **ManyClassClassifier._parameter_constraints,
        **MEAN_CONSTRAINTS,
        "loss": [StrOptions({"logistic", "hinge", "huber"})],
        "huber_width": [Interval(Real, 0, None, closed="neither")],
        "class_share": [StrOptions({"equal", "cost"})],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit to examples with labels, weights and costs.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples; not sparse with a kernel.
        y : array-like of shape (n,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight two counts as two.
        [fit_costs]
            Two classes only.

        Returns
        -------
        self
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self._fit_rows(*self._validate_training(X, y, sample_weight, given))

    def decision_function(self, X):
        """Scores: (n,) for two classes, positive for `classes_[1]`, else (n, k).

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray
        """
        scores = self._scores(self._validate_X(X))
        return scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores

    @available_if(lambda model: model._has_probability())
    def predict_proba(self, X):
        """Probability of each class at the class frequencies of the training set.

        The quadratic mean weights classes by their losses; the known effect of that on the log
        odds is subtracted. If costs differ within a class, the probabilities are biased towards
        its expensive examples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n, k)
        """
        return self._probabilities(X)

    def _has_probability(self):
        return self.loss == "logistic"

    def _probabilities(self, X):
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return softmax(scores - self._log_weight, axis=1)
        positive = expit(scores - (self._log_weight[1] - self._log_weight[0]))
        return np.column_stack([1.0 - positive, positive])

    def _class_scores(self, X):
        return self.decision_function(X)

    def _validate_training(self, X, y, sample_weight, given):
        """Return X, class indices, weights and regrets, without rows that cannot contribute."""
        X, y = validate_data(
            self, X, y, accept_sparse=self._accept_sparse, dtype=np.float64, order="C"
        )
        index, weight, regret = self._read_classes(X, y, sample_weight, given)
        used = weight * regret > 0
        counts = np.bincount(index[used], minlength=len(self.classes_))
        if counts.min() == 0:
            raise ValueError(
                f"The class {self.classes_[counts.argmin()]} has no example of positive weight "
                "and cost, so its mean loss is undefined."
            )
        if not used.all():
            X, index, weight, regret = X[used], index[used], weight[used], regret[used]
        return X, index, weight, regret

    def _fit_features(self, F, index, weight, regret):
        """Solve for the weights of the features F and store the certificates."""
        k = len(self.classes_)
        size = np.bincount(index, weight)
        share = np.full(k, 1.0 / k)
        if self.class_share == "cost":
            share = np.bincount(index, weight * regret) / size
            share /= share.sum()
        loss = classification_loss(self.loss, k, self.huber_width)
        problem = QuadraticMeanProblem(
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
        found = minimize_quadratic_mean(problem, self.solver, self.tol, self.max_iter)
        self.objective_, self.duality_gap_ = found.objective, found.relative_gap
        self.gradient_norm_, self.n_iter_ = found.gradient_norm, found.n_iter
        self.class_losses_, self.class_weights_ = found.group_losses, found.group_weights
        self.gaps_ = found.relative_gaps
        # a class weight u_g / n_g adds its logarithm to the log odds of the class
        self._log_weight = log_weights(found.group_weights, size)
        return found.W


def log_weights(weights, size):
    """Logarithms of the weights of examples; of a class that has none, the smallest there is."""
    return np.log(np.maximum(weights / size, np.finfo(np.float64).tiny))


def check_bundle(estimator):
    """Raise for the bundle method with a free intercept, which its first planes do not bound."""
    if estimator.solver == "bundle" and estimator.fit_intercept:
        if not estimator.regularize_intercept:
            raise ValueError(
                "solver='bundle' needs regularize_intercept=True: with a free intercept, its "
                "first lower bounds are unbounded. Use solver='auto' instead."
            )
