"""The parameters and attributes that the SVMs share, written once."""

from stakes._core.docs import SEEN
from stakes._core.docs import documented as _documented

KERNEL = """\
    kernel : {"rbf", "linear", "poly"}, default="rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Its width; "scale" is 1 / (d Var(X)).
    coef0 : float, default=0.0
        Constant of the polynomial kernel.
    degree : int, default=3
        Degree of the polynomial kernel.
"""
COSTS = """\
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        Costs where `fit` is not given any; at class level :math:`C_1` is the dearer regret.
"""
NORMALIZE = """\
    normalize_costs : bool, default=True
        Divide the regrets by the smallest one of the cheaper class, so that the currency does not
        matter; False uses them as they are, as in the paper.
"""
SOLVER = """\
    solver : {"smo", "libsvm"}, default="smo"
        "smo": our own dual solver, any margin per example. "libsvm": scikit-learn's SVC on the
        weighted SVM that this one is, where all examples of a class have the same margin.
    approximation : {"nystroem", "fourier"} or None, default=None
        Instead of the kernel itself use random features of it and a linear solver, for more rows
        than the kernel takes: landmarks ("nystroem") or, for "rbf", cosines ("fourier").
    n_components : int, default=300
        How many random features.
    tol : float, default=1e-3
        Largest KKT residual (with an approximation: relative duality gap) that is left.
    max_iter : int, default=10_000_000
        Pairwise steps after which a `ConvergenceWarning` is given.
    cache_size : float, default=200
        Memory for kernel rows in MiB.
    random_state : int, RandomState instance or None, default=None
        For the random features.
"""
FITTED = """\
    support_, support_vectors_, n_support_ : ndarray
        Indices, rows and numbers per class of the support vectors.
    dual_coef_ : ndarray of shape (1, n_vectors)
        :math:`y_i\\alpha_i`.
    intercept_ : ndarray of shape (1,)
        :math:`b`.
    objective_, duality_gap_, kkt_residual_ : float
        The minimum; certificates: at most which share of it lies above the best value, and the
        largest KKT violation.
    n_iter_ : int
        Steps made.
    gamma_ : float
        The kernel's width that was used.
    feature_map_, coef_ : transformer, ndarray of shape (1, n_components)
        With an approximation, in place of the support vectors and the KKT residual.
    [labels]
"""
LABELS = """\
    classes_ : ndarray of shape (2,)
        The second one is positive.
    constant_ : bool
        Whether mistakes cost something in one class only, which is then the answer for all.
    [seen]
"""
MARGIN = """\
    kappa_ : float or ndarray
        The margin of the cheaper class that was used.
    dear_class_ : int
        +1 or -1: the sign of the class with margin one.
"""
documented = _documented(
    {
        "kernel": KERNEL,
        "costs": COSTS,
        "normalize": NORMALIZE,
        "solver": SOLVER,
        "fitted": FITTED,
        "margin": MARGIN,
        "labels": LABELS,
        "seen": SEEN,
    }
)
