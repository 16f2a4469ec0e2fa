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


def rule_log_p(counts):
    """Log p-value of the rule of every node, for the class that it favours most.

    `counts` (n_nodes, k) has the examples of each class, the root first, and is rounded. Each class
    is tested against the rest, and the smallest p-value is that of the node.
    """
    inside = np.round(counts)
    outside = np.maximum(inside[0] - inside, 0.0)
    others = inside.sum(axis=1, keepdims=True) - inside
    others_outside = np.maximum(others[0] - others, 0.0)
    log_p = np.zeros(len(counts))
    for c in range(counts.shape[1]):
        table = (inside[:, c], others[:, c], outside[:, c], others_outside[:, c])
        log_p = np.minimum(log_p, fisher_exact_p(*table, log=True))
    return log_p
