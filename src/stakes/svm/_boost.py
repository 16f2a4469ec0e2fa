"""Asymmetric boosting: small trees on the cost-sensitive exponential loss."""

from numbers import Integral, Real

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.sklearn_private import Interval, fit_context

LARGEST_STEP = 4.0  # of a tree without mistakes, in units of one over the mean cost


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
        Most rounds; it stops earlier when no tree is better than chance.
    max_depth : int, default=1
        Depth of the trees; one is a stump.
    learning_rate : float, default=1.0
        Factor on every step.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        Costs where `fit` is not given any.
    random_state : int, RandomState instance or None, default=None
        For ties between splits.

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
        The second one is positive.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The loss is Eq. 40, the risk Eq. 39 of [1]_. The tree is the steepest one among trees grown by
    Gini, not the one with the least loss after its step as in [2]_. A cost per example in place of
    one per class is an addition of ours.

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

    def __init__(
        self,
        n_estimators=100,
        *,
        max_depth=1,
        learning_rate=1.0,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Fit on examples with a price for each mistake.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Two classes.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; the constructor's numbers where not given.

        Returns
        -------
        self
        """
        X, y = self._validate_Xy(X, y)
        regret = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost).regret(y > 0)
        rows = at_stake(regret)
        X, y, c = X[rows].astype(np.float32), y[rows], regret[rows] / regret[rows].mean()
        rng = check_random_state(self.random_state)
        exponent = np.zeros(len(y))  # -c_i y_i F(x_i)
        self.estimators_, steps, losses, edges = [], [], [], []
        for _ in range(self.n_estimators):
            weight = c * np.exp(exponent - logsumexp(exponent, b=c))
            tree = DecisionTreeClassifier(
                max_depth=self.max_depth, random_state=rng.randint(2**31 - 1)
            )
            h = _signs(tree.fit(X, y, sample_weight=weight), X)
            edge = float(weight @ (y * h))
            if edge <= 1e-9:
                break
            step = self.learning_rate * best_step(exponent, c * y * h)
            exponent -= step * c * y * h
            self.estimators_.append(tree)
            steps.append(step)
            edges.append(edge)
            losses.append(float(np.exp(exponent).mean()))
            if (y == h).all():
                break
        self.estimator_weights_, self.edges_ = np.array(steps), np.array(edges)
        self.training_loss_ = np.array(losses)
        return self

    def decision_function(self, X):
        """Signed score F of each row; positive means the positive class.

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
    """What a tree says, without the checks of its `predict`; X is float32 as trees want it."""
    return tree.classes_[tree.tree_.predict(X).argmax(axis=1)]


def best_step(exponent, a):
    r"""The step that minimises :math:`\sum_i \exp(e_i - s\,a_i)`, at most `LARGEST_STEP`.

    Examples
    --------
    >>> round(best_step(np.zeros(4), np.array([1.0, 1.0, 1.0, -1.0])), 6)  # 1/2 log 3
    0.549306
    """
    right = a > 0
    if right.all():
        return LARGEST_STEP

    def slope(s):
        up = logsumexp(exponent[right] - s * a[right], b=a[right])
        return up - logsumexp(exponent[~right] - s * a[~right], b=-a[~right])

    if slope(LARGEST_STEP) >= 0:
        return LARGEST_STEP
    return float(brentq(slope, 0.0, LARGEST_STEP, xtol=1e-12))
