"""Parameters and attributes that the SVMs share, written once."""

from stakes._core.docs import documented as _documented

KERNEL = """\
C : float, default=1.0
    Penalty on margin violations, relative to the norm of w.
class_weight : dict, "balanced" or None, default=None
    Factors on the penalties of the classes, as in SVC.
kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
    The kernel; "precomputed": X is the kernel matrix; a function takes two tables and returns the
    kernel matrix. Kernels that are not positive semi-definite have no bound on the objective.
gamma : {"scale", "auto"} or float, default="scale"
    Kernel coefficient; "scale" is 1 / (d Var(X)), "auto" is 1 / d.
coef0 : float, default=0.0
    Constant of the polynomial and the sigmoid kernel.
degree : int, default=3
    Degree of the polynomial kernel.
"""
COST_MARGIN = """\
kappa : float, "search", "paper" or None, default=None
    Margin of the cheaper class. None: the square root of its mean regret over that of the other
    class; a number: as given; "search": the number out of `KAPPA_GRID` with the lowest cost in
    cross-validation; "paper": :math:`1/(2c_i - 1)`, at most one, example by example.
slope : {"paper", "consistent"}, default="consistent"
    Penalty of the cheaper class: :math:`c_i`, which makes the loss Bayes consistent, or
    :math:`c_i/\\kappa` as printed; see the Notes of :class:`~stakes.svm.CostSensitiveSVC`.
conditions : {"check", "ignore"}, default="ignore"
    With one cost per class, whether Eq. 50, :math:`0 < \\kappa \\le 1 \\le 1/\\kappa \\le C_1`, is
    required; :math:`C_1` is the larger of the two regrets.
"""
NORMALIZE = """\
normalize_costs : bool, default=True
    Whether to divide the regrets by the mean of the cheaper class, so that the currency does not
    matter; False uses them as they are, as in the paper.
cost_rule : {"auto", "class", "example"}, default="auto"
    What sets the penalty of an example: its own costs ("example"), or the mean of its class
    ("class"), which leaves the scores free of costs that depend on the features. "auto": "class"
    with a calibration, since the decision then weighs the costs of each row; else "example".
"""
PARALLEL = """\
n_jobs : int or None, default=None
    Number of processes for the folds; -1: one per core. The result does not depend on it.
verbose : bool, default=False
    Whether to print the progress of a long fit, at most once a second.
"""
PROBABILITY = """\
calibration : {"sigmoid"} or None, default="sigmoid"
    "sigmoid": `predict_proba`, and `predict` with costs, by a sigmoid whose slope may change,
    fitted to held-out scores. None: no further fits, no probabilities.
cv : int or splitter, default=3
    Folds of the held-out scores, each row in exactly one of them; a number of stratified folds of
    random rows, at most as many as the smaller class has examples.
[parallel]
"""
SOLVER = """\
solver : {"smo", "libsvm"}, default="smo"
    "smo": own dual solver, for any margin per example. "libsvm": scikit-learn's SVC on the
    equivalent weighted SVM, if all examples of a class have the same margin.
approximation : {"auto", "nystroem", "fourier"} or None, default="auto"
    Random features and a linear solver instead of the kernel, for more rows than the kernel can
    handle: landmarks ("nystroem") or, for "rbf", cosines ("fourier"). "auto": landmarks above
    50,000 rows; `approximation_loss_` states the price.
n_components : int, default=300
    Number of random features.
tol : float, default=1e-3
    Largest remaining KKT residual (with an approximation: relative duality gap).
max_iter : int, default=10_000_000
    Maximum number of pairwise steps; a fit that needs more warns `ConvergenceWarning`.
cache_size : float, default=200
    Memory of a fit in MiB, most of it for kernel rows.
warm_start : bool, default=False
    Whether to start from the solution of the fit before, such as along a path of C or kappa.
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
    optimum, and the largest KKT violation, both with all rounding. The gap is NaN for a kernel
    that is not known to be positive semi-definite.
n_iter_ : int
    Number of steps.
gamma_ : float
    Kernel coefficient that was used.
feature_map_, coef_ : transformer, ndarray of shape (1, n_components)
    With an approximation, instead of the support vectors and the KKT residual.
approximation_loss_ : float
    With landmarks: upper bound on how far the objective is above its optimum with the whole
    kernel, relative to it; estimated if there are more than 2,000 support vectors.
[labels]
"""
LABELS = """\
classes_ : ndarray of shape (2,)
    The labels; the second is the positive class.
constant_ : bool
    Whether mistakes cost something in one class only, so that every decision is for it.
calibration_ : ndarray of shape (2, k + 1)
    From scores, which count less beyond the margin, to log-odds: the log-odds at zero and k knots,
    then the slopes below, between and above the knots. Knots at -1, -0.5, 0, 0.5 and 1, unless a
    link with its knot in the middle between the margins, and the odds of the costs there, has
    decisions that cost less on held-out rows by more than one standard error.
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
        "probability": PROBABILITY,
        "parallel": PARALLEL,
        "solver": SOLVER,
        "fitted": FITTED,
        "margin": MARGIN,
        "labels": LABELS,
    }
)
