"""BP-SVM: a penalty per class or per example."""

import numpy as np

from stakes._sklearn import fit_context
from stakes.base import CostSensitiveClassifier, LearnerInfo
from stakes.svm._base import KERNEL_CONSTRAINTS, KernelSVC
from stakes.svm._penalties import biased_penalties


class BiasedPenaltySVC(KernelSVC):
    r"""Kernel SVM in which a margin violation costs what the mistake would cost.

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + C\sum_i c_i\,[1 - y_i(w^\top\varphi(x_i) + b)]_+

    with :math:`c_i` the regret of example i: one per class is BP-SVM (Eq. 1), one per example is
    ED-BP-SVM (Eq. 65).

    Parameters
    ----------
    C : float, default=1.0
        Penalty against the norm of w, :math:`C`.
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
    normalize_costs : bool, default=True
        Divide the regrets by the smallest one of the cheaper class, so that the currency does not
        matter; False uses them as they are.
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
    kkt_residual_, duality_gap_, objective_ : float
        Certificates: largest KKT violation, relative gap, primal value.
    classes_ : ndarray of shape (2,)
        The second one is positive.

    References
    ----------
    .. [1] H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-sensitive Support Vector
           Machines". arXiv:1212.0975.
    .. [2] C. Scott. "Surrogate losses and regret bounds for cost-sensitive classification with
           example-dependent costs". ICML 2011.

    Examples
    --------
    >>> X, y = [[-2.0], [-1.0], [0.2], [0.0], [1.0]], [0, 0, 0, 1, 1]
    >>> BiasedPenaltySVC(kernel="linear", fn_cost=5.0).fit(X, y).predict([[0.1]])
    array([1])
    """

    _parameter_constraints = CostSensitiveClassifier._parameter_constraints | KERNEL_CONSTRAINTS
    _info = LearnerInfo(
        family="svm",
        needs_scaling=True,
        speed="slow",
        max_rows=30_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0]},
    )

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        gamma="scale",
        coef0=0.0,
        degree=3,
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
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
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
        penalties = biased_penalties(
            np.asarray(regret)[rows], y[rows], normalize=self.normalize_costs
        )
        return self._fit_penalties(X, y, rows, penalties)
