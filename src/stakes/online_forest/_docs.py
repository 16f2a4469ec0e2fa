"""Arguments that the learners of this folder share, written once."""

from stakes._core.docs import documented as _documented

documented = _documented(
    {
        "rows": """\
X : {array-like, sparse matrix, data frame} of shape (n, d)
    Examples.
""",
        "labeled": """\
[rows]
y : array-like of shape (n,)
    Labels.
""",
        "stream": """\
[labeled]
classes : array-like, default=None
    All labels; required in the first call unless y contains all of them.
[sample_weight]
[fit_costs]
    Two classes only.
""",
        "one": """\
x : array-like of shape (d,) or dict of str -> float
    The example; a float64 array is fastest. In a dict, missing features are zero; new names are
    ignored by other methods than `learn_one` until all `n_features` columns are taken.
""",
        "one_labeled": """\
[one]
y : label
    Its label.
classes : sequence of labels, default=None
    All labels; required in the first call unless they are 0 and 1.
sample_weight : float, default=None
    Factor on the costs; None: one.
fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
    Costs of the four outcomes, two classes only; None: the constructor's.
""",
        "one_costs": """\
[one]
fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
    Costs of the four outcomes; None for all: by the sign of the score.
""",
    }
)
