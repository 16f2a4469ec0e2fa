"""Statistics, splits, half-lives and the replacement of trees equal those of the naive forest."""

import numpy as np
import pytest

from naive.online_forest import NaiveForest
from stakes._core.jit.gain import CRITERIA, split_gain
from stakes.online_forest import StreamForestClassifier
from stakes.online_forest._grow_jit import no_better
from stakes.online_forest._state import N_REPLACED, SEED, SHARES, WHERE

SETTINGS = [
    dict(criterion="ccp_entropy", half_life="auto", trial_length=120),
    dict(criterion="hellinger", half_life=80.0, trial_length=None),
    dict(criterion="ccp_gini", half_life=None, trial_length=70),
]


def stream(seed, n=420, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 3] = rng.integers(0, 20, n)  # a category
    y = (X[:, 0] * X[:, 1] + (X[:, 3] == 3) + 0.3 * rng.normal(size=n) > 0.4).astype(int)
    y[n // 2 :] = 1 - y[n // 2 :]  # the world turns
    X[rng.random(n) < 0.1, 1] = np.nan
    return X, y, rng.uniform(0, 2, n).round(1), rng.uniform(0, 5, n).round(1)


def both(X, y, fp, fn, weight, seed, **settings):
    """Both forests after the stream; their probabilities before each event must agree."""
    model = StreamForestClassifier(calibration=None, random_state=seed, **settings)
    p = model.predict_proba_then_learn(X, y, [0, 1], weight, fp_cost=fp, fn_cost=fn)
    f, life = model._parts()[0], settings["half_life"]
    naive = NaiveForest(
        X.shape[1],
        seed=int(f.head[SEED]),
        n_trees=settings["n_estimators"],
        max_nodes=settings["max_nodes"],
        max_features=settings["max_features"],
        half_lives=(None, 2_000.0, 200.0) if life == "auto" else (life,),
        criterion=settings["criterion"],
        trial=settings["trial_length"],
        categorical=settings["categorical_features"],
    )
    events = zip(X, y == 1, fn, fp, weight, strict=True)
    np.testing.assert_allclose(p, [naive.learn(*event) for event in events], rtol=1e-5)
    assert model.n_nodes_.tolist() == [tree.n_nodes for tree in naive.trees[:-1]]
    assert f.trees[:, WHERE].tolist() == [tree.number for tree in naive.trees]
    assert f.head[N_REPLACED] == naive.n_replaced == model.n_replaced_
    shares = f.head[SHARES : SHARES + len(naive.shares)]
    np.testing.assert_allclose(shares, naive.shares, rtol=1e-5)
    return model


@pytest.mark.jit
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s["criterion"])
@pytest.mark.parametrize("seed", [0, 1])
def test_probabilities_and_splits(settings, seed):
    X, y, fp, fn = stream(seed)
    weight = np.random.default_rng(seed).integers(0, 3, len(y)).astype(float)
    form = dict(n_estimators=3, max_nodes=9, max_features=2, categorical_features=[3])
    model = both(X, y, fp, fn, weight, seed, **form, **settings)
    assert 3 < model.n_nodes_.max() <= 9


@pytest.mark.jit
def test_a_tree_that_became_worse_is_replaced():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(950, 2))
    y = (np.abs(np.where(np.arange(950) < 300, X[:, 0], X[:, 1])) > 1).astype(int)
    form = dict(n_estimators=1, max_nodes=7, max_features=2, categorical_features=[])
    form |= dict(criterion="ccp_entropy", half_life=None, trial_length=300)
    model = both(X, y, *np.ones((3, 950)), 0, **form)
    assert model.n_replaced_ == 1


@pytest.mark.parametrize("criterion", ["ccp_entropy", "ccp_gini", "hellinger"])
def test_splits_that_are_passed_over_gain_no_more(criterion):
    """The bound never hides a gain, and is close enough to hide most of the smaller ones."""
    rng, code, hidden = np.random.default_rng(0), CRITERIA[criterion], 0
    for a, b in [*rng.random((500, 2)), (0.0, 1.0), (1.0, 0.0), (0.0, 0.3), (1.0, 0.2)]:
        gain = split_gain(code, False, 5 * a, 3 * b, 5 - 5 * a, 3 - 3 * b)
        assert not no_better(code, a, b, 0.999999 * gain - 1e-12)
        hidden += no_better(code, a, b, 1.5 * gain + 1e-12)
    assert hidden > 450
