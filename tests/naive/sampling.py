"""Safe-level SMOTE as its five cases say, one example at a time, distances by hand."""

import numpy as np


def neighbours(X, i, k, among=None):
    """The k nearest other rows of row i, by sorting all distances."""
    rows = [j for j in (range(len(X)) if among is None else among) if j != i]
    return sorted(rows, key=lambda j: (np.sum((X[i] - X[j]) ** 2), j))[:k]


def safe_level(X, own, i, k):
    return sum(bool(own[j]) for j in neighbours(X, i, k))


def gap_range(level_p, level_n):
    """Between which shares of the way a synthetic point may lie; None: there is none."""
    ratio = level_p / level_n if level_n else np.inf
    if ratio == np.inf and level_p == 0:
        return None
    if ratio == np.inf:
        return 0.0, 0.0
    if ratio == 1:
        return 0.0, 1.0
    if ratio > 1:
        return 0.0, 1.0 / ratio
    return 1.0 - ratio, 1.0


def explanations(x, X, own, k, partners="class", tolerance=1e-9):
    """All pairs (p, n) that may have made the point x."""
    members = [int(i) for i in np.flatnonzero(own)]
    found = []
    for p in members:
        for n in neighbours(X, p, k, among=members if partners == "class" else None):
            allowed = gap_range(safe_level(X, own, p, k), safe_level(X, own, n, k))
            way = X[n] - X[p]
            if allowed is None or way @ way == 0:
                continue
            gap = (x - X[p]) @ way / (way @ way)
            on_the_line = np.allclose(X[p] + gap * way, x, atol=tolerance)
            if on_the_line and allowed[0] - tolerance <= gap <= allowed[1] + tolerance:
                found.append((p, n))
    return found
