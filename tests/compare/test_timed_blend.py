"""The blend under a time budget: quick members first, stacked on held-out log-odds."""

import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from naive.decision import blend_weights
from stakes.compare import (
    TIMED,
    TableSettings,
    TimedBlendClassifier,
    _timed_blend,
    _timed_models,
    compare,
    timed_blend,
    train_to_file,
)
from stakes.compare._early_stopping import EarlyStoppingClassifier
from stakes.compare._fit import trainable
from stakes.compare._run import expected_seconds
from stakes.compare._timed_models import timed_contestant
from stakes.errors import InputError
from stakes.model_file import load_model, save_model
from stakes.tables import ClassData, HingeSplines, load_table


class Sleeper(ClassifierMixin, BaseEstimator):
    """A member that takes its time; `max_seconds` is what the blend gives it."""

    def __init__(self, seconds=0.0, max_seconds=None):
        self.seconds = seconds
        self.max_seconds = max_seconds

    def fit(self, X, y):
        limit = np.inf if self.max_seconds is None else self.max_seconds
        time.sleep(min(self.seconds, limit))
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        self.n_rows_ = len(X)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def test_the_formula():
    X, y = make_classification(300, flip_y=0.2, random_state=0)
    members = [("linear", LogisticRegression()), ("bayes", GaussianNB())]
    model = TimedBlendClassifier(members, time_budget=60, cv=3, random_state=0).fit(X, y)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    held = np.concatenate([test for _, test in folds])
    unseen = [
        np.concatenate([m.fit(X[a], y[a]).predict_proba(X[b])[:, 1] for a, b in folds])
        for _, m in members
    ]
    Z = logit(np.clip(np.column_stack(unseen), 1e-4, 1 - 1e-4))
    b, w = blend_weights(Z, y[held], 0.01)
    assert_allclose(np.r_[model.intercept_, model.weights_], np.r_[b, w], atol=2e-4)
    by_fold = [[m.fit(X[a], y[a]).predict_proba(X)[:, 1] for a, _ in folds] for _, m in members]
    odds = logit(np.clip(by_fold, 1e-4, 1 - 1e-4)).mean(axis=1)
    by_hand = expit(model.intercept_ + model.weights_ @ odds)
    assert_allclose(model.predict_proba(X)[:, 1], by_hand, rtol=1e-9)
    assert model.held_out_loss_[1] <= model.held_out_loss_[0] + 1e-3
    assert (np.diff(model.seconds_) > 0).all()


def test_the_budget_is_kept_and_quick_members_count():
    X, y = make_classification(120, random_state=0)
    members = [("quick", GaussianNB()), ("slow", Sleeper(30.0)), ("later", LogisticRegression())]
    start = time.monotonic()
    # the slow member is stopped in its first fold, and its other folds would take too long
    model = TimedBlendClassifier(members, time_budget=6.0, cv=3, random_state=0).fit(X, y)
    assert time.monotonic() - start < 9
    assert model.names_[0] == "quick"
    model = TimedBlendClassifier([members[1]], time_budget=1.0, cv=2, random_state=0).fit(X, y)
    assert model.names_ == ["slow"]  # something is always finished


def test_an_interruption_keeps_what_is_finished(monkeypatch):
    X, y = make_classification(120, random_state=0)

    class Interrupts(Sleeper):
        def fit(self, X, y):
            raise KeyboardInterrupt

    members = [("quick", GaussianNB()), ("never", Interrupts())]
    with pytest.warns(UserWarning, match="members that were finished"):
        model = TimedBlendClassifier(members, random_state=0).fit(X, y)
    assert model.names_ == ["quick"]
    with pytest.raises(KeyboardInterrupt):
        TimedBlendClassifier(members[1:], random_state=0).fit(X, y)


def test_a_large_table_is_sampled_first_and_finished_on_all_rows(monkeypatch):
    monkeypatch.setattr(_timed_blend, "SAMPLED", 200)
    X, y = make_classification(2000, flip_y=0.2, random_state=0)
    model = TimedBlendClassifier([("one", Sleeper())], time_budget=20, random_state=0).fit(X, y)
    assert [m.n_rows_ for m in model.estimators_[0]] == [2000]


