"""Nearest neighbours and their competitors on the same folds of one data set, by AUC-PR."""

from functools import cache

import numpy as np
from sklearn.model_selection import StratifiedKFold

from stakes.neighbors import BayesNetConfidence, ConfidenceNeighborsClassifier
from stakes.reproduce._rows import fingerprint
from stakes.reproduce.ccw._data import Encoder
from stakes.sampling import SafeLevelSMOTE
from stakes.tree import ConfidenceTreeClassifier

MANY = 500  # above this number of columns, a column has at most one parent in the network
WEIGHTS = {"NW": "none", "MI": "inverse", "AI": "additive"}
METRICS = {"l1": "Manhattan", "l2": "Euclidean", "linf": "Chebyshev"}
TREES = {"CCPDT": "ccp_entropy", "HDDT": "hellinger"}


def interpolated_pr_area(positive, score):
    """Area under the precision-recall curve, interpolated as by Davis and Goadrich (2006).

    Between two thresholds the numbers of true and false positives grow linearly. This is the area
    that the thesis prints: with one neighbour, whose scores have many ties, it is larger than
    average precision.

    Examples
    --------
    >>> round(interpolated_pr_area(np.array([True, False]), np.array([0.5, 0.5])), 3)
    0.5
    """
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))  # of each tied group
    true = np.append(0.0, np.cumsum(positive[order])[last])
    false = np.append(0.0, np.cumsum(~positive[order])[last])
    area = 0.0
    for a, b, f, g in zip(true[:-1], true[1:], false[:-1], false[1:], strict=True):
        if b > a:
            # precision x / (c x + e) at x true positives, false ones growing with slope c - 1
            c = 1.0 + (g - f) / (b - a)
            e = f - (c - 1.0) * a
            ends = c * b + e, c * a + e
            logs = 0.0 if abs(e) < 1e-12 else e / c**2 * (np.log(ends[0]) - np.log(ends[1]))
            area += (b - a) / c - logs
    return float(area / positive.sum())


def run_set(X, categorical, y, repeats):
    """AUC-PR of each learner in each fold: {(learner, k, metric): list of float}."""
    found = {}
    for repeat in range(repeats):
        for train, test in StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y):
            for key, score in _one_fold(X, categorical, y, train, test):
                found.setdefault(key, []).append(interpolated_pr_area(y[test], score))
    return found


@cache
def today():
    """Fingerprint of today's learners: their results on a small table, with gaps and a category."""
    X = np.sin(np.outer(np.arange(1.0, 201.0), np.sqrt([2.0, 3.0, 5.0, 7.0])))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[::-1, 3] > 0.8
    X[:, 3] = np.round(2.0 * X[:, 3]) + 2.0
    X[::7, 0] = np.nan
    found = run_set(X, np.array([False, False, False, True]), y, 1)
    return fingerprint([[*key, values] for key, values in found.items()])


def _one_fold(X, categorical, y, train, test):
    encoder = Encoder(X[train], categorical)
    codes = encoder.codes(X[train]), encoder.codes(X[test])
    network = BayesNetConfidence(
        max_parents=1 if X.shape[1] > MANY else 2, categorical_features=categorical, joint=True
    )
    typical = Given(network.log_confidence(codes[0], y[train].astype(int)))
    for metric in METRICS:
        A, B = (encoder.columns(X[rows], metric) for rows in (train, test))
        nearest = None  # of all learners with this metric: they store the same rows
        for k in (11, 1):
            for name, weights in WEIGHTS.items():
                if metric != "l2" and name != "MI":
                    continue
                for word, confidence in (("", None), ("CCW_", typical)):
                    model = ConfidenceNeighborsClassifier(
                        n_neighbors=k,
                        weights=weights,
                        confidence_model=confidence,
                        metric=metric,
                        scale="none",
                        calibration=None,
                    ).fit(A, y[train])
                    if nearest is None:
                        nearest = model.kneighbors(B)
                    found = tuple(part[:, :k] for part in nearest)
                    yield (word + name, k, metric), model.predict_proba(B, neighbors=found)[:, 1]
    A, B = (encoder.columns(X[rows], "l2") for rows in (train, test))
    smote = SafeLevelSMOTE(k_neighbors=min(5, int(y[train].sum()) - 1), random_state=0)
    more, labels = smote.fit_resample(A, y[train])
    model = ConfidenceNeighborsClassifier(
        n_neighbors=11, confidence_model=None, scale="none", calibration=None
    ).fit(more, labels)
    yield ("SMOTE", 11, "l2"), model.predict_proba(B)[:, 1]
    for name, criterion in TREES.items():
        tree = ConfidenceTreeClassifier(
            criterion=criterion, pruning="fisher", p_value=0.01, categorical_features=categorical
        )
        yield (name, 11, "l2"), tree.fit(codes[0], y[train]).predict_proba(codes[1])[:, 1]


class Given:
    """Confidences computed beforehand, in the order of the training rows."""

    def __init__(self, log_p):
        self.log_p = log_p

    def log_confidence(self, X, index):
        """The stored logarithms."""
        return self.log_p
