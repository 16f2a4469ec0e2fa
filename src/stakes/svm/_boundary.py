"""BM-SVM: a plain SVM whose threshold is moved to where mistakes cost least."""

from numbers import Integral

import numpy as np
from sklearn.model_selection import StratifiedKFold

from stakes._sklearn import Interval, fit_context
from stakes.base import CostSensitiveClassifier, LearnerInfo
from stakes.svm._base import KERNEL_CONSTRAINTS, KernelSVC
from stakes.svm._dual import solve_dual
from stakes.svm._gram import Gram
from stakes.svm._penalties import Penalties


class BoundaryMovementSVC(KernelSVC):
    r"""Plain kernel SVM with the threshold that loses least on held-out scores.

    The SVM :math:`f` knows no costs; the decision is :math:`f(x) > \theta` with

    .. math:: \theta = \arg\min_\theta\ \sum_{y_i = 1,\ f_i \le \theta} c_i
              + \sum_{y_i = -1,\ f_i > \theta} c_i ,

    :math:`f_i` from a fit that has not seen example i, :math:`c_i` its regret.

    Parameters
    ----------
    C : float, default=1.0
        Penalty against the norm of w, :math:`C`.
    n_splits : int, default=5
        Folds for the held-out scores.
    kernel : {"rbf", "linear", "poly"}, default="rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Its width; "scale" is 1 / (d Var(X)).
    coef0 : float, default=0.0
        Constant of the polynomial kernel.
    degree : int, default=3
        Degree of the polynomial kernel.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        Costs where `fit` is not given any.
    n_components : int, default=None
        Instead of the kernel itself use so many Nystroem features, for very many rows; the
        threshold is then chosen on training scores.
    tol : float, default=1e-3
        Largest KKT residual that is left.
    max_iter : int, default=10_000_000
        Pairwise steps after which a `ConvergenceWarning` is given.
    cache_size : float, default=200
        Memory for kernel rows in MiB.
    random_state : int, RandomState instance or None, default=None
        For the choice of the Nystroem landmarks.

    Attributes
    ----------
    threshold_ : float
        :math:`\theta`; `decision_function` has it taken off already.
    support_, support_vectors_, n_support_, dual_coef_ : ndarray
        Indices, rows, numbers per class and multipliers of the support vectors.
    intercept_ : float
        :math:`b - \theta`.
    kkt_residual_, duality_gap_, objective_ : float
        Certificates: largest KKT violation, relative gap, primal value.
    classes_ : ndarray of shape (2,)
        The second one is positive.

    References
    ----------
    .. [1] G. Karakoulas, J. Shawe-Taylor. "Optimizing classifiers for imbalanced training sets".
           NIPS 1999.

    Examples
    --------
    >>> X, y = [[-2.0], [-1.0], [-0.5], [-0.7], [1.0], [2.0]], [0, 0, 0, 1, 1, 1]
    >>> model = BoundaryMovementSVC(kernel="linear", n_splits=3, fn_cost=9.0).fit(X, y)
    >>> model.predict([[-0.6]])
    array([1])
    """

    _parameter_constraints = (
        CostSensitiveClassifier._parameter_constraints
        | {name: rule for name, rule in KERNEL_CONSTRAINTS.items() if name != "normalize_costs"}
        | {"n_splits": [Interval(Integral, 2, None, closed="left")]}
    )
    _info = LearnerInfo(
        family="svm",
        needs_scaling=True,
        speed="slow",
        max_rows=15_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0]},
    )

    def __init__(
        self,
        C=1.0,
        *,
        n_splits=5,
        kernel="rbf",
        gamma="scale",
        coef0=0.0,
        degree=3,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        n_components=None,
        tol=1e-3,
        max_iter=10_000_000,
        cache_size=200,
        random_state=None,
    ):
        self.C = C
        self.n_splits = n_splits
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Fit without costs, then move the threshold by the costs.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, features on one scale.
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
        rows = self._at_stake(y, regret)
        if self.constant_:
            self.threshold_ = 0.0
            return self._fit_constant(X, y[rows[0]])
        plain = np.ones(len(rows))
        self._fit_penalties(X, y, rows, Penalties(plain, plain, 1.0, 1))
        scores = self._held_out_scores(X[rows], y[rows])
        self.threshold_ = best_threshold(scores, y[rows], regret[rows])
        self.intercept_ -= self.threshold_
        return self

    def _held_out_scores(self, X, y):
        n_splits = int(min(self.n_splits, np.sum(y > 0), np.sum(y < 0)))
        if n_splits < 2 or self.n_components is not None:
            return self._raw_scores(X) + self.intercept_
        scores = np.empty(len(y))
        for train, test in StratifiedKFold(n_splits).split(X, y):
            gram = Gram(X[train], self.kernel, self.gamma_, self.coef0, self.degree)
            ones = np.ones(len(train))
            found = solve_dual(gram, y[train], self.C * ones, ones, tol=self.tol)
            scores[test] = gram.score(X[test], found.beta) + found.intercept
        return scores


def best_threshold(scores, y, regret):
    """The threshold with the least total regret; of equal ones the nearest to zero.

    Examples
    --------
    >>> best_threshold(np.array([-1.0, -0.5, 1.0]), np.array([-1, 1, 1]), np.ones(3))
    -0.75
    """
    order = np.argsort(scores, kind="stable")
    s, gain = scores[order], np.where(y[order] > 0, regret[order], -regret[order])
    # total regret when the k lowest scores are called negative, up to a constant
    paid = np.concatenate([[0.0], np.cumsum(gain)])
    cut = np.concatenate([[s[0] - 1.0], (s[:-1] + s[1:]) / 2, [s[-1] + 1.0]])
    allowed = np.concatenate([[True], s[:-1] < s[1:], [True]])
    paid[~allowed] = np.inf
    slack = 1e-12 * np.abs(gain).sum()
    least = np.flatnonzero(paid <= paid.min() + slack)
    return float(cut[least[np.argmin(np.abs(cut[least]))]])
