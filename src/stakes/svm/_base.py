"""Base of all SVMs: which examples count, costs to penalties, held-out scores, probabilities."""

from dataclasses import dataclass, replace
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import compute_sample_weight
from sklearn.utils.metaestimators import available_if

from stakes._core.base import COST_CONSTRAINTS, CostSensitiveClassifier, at_stake
from stakes._core.intake import check_weights
from stakes._core.parallel import N_JOBS
from stakes._core.sigmoid import LARGEST
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    COUNT,
    FEATURES,
    FIGURE,
    Array,
    Either,
    Flag,
    Number,
    Part,
    Sometimes,
    labels,
)
from stakes._core.stored.state import same_input
from stakes.svm._docs import documented
from stakes.svm._link import choose_link, constant_link, log_odds
from stakes.svm._progress import Progress

SVM_CONSTRAINTS = COST_CONSTRAINTS | {
    "C": [Interval(Real, 0, None, closed="neither")],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "calibration": [StrOptions({"sigmoid"}), None],
    "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
    "n_jobs": N_JOBS,
    "verbose": ["boolean"],
    "random_state": ["random_state"],
}
TRAINING_CONSTRAINTS = {
    "normalize_costs": ["boolean"],
    "cost_rule": [StrOptions({"auto", "class", "example"})],
}
_MAPS = (
    "sklearn.kernel_approximation.Nystroem",
    "sklearn.kernel_approximation.RBFSampler",
)


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class PricedSVC(CostSensitiveClassifier):
    """Base of all SVMs: only examples whose misclassification costs something are fitted."""

    _file_state = FEATURES | {
        "classes_": labels(2),
        "constant_": Flag(),
        "coef_": Sometimes(Array("f8", (1, "columns"))),
        "intercept_": Array("f8", (1,)),
        "kappa_": Either((Number(), Array("f8", (None,)))),
        "expensive_class_": Number(-1, 1, whole=True),
        "n_iter_": COUNT,
        **dict.fromkeys(("objective_", "duality_gap_"), FIGURE),
        "kkt_residual_": Sometimes(FIGURE),
        "approximation_loss_": Sometimes(FIGURE),
        "threshold_": Sometimes(Number()),
        "calibration_": Sometimes(Array("f8", (2, None))),
        "gamma_": Sometimes(Number(0)),
        "support_": Sometimes(Array("i", ("s",), low=0)),
        "support_vectors_": Sometimes(Array("f8", ("s", "d"), sparse=True)),
        "dual_coef_": Sometimes(Array("f8", (1, "s"))),
        "_support_margins": Sometimes(Array("f8", ("s",))),
        "n_support_": Sometimes(Array("i8", (2,), low=0)),
        "feature_map_": Sometimes(Part(_MAPS)),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "intercept_" not in state:
            return
        if state.get("calibration") is not None and not {"calibration_"} <= state.keys():
            raise Damaged("an SVM with probabilities has no calibration")
        if "feature_map_" in state:
            width = len(state["feature_map_"].state.get("random_offset_", ()))
            width = width or len(state["feature_map_"].state.get("component_indices_", ()))
            scope.bind("columns", width)
            same_input(state["feature_map_"], scope)
        elif "approximation" not in state:
            scope.bind("columns", scope.sizes["d"])
            if "coef_" not in state:
                raise Damaged("an SVM has no coefficients")
        elif not {"support_", "dual_coef_", "gamma_"} <= state.keys():
            raise Damaged("an SVM has no support vectors")
        elif state.get("kernel") == "precomputed":
            if np.max(state["support_"], initial=-1) >= scope.sizes["d"]:
                raise Damaged("a support vector is not a column of the kernel matrix")
        elif "support_vectors_" not in state:
            raise Damaged("an SVM has no support vectors")

    C: float = 1.0
    class_weight: dict | str | None = None
    calibration: str | None = "sigmoid"
    cv: object = 3
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    n_jobs: int | None = None
    verbose: bool = False
    random_state: int | np.random.RandomState | None = None

    _accept_sparse = "csr"
    _moves_boundary = False  # whether held-out scores are needed to move the boundary

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, features on one scale.
        y : array-like of shape (n,)
            Their labels, of two classes.
        sample_weight : array-like of shape (n,), default=None
            Factors on the penalties of the examples; None: all one.
        [fit_costs]

        Returns
        -------
        self
        """
        earlier = self._earlier_multipliers()
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # a fit of another kind leaves other attributes
        X, y = self._validate_Xy(X, y)
        costs = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost)
        copies = check_weights(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weight = copies * compute_sample_weight(self.class_weight, self.classes_[(y > 0) * 1])
        rows = np.flatnonzero(at_stake(costs.regret(y > 0) * weight))
        if len(rows) < len(y):
            X, y, costs, weight = self._among(X, rows), y[rows], costs[rows], weight[rows]
        self.constant_ = bool(np.all(y == y[0]))
        if self.constant_:
            self._fit_constant(X, y[0])
        else:
            start = np.zeros(len(copies))
            if earlier is not None and np.max(earlier[0], initial=-1) < len(start):
                start[earlier[0]] = earlier[1]
            self._fit_priced(X, y, costs, weight, rows, copies[rows], start[rows])
        return self

    def decision_function(self, X):
        """Score each row; above zero means the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._validate_X(X)
        if self.constant_:
            return np.full(X.shape[0], self.intercept_[0])
        return self._raw_scores(X) + self.intercept_[0]

    @available_if(lambda self: self.calibration is not None)
    def predict_proba(self, X):
        """Probability of both classes: a rising link of the scores, fitted to held-out scores.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        scores = self.decision_function(X)
        positive = expit(log_odds(self.calibration_, scores))
        return np.column_stack([1.0 - positive, positive])

    def _fit_priced(self, X, y, costs, weight, rows, copies, start):
        self._prepare(X, weight)
        penalties, scores = self._plan(X, y, costs, weight)
        self.kappa_, self.expensive_class_ = penalties.kappa, penalties.expensive
        self._keep(X, y, penalties, rows, start)
        if scores is None and (self.calibration is not None or self._moves_boundary):
            scores = self._held_out(X, y, [penalties])[0]
        if self._moves_boundary:
            paid_for = costs.regret(y > 0) * weight
            scores = self._move_boundary(scores, y, paid_for)
            penalties = replace(penalties, weight=paid_for)  # what the boundary stands for now
        if self.calibration is not None:
            self.calibration_ = self._link(scores, y, costs, copies, penalties)

    def _link(self, scores, y, costs, copies, penalties):
        """From held-out scores to log-odds; the boundary is in the middle between the margins."""
        weights, margins = (
            [np.average(values, weights=copies * (y == sign)) for sign in (-1, 1)]
            for values in (penalties.weight / copies, penalties.margin)
        )
        boundary = (margins[1] - margins[0]) / 2
        return choose_link(scores, y > 0, copies, costs, boundary, weights[0] / weights[1])

    def _fit_constant(self, X, sign):
        """Always decide for the only class whose mistakes cost something."""
        self.intercept_, self.n_iter_ = np.array([float(sign)]), 1
        self.kappa_, self.expensive_class_ = 1.0, int(sign)
        self.duality_gap_ = self.objective_ = 0.0
        if self.calibration is not None:
            self.calibration_ = constant_link(sign * LARGEST)

    def _keep_linear(self, found):
        self.coef_, self.intercept_ = found.w[None, :], np.array([found.b])
        self.n_iter_ = max(1, found.n_iter)
        self.objective_, self.duality_gap_ = found.primal, found.gap

    def _held_out(self, X, y, plans):
        """Scores of each row by fits without it, one row of scores per plan of penalties."""
        folds = self._folds(X, y)
        if folds is None:  # a class has a single example: it cannot be held out
            everything = np.arange(len(y))
            return self._fold_scores(X, y, plans, everything, everything)
        scores = np.empty((len(plans), len(y)))
        tasks = (delayed(self._fold_scores)(X, y, plans, *fold) for fold in folds)
        for (_, test), part in zip(folds, Parallel(n_jobs=self.n_jobs)(tasks), strict=True):
            scores[:, test] = part
        return scores

    def _training_regret(self, y, regret, weight):
        """The regrets that set the penalties: of each example, or the mean of its class.

        Scores that were trained with costs per example follow the costs where these depend on the
        features; a decision that weighs each row's costs again would count them twice.
        """
        rule = self.cost_rule
        if rule == "auto":
            rule = "example" if self.calibration is None else "class"
        if rule == "example":
            return regret
        means = {s: np.average(regret[y == s], weights=weight[y == s]) for s in (-1, 1)}
        return np.where(y > 0, means[1], means[-1])

    def _folds(self, X, y):
        """Folds that hold each row out exactly once; None if a class has a single example."""
        cv = self.cv
        if isinstance(cv, Integral):
            cv = int(min(cv, np.sum(y > 0), np.sum(y < 0)))
            if cv < 2:
                return None
            # tables are often in some order, and blocks of rows differ more than new rows will
            seed = 0 if self.random_state is None else self.random_state
            cv = StratifiedKFold(cv, shuffle=True, random_state=seed)
        cv = check_cv(cv, y, classifier=True)
        folds = list(cv.split(X, y))
        held_out = np.sort(np.concatenate([test for _, test in folds]))
        if not np.array_equal(held_out, np.arange(len(y))):
            raise ValueError(
                "cv must hold each row out exactly once, as StratifiedKFold does. "
                f"Got {type(cv).__name__} instead."
            )
        return folds

    def _progress(self):
        return Progress(type(self).__name__) if self.verbose else None

    def _prepare(self, X, weight):
        """What depends on the features alone."""

    def _earlier_multipliers(self):
        """Support vectors and multipliers of the fit before, to start from; None: start afresh."""
        return None

    def _among(self, X, rows):
        return X[rows]
