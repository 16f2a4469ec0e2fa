"""CS-SVM: a smaller margin, and a smaller penalty, where a mistake is cheaper."""

from numbers import Real

import numpy as np
from sklearn.model_selection import StratifiedKFold

from stakes._sklearn import Interval, StrOptions, fit_context
from stakes.base import CostSensitiveClassifier, LearnerInfo
from stakes.svm._base import KERNEL_CONSTRAINTS, KernelSVC
from stakes.svm._dual import solve_dual
from stakes.svm._gram import Gram, resolve_gamma
from stakes.svm._penalties import cost_penalties

KAPPA_GRID = (1.0, 0.7, 0.5, 0.25, 0.1, 0.05)
MARGIN_CONSTRAINTS = {
    "kappa": [
        None,
        StrOptions({"search"}),
        Interval(Real, 0, 1, closed="right"),
    ],
    "slope": [StrOptions({"paper", "consistent"})],
    "conditions": [StrOptions({"check", "ignore"})],
}


class CostSensitiveSVC(KernelSVC):
    r"""Kernel SVM on the cost-sensitive hinge: an asymmetric margin and asymmetric penalties.

    With :math:`c_i` the regret of example i, and the dearer class called positive,

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + C\sum_{y_i = 1} c_i\,[1 - f_i]_+
              + C\sum_{y_i = -1} \tfrac{1}{\kappa_i}\,[\kappa_i + f_i]_+ ,
              \quad \kappa_i = \frac{1}{2c_i - 1} .

    Even on separable data, where penalties have no say, the dearer class keeps a margin
    :math:`1/\kappa` times that of the other.

    Parameters
    ----------
    C : float, default=1.0
        Penalty against the norm of w, :math:`C`.
    kappa : float, "search" or None, default=None
        Margin of the cheaper class. None: from the costs, example by example; a number: one for
        all; "search": the number out of `KAPPA_GRID` with the least cost in cross-validation.
    kernel : {"rbf", "linear", "poly"}, default="rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Its width; "scale" is 1 / (d Var(X)).
    coef0 : float, default=0.0
        Constant of the polynomial kernel.
    degree : int, default=3
        Degree of the polynomial kernel.
    slope : {"paper", "consistent"}, default="paper"
        Penalty of the cheaper class: :math:`1/\kappa_i` as printed, or :math:`c_i`, which makes
        the loss Bayes consistent (see Notes).
    conditions : {"check", "ignore"}, default="check"
        With one cost per class, whether Eq. 50, :math:`0 < \kappa \le 1 \le 1/\kappa \le C_1`,
        is asked for.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        Costs where `fit` is not given any; at class level :math:`C_1` is the dearer regret.
    normalize_costs : bool, default=True
        Divide the regrets by the smallest one of the cheaper class, since :math:`2c - 1` is not
        homogeneous; False uses them as they are, as in the paper.
    n_components : int, default=None
        Instead of the kernel itself use so many Nystroem features, for very many rows.
    tol : float, default=1e-3
        Largest KKT residual (with `n_components`: relative duality gap) that is left.
    max_iter : int, default=10_000_000
        Pairwise steps after which a `ConvergenceWarning` is given.
    cache_size : float, default=200
        Memory for kernel rows in MiB.
    random_state : int, RandomState instance or None, default=None
        For the choice of the Nystroem landmarks.

    Attributes
    ----------
    support_, support_vectors_, n_support_ : ndarray
        Indices, rows and numbers per class of the support vectors.
    dual_coef_ : ndarray of shape (n_support,)
        :math:`y_i\alpha_i`.
    intercept_ : float
        :math:`b`.
    kappa_ : float or ndarray
        The margin of the cheaper class that was used.
    dear_class_ : int
        +1 or -1: the sign of the class with margin one.
    kkt_residual_, duality_gap_, objective_ : float
        Certificates: largest KKT violation, relative gap, primal value.
    classes_ : ndarray of shape (2,)
        The second one is positive.

    Notes
    -----
    Minimising the loss of Eq. 46 over all scores gives the decision threshold
    :math:`\frac{1/\kappa}{C_1 + 1/\kappa}` and not :math:`\frac{C_{-1}}{C_1 + C_{-1}}` as Section 4
    says; the two agree only for :math:`\kappa = 1`, where the loss is that of BP-SVM.
    `slope="consistent"` keeps the margins and puts :math:`C_{-1}` in place of :math:`1/\kappa`.
    With one kappa for all, the fit is exactly a weighted SVM, see
    :func:`~stakes.svm.weighted_equivalent`.

    References
    ----------
    .. [1] H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-sensitive Support Vector
           Machines". arXiv:1212.0975.

    Examples
    --------
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> model = CostSensitiveSVC(C=100.0, kappa=0.25, kernel="linear", fn_cost=4.0).fit(X, y)
    >>> model.decision_function(X).round(3)
    array([-0.25,  1.  ])
    """

    _parameter_constraints = (
        CostSensitiveClassifier._parameter_constraints | KERNEL_CONSTRAINTS | MARGIN_CONSTRAINTS
    )
    _info = LearnerInfo(
        family="svm",
        needs_scaling=True,
        speed="slow",
        max_rows=30_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0], "slope": ["paper", "consistent"]},
    )

    def __init__(
        self,
        C=1.0,
        *,
        kappa=None,
        kernel="rbf",
        gamma="scale",
        coef0=0.0,
        degree=3,
        slope="paper",
        conditions="check",
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        normalize_costs=True,
        n_components=None,
        tol=1e-3,
        max_iter=10_000_000,
        cache_size=200,
        random_state=None,
    ):
        self.C = C
        self.kappa = kappa
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.slope = slope
        self.conditions = conditions
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.normalize_costs = normalize_costs
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Fit on examples with a price for each mistake.

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
            return self._fit_constant(X, y[rows[0]])
        penalties = choose_penalties(self, X[rows], y[rows], regret[rows], self._held_out_cost)
        return self._fit_penalties(X, y, rows, penalties)

    def _held_out_cost(self, X, y, regret, penalties, train, test):
        """What the sign decides on held-out rows, priced."""
        gram = Gram(X[train], self.kernel, resolve_gamma(self.gamma, X), self.coef0, self.degree)
        weight = self.C * penalties.weight[train]
        found = solve_dual(gram, y[train], weight, penalties.margin[train], tol=self.tol)
        scores = gram.score(X[test], found.beta) + found.intercept
        return regret[test][(scores > 0) != (y[test] > 0)].sum()


def choose_penalties(learner, X, y, regret, held_out_cost):
    """Penalties for the learner's kappa; with "search" the cheapest in cross-validation."""
    options = dict(
        slope=learner.slope, normalize=learner.normalize_costs, conditions=learner.conditions
    )
    if learner.kappa != "search":
        return cost_penalties(regret, y, kappa=learner.kappa, **options)
    cost_penalties(regret, y, kappa=1.0, **options)  # where this one is refused all are
    n_splits = int(min(3, np.sum(y > 0), np.sum(y < 0)))
    best = None
    for kappa in KAPPA_GRID:
        try:
            penalties = cost_penalties(regret, y, kappa=kappa, **options)
        except ValueError:
            continue  # Eq. 50 leaves this kappa out
        if n_splits < 2:
            return penalties
        folds = StratifiedKFold(n_splits).split(X, y)
        paid = sum(held_out_cost(X, y, regret, penalties, *fold) for fold in folds)
        if best is None or paid < best[0]:
            best = paid, penalties
    return best[1]
