"""Rows that a game on a stream remembers, so that no class is forgotten."""

import numpy as np
from scipy import sparse

_ENOUGH = 30  # rows of each class below which older batches are kept


def remember(memory, window, X, y, stakes):
    """Memory after a batch: of each class the rows (X, stakes) of some batches, and totals.

    Returns
    -------
    dict
        "negative" and "positive": newest batches with that class, newest last; "totals": the
        stakes (negative, positive) of the last batches with both classes.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    >>> memory = remember(None, 3, X, y, np.array([1.0, 5.0]))
    >>> memory = remember(memory, 3, X[:1], y[:1], np.ones(1))
    >>> len(memory["negative"]), len(memory["positive"]), memory["totals"]
    (2, 1, [[1.0, 5.0]])
    """
    memory = memory or {"negative": [], "positive": [], "totals": []}
    sides = {"negative": y < 0, "positive": y > 0}
    batches = {"negative": window, "positive": 1}
    after = {}
    for side, rows in sides.items():
        # selecting rows copies them: the caller may reuse its array for the next batch
        new = [(X[rows], stakes[rows])] if rows.any() else []
        after[side] = _newest([*memory[side], *new], batches[side])
    totals = [float(stakes[rows].sum()) for rows in sides.values()]
    both = [totals] if min(totals) > 0 else []
    after["totals"] = [*memory["totals"], *both][-window:]
    return after


def recalled(memory):
    """Remembered rows, their signs, and their stakes in the proportion of the known totals."""
    parts, signs, stakes = [], [], []
    known = np.sum(memory["totals"], axis=0) if memory["totals"] else None
    for k, (side, sign) in enumerate((("negative", -1.0), ("positive", 1.0))):
        if memory[side]:
            rows, regrets = zip(*memory[side], strict=True)
            regret = np.concatenate(regrets)
            parts += rows
            signs.append(np.full(len(regret), sign))
            stakes.append(regret if known is None else regret * (known[k] / regret.sum()))
    thin = any(map(sparse.issparse, parts))
    X = sparse.vstack(parts, format="csr") if thin else np.vstack(parts)
    return X, np.concatenate(signs), np.concatenate(stakes)


def _newest(batches, window):
    """The last `window` batches, or more until they have enough rows."""
    rows = np.cumsum([len(stakes) for _, stakes in reversed(batches)])
    return batches[-max(window, int(np.searchsorted(rows, _ENOUGH)) + 1) :]
