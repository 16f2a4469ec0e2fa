"""The trees of CatBoost as arrays, against CatBoost itself and against a walk row by row."""

import importlib.util

import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit

from stakes.compare._catboost import CatBoostTreesClassifier
from stakes.model_file import load_model, save_model

missing = importlib.util.find_spec("catboost") is None
needs_catboost = pytest.mark.skipif(missing, reason="catboost is not installed")


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 4, n)])
    y = (X[:, 0] + (X[:, 3] == 2) + rng.normal(size=n) > 1).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def read(trees, scale=1.0, bias=0.0, d=4):
    """A classifier from trees as CatBoost writes them."""
    model = CatBoostTreesClassifier()
    model.classes_, model.n_features_in_ = np.array(["no", "yes"]), d
    model._keep({"oblivious_trees": trees, "scale_and_bias": [scale, [bias]]})
    return model


def tree(rng, levels, d=4):
    splits = [
        {"float_feature_index": int(rng.integers(d)), "border": float(np.float32(rng.normal()))}
        for _ in range(levels)
    ]
    return {"splits": splits, "leaf_values": rng.normal(size=2**levels).tolist()}


def test_every_row_goes_to_the_leaf_of_its_answers():
    rng = np.random.default_rng(1)
    trees = [tree(rng, levels) for levels in (3, 1, 0, 3)]
    X = rng.normal(size=(60, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[0] = [1e300, -1e300, 0.0, np.nan]
    odds = []
    for x in X:
        total = 0.5
        for one in trees:
            leaf = 0
            for level, split in enumerate(one["splits"]):
                value = x[split["float_feature_index"]]
                if not np.isnan(value) and value > split["border"]:
                    leaf += 2**level
            total += 2.0 * one["leaf_values"][leaf]
        odds.append(total)
    model = read(trees, scale=2.0, bias=0.5)
    np.testing.assert_allclose(model.decision_function(X), odds, rtol=1e-12)
    p = model.predict_proba(X)
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), odds, rtol=1e-9)
    assert (model.predict(X) == np.where(np.array(odds) > 0, "yes", "no")).all()


def test_a_file_keeps_the_trees_and_damage_is_refused(tmp_path):
    rng = np.random.default_rng(2)
    model, X = read([tree(rng, 2), tree(rng, 2)]), rng.normal(size=(20, 4))
    path = tmp_path / "model.skops"
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).model.predict_proba(X), model.predict_proba(X))
    for name, value in [("features_", np.full((2, 2), 4)), ("leaf_values_", np.zeros((2, 3)))]:
        damaged = read([tree(rng, 2), tree(rng, 2)])
        setattr(damaged, name, value)
        with pytest.raises(ValueError, match="tree"):
            save_model(damaged, path)
            load_model(path)
            save_model(damaged, path)
            load_model(path)


@needs_catboost
def test_the_arrays_decide_as_catboost_does():
    from catboost import CatBoostClassifier

    X, y = rows()
    train, held = next(StratifiedShuffleSplit(1, test_size=0.1, random_state=0).split(y, y))
    model = CatBoostTreesClassifier(max_depth=3, n_estimators=40, random_state=0).fit(X, y)
    theirs = CatBoostClassifier(
        iterations=40,
        depth=3,
        learning_rate=0.05,
        early_stopping_rounds=30,
        thread_count=1,
        random_seed=0,
        allow_writing_files=False,
        verbose=False,
    )
    X = X.astype(np.float32)
    theirs.fit(X[train], y[train], eval_set=(X[held], y[held]))
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    assert len(model.features_) == theirs.tree_count_


@needs_catboost
def test_time_ends_the_fit():
    X, y = rows()
    model = CatBoostTreesClassifier(max_seconds=0.0, patience=10**6, random_state=0).fit(X, y)
    assert len(model.features_) < 20


@needs_catboost
def test_two_classes_are_needed():
    X, y = rows()
    with pytest.raises(ValueError, match="Two classes are expected, y has 3"):
        CatBoostTreesClassifier().fit(X, y + (X[:, 0] > 1))
