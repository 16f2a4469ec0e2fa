"""Paragraphs that many docstrings share: written once, filled in by a decorator."""

import inspect
import re
from textwrap import dedent, indent

SEEN = """\
n_features_in_, feature_names_in_
    As in scikit-learn.
"""
_PER_ROW = """\
fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
"""
COSTS = {
    # constructors
    "costs": """\
fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
    Costs of the four outcomes, used where a method is given none.
""",
    # fit and partial_fit
    "fit_costs": f"""\
{_PER_ROW}\
    Costs of the four outcomes; None: the constructor's. An example whose misclassification
    costs nothing is ignored.
""",
    # predict, score and what else a fitted model answers
    "predict_costs": f"""\
{_PER_ROW}\
    Costs of the four outcomes in this call; None: the constructor's.
""",
    "call_matrix": """\
cost_matrix : array-like of shape (k, m) or (n, k, m), default=None
    Costs of this call, for all rows or for each; None: the constructor's.
""",
    # functions of (y_true, y_pred)
    "metric_costs": f"""\
{_PER_ROW}\
    Costs of the four outcomes; None: 1 for a mistake, 0 for a correct decision. A negative
    cost is a benefit.
""",
    "sample_weight": """\
sample_weight : array-like of shape (n,), default=None
    Factors on the costs of the examples; None: all one.
""",
    "seen": SEEN,
}


def documented(parts=None):
    r"""Make a decorator that fills the lines ``[name]`` of docstrings.

    It works on a function and on a class, whose own methods it fills as well.

    Parameters
    ----------
    parts : dict of str -> str, default=None
        Text of each name, in addition to `COSTS`. It takes the indentation of the line that it
        replaces, and may contain further names.

    Returns
    -------
    callable

    Examples
    --------
    >>> @documented({"tol": "tol : float, default=1e-3\n"})
    ... class Learner:
    ...     '''Learn.
    ...
    ...     [tol]
    ...     '''
    >>> Learner.__doc__.split("\n")[2].strip()
    'tol : float, default=1e-3'
    """
    parts = {**COSTS, **(parts or {})}
    line = re.compile(rf"^( *)\[({'|'.join(parts)})\]$", re.MULTILINE)

    def text_of(found):
        return indent(filled(dedent(parts[found[2]])).rstrip("\n"), found[1])

    def filled(text):
        return line.sub(text_of, text)

    def fill(target):
        members = [*vars(target).values()] if inspect.isclass(target) else []
        # classmethod and available_if keep the function that help() shows inside
        inner = [getattr(m, "__func__", getattr(m, "fn", None)) for m in members]
        for one in (target, *members, *inner):
            # python -OO leaves no docstring
            if (one is target or inspect.isroutine(one)) and one.__doc__:
                one.__doc__ = filled(one.__doc__)
        return target

    return fill
