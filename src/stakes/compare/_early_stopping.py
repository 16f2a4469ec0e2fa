"""A booster that stops when held-out rows no longer improve, or when its time is over."""

import inspect
import time
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from stakes._core.deciding import take_rows
from stakes._core.sklearn_private import HasMethods, Interval
from stakes._core.stored.spec import PROBABLE, labels
from stakes._core.stored.state import same_classes, same_input

STOPPING_CONSTRAINTS = {
    "patience": [Interval(Integral, 1, None, closed="left")],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "max_seconds": [Interval(Real, 0, None, closed="left"), None],
    "random_state": ["random_state"],
}


@dataclass(eq=False, repr=False)
class EarlyStoppingClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """LightGBM or XGBoost with as many trees as held-out rows ask for.

    Parameters
    ----------
    estimator : LGBMClassifier or XGBClassifier
        The booster; `n_estimators` is the maximum number of trees.
    patience : int, default=30
        Trees without an improvement of the held-out log loss before it stops.
    validation_fraction : float, default=0.1
        Share of the rows that are held out.
    max_seconds : float or None, default=None
        Time after which no tree is added; None: no limit.
    random_state : int, RandomState or None, default=None
        Seed of the held-out rows.

    Attributes
    ----------
    estimator_ : classifier
        The fitted booster.
    classes_ : ndarray of shape (k,)
        Class labels.
    """

    _file_state = {"estimator_": PROBABLE, "classes_": labels("k", least=2)}

    @staticmethod
    def _check_file_state(state, scope):
        if "estimator_" in state:
            same_input(state["estimator_"], scope)
            same_classes(state["estimator_"], scope)

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict_proba"])],
        **STOPPING_CONSTRAINTS,
    }

    estimator: object
    _: KW_ONLY
    patience: int = 30
    validation_fraction: float = 0.1
    max_seconds: float | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y):
        """Fit the booster.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        self
        """
        y, deadline = np.asarray(y), deadline_of(self)
        train, held = hold_out(y, self)
        booster, seen = clone(self.estimator), [(take_rows(X, held), y[held])]
        rows = take_rows(X, train), y[train]
        if type(booster).__name__.startswith("LGBM"):
            self.estimator_ = _lightgbm(booster, rows, seen, self.patience, deadline)
        else:
            self.estimator_ = _xgboost(booster, rows, seen, self.patience, deadline)
        self.classes_ = self.estimator_.classes_
        self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def predict_proba(self, X):
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n, k)
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X):
        """Most probable class.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def hold_out(y, settings):
    """Rows to train on, and the rows that say when to stop."""
    share, seed = settings.validation_fraction, settings.random_state
    return next(StratifiedShuffleSplit(1, test_size=share, random_state=seed).split(y, y))


def deadline_of(settings):
    """When `max_seconds` from now are over, on the monotonic clock."""
    return time.monotonic() + (np.inf if settings.max_seconds is None else settings.max_seconds)


def _lightgbm(booster, rows, seen, patience, deadline):
    import lightgbm

    def in_time(env):
        if time.monotonic() > deadline:
            raise lightgbm.callback.EarlyStopException(env.iteration, env.evaluation_result_list)

    stop = lightgbm.early_stopping(patience, verbose=False)
    (X, y), known = seen[0], inspect.signature(booster.fit).parameters
    seen = dict(eval_X=X, eval_y=y) if "eval_X" in known else dict(eval_set=seen)
    return booster.fit(*rows, **seen, eval_metric="binary_logloss", callbacks=[stop, in_time])


def _xgboost(booster, rows, seen, patience, deadline):
    from xgboost.callback import TrainingCallback

    class InTime(TrainingCallback):
        def after_iteration(self, model, epoch, evals_log):
            return time.monotonic() > deadline

    booster.set_params(early_stopping_rounds=patience, callbacks=[InTime()])
    booster.fit(*rows, eval_set=seen, verbose=False)
    return booster.set_params(callbacks=None)
