"""The parameters and attributes that the kernel online learners share, written once."""

from stakes._core.docs import SEEN
from stakes._core.docs import documented as _documented

KERNEL = """\
    kernel : {"rbf", "linear", "poly"} or callable, default="rbf"
        :math:`e^{-\\gamma|x-z|^2}`, :math:`x^\\top z`, :math:`(\\gamma x^\\top z + c_0)^p`, or a
        function of two tables that returns their Gram matrix; `KernelQuadraticMeanClassifier` takes
        one of two rows.
    gamma : float or "auto", default="auto"
        :math:`\\gamma`; "auto" is one over the number of features (of the first example).
    degree : int, default=3
        :math:`p` of the polynomial.
    coef0 : float, default=1.0
        :math:`c_0` of the polynomial.
    budget : int or None, default=None
        Most support vectors to keep (memory grows with its square): the vector goes whose part
        another can take over with the least loss, :math:`\\alpha_r^2 (k_{rr} - k_{rj}^2/k_{jj})`.
        None: no limit.
    n_passes : int, default=1
        How often `fit` reads the data; an example met again counts as a new one.
    shuffle : bool, default=False
        Whether `fit` reads in a random order instead of the given one.
    random_state : int, RandomState or None, default=None
        Seed of the shuffling.
"""
MARGINS = """\
    objective : {"sum", "cost"}, default="cost"
        What to minimise: "cost", the total price of the mistakes; "sum", one minus the weighted
        sum of sensitivity and specificity, whatever the prices of the classes.
    class_ratio : float, "oracle" or None, default=None
        :math:`T_n / T_p` for "sum". None: (negatives + 1) / (positives + 1) so far; "oracle": that
        of all labels given to `fit`, as in the paper.
    positive_weight : float, default=0.5
        :math:`\\eta_p`, the weight of sensitivity in "sum"; :math:`\\eta_n = 1 - \\eta_p`.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        What the four outcomes cost, unless `fit` is given other prices.
    normalize_costs : bool, default=True
        Whether prices count relative to their running mean, so that the currency does not matter;
        False takes them as they are.
"""
FITTED = """\
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    support_, support_vectors_ : ndarray
        Where the support vectors stood in the stream, counted from zero, and the vectors as rows.
    dual_coef_ : ndarray of shape (1, n_vectors)
        Their coefficients :math:`\\alpha_i`, with the sign of the class.
    n_support_ : ndarray of shape (2,)
        Negatives and positives among the support vectors.
    intercept_ : ndarray of shape (1,)
        The constant term of f; zero except in `KernelPAUM`.
    n_seen_, n_updates_ : int
        Examples read, with or without a cost, and examples that changed f.
    n_mistakes_ : ndarray of shape (2,)
        Negatives and positives with :math:`y f(x) \\le 0` before they were learned.
    [seen]
"""

documented = _documented(
    {
        "kernel": KERNEL,
        "kernel, budget 500": KERNEL.replace(
            "or None, default=None\n        Most", "or None, default=500\n        Most"
        ),
        "margins": MARGINS,
        "margins, sum": MARGINS.replace('default="cost"', 'default="sum"'),
        "fitted": FITTED,
        "seen": SEEN,
    }
)
