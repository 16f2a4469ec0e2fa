"""Sigmoid from scores to probabilities, fitted to examples that the scores were not trained on."""

import numpy as np
from sklearn.linear_model import LogisticRegression

LARGEST = 50.0  # scores are clipped here


def fit_sigmoid(scores, positive, weight):
    r"""Slope and intercept of Platt's :math:`P(y = 1) = 1 / (1 + \exp(-a z - b))`, with a >= 0.

    `scores` is z, such as log-odds, and `weight` the number of examples that each one represents.

    Notes
    -----
    Platt's targets, :math:`(n_+ + 1)/(n_+ + 2)` and :math:`1/(n_- + 2)`, keep the slope finite
    where the classes are separable. A decreasing sigmoid is replaced by the share of positives.

    Examples
    --------
    >>> z, rank = np.repeat([-1.0, 1.0], 400), np.tile(np.arange(400), 2)
    >>> slope, _ = fit_sigmoid(z, rank < np.where(z < 0, 40, 360), np.ones(800))
    >>> round(slope, 1)  # 0.1 and 0.9 have the log-odds -2.2 and 2.2
    2.2
    """
    share = np.average(positive, weights=weight)
    target = np.where(positive, 1 - 1 / (2 + positive.sum()), 1 / (2 + (~positive).sum()))
    model = LogisticRegression(C=1e6, tol=1e-8)
    z = np.clip(scores, -LARGEST, LARGEST)[:, None]
    labels = np.repeat([True, False], len(z))
    weights = np.concatenate([weight * target, weight * (1 - target)]) / weight.mean()
    model.fit(np.vstack([z, z]), labels, sample_weight=weights)
    slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
    return (slope, intercept) if slope > 0 else (0.0, float(np.log(share / (1 - share))))
