"""The decision with the least expected cost, row by row."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.deciding import only_scores_count, row_count, warn_many_below_trivial
from stakes._core.docs import documented
from stakes._core.intake import checked_for
from stakes._core.sklearn_private import StrOptions, fit_context
from stakes._core.stored.spec import PROBABLE, Array, Maybe
from stakes.costs import COST_NAMES, NEUTRAL_COSTS, CostMatrix, Costs
from stakes.decision._calibrated import calibrated
from stakes.decision._held_out import random_folds
from stakes.decision._prior import as_prior, check_priors, class_shares, shift_prior
from stakes.decision._wrapper import DecisionClassifier, check_costs_of_fit, is_frozen


@documented()
@dataclass(eq=False, repr=False)
class BayesDecisionClassifier(DecisionClassifier):
    r"""Any classifier with the decision of least expected cost for each row.

    With the inner estimator's probabilities :math:`p_k(x)` and the cost :math:`c_{kj}` of decision
    :math:`j` if the true class is :math:`k`, decides

    .. math:: \arg\min_j \sum_k p_k(x)\, c_{kj} ,

    for two classes: positive if and only if
    :math:`p > (fp - tn) / ((fp - tn) + (fn - tp))`. The costs are arguments of `predict`, so they
    may differ between rows and change after training. The decisions are only as good as the
    probabilities: calibrate a model that is not calibrated, and correct a model that was trained
    on weighted or resampled data with `prior` and `training_prior`.

    Parameters
    ----------
    estimator : classifier
        Classifier with scikit-learn's interface: a pipeline, a search, LightGBM, XGBoost. Wrap a
        fitted one in scikit-learn's `FrozenEstimator`.
    calibration : {"isotonic", "sigmoid"} or None, default=None
        Calibration of the scores by `CalibratedClassifierCV`. Required if the estimator has only
        `decision_function`.
    cv : int, splitter or iterable, default=5
        Folds of the calibration; a number: stratified, of random rows. If they hold out some rows
        only (:class:`stakes.tables.TimeGroupSplit`), the model is fitted on all rows and calibrated
        on the held-out scores; else it is the mean of the folds' models.
    prior : float or array-like of shape (k,), default=None
        Class shares in use (for two classes, the share of positives). None: those of y if
        `training_prior` is given, else no correction.
    training_prior : float or array-like of shape (k,), default=None
        Class shares that the inner estimator was trained on, after weighting or resampling (0.5
        for `class_weight="balanced"`). None: those of y, with the weights that the estimator got.
    costs_in_training : bool, default=True
        Whether costs given to `fit` are passed to an inner estimator that takes them. False: the
        costs only act in the decision.
    [costs]
    cost_matrix : array-like of shape (k, m), default=None
        Costs of k classes, row: true class, column: decision; instead of the four numbers. Only
        `predict` reads it, so `set_params(cost_matrix=...)` changes the costs of a fitted model.
    actions : list of m labels, default=None
        Decisions if they are not the classes ("call", "block", "ignore"), in the order of the
        columns of `cost_matrix`. None: the decisions are the classes.
    random_state : int, RandomState or None, default=None
        Random state of the folds if `cv` is a number; None: always the same folds.

    Attributes
    ----------
    estimator_ : estimator
        Fitted inner estimator, calibrated if requested.
    classes_ : ndarray of shape (k,)
        Labels; `classes_[1]` is the positive class.
    prior_, training_prior_ : ndarray of shape (k,) or None
        Class shares that the probabilities are corrected to and from.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of the inner estimator, if it has them.

    Notes
    -----
    Scores of an inner estimator that is trained with costs may be biased by them; calibration does
    not correct that if costs differ between rows: the costs then count twice. Train it without
    costs (`costs_in_training=False`), or use its own decisions.

    References
    ----------
    .. [1] C. Elkan. "The Foundations of Cost-Sensitive Learning". IJCAI 2001.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = BayesDecisionClassifier(LogisticRegression(), actions=["ignore", "call", "block"],
    ...                                 cost_matrix=[[0, 2, 9], [30, 5, 1]]).fit(X, y)
    >>> model.predict([[-5.0], [0.0], [5.0]]).tolist()
    ['ignore', 'call', 'block']
    >>> model = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    >>> model.predict([[1.0], [1.0]], fp_cost=1, fn_cost=[1, 50])
    array([0, 1])
    >>> model.expected_cost([[1.0], [1.0]], fp_cost=1, fn_cost=[1, 50]).round(2)
    array([0.44, 0.56])
    """

    _file_state = {
        "estimator_": PROBABLE,
        **dict.fromkeys(("prior_", "training_prior_"), Maybe(Array("f8", ("k",), low=0, high=1))),
    }

    @staticmethod
    def _check_file_state(state, scope):
        DecisionClassifier._check_file_state(state, scope)
        if state.get("prior_") is not None:
            check_priors(state["prior_"], state["training_prior_"])

    _parameter_constraints = {
        **DecisionClassifier._parameter_constraints,
        "calibration": [StrOptions({"isotonic", "sigmoid"}), None],
        "prior": ["array-like", Real, None],
        "training_prior": ["array-like", Real, None],
        "cost_matrix": ["array-like", None],
        "actions": ["array-like", None],
        "random_state": ["random_state"],
        "costs_in_training": ["boolean"],
    }
    # read by scikit-learn's metadata routing
    __metadata_request__predict = dict.fromkeys((*COST_NAMES, "cost_matrix"), True)
    __metadata_request__score = dict.fromkeys((*COST_NAMES, "cost_matrix"), True)

    estimator: object
    _: KW_ONLY
    calibration: str | None = None
    cv: object = 5
    prior: object = None
    training_prior: object = None
    costs_in_training: bool = True
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    cost_matrix: object = None
    actions: object = None
    random_state: object = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit the inner estimator, and the calibration if requested.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples in any form that the inner estimator takes.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), default=None
            Weights, passed to an inner estimator that takes them.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            Costs of the four outcomes, passed to an inner estimator that takes them.

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        X = checked_for(self.estimator, X, fitting=True)
        self._check_labels(y)
        check_costs_of_fit(self, X, costs)
        self._fit_probabilities(X, y, sample_weight, costs if self.costs_in_training else {})
        if self.actions is None or self.cost_matrix is not None:
            self._settle_costs(row_count(X), **costs)  # raises unless costs match the classes
        return self

    def predict_proba(self, X):
        """Class probabilities, calibrated and corrected for the prior if requested.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples in any form that the inner estimator takes.

        Returns
        -------
        ndarray of shape (n, k)
            One column for each of `classes_`.
        """
        check_is_fitted(self)
        probabilities = self.estimator_.predict_proba(checked_for(self.estimator_, X))
        if not np.isfinite(probabilities).all():
            raise ValueError(
                f"{type(self.estimator).__name__} gave probabilities that are not finite; scale "
                "the features or check the estimator."
            )
        if self.prior_ is None:
            return probabilities
        return shift_prior(probabilities, self.training_prior_, self.prior_)

    def predict(
        self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None, cost_matrix=None
    ):
        """Decide for each row of X at the given costs.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        [predict_costs]
        [call_matrix]

        Returns
        -------
        ndarray of shape (n,)
            Labels from `classes_`, or from `actions`.
        """
        return self._decide_from(
            self.predict_proba(X), cost_matrix, fp_cost, fn_cost, tp_cost, tn_cost
        )[0]

    def expected_cost(
        self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None, cost_matrix=None
    ):
        """Expected cost of the decision of `predict` for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        [predict_costs]
        [call_matrix]

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._decide_from(
            self.predict_proba(X), cost_matrix, fp_cost, fn_cost, tp_cost, tn_cost
        )[1]

    def score(
        self,
        X,
        y,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        cost_matrix=None,
    ):
        """One minus the regret of the decisions relative to the largest possible regret.

        For two classes the accuracy weighted by the regrets; plain accuracy if all costs are equal.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels.
        [sample_weight]
        [predict_costs]
        [call_matrix]

        Returns
        -------
        float
        """
        check_is_fitted(self)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if len(self.classes_) == 2 and self.cost_matrix is None and cost_matrix is None:
            return super().score(X, y, sample_weight, **given)
        y = column_or_1d(y)
        if not np.isin(y, self.classes_).all():
            raise ValueError(f"y has a label that is not in classes {self.classes_.tolist()}.")
        costs = self._settle_costs(len(y), cost_matrix, **given)
        truth = np.searchsorted(self.classes_, y)
        probabilities = self.predict_proba(X)
        if isinstance(costs, Costs):
            decided, right = costs.decide(probabilities[:, 1]), truth
        else:
            decided, right = costs.decide(probabilities), costs.answer(truth)
        regret = costs.paid(truth, decided) - costs.paid(truth, right)
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        at_stake = (weight * costs.regret(truth)).sum()
        return 1.0 if at_stake <= 0 else float(1 - (weight * regret).sum() / at_stake)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _has_prices(self, given):
        return self.cost_matrix is not None or super()._has_prices(given)

    def _has_two_decisions(self):
        return super()._has_two_decisions() and self.actions is None

    def _compare_many_with_trivial(self, X, y, sample_weight):
        if self.cost_matrix is not None:
            names = self.classes_ if self.actions is None else self.actions
            warn_many_below_trivial(self, self._settle_costs(0), X, y, sample_weight, names)

    def _own_costs(self):
        if self.actions is not None or np.shape(self.cost_matrix) != (2, 2):
            return super()._own_costs()
        (tn, fp), (fn, tp) = CostMatrix.of(self.cost_matrix, 2, self._matrix_order()).table
        return dict(fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn)

    def _costs_of_fit(self, n, **given):
        return self._settle_costs(n, **given)

    def _predict_from(self, probabilities, cost_matrix=None, **given):
        given = [given.get(name) for name in COST_NAMES]
        return self._decide_from(probabilities, cost_matrix, *given)[0]

    def _decide_from(self, probabilities, cost_matrix, *given):
        """Return decisions and their expected costs."""
        given = dict(zip(COST_NAMES, given, strict=True))
        costs = self._settle_costs(len(probabilities), cost_matrix, **given)
        if isinstance(costs, Costs):
            positive = costs.decide(probabilities[:, 1])
            expected = costs.expected(probabilities[:, 1], positive)
            return self.classes_[positive.astype(np.intp)], expected
        expected = costs.expected(probabilities)
        decided = expected.argmin(axis=1)
        names = self.classes_ if self.actions is None else np.asarray(self.actions)
        return names[decided], expected[np.arange(len(decided)), decided]

    def _settle_costs(self, n, cost_matrix=None, **given):
        """Costs of n rows: those given, else the matrix or the numbers of the constructor."""
        numbers_given = super()._own_costs() != NEUTRAL_COSTS
        now = {name: cost for name, cost in given.items() if cost is not None}
        if (self.cost_matrix is not None and numbers_given) or (cost_matrix is not None and now):
            raise ValueError(
                "Give either cost_matrix or fp_cost, fn_cost, tp_cost, tn_cost, not both."
            )
        k = len(self.classes_)
        if k == 2 and self.actions is None and cost_matrix is None:
            if self.cost_matrix is not None:
                CostMatrix.of(self.cost_matrix, 2, self.classes_)  # raises on another shape
            return Costs.of(n, **self._own_costs() | now)
        if now or numbers_given:
            raise ValueError(
                "fp_cost, fn_cost, tp_cost and tn_cost are for two classes and decisions; y has "
                f"{k}: set cost_matrix (row: true class, column: decision) instead."
            )
        matrix = self.cost_matrix if cost_matrix is None else cost_matrix
        if matrix is None and self.actions is not None:
            raise ValueError("actions need cost_matrix, with one column for each of them.")
        matrix = 1.0 - np.eye(k) if matrix is None else matrix
        return CostMatrix.of(matrix, k, self.classes_, self.actions, n)

    def _matrix_order(self):
        """The classes, once they are known."""
        return getattr(self, "classes_", None)

    def _fit_probabilities(self, X, y, sample_weight, costs):
        """Fit the inner estimator and its calibration; settle the prior."""
        if self.calibration is None and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"{type(self.estimator).__name__} does not predict probabilities, which expected "
                f"costs need: set calibration='sigmoid' or 'isotonic' in {type(self).__name__}."
            )
        params = self._fit_params(sample_weight, costs)
        with only_scores_count():
            if self.calibration is None:
                self.estimator_ = clone(self.estimator).fit(X, y, **params)
            else:
                folds = random_folds(self.cv, self.random_state)
                self.estimator_ = calibrated(
                    self.estimator, self.calibration, folds, X, y, sample_weight, params
                )
        self._take_over(self.estimator_)
        self._set_prior(y, sample_weight if any("sample_weight" in p for p in params) else None)

    def _set_prior(self, y, sample_weight):
        """Settle the class shares that the probabilities are corrected from and to."""
        self.prior_ = self.training_prior_ = None
        if self.prior is None and self.training_prior is None:
            return
        if self.calibration is not None and self.training_prior is not None:
            raise ValueError(
                "Calibrated probabilities have the class shares of y, so training_prior must be "
                "None; give only prior."
            )
        if self.calibration is None and self.training_prior is None and is_frozen(self.estimator):
            raise ValueError(
                "The class shares that a frozen estimator was trained on are unknown: give "
                "training_prior as well as prior."
            )
        k = len(self.classes_)
        training_prior, prior = self.training_prior, self.prior
        if training_prior is None:
            training_prior = class_shares(y, self.classes_, sample_weight)
        if prior is None:
            prior = class_shares(y, self.classes_)
        self.training_prior_ = as_prior("training_prior", training_prior, k)
        self.prior_ = as_prior("prior", prior, k)
