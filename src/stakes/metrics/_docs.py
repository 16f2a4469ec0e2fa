"""Parameters that the metrics share, written once."""

from stakes._core.docs import documented as _documented

documented = _documented(
    {
        "decisions": """\
y_true, y_pred : array-like of shape (n,)
    Labels and decisions.
""",
        "scores": """\
y_true : array-like of shape (n,)
    Labels.
y_score : array-like of shape (n,) or (n, 2)
    Scores, larger for the positive class.
""",
        "money": """\
[metric_costs]
cost_matrix : array-like of shape (2, 2), default=None
    The four costs as a matrix, row: true class, column: decision; a data frame is read by labels.
[pos_label]
    A `cost_matrix` is in the order of the sorted labels, so the larger one is positive there.
[weights]
""",
        "money_of_classes": """\
[metric_costs]
cost_matrix : array-like of shape (k, m) or (n, k, m), default=None
    Costs of two or more classes, row: true class, column: decision; instead of the four costs.
    One table for all examples or one for each. The rows and columns of a data frame are matched
    by their labels.
labels : array-like of shape (k,), default=None
    Classes in the order of `cost_matrix`; None: the sorted labels of the data.
actions : array-like of shape (m,), default=None
    Decisions in the order of the columns of `cost_matrix`; None: the decisions are the classes.
[pos_label]
    A `cost_matrix` is in the order of its classes, so the last one is positive there.
""",
        "pos_label": """\
pos_label : label, default=None
    Positive class; None: the larger label.
""",
        "weights": """\
sample_weight : array-like of shape (n,), default=None
    Weights of the examples: one of weight two counts as two. None: all one.
""",
        "normalize": """\
normalize : bool, default=True
    True: the mean; False: the total.
""",
        "axes": """\
ax : matplotlib Axes, default=None
    Axes to draw on; None: new ones.
""",
        "name": """\
name : str, default=None
    Name in the legend.
""",
        "line_options": """\
**line_options
    Passed to matplotlib's `plot`.
""",
        "drawn": """\
line_ : matplotlib Line2D
ax_ : matplotlib Axes
figure_ : matplotlib Figure
""",
    }
)
