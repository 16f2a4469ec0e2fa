"""Parameters and attributes that trees, forests and rules share, written once."""

from stakes._core.docs import documented as _documented

CRITERION = """\
criterion : str, default="ccp_entropy"
    Splitting criterion: "ccp_entropy", "ccp_gini", "hellinger", "entropy", "gini" or "cost", the
    reduction in cost when each branch takes its cheaper decision, at the costs given to `fit`.
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
max_bins : int, default=255
    Maximum number of bins of a number; one with no more distinct values is split exactly.
"""
CATEGORIES = """\
categorical_features : array-like of bool, int or str, default=None
    Categorical features, coded 0 to 254: a mask, indices or names.
"""
TRAINING = """\
X : {array-like, data frame} of shape (n, d)
    Training examples; NaN is a missing value.
y : array-like of shape (n,)
    Labels.
"""
ROWS = """\
X : {array-like, data frame} of shape (n, d)
    Examples; NaN is a missing value.
"""
THESIS = """\
.. [1] W. Liu, S. Chawla, D. Cieslak, N. Chawla. "A Robust Decision Tree Algorithm for
   Imbalanced Data Sets". SDM 2010. Chapter 3 of W. Liu's thesis.
"""
documented = _documented(
    {
        "criterion": CRITERION,
        "leaves": LEAVES,
        "categories": CATEGORIES,
        "training": TRAINING,
        "rows": ROWS,
        "thesis": THESIS,
    }
)
