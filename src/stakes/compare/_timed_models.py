"""Models for a time budget: boosters, forests and linear models, stacked."""

import importlib.util

from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from stakes.compare._catboost import CatBoostTreesClassifier
from stakes.compare._contestants import TIMED, Contestant
from stakes.compare._early_stopping import EarlyStoppingClassifier
from stakes.compare._timed_blend import TimedBlendClassifier
from stakes.decision import BayesDecisionClassifier
from stakes.tables import HingeSplines, prepare
from stakes.tree import ConfidenceForestClassifier


def timed_blend(time_budget=60.0, *, random_state=None, n_jobs=1):
    """A model that is as good as a given time allows.

    Quick models come first: a logistic regression, a booster with early stopping, a linear model
    with splines; then slower boosters and forests, of LightGBM, XGBoost and CatBoost where they
    are installed, else of scikit-learn. They are stacked on held-out log-odds
    (:class:`~stakes.compare.TimedBlendClassifier`).

    Parameters
    ----------
    time_budget : float, default=60.0
        Seconds for `fit`.
    random_state : int, RandomState or None, default=None
        Seed of the members and of the folds.
    n_jobs : int, default=1
        Threads of the boosters and forests.

    Returns
    -------
    BayesDecisionClassifier
        Takes raw data frames and arrays; pass the costs to `predict`.

    Examples
    --------
    >>> [name for name, _ in timed_blend().estimator.estimators][:3]
    ['linear', 'booster', 'splines']
    """
    blend = TimedBlendClassifier(
        members(random_state, n_jobs), time_budget=time_budget, random_state=random_state
    )
    return BayesDecisionClassifier(blend, costs_in_training=False)


def members(random_state=None, n_jobs=1):
    """Named members, quick ones first."""
    plain, linear = dict(scale=False, one_hot=False), dict(scale=True, one_hot=True)
    logistic = LogisticRegression(C=0.1, max_iter=2000)
    splines = prepare(logistic, **linear)
    splines = Pipeline([splines.steps[0], ("splines", HingeSplines()), splines.steps[1]])
    seed, jobs = dict(random_state=random_state), dict(n_jobs=n_jobs)
    forest = ConfidenceForestClassifier(**seed, **jobs)
    extra = ExtraTreesClassifier(300, min_samples_leaf=3, **seed, **jobs)
    wide = ExtraTreesClassifier(300, min_samples_leaf=1, max_features=None, **seed, **jobs)
    booster = _booster(random_state, n_jobs)
    found = {
        "linear": prepare(logistic, **linear),
        "booster": booster(learning_rate=0.1, leaves=31),
        "splines": splines,
        "small_steps": booster(learning_rate=0.03, leaves=7),
        "extra_trees": extra,
        "few_columns": booster(learning_rate=0.03, leaves=31, columns=0.3),
        "forest": forest,  # its loops may have to be compiled
        **_xgboost(random_state, n_jobs),
        **_catboost(random_state, n_jobs),
        "wide_trees": wide,
        "large_leaves": booster(learning_rate=0.02, leaves=63, columns=0.5, least=50),
        "stumps": booster(learning_rate=0.05, leaves=3),
        "slow_steps": booster(learning_rate=0.01, leaves=15, columns=0.5),
    }
    whole = ("linear", "splines")  # which are encoded already
    return [(n, m if n in whole else prepare(m, **plain)) for n, m in found.items()]


def timed_contestant(time_budget, n_jobs=1):
    """The contestant of a comparison that has `time_budget` seconds for each fit."""
    model = timed_blend(time_budget, n_jobs=n_jobs)
    return Contestant(TIMED, "decision", model, as_is=True, speed="timed")


def _booster(random_state, n_jobs):
    """Makes boosters with early stopping: LightGBM where it is installed."""
    if importlib.util.find_spec("lightgbm") is None:

        def make(learning_rate, leaves, columns=1.0, least=20):
            return HistGradientBoostingClassifier(
                learning_rate=learning_rate,
                max_leaf_nodes=leaves,
                max_features=columns,
                min_samples_leaf=least,
                max_iter=1000,
                early_stopping=True,
                n_iter_no_change=30,
                random_state=random_state,
            )

        return make
    from lightgbm import LGBMClassifier

    def make(learning_rate, leaves, columns=1.0, least=20):
        booster = LGBMClassifier(
            n_estimators=3000,
            learning_rate=learning_rate,
            num_leaves=leaves,
            colsample_bytree=columns,
            min_child_samples=least,
            reg_lambda=1.0,
            n_jobs=n_jobs,
            verbose=-1,
            random_state=random_state,
        )
        return EarlyStoppingClassifier(booster, random_state=random_state)

    return make


def _xgboost(random_state, n_jobs):
    if importlib.util.find_spec("xgboost") is None:
        return {}
    from xgboost import XGBClassifier

    booster = XGBClassifier(
        n_estimators=3000,
        learning_rate=0.05,
        max_depth=5,
        subsample=0.8,
        colsample_bytree=0.5,
        min_child_weight=3,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    return {"xgboost": EarlyStoppingClassifier(booster, random_state=random_state)}


def _catboost(random_state, n_jobs):
    if importlib.util.find_spec("catboost") is None:
        return {}
    return {"catboost": CatBoostTreesClassifier(n_jobs=n_jobs, random_state=random_state)}
