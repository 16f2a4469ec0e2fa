"""Parameters and attributes that trees, forests and rules share, written once."""

from stakes._core.docs import documented as _documented

CRITERION = """\
criterion : str, default="ccp_entropy"
    Splitting criterion: "ccp_entropy", "ccp_gini", "hellinger", "entropy", "gini", "gain_ratio",
    the entropy gain over the entropy of the branch sizes, as in C4.5 (at bin edges only), or
    "cost", the reduction in cost when each branch takes its cheaper decision, at the costs given to
    `fit`. With more than two classes the first three take the class that a split separates best
    from the rest, "cost" the `cost_matrix`, the others the impurity of all classes.
branch_weight : {"rate", "count"}, default="rate"
    Branch weights :math:`w_b` of the CCP criteria: mean of the class rates, or share of the node's
    examples.
max_depth : int, default=None
    Maximum depth.
"""
LEAVES = """\
smoothing_target : {"parent", "uniform", "rate"}, default="parent"
    Class distribution of the added examples: that of the parent node, itself smoothed, so that a
    few examples move a leaf only a little; uniform, which with `smoothing=1.0` is Laplace's
    correction and the thesis's; or that of the training set.
[categories]
monotonic_cst : array-like of -1, 0 or 1, or dict of name -> these, default=None
    Features with which the positive class may only become more (1) or less (-1) likely.
class_weight : "balanced", dict or None, default=None
    Factors on the weights of the classes, as in scikit-learn. They act in splits and
    probabilities, not in the sizes of leaves and the tests, which count examples.
max_bins : int, default=255
    Maximum number of bins of a number; one with no more distinct values is split exactly.
"""
CATEGORIES = """\
categorical_features : array-like of bool, int or str, default=None
    Categorical features: a mask, indices or names. Columns of text are categories in any case.
    The 254 most frequent categories are distinguished, rarer ones share a code.
"""
TRAINING = """\
X : {array-like, sparse matrix, data frame} of shape (n, d)
    Training examples; NaN is a missing value. A sparse matrix is made dense.
y : array-like of shape (n,)
    Labels.
"""
ROWS = """\
X : {array-like, sparse matrix, data frame} of shape (n, d)
    Examples; NaN is a missing value.
"""
MATRIX = """\
cost_matrix : array-like of shape (k, k), default=None
    Costs of k classes, row = true class, column = decision, as for
    :class:`~stakes.decision.BayesDecisionClassifier`; instead of the four costs.
"""
FITTED = """\
classes_ : ndarray of shape (k,)
    Class labels.
categories_ : list of ndarray or None
    Categories of each categorical feature, in the order of their codes.
has_missing_ : ndarray of bool of shape (d,)
    Features with missing values in the training set.
mean_regret_ : float
    Mean regret of the training examples, the unit of `nodes_.regret`.
[seen]
"""
THESIS = """\
.. [1] W. Liu, S. Chawla, D. Cieslak, N. Chawla. "A Robust Decision Tree Algorithm for
   Imbalanced Data Sets". SDM 2010. Chapter 3 of W. Liu's thesis.
"""
NAMES = """\
feature_names : sequence of str, default=None
    Names of the features; None: `feature_names_in_`, else x0, x1, ...
category_names : dict of int or str -> sequence of str, default=None
    Categories of features that were given as codes: name number c is that of code c.
"""
documented = _documented(
    {
        "names": NAMES,
        "criterion": CRITERION,
        "leaves": LEAVES,
        "categories": CATEGORIES,
        "training": TRAINING,
        "rows": ROWS,
        "cost_matrix": MATRIX,
        "fitted": FITTED,
        "thesis": THESIS,
    }
)
