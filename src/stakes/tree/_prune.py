"""Which branches to cut: those without a significant rule, or those that C4.5 expects to err."""

import numpy as np
from scipy.special import betaincinv

from stakes.tree._fisher_jit import significant_below

CONFIDENCE = 0.25  # C4.5's default


def prune(nodes, how, p_value):
    """The tree after pruning.

    Parameters
    ----------
    nodes : Nodes
        The full tree.
    how : {"fisher", "fisher_leaves", "error"} or None
        Algorithms 3 to 5, which test branches; the same with leaves tested as well; C4.5's
        pessimistic errors; nothing.
    p_value : float
        A rule with a smaller p-value is significant.
    """
    if how is None:
        return nodes
    if how == "error":
        return nodes.cut(errs_less_as_leaf(nodes))
    kept = significant_below(nodes.left, nodes.log_p, np.log(p_value), how == "fisher_leaves")
    kept[0] = True  # Algorithm 3 begins below the root
    return nodes.cut(~kept)


def errs_less_as_leaf(nodes, confidence=CONFIDENCE):
    """C4.5: a node whose pessimistic errors are no more (by 0.1) than those of its subtree."""
    as_leaf = pessimistic_errors(nodes.weight.min(axis=1), nodes.weight.sum(axis=1), confidence)
    errors, cut = as_leaf.copy(), np.zeros(len(nodes), dtype=bool)
    for k in np.flatnonzero(~nodes.is_leaf)[::-1]:
        below = errors[nodes.left[k]] + errors[nodes.left[k] + 1]
        cut[k] = as_leaf[k] <= below + 0.1
        errors[k] = as_leaf[k] if cut[k] else below
    return cut


def pessimistic_errors(errors, n, confidence=CONFIDENCE):
    """Errors expected at the upper end of a one-sided confidence interval of the error rate.

    Examples
    --------
    >>> float(round(pessimistic_errors(0, 6), 3))  # Quinlan's example: 6 * 0.206
    1.238
    """
    errors, n = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    right = np.maximum(n - errors, np.finfo(float).tiny)
    return n * betaincinv(errors + 1.0, right, 1.0 - confidence)
