"""Asymmetric boosting: small trees on the cost-sensitive exponential loss."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.intake import check_weights
from stakes._core.sklearn_private import Interval, fit_context
from stakes._core.stored.spec import FEATURES, Array, Listed, Part, labels
from stakes._core.stored.state import same_input
from stakes.svm._docs import documented

LARGEST_STEP = 4.0  # of a tree without mistakes, in units of one over the mean cost


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CostSensitiveBoost(CostSensitiveClassifier):
    r"""Boosted trees that minimise the cost-sensitive exponential loss.

    .. math:: \min_F\ \sum_i \exp(-c_i\,y_i F(x_i)), \qquad F = \sum_t a_t h_t, \quad
              h_t(x) \in \{-1, 1\}

    with :math:`c_i` the regret of example i. Each round fits a small tree to the examples
    weighted by :math:`c_i\exp(-c_i y_i F(x_i))`, and then finds the step :math:`a_t` exactly. The
    minimiser is Bayes consistent for class costs, and costs in another currency only scale F.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds; it stops earlier if no tree is better than chance.
    max_depth : int, default=1
        Depth of the trees; one is a stump.
    learning_rate : float, default=1.0
        Factor on every step.
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
    >>> CostSensitiveBoost(fn_cost=5.0).fit(X, y).predict([[1.2], [1.8]])
    array([0, 1])
    """

    _file_state = FEATURES | {
        "classes_": labels(2),
        "estimators_": Listed(Part(), "t"),
        **dict.fromkeys(("estimator_weights_", "edges_", "training_loss_"), Array("f8", ("t",))),
    }

    @staticmethod
    def _check_file_state(state, scope):
        for member in state.get("estimators_", ()):
            same_input(member, scope)

    n_estimators: int = 100
    max_depth: int = 1
    learning_rate: float = 1.0
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints = CostSensitiveClassifier._parameter_constraints | {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
    }
    _info = LearnerInfo(
        family="svm",
        speed="medium",
        gives_probability=False,
        grid={"n_estimators": [50, 200], "max_depth": [1, 3]},
    )

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit the trees.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
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
        X, y, share = X[rows].astype(np.float32), y[rows], share[rows]
        c = regret[rows] / np.average(regret[rows], weights=share)
        rng = check_random_state(self.random_state)
        exponent = np.zeros(len(y))  # -c_i y_i F(x_i)
        self.estimators_, steps, losses, edges = [], [], [], []
        for _ in range(self.n_estimators):
            weight = share * c * np.exp(exponent - logsumexp(exponent, b=share * c))
            tree = DecisionTreeClassifier(
                max_depth=self.max_depth, random_state=rng.randint(2**31 - 1)
            )
            h = _signs(tree.fit(X, y, sample_weight=weight), X)
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
        X : {array-like, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._validate_X(X).astype(np.float32)
        scores = np.zeros(len(X))
        for step, tree in zip(self.estimator_weights_, self.estimators_, strict=True):
            scores += step * _signs(tree, X)
        return scores


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
