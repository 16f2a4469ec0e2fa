"""CatBoost, kept as plain arrays: its trees are so regular that reading them is a few lines."""

import json
import tempfile
import time
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from stakes._core.log_odds import LogOddsClassifier
from stakes._core.parallel import N_JOBS
from stakes._core.sklearn_private import Interval
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array, Number, labels
from stakes.compare._early_stopping import STOPPING_CONSTRAINTS, deadline_of, hold_out

LARGEST = float(np.finfo(np.float32).max)  # features are compared in single precision


@dataclass(kw_only=True, eq=False, repr=False)
class CatBoostTreesClassifier(LogOddsClassifier, BaseEstimator):
    r"""CatBoost for two classes, with as many trees as held-out rows ask for.

    `fit` needs the package catboost; what is kept, saved and used afterwards are the arrays of its
    trees. All nodes of a level ask the same question, so that with the answers
    :math:`b_l = [x_{j_l} > t_l]` of the levels the leaf has the number :math:`\sum_l 2^l b_l`. A
    missing value answers no.

    Parameters
    ----------
    max_depth : int, default=6
        Levels of a tree.
    learning_rate : float, default=0.05
        Size of the steps.
    n_estimators : int, default=2000
        Maximum number of trees.
    patience : int, default=30
        Trees without an improvement of the held-out log loss before it stops.
    validation_fraction : float, default=0.1
        Share of the rows that are held out.
    max_seconds : float or None, default=None
        Time after which no tree is added; None: no limit.
    n_jobs : int, default=1
        Threads.
    random_state : int or None, default=None
        Seed of the held-out rows and of the trees.

    Attributes
    ----------
    features_, borders_ : ndarray of shape (trees, levels)
        Column and border of the question of each level.
    leaf_values_ : ndarray of shape (trees, 2 ** levels)
        What each leaf adds to the log-odds.
    intercept_ : float
        Log-odds without trees.
    classes_ : ndarray of shape (2,)
        Class labels.
    """

    _file_state = FEATURES | {
        "features_": Array("i8", ("t", "levels"), low=0),
        "borders_": Array("f4", ("t", "levels")),
        "leaf_values_": Array("f8", ("t", "leaves")),
        "intercept_": Number(),
        "classes_": labels(2),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "features_" not in state:
            return
        if state["leaf_values_"].shape[1] != 2 ** state["features_"].shape[1]:
            raise Damaged("a tree has another number of leaves than its levels make")
        if state["features_"].size and state["features_"].max() >= state["n_features_in_"]:
            raise Damaged("a tree asks for a column that is not there")

    _parameter_constraints = STOPPING_CONSTRAINTS | {
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": N_JOBS,
    }

    max_depth: int = 6
    learning_rate: float = 0.05
    n_estimators: int = 2000
    patience: int = 30
    validation_fraction: float = 0.1
    max_seconds: float | None = None
    n_jobs: int = 1
    random_state: int | None = None

    def fit(self, X, y):
        """Fit the booster.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Examples; NaN is a missing value.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        self
        """
        from catboost import CatBoostClassifier

        X, y = self._read(X, y)
        train, held = hold_out(y, self)
        booster = CatBoostClassifier(
            iterations=self.n_estimators,
            depth=self.max_depth,
            learning_rate=self.learning_rate,
            early_stopping_rounds=self.patience,
            thread_count=self.n_jobs,
            random_seed=self.random_state,
            allow_writing_files=False,
            verbose=False,
        )
        booster.fit(X[train], y[train], eval_set=(X[held], y[held]), callbacks=[_InTime(self)])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.json"
            booster.save_model(str(file), format="json")
            self._keep(json.loads(file.read_text()))
        return self

    def decision_function(self, X):
        """Log-odds of the second class.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = self._read(X)
        odds = np.full(len(X), float(self.intercept_))
        trees = zip(self.features_, self.borders_, self.leaf_values_, strict=True)
        for features, borders, values in trees:
            leaf = np.zeros(len(X), dtype=np.intp)
            for level, (j, border) in enumerate(zip(features, borders, strict=True)):
                leaf |= (X[:, j] > border).astype(np.intp) << level
            odds += values[leaf]
        return odds

    def _read(self, X, y=None):
        how = dict(dtype=np.float64, ensure_all_finite="allow-nan")
        if y is None:
            X = validate_data(self, X, reset=False, **how)
            return np.clip(X, -LARGEST, LARGEST).astype(np.float32)
        X, y = validate_data(self, X, y, **how)
        self.classes_, y = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"Two classes are expected, y has {len(self.classes_)}.")
        return np.clip(X, -LARGEST, LARGEST).astype(np.float32), y

    def _keep(self, model):
        """The trees of CatBoost's JSON; a level without a question gets one that nobody passes."""
        trees = model["oblivious_trees"]
        levels = max((len(tree["splits"]) for tree in trees), default=0)
        self.features_ = np.zeros((len(trees), levels), dtype=np.int64)
        self.borders_ = np.full((len(trees), levels), LARGEST, dtype=np.float32)
        self.leaf_values_ = np.zeros((len(trees), 2**levels))
        scale, (bias,) = model["scale_and_bias"]
        for t, tree in enumerate(trees):
            for level, split in enumerate(tree["splits"]):
                self.features_[t, level] = split["float_feature_index"]
                self.borders_[t, level] = split["border"]
            self.leaf_values_[t, : len(tree["leaf_values"])] = tree["leaf_values"]
        self.leaf_values_ *= scale
        self.intercept_ = float(bias)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class _InTime:
    """Stops CatBoost when its time is over."""

    def __init__(self, settings):
        self.deadline = deadline_of(settings)

    def after_iteration(self, info):
        return time.monotonic() < self.deadline
