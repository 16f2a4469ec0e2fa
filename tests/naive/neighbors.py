"""Class-confidence-weighted neighbours, Eqs. 4.5 to 4.8 row by row with all distances."""

import numpy as np
from scipy.spatial.distance import cdist

NAMES = {"l1": "cityblock", "l2": "euclidean", "linf": "chebyshev"}


def probability(X, positive, confidence, new, k, weights, metric, smoothing):
    """Share of the positive class in the votes; `confidence` is p(x_i | y_i)."""
    typical = confidence / np.exp(np.log(confidence).mean())
    box = np.array([X.min(axis=0), X.max(axis=0)])
    diameter = cdist(box[:1], box[1:], NAMES[metric])[0, 0]
    out = []
    for row in cdist(new, X, NAMES[metric]):
        near = np.argsort(row, kind="stable")[:k]
        if weights == "inverse" and row[near[0]] == 0:
            g = (row[near] == 0).astype(float)
        elif weights == "inverse":
            g = 1 / row[near]
        elif weights == "additive":
            g = np.maximum(1 - row[near] / diameter, 0)
        else:
            g = np.ones(k)
        votes = g * typical[near]
        plus = votes[positive[near]].sum() + smoothing * positive.mean()
        out.append(plus / (votes.sum() + smoothing))
    return np.array(out)
