"""Asymmetric boosting: small trees on the cost-sensitive exponential loss."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import expit, logsumexp
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.intake import check_weights
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array, Listed, Part, labels
from stakes._core.stored.state import same_input
from stakes.svm._docs import documented

LARGEST_STEP = 4.0  # of a tree without mistakes, in units of one over the mean cost
COST_LEVELS = 32  # quantiles of the costs of a class that the probabilities are computed from


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CostSensitiveBoost(CostSensitiveClassifier):
    r"""Boosted trees that minimise the cost-sensitive exponential loss.

    .. math:: \min_F\ \sum_i \exp(-c_i\,y_i F(x_i)), \qquad F = \sum_t a_t h_t, \quad
              h_t(x) \in \{-1, 1\}

    with :math:`c_i` the regret of example i. Each round fits a small tree to the examples
    weighted by :math:`c_i\exp(-c_i y_i F(x_i))`, and then finds the step :math:`a_t` exactly. The
    minimiser is Bayes consistent for class costs, and costs in another currency only scale F. Its
    link has a closed form, which `predict_proba` inverts: with one cost per class

    .. math:: \log\frac{\eta}{1 - \eta} = (c_+ + c_-)F + \log\frac{c_-}{c_+} ,

    and with costs per example the same with means over the costs of each class,
    :math:`\log E_-[c\,e^{cF}] - \log E_+[c\,e^{-cF}]`.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds; it stops earlier if no tree is better than chance.
    max_depth : int, default=1
        Depth of the trees; one is a stump.
    learning_rate : float, default=1.0
        Factor on every step.
    cost_rule : {"class", "example"}, default="class"
        Cost of an example in training: the mean of its class, so that the probabilities do not
        depend on costs that go with the features, or its own.
    [costs]
    random_state : int, RandomState instance or None, default=None
        Seed for ties between splits.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The trees :math:`h_t`.
    estimator_weights_ : ndarray
        The steps :math:`a_t`, for costs with mean one.
    training_loss_ : ndarray
        Mean loss after each round; it never rises.
    edges_ : ndarray
        Slope of the loss along each tree, as a share of the weight, before its step.
    cost_levels_ : ndarray of shape (2, 32)
        Quantiles of the costs of the negative and of the positive class, in units of the mean cost;
        zero for a class that costs nothing.
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    [seen]

    Notes
    -----
    The loss is Eq. 40, the risk Eq. 39 of [1]_. The tree is the steepest one among trees grown by
    Gini, not the one with the least loss after its step as in [2]_. Costs per example instead of
    per class are an extension.

    References
    ----------
    .. [1] H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-sensitive Support Vector
           Machines". arXiv:1212.0975.
    .. [2] H. Masnadi-Shirazi, N. Vasconcelos. "Asymmetric Boosting". ICML 2007.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 0, 1]
    >>> model = CostSensitiveBoost(fn_cost=5.0).fit(X, y)
    >>> model.predict([[1.2], [1.8]])
    array([0, 1])
    >>> [round(float(p[0, 1]), 2) for p in model.staged_predict_proba([[1.8]])][:3]
    [0.85, 0.37, 0.8]
    """

    _file_state = FEATURES | {
        "classes_": labels(2),
        "estimators_": Listed(Part(("sklearn.tree._classes.DecisionTreeClassifier",)), "t"),
        **dict.fromkeys(("estimator_weights_", "edges_", "training_loss_"), Array("f8", ("t",))),
        "cost_levels_": Array("f8", (2, COST_LEVELS), low=0),
    }

    @staticmethod
    def _check_file_state(state, scope):
        for member in state.get("estimators_", ()):
            same_input(member, scope)
            if not set(member.state.get("classes_", ["none"])) <= {-1.0, 1.0}:
                raise Damaged("a tree of a boosted model has classes other than -1 and 1")
        if "cost_levels_" in state and not (state["cost_levels_"] > 0).any():
            raise Damaged("no example of a boosted model costs anything")

    n_estimators: int = 100
    max_depth: int = 1
    learning_rate: float = 1.0
    cost_rule: str = "class"
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints = CostSensitiveClassifier._parameter_constraints | {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "cost_rule": [StrOptions({"class", "example"})],
        "random_state": ["random_state"],
    }
    _info = LearnerInfo(
        family="svm",
        speed="medium",
        grid={"n_estimators": [50, 200], "max_depth": [1, 3]},
    )

    _accept_sparse = "csr"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit the trees.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels, of two classes.
        sample_weight : array-like of shape (n,), default=None
            Factors on the losses of the examples; None: all one.
        [fit_costs]

        Returns
        -------
        self
        """
        X, y = self._validate_Xy(X, y)
        regret = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost).regret(y > 0)
        share = check_weights(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        rows = at_stake(regret * share)
        X, y, share = _as_trees_read(X[rows]), y[rows], share[rows]
        c = regret[rows] / np.average(regret[rows], weights=share)
        if self.cost_rule == "class":
            for side in (y > 0, y < 0):
                c[side] = np.average(c[side], weights=share[side]) if side.any() else 0.0
        by_column = X.tocsc() if sparse.issparse(X) else X
        self.cost_levels_ = np.array([_levels(c[y == side], share[y == side]) for side in (-1, 1)])
        rng = check_random_state(self.random_state)
        exponent = np.zeros(len(y))  # -c_i y_i F(x_i)
        self.estimators_, steps, losses, edges = [], [], [], []
        for _ in range(self.n_estimators):
            weight = share * c * np.exp(exponent - logsumexp(exponent, b=share * c))
            tree = DecisionTreeClassifier(
                max_depth=self.max_depth, random_state=rng.randint(2**31 - 1)
            )
            h = _signs(tree.fit(by_column, y, sample_weight=weight), X)
            edge = float(weight @ (y * h))
            if edge <= 1e-9:
                break
            step = self.learning_rate * best_step(exponent, c * y * h, share)
            exponent -= step * c * y * h
            self.estimators_.append(tree)
            steps.append(step)
            edges.append(edge)
            losses.append(float(np.average(np.exp(exponent), weights=share)))
            if (y == h).all():
                break
        self.estimator_weights_, self.edges_ = np.array(steps), np.array(edges)
        self.training_loss_ = np.array(losses)
        return self

    def decision_function(self, X):
        """Score F of each row; above zero means the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = _as_trees_read(self._validate_X(X))
        scores = np.zeros(X.shape[0])
        for step, tree in zip(self.estimator_weights_, self.estimators_, strict=True):
            scores += step * _signs(tree, X)
        return scores

    def predict_proba(self, X):
        """Probability of both classes, by the closed form of the loss's link.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        return self._probabilities(self.decision_function(X))

    def staged_decision_function(self, X):
        """Scores after each round.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Yields
        ------
        ndarray of shape (n,)
        """
        X = _as_trees_read(self._validate_X(X))
        scores = np.zeros(X.shape[0])
        for step, tree in zip(self.estimator_weights_, self.estimators_, strict=True):
            scores = scores + step * _signs(tree, X)
            yield scores

    def staged_predict(self, X):
        """Decisions by the sign of the score after each round.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Yields
        ------
        ndarray of shape (n,)
        """
        for scores in self.staged_decision_function(X):
            yield self.classes_[(scores > 0).astype(np.intp)]

    def staged_predict_proba(self, X):
        """Probability of both classes after each round.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Yields
        ------
        ndarray of shape (n, 2)
        """
        for scores in self.staged_decision_function(X):
            yield self._probabilities(scores)

    def _probabilities(self, scores):
        negative, positive = self.cost_levels_
        log_odds = np.zeros(len(scores))
        for c, sign in ((negative, 1.0), (positive, -1.0)):
            if (c > 0).any():
                log_odds += sign * logsumexp(sign * np.outer(scores, c), b=c / len(c), axis=1)
            else:
                log_odds += sign * np.inf  # of a class that costs nothing nothing is known
        probability = expit(log_odds)
        return np.column_stack([1.0 - probability, probability])


def _as_trees_read(X):
    """X as float32; the trees of scikit-learn read 32-bit indices of sparse matrices only."""
    X = X.astype(np.float32)
    if sparse.issparse(X) and X.indices.dtype != np.int32:
        if max(X.nnz, X.shape[1]) >= 2**31:
            raise ValueError("X has more entries or columns than 32-bit indices can count.")
        parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
        X = sparse.csr_array(parts, shape=X.shape)
    return X


def _levels(c, share):
    """Quantiles of the costs of one class, each standing for the same share of it."""
    if len(c) == 0:
        return np.zeros(COST_LEVELS)
    order = np.argsort(c)
    at = (np.cumsum(share[order]) - 0.5 * share[order]) / share.sum()
    return np.interp((np.arange(COST_LEVELS) + 0.5) / COST_LEVELS, at, c[order])


def _signs(tree, X):
    """Predictions of a tree without the checks of its `predict`; X must be float32."""
    return tree.classes_[tree.tree_.predict(X).argmax(axis=1)]


def best_step(exponent, a, weight):
    r"""The step that minimises :math:`\sum_i w_i\exp(e_i - s\,a_i)`, at most `LARGEST_STEP`.

    Examples
    --------
    >>> round(best_step(np.zeros(4), np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4)), 6)  # 1/2 log 3
    0.549306
    """
    right = a > 0
    if right.all():
        return LARGEST_STEP

    def slope(s):
        # of the logarithms of both parts of the derivative: no overflow, and the same sign
        up = logsumexp(exponent[right] - s * a[right], b=(weight * a)[right])
        return up - logsumexp(exponent[~right] - s * a[~right], b=-(weight * a)[~right])

    if slope(LARGEST_STEP) >= 0:
        return LARGEST_STEP
    return float(brentq(slope, 0.0, LARGEST_STEP, xtol=1e-12))
