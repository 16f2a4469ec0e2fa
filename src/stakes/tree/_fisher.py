"""Fisher's exact test for positive association, also for p-values that underflow."""

import numpy as np

from stakes.tree._fisher_jit import log_fisher_all


def fisher_exact_p(a, b, c, d, *, log=False):
    r"""One-sided p-value of Fisher's exact test for positive association.

    The probability, under independence and with the given margins, of a table with at least `a` in
    its first cell:

    .. math:: p = \sum_{i=0}^{\min(b, c)}
              \frac{(a+b)!\,(c+d)!\,(a+c)!\,(b+d)!}{n!\,(a+i)!\,(b-i)!\,(c-i)!\,(d+i)!} .

    Parameters
    ----------
    a, b, c, d : int or array-like of int
        Counts of the table with rows (a, b) and (c, d): examples that meet the rule or not, in the
        class or not.
    log : bool, default=False
        Whether to return the logarithm, which does not underflow.

    Returns
    -------
    float or ndarray

    Notes
    -----
    Eq. 3.18. The first term comes from Loader's saddle-point expansion, which keeps its relative
    precision for large counts, where differences of log-factorials lose it; the other terms follow
    by ratios.

    Examples
    --------
    >>> float(round(fisher_exact_p(8, 2, 1, 5), 6))
    0.024476
    >>> float(round(fisher_exact_p(2000, 0, 0, 2000, log=True), 3))
    -2768.216
    """
    table = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (a, b, c, d)))
    for name, x in zip("abcd", table, strict=True):
        if np.any(~(x >= 0) | (x != np.floor(x))):
            raise ValueError(f"{name} must be a count: an integer, zero or more.")
    out = np.empty(table[0].shape)
    flat = out.reshape(-1)
    log_fisher_all(*(np.ascontiguousarray(x).reshape(-1) for x in table), flat)
    result = out if log else np.exp(out)
    return result[()]


def rule_log_p(weight):
    """Log p-value of the rule of every node, for the class that it favours.

    `weight` (n_nodes, 2) has the weight of each class, the root first, and is rounded to counts.
    """
    count = np.round(weight)
    inside, outside = count, np.maximum(count[0] - count, 0.0)
    root = np.maximum(count[0], 1.0)
    positive = inside[:, 1] * root[0] >= inside[:, 0] * root[1]
    a, b = (np.where(positive, inside[:, k], inside[:, 1 - k]) for k in (1, 0))
    c, d = (np.where(positive, outside[:, k], outside[:, 1 - k]) for k in (1, 0))
    return fisher_exact_p(a, b, c, d, log=True)
