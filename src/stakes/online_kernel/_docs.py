"""Parameters and attributes that the kernel online learners share, written once."""

from stakes._core.docs import documented as _documented

KERNEL = """\
kernel : {"rbf", "linear", "poly", "precomputed"} or callable, default="rbf"
    :math:`e^{-\\gamma|x-z|^2}`, :math:`x^\\top z`, :math:`(\\gamma x^\\top z + c_0)^p`, or a
    function of two tables that returns their Gram matrix. With "precomputed", X has one row per
    example and one column per example of the whole stream, in the same order.
gamma : float, "auto" or "scale", default="auto"
    :math:`\\gamma`; "auto" is one over the number of features. In a stream of dicts, whose names
    become more and more, it is one over the mean number of features per event, which is updated
    until 1,024 events were read.
    "scale" is one over the number of features times their variance, in the data of `fit` or of the
    first `partial_fit`.
degree : int, default=3
    :math:`p` of the polynomial kernel.
coef0 : float, default=0.0
    :math:`c_0` of the polynomial kernel.
max_support_vectors : int or None, default=None
    Maximum number of support vectors (memory grows with its square). Beyond it, a new vector is
    replaced by its projection on the nearest one, or, if that loses more than half of it, takes the
    place of a vector that has not been nearest to an example for long, or else of the one with the
    smallest weight. None: no limit.
half_life : float or None, default=None
    Number of examples after which the influence of an old one is halved, for streams that drift:
    f shrinks by :math:`2^{-1/h}` before each example. None: no forgetting.
n_passes : int, default=1
    Number of passes of `fit` over the data; an example read again counts as a new one, except in
    probabilities and warnings, which use the first pass only.
shuffle : bool, default=False
    Whether `fit` reads the examples in random order.
random_state : int, RandomState or None, default=None
    Seed of the shuffling.
n_jobs : int or None, default=None
    Number of threads that score many rows; -1: one per core. Learning is sequential.
"""
MARGINS = """\
cost_rule : {"regret", "balanced"}, default="regret"
    "regret" minimizes the total cost of the mistakes; "balanced" maximizes the weighted sum of
    sensitivity and specificity, whatever the classes cost.
class_ratio : float, "oracle" or None, default=None
    :math:`T_n / T_p` for "balanced". None: (negatives + 1) / (positives + 1) so far; "oracle": the
    ratio in all labels given to `fit`, as in the paper.
positive_weight : float, default=0.5
    :math:`\\eta_p`, the weight of sensitivity in "balanced"; :math:`\\eta_n = 1 - \\eta_p`.
[costs]
normalize_costs : bool, default=True
    Whether costs are divided by their running mean, so that the currency does not matter.
"""
ZERO = """\
zero_is_positive : bool, default=False
    Whether a score of exactly zero is the positive class, as in the experiments of the CSDUOL
    paper, so that it is a mistake for a negative only; False: a mistake for both.
"""
SCALE_C = """\
scale_C : bool, default=True
    Whether the largest weight of an example is :math:`C\\theta_t`, so that the cost of a mistake
    limits it as well and the decision is the one of least cost; False: C for all, as in the paper,
    see Notes.
"""
DOUBLE = """\
C : float, default=10.0
    Largest weight of a support vector.
rho : float, default=0.0
    :math:`\\rho`: how strongly two examples must conflict for a double update; one turns double
    updates off unless the two are the same point.
"""
FITTED = """\
classes_ : ndarray of shape (2,)
    The labels; the second is the positive class.
support_, support_vectors_ : ndarray
    Positions of the support vectors in the stream, counted from zero, and the vectors as rows
    (none with a precomputed kernel).
dual_coef_ : ndarray of shape (1, n_vectors)
    Their coefficients :math:`\\alpha_i`, with the sign of the class.
n_support_ : ndarray of shape (2,)
    Negatives and positives among the support vectors.
intercept_ : ndarray of shape (1,)
    Constant term of f; zero except in `KernelPAUMClassifier`.
n_seen_, n_updates_ : int
    Number of examples read, and number of examples that changed f.
n_mistakes_ : ndarray of shape (2,)
    Negatives and positives with :math:`y f(x) \\le 0` before they were learned.
[seen]
"""
DUAL = """\
[fitted]
dual_objective_ : float
    Value of the dual objective; losses from removed support vectors are not subtracted.
"""
# arguments of the methods
ROWS = """\
X : {array-like, sparse matrix, data frame} of shape (n, d)
    The examples.
"""
LABELED = """\
[rows]
y : array-like of shape (n,)
    Their labels, of two classes.
"""
STREAM = """\
[labeled]
classes : array-like of shape (2,), default=None
    Both labels; required in the first call unless y contains both.
"""
IMPORTANCE = """\
sample_weight : array-like of shape (n,), default=None
    How much each example counts, :math:`\\theta_t` times the mean weight so far. The Perceptron and
    ALMA multiply their step by :math:`\\theta_t`; the others require a margin of :math:`\\theta_t`
    instead of one (PA-I: :math:`\\sqrt{\\theta_t}`), with DUOL's largest weight
    :math:`C\\theta_t`. An example of weight zero is ignored. None: one for all.
"""
ONE = """\
x : array-like of shape (d,) or dict of str -> float
    The example. In a dict, missing features are zero; `learn_one` adds new ones, and other
    methods ignore them.
"""
ONE_LABELED = """\
[one]
y : label
    One of the two classes.
classes : sequence of two labels, default=None
    Both labels; required in the first call unless they are 0 and 1.
"""

documented = _documented(
    {
        "kernel": KERNEL,
        "kernel, at most 500 vectors": KERNEL.replace(
            "or None, default=None\n    Maximum", "or None, default=500\n    Maximum"
        ),
        "margins": MARGINS,
        "margins, balanced": MARGINS.replace('default="regret"', 'default="balanced"'),
        "double": DOUBLE,
        "zero": ZERO,
        "scale_C": SCALE_C,
        "fitted": FITTED,
        "dual": DUAL,
        "rows": ROWS,
        "labeled": LABELED,
        "stream": STREAM,
        "importance": IMPORTANCE,
        "one": ONE,
        "one_labeled": ONE_LABELED,
        "one_costs": """\
sample_weight : float, default=None
    Factor on the costs.
fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
    Costs of the four outcomes; None: the constructor's.
""",
    }
)
