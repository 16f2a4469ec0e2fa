"""Exact reasons beyond eight columns: trees by their leaves, linear models by an integral."""

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from naive import reasons as naive
from stakes.compare import BatchDecider, Reasons, TableSettings, _reasons, train_to_file
from stakes.compare._exact_reasons import exact_values, logistic_shapley
from stakes.decision import BayesDecisionClassifier
from stakes.tables import prepare
from stakes.tree import ConfidenceForestClassifier, ConfidenceTreeClassifier, tree_shapley


def table(rng, n=120, numbers=8):
    y = rng.integers(2, size=n)
    columns = {f"x{j}": rng.normal(size=n) + y * (j % 3) for j in range(numbers)}
    columns["kind"] = rng.choice(["a", "b", "c"], n)
    columns["gap"] = np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n) + y)
    frame = pl.DataFrame(columns).with_columns(pl.col("gap").fill_nan(None))
    return frame, y


@pytest.mark.parametrize("scale", [0.3, 3.0, 15.0])
def test_logistic_values_are_those_of_all_orders(rng, scale):
    start, steps = scale * rng.normal(size=2), scale * rng.normal(size=(2, 2, 5))
    found = logistic_shapley(start, steps)
    for i in range(2):
        for b in range(2):

            def game(z, i=i, b=b):
                return expit(start[b] + z @ steps[i, b])

            by_hand = naive.shapley(game, np.ones(5), np.zeros((1, 5)))
            np.testing.assert_allclose(found[i, b], by_hand, atol=1e-13)


@pytest.mark.jit
@pytest.mark.parametrize("learner", [ConfidenceTreeClassifier, ConfidenceForestClassifier])
def test_tree_values_are_those_of_all_orders(rng, learner):
    y = rng.integers(2, size=200)
    X = rng.normal(size=(200, 5)) + y[:, None] * [1, 0, 1, 0, 2]
    X[rng.random(X.shape) < 0.1] = np.nan
    trees = {"n_estimators": 7, "random_state": 0} if "Forest" in learner.__name__ else {}
    model = learner(**trees).fit(X, y)
    found = tree_shapley(model, X[:3], X[10:13])
    for x, values in zip(X[:3], found, strict=True):
        by_hand = naive.shapley(lambda z: model.predict_proba(z[None])[0, 1], x, X[10:13])
        np.testing.assert_allclose(values, by_hand, atol=1e-12)
    # two features as one column
    both = tree_shapley(model, X[:3], X[10:13], columns=[0, 0, 1, 2, 3])
    total = model.predict_proba(X[:3])[:, 1] - model.predict_proba(X[10:13])[:, 1].mean()
    np.testing.assert_allclose(both.sum(axis=1), total, atol=1e-12)


@pytest.mark.parametrize("learner", ["linear", pytest.param("forest", marks=pytest.mark.jit)])
def test_exact_values_are_those_of_all_subsets(rng, monkeypatch, learner):
    frame, y = table(rng, numbers=7)
    inner = LogisticRegression()
    if learner == "forest":
        inner = ConfidenceForestClassifier(n_estimators=10, random_state=0)
    model = prepare(BayesDecisionClassifier(inner), frame).fit(frame, y)
    names, background = frame.columns, frame[50:53]
    exact = exact_values(model, background, names)(frame[:3])

    def probability(X):
        return model.predict_proba(X)[:, 1]

    monkeypatch.setattr(_reasons, "EXACT", len(names))
    brute = Reasons(probability, background, names).of_probability(frame[:3])
    np.testing.assert_allclose(exact, brute, atol=1e-11)


def test_a_trained_model_gives_exact_reasons(rng, tmp_path):
    frame, y = table(rng, numbers=9)
    frame.with_columns(pl.Series("y", y)).write_csv(tmp_path / "t.csv")
    settings = TableSettings(str(tmp_path / "t.csv"), "y", costs={"fn_cost": "9"})
    name = "logistic regression, Bayes decision"
    train_to_file(tmp_path / "m.skops", name, settings, settings.load(), tune=False)
    decider = BatchDecider.load(tmp_path / "m.skops")
    assert len(decider.reasons.columns) > _reasons.EXACT
    rows = frame[:4]
    values = decider.reasons.of_probability(rows)
    base = np.mean(decider.probability(decider.reasons.background))
    np.testing.assert_allclose(values.sum(axis=1), decider.probability(rows) - base, atol=1e-9)
    sampled = Reasons(decider.probability, decider.reasons.background, decider.reasons.columns)
    assert np.abs(values - sampled.of_probability(rows)).max() < 0.05


def test_other_models_have_no_exact_form(rng):
    frame, y = table(rng)
    bayes = BayesDecisionClassifier(LogisticRegression(), calibration="sigmoid", cv=2)
    model = prepare(bayes, frame).fit(frame, y)
    assert exact_values(model, frame[:2], frame.columns) is None
    shifted = BayesDecisionClassifier(LogisticRegression(), prior=0.1)
    assert exact_values(prepare(shifted, frame).fit(frame, y), frame[:2], frame.columns) is None
