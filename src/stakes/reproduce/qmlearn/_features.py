"""Section 5.6.4: whether the features with the largest quadratic-mean weights are better."""

import numpy as np
from scipy import sparse
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.metrics import average_precision_score
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.model_selection import KFold, StratifiedKFold

from stakes.reproduce._result import Cell, Table
from stakes.reproduce.qmlearn._data import load_classes, load_numbers
from stakes.reproduce.qmlearn._learners import (
    THESIS,
    THESIS_LAMBDA,
    classifier,
    fitted,
    regression,
    standard_scaler,
    tree,
    unit_scaler,
)
from stakes.reproduce.qmlearn._runs import REGRESSIONS

METHODS = (*THESIS, "LogR, alpha 1e-3", "LogRQ, alpha 1e-3", "Relief")
COUNTS = (5, 10, 20, 50, 100)


def relief(X, y, n_samples=200, seed=0):
    """Relief (Kira and Rendell 1992): distance to the nearest miss minus that to the nearest hit.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features in [0, 1].
    y : ndarray of shape (n,)
        Labels.
    n_samples : int, default=200
        Number of sampled examples.
    seed : int, default=0
        Seed of the sampling.

    Returns
    -------
    ndarray of shape (d,)
        Relevance of each feature.
    """
    rows = np.random.default_rng(seed).permutation(len(y))[:n_samples]
    distance = manhattan_distances(X[rows], X)
    distance[np.arange(len(rows)), rows] = np.inf
    same = y[rows][:, None] == y[None, :]
    hit = np.where(same, distance, np.inf).argmin(axis=1)
    miss = np.where(same, np.inf, distance).argmin(axis=1)
    return (np.abs(X[rows] - X[miss]) - np.abs(X[rows] - X[hit])).mean(axis=0)


def rankings(X, y):
    """Features ordered by relevance according to each method, on training data."""
    unit, standard = unit_scaler(X).fit_transform(X), standard_scaler(X).fit_transform(X)
    dense = unit.toarray() if sparse.issparse(unit) else unit
    models = {
        column: fitted(classifier(loss, kind, y, THESIS_LAMBDA, True), unit, y)
        for column, (loss, kind) in THESIS.items()
    }
    for column in ("LogR", "LogRQ"):
        light = classifier("logistic", THESIS[column][1], y, 1e-3, False)
        models[f"{column}, alpha 1e-3"] = fitted(light, standard, y)
    orders = {name: np.argsort(-np.abs(model.coef_[0])) for name, model in models.items()}
    orders["Relief"] = np.argsort(-relief(dense, y))
    return orders


def figure_5_8(name, repeats, data, rows):
    """AUC-PR of a tree on the top features of each ranking."""

    def score(X_train, y_train, X_test, y_test):
        found = tree().fit(X_train, y_train).predict_proba(X_test)[:, 1]
        return average_precision_score(y_test, found)

    X, y = load_classes(name, data)
    folds = [
        fold
        for repeat in range(repeats)
        for fold in StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)
    ]
    scores = _by_size(name, X, y, folds, rankings, score, rows)
    note = (
        "AUC-PR of a class-confidence tree on the features with the largest weights, 5 x 2 folds; "
        "weights as in Table 5.2, and of fits with a small penalty (standardised, alpha = 1e-3). "
        "The thesis's other set, G.agnostic, was not available: A.agnostic replaces it."
    )
    return _table(f"Figure 5.8, {name}: feature selection", scores, note), scores


def number_rankings(X, y):
    """The same for numeric targets, with features in [0, 1]."""
    unit = unit_scaler(X).fit_transform(X)
    return {
        column: np.argsort(
            -np.abs(fitted(regression(*how, THESIS_LAMBDA, True), unit, y).coef_.ravel())
        )
        for column, how in REGRESSIONS.items()
    }


def figure_5_9(name, repeats, data, rows, limit=1000):
    """RMSE of a Gaussian process on the top features of each ranking."""

    def score(X_train, y_train, X_test, y_test):
        scaler = standard_scaler(X_train).fit(X_train)
        kernel = RBF(np.sqrt(X_train.shape[1])) + WhiteKernel(0.1)
        judge = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=True)
        found = judge.fit(scaler.transform(X_train), y_train).predict(scaler.transform(X_test))
        return np.sqrt(np.mean((found - y_test) ** 2))

    X, y = load_numbers(name, data)
    kept = np.random.default_rng(0).permutation(len(y))[:limit]
    X, y = X[kept], y[kept]
    y = (y - y.min()) / (y.max() - y.min())
    folds = [
        fold
        for repeat in range(repeats)
        for fold in KFold(2, shuffle=True, random_state=repeat).split(X)
    ]
    scores = _by_size(name, X, y, folds, number_rankings, score, rows)
    note = (
        f"RMSE of a Gaussian process on the features with the largest weights, {len(y):,} rows, "
        "5 x 2 folds."
    )
    return _table(f"Figure 5.9, {name}: feature selection", scores, note), scores


def _by_size(name, X, y, folds, rank, score, rows):
    """Scores by method and number of features; each fold is ranked once for all sizes."""
    sizes = [c for c in COUNTS if c <= X.shape[1] // 2]
    orders = []

    def scores(method, size):
        if not orders:
            orders.extend(rank(X[train], y[train]) for train, _ in folds)
        for (train, test), order in zip(folds, orders, strict=True):
            Z = X[:, order[method][:size]]
            Z = Z.toarray() if sparse.issparse(Z) else Z
            yield score(Z[train], y[train], Z[test], y[test])

    return {
        (method, size): rows.get(
            name, f"top {size} by {method}", len(folds) // 2, scores(method, size)
        )
        for method in (METHODS if rank is rankings else REGRESSIONS)
        for size in sizes
    }


def _table(title, scores, note):
    cells = [
        Cell(method, f"top {size}", score.mean, score.sd)
        for (method, size), score in scores.items()
    ]
    return Table(title, cells, note)
