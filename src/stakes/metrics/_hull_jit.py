"""Compiled loop of _roc.py: the upper convex hull of a ROC curve."""

import numpy as np
from numba import njit


@njit(cache=True)
def roc_hull(fpr, tpr):
    """Indices of the points of a ROC curve, sorted by fpr, then tpr, on its upper hull."""
    kept = np.empty(len(fpr), np.int64)
    m = 0
    for i in range(len(fpr)):
        while m > 1:
            # Andrew's monotone chain: drop b unless it lies strictly above the line a - i
            a, b = kept[m - 2], kept[m - 1]
            rise = (fpr[b] - fpr[a]) * (tpr[i] - tpr[a])
            if rise < (tpr[b] - tpr[a]) * (fpr[i] - fpr[a]):
                break
            m -= 1
        kept[m] = i
        m += 1
    return kept[:m].copy()
