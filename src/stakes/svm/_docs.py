"""Parameters and attributes that the SVMs share, written once."""

from stakes._core.docs import documented as _documented

KERNEL = """\
C : float, default=1.0
    Penalty on margin violations, relative to the norm of w.
kernel : {"rbf", "linear", "poly"}, default="rbf"
    The kernel.
gamma : {"scale", "auto"} or float, default="scale"
    Kernel coefficient; "scale" is 1 / (d Var(X)), "auto" is 1 / d.
coef0 : float, default=0.0
    Constant of the polynomial kernel.
degree : int, default=3
    Degree of the polynomial kernel.
"""
COST_MARGIN = """\
kappa : float, "search" or None, default=None
    Margin of the cheaper class. None: :math:`1/(2c_i - 1)` from the costs, example by example; a
    number: the same margin for all; "search": the number out of `KAPPA_GRID` with the lowest cost
    in cross-validation.
slope : {"paper", "consistent"}, default="paper"
    Penalty of the cheaper class: :math:`1/\\kappa_i` as printed, or :math:`c_i`, which makes the
    loss Bayes consistent; see the Notes of :class:`~stakes.svm.CostSensitiveSVC`.
conditions : {"check", "ignore"}, default="check"
    With one cost per class, whether Eq. 50, :math:`0 < \\kappa \\le 1 \\le 1/\\kappa \\le C_1`, is
    required; :math:`C_1` is the larger of the two regrets.
"""
NORMALIZE = """\
normalize_costs : bool, default=True
    Whether to divide the regrets by the smallest one of the cheaper class, so that the currency
    does not matter; False uses them as they are, as in the paper.
"""
SOLVER = """\
solver : {"smo", "libsvm"}, default="smo"
    "smo": own dual solver, for any margin per example. "libsvm": scikit-learn's SVC on the
    equivalent weighted SVM, if all examples of a class have the same margin.
approximation : {"nystroem", "fourier"} or None, default=None
    Random features and a linear solver instead of the kernel, for more rows than the kernel can
    handle: landmarks ("nystroem") or, for "rbf", cosines ("fourier").
n_components : int, default=300
    Number of random features.
tol : float, default=1e-3
    Largest remaining KKT residual (with an approximation: relative duality gap).
max_iter : int, default=10_000_000
    Maximum number of pairwise steps; a fit that needs more warns `ConvergenceWarning`.
cache_size : float, default=200
    Memory for kernel rows in MiB.
random_state : int, RandomState instance or None, default=None
    Seed of the random features.
"""
FITTED = """\
support_, support_vectors_, n_support_ : ndarray
    Indices, rows and numbers per class of the support vectors.
dual_coef_ : ndarray of shape (1, n_vectors)
    :math:`y_i\\alpha_i`.
intercept_ : ndarray of shape (1,)
    :math:`b`.
objective_, duality_gap_, kkt_residual_ : float
    Value of the objective; certificates: an upper bound on its relative distance from the
    optimum, and the largest KKT violation.
n_iter_ : int
    Number of steps.
gamma_ : float
    Kernel coefficient that was used.
feature_map_, coef_ : transformer, ndarray of shape (1, n_components)
    With an approximation, instead of the support vectors and the KKT residual.
[labels]
"""
LABELS = """\
classes_ : ndarray of shape (2,)
    The labels; the second is the positive class.
constant_ : bool
    Whether mistakes cost something in one class only, so that every decision is for it.
[seen]
"""
MARGIN = """\
kappa_ : float or ndarray
    Margin of the cheaper class that was used.
expensive_class_ : int
    +1 or -1: sign of the class whose mistakes cost more, which has margin one.
"""
documented = _documented(
    {
        "kernel": KERNEL,
        "cost_margin": COST_MARGIN,
        "normalize": NORMALIZE,
        "solver": SOLVER,
        "fitted": FITTED,
        "margin": MARGIN,
        "labels": LABELS,
    }
)
