"""Parameters that the classifier and the models of confidence share, written once."""

from stakes._core.docs import documented as _documented

ROWS = """\
X : {array-like, data frame} of shape (n, d)
    Examples.
"""
TRAINING = """\
X : {array-like, data frame} of shape (n, d)
    Training examples.
y : array-like of shape (n,)
    Labels.
"""
CATEGORIES = """\
categorical_features : array-like of bool, int or str, default=None
    Categorical features: a mask, indices or names. Columns of text are categories in any case.
"""
documented = _documented({"rows": ROWS, "training": TRAINING, "categories": CATEGORIES})