@pytest.mark.parametrize("package", ["lightgbm", "xgboost"])
def test_early_stopping(package):
    booster = pytest.importorskip(package)
    name = {"lightgbm": "LGBMClassifier", "xgboost": "XGBClassifier"}[package]
    quiet = {"verbose": -1} if package == "lightgbm" else {}
    X, y = make_classification(400, flip_y=0.3, random_state=0)
    inner = getattr(booster, name)(n_estimators=2000, n_jobs=1, **quiet)
    model = EarlyStoppingClassifier(inner, patience=5, random_state=0).fit(X, y)
    fitted = model.estimator_
    trees = fitted.best_iteration_ if package == "lightgbm" else fitted.best_iteration
    assert 0 < trees < 500
    assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-6)
    assert set(model.predict(X)) == {0, 1}
    hurried = EarlyStoppingClassifier(inner, patience=2000, max_seconds=0.0, random_state=0)
    fitted = hurried.fit(X, y).estimator_
    booster = fitted.booster_ if package == "lightgbm" else fitted.get_booster()
    trees = booster.num_trees() if package == "lightgbm" else booster.num_boosted_rounds()
    assert trees < 50


def test_hinges_bend_at_quantiles(rng, tmp_path):
    X = np.column_stack([rng.normal(size=200), rng.integers(2, size=200), np.zeros(200)])
    splines = HingeSplines(n_knots=3).fit(X)
    Z = splines.transform(X)
    assert Z.shape == (200, 6) and (splines.columns_ == 0).all()
    for j, knot in enumerate(np.quantile(X[:, 0], [0.25, 0.5, 0.75])):
        assert_allclose(Z[:, 3 + j], np.maximum(X[:, 0] - knot, 0))
    save_model(splines, tmp_path / "m.skops")
    assert_allclose(load_model(tmp_path / "m.skops").model.transform(X), Z)


@pytest.fixture
def light(monkeypatch):
    """Members that need no compiled loops."""
    found = [one for one in _timed_models.members(0) if one[0] in ("linear", "booster", "splines")]
    monkeypatch.setattr(_timed_models, "members", lambda *_: found)


def test_the_members_are_named_and_quick_ones_come_first():
    names = [name for name, _ in _timed_models.members()]
    assert names[:3] == ["linear", "booster", "splines"] and {"forest", "extra_trees"} < set(names)


def test_train_and_load(tmp_path, light):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    frame = pl.DataFrame(
        {"a": rng.normal(size=200) + 3 * y, "c": rng.choice(["u", "v"], 200), "y": y}
    )
    frame.write_csv(tmp_path / "rows.csv")
    settings = TableSettings(str(tmp_path / "rows.csv"), "y", costs={"fn_cost": "5"})
    data = settings.load()
    train_to_file(tmp_path / "m.skops", TIMED, settings, data, time_budget=3.0)
    model = load_model(tmp_path / "m.skops").model
    blend = model.named_steps["learner"].estimator_
    assert blend.names_[0] == "linear" and model.predict(frame.drop("y")).sum() > 0


def test_compare_with_a_budget_has_the_timed_blend(tmp_path, few, light):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=150)
    frame = pl.DataFrame({"a": rng.normal(size=150) + 2 * y, "y": y})
    few[:] = [replace(one, speed="quick") for one in few]
    tables = []
    how = dict(folds=2, out=tmp_path, first_table=lambda rows: tables.append(len(rows)))
    results = compare(load_table(frame, "y", fn_cost=5), time_budget=30.0, **how)
    order = list(dict.fromkeys(row["learner"] for row in results.rows))
    assert order[-1] == TIMED and tables == [2 * len(few)]
    assert all("seconds" in row for row in results.rows)


def test_expected_times():
    one = timed_contestant(12.0)
    field = {one.name: one}
    assert expected_seconds(one, [], field) == 12.0
    assert expected_seconds(one, [{"learner": one.name, "seconds": 15.0}], field) == 15.0


def test_the_timed_blend_needs_two_classes(tmp_path):
    kinds = dict(classes=("a", "b", "c"), actions=("x", "y"), cost_matrix=np.ones((3, 2)))
    with pytest.raises(InputError, match="for two classes"):
        trainable(TIMED, ClassData("toy", np.eye(3), np.arange(3), **kinds))
    assert timed_blend(30.0).estimator.time_budget == 30.0
