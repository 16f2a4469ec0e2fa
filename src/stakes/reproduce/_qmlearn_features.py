"""Section 5.6.4: whether features with the largest quadratic-mean weights are the better ones."""

import numpy as np
from scipy import sparse
from sklearn.metrics import average_precision_score
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from stakes.reproduce._qmlearn_data import load_classes
from stakes.reproduce._qmlearn_learners import (
    THESIS_LAMBDA,
    classifier,
    optional,
    standard_scaler,
    unit_scaler,
)
from stakes.reproduce._result import Cell, Table

COUNTS = (5, 10, 20, 50, 100)


def relief(X, y, n_samples=200, seed=0):
    """Relief (Kira and Rendell 1992): how much farther the nearest miss is than the nearest hit.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features in [0, 1].
    y : ndarray of shape (n,)
        Labels.
    n_samples : int, default=200
        Examples that are asked.
    seed : int, default=0
        Which ones.

    Returns
    -------
    ndarray of shape (d,)
        The larger, the more relevant.
    """
    rows = np.random.default_rng(seed).permutation(len(y))[:n_samples]
    distance = manhattan_distances(X[rows], X)
    distance[np.arange(len(rows)), rows] = np.inf
    same = y[rows][:, None] == y[None, :]
    hit = np.where(same, distance, np.inf).argmin(axis=1)
    miss = np.where(same, np.inf, distance).argmin(axis=1)
    return (np.abs(X[rows] - X[miss]) - np.abs(X[rows] - X[hit])).mean(axis=0)


def rankings(X, y):
    """Features in order of worth by each method, on training data."""
    unit, standard = unit_scaler(X).fit_transform(X), standard_scaler(X).fit_transform(X)
    dense = unit.toarray() if sparse.issparse(unit) else unit
    weights = {
        "LogR": classifier("logistic", "arithmetic", y, THESIS_LAMBDA, True).fit(unit, y),
        "LogRQ": classifier("logistic", "quadratic", y, THESIS_LAMBDA, True).fit(unit, y),
        "LogR, alpha 1e-3": classifier("logistic", "arithmetic", y, 1e-3, False).fit(standard, y),
        "LogRQ, alpha 1e-3": classifier("logistic", "quadratic", y, 1e-3, False).fit(standard, y),
    }
    orders = {name: np.argsort(-np.abs(model.coef_[0])) for name, model in weights.items()}
    orders["Relief"] = np.argsort(-relief(dense, y))
    return orders


def judge():
    """The tree that judges the features, and its name: ours if built, else scikit-learn's."""
    ours = optional("stakes.tree", "ConfidenceTreeClassifier")
    if ours is not None:
        laplace = dict(min_samples_leaf=2, smoothing=1.0, prior="uniform")
        return lambda: ours(criterion="ccp_entropy", **laplace), "a class-confidence tree"
    plain = dict(criterion="entropy", class_weight="balanced", min_samples_leaf=5, random_state=0)
    return lambda: DecisionTreeClassifier(**plain), "a balanced entropy tree of scikit-learn"


def figure_5_8(name, repeats, data):
    """AUC-PR of a tree on the features that each ranking puts first."""
    X, y = load_classes(name, data)
    counts = [c for c in COUNTS if c <= X.shape[1] // 2]
    make, judge_name = judge()
    scores = {}
    for repeat in range(repeats):
        folds = StratifiedKFold(2, shuffle=True, random_state=repeat)
        for train, test in folds.split(X, y):
            for method, order in rankings(X[train], y[train]).items():
                for count in counts:
                    top = order[:count]
                    X_train, X_test = X[train][:, top], X[test][:, top]
                    if sparse.issparse(X):
                        X_train, X_test = X_train.toarray(), X_test.toarray()
                    found = make().fit(X_train, y[train]).predict_proba(X_test)[:, 1]
                    score = average_precision_score(y[test], found)
                    scores.setdefault((method, count), []).append(score)
    cells = [
        Cell(method, f"top {count}", float(np.mean(s)), float(np.std(s)))
        for (method, count), s in scores.items()
    ]
    note = f"AUC-PR of {judge_name} on the features with the largest weights, 5 x 2 folds."
    return Table(f"Figure 5.8, {name}: feature selection", cells, note), scores
