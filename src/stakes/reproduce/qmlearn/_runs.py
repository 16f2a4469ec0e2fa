"""Scores of every learner of Chapter 5 over 5 x 2 folds, saved to a file as they are computed."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold, StratifiedKFold

from stakes.reproduce.qmlearn import _learners as learners
from stakes.reproduce.qmlearn._data import load_classes, load_numbers

REGRESSIONS = {
    "LR": ("squared", "arithmetic"),
    "LRQ": ("squared", "quadratic"),
    "SVR": ("epsilon_insensitive", "arithmetic"),
    "SVRQ": ("epsilon_insensitive", "quadratic"),
    "QR": ("quantile", "arithmetic"),
    "QRQ": ("quantile", "quadratic"),
}
LIGHT = {f"{column}, alpha 1e-4": how for column, how in REGRESSIONS.items()}


class Score(NamedTuple):
    """Mean and standard deviation over the folds."""

    mean: float
    sd: float


class Rows:
    """Scores by set, column and number of repeats, each a line of a file.

    Parameters
    ----------
    path : path or None
        The file; scores that it contains are not computed again. None: nothing is saved.
    """

    def __init__(self, path=None):
        self.path = None if path is None else Path(path)
        self.known = {}
        if self.path is not None and self.path.exists():
            for line in self.path.read_text().splitlines():
                row = json.loads(line)
                score = Score(row["mean"], row["sd"])
                self.known[row["set"], row["column"], row["repeats"]] = score

    def get(self, name, column, repeats, source):
        """The score of one column, from the file or, if missing, from the generator `source`."""
        key = name, column, repeats
        if key not in self.known:
            folds = np.fromiter(source, dtype=np.float64)
            score = self.known[key] = Score(float(folds.mean()), float(folds.std()))
            if self.path is not None:
                row = {"set": name, "column": column, "repeats": repeats, **score._asdict()}
                with self.path.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        return self.known[key]


def class_columns():
    """Column -> function of (column, X, y, X_test, seed) that returns scores."""
    columns = {c: learners.thesis_scores for c in learners.THESIS | learners.Z_SCORES}
    columns["Liblinear"] = learners.liblinear_scores
    columns |= {c: learners.tree_scores for c in learners.TREES}
    columns |= {c: learners.sampled_scores for c in learners.SAMPLED}
    columns |= {c: learners.tuned_scores for c in learners.TUNED}
    return columns


def one_set(name, repeats, data, rows):
    """AUC-PR of every learner over 5 x 2 folds: column -> Score."""
    X, y = load_classes(name, data)

    def scores(column, score):
        for repeat in range(repeats):
            folds = StratifiedKFold(2, shuffle=True, random_state=repeat)
            for train, test in folds.split(X, y):
                found = score(column, X[train], y[train], X[test], repeat)
                yield average_precision_score(y[test], found)

    return {
        column: rows.get(name, column, repeats, scores(column, score))
        for column, score in class_columns().items()
    }


def one_target(name, repeats, data, rows, limit=4000):
    """RMSE of every regression over 5 x 2 folds, target in [0, 1]: column -> Score."""
    X, y = load_numbers(name, data)
    y = (y - y.min()) / (y.max() - y.min())
    if len(y) > limit:  # more rows do not change a linear fit
        kept = np.random.default_rng(0).permutation(len(y))[:limit]
        X, y = X[kept], y[kept]

    def errors(loss, kind, light):
        for repeat in range(repeats):
            for train, test in KFold(2, shuffle=True, random_state=repeat).split(X):
                scaler = learners.standard_scaler(X) if light else learners.unit_scaler(X)
                alpha = 1e-4 if light else learners.THESIS_LAMBDA
                model = learners.regression(loss, kind, alpha, not light)
                learners.fitted(model, scaler.fit_transform(X[train]), y[train])
                miss = model.predict(scaler.transform(X[test])) - y[test]
                yield np.sqrt(np.mean(miss**2))

    return {
        column: rows.get(name, column, repeats, errors(loss, kind, column in LIGHT))
        for column, (loss, kind) in {**REGRESSIONS, **LIGHT}.items()
    }
