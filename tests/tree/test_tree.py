"""Decisions of leaves under costs, weights, several classes, and a tree as rules."""

import numpy as np
import pytest
import skops.io
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from naive import tree as naive
from stakes._core.model_file import load_model, save_model
from stakes.datasets import load_german_credit
from stakes.errors import InputError
from stakes.metrics import savings_score
from stakes.tree import ConfidenceTreeClassifier


def problem(rng, n=300):
    X = rng.normal(size=(n, 4)).round(2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 1.0).astype(int)
    return X, y


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_plain_criteria_equal_scikit_learn(criterion, rng):
    """The same first split and, grown in full on distinct values, the same training fit."""
    X, y = problem(rng)
    ours = ConfidenceTreeClassifier(
        criterion=criterion, max_depth=1, pruning=None, min_samples_leaf=1
    )
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=1, random_state=0).fit(X, y)
    nodes = ours.fit(X, y).nodes_
    assert nodes.feature[0] == theirs.tree_.feature[0]
    assert nodes.threshold[0] == pytest.approx(theirs.tree_.threshold[0])


def test_a_leaf_decides_by_the_cost_of_its_own_examples():
    """Thirty per cent positives: negative when mistakes cost the same, positive when misses do."""
    X, y = np.zeros((10, 1)), np.array([1, 1, 1] + [0] * 7)
    assert not ConfidenceTreeClassifier().fit(X, y).predict(X).any()
    fn_cost = np.where(y == 1, 5.0, 1.0)
    model = ConfidenceTreeClassifier(smoothing=1.0, smoothing_target="uniform").fit(
        X, y, fn_cost=fn_cost
    )
    assert model.predict(X).all()
    assert model.decision_function(X)[0] == pytest.approx((20 - 8) / (20 + 8))  # one more of each
    assert model.predict_proba(X)[0, 1] == pytest.approx(4 / 12)


def test_costs_at_prediction_use_the_probability(rng):
    X, y = problem(rng)
    model = ConfidenceTreeClassifier(p_value=0.01).fit(X, y)
    fn = rng.uniform(0.1, 10.0, len(y))
    expected = model.predict_proba(X)[:, 1] > 1.0 / (1.0 + fn)
    np.testing.assert_array_equal(model.predict(X, fp_cost=1.0, fn_cost=fn), expected)


def test_smoothing():
    X, y = np.array([0.0] * 4 + [1.0] * 4)[:, None], np.array([0, 0, 0, 0, 1, 1, 0, 1])
    settings = dict(min_samples_leaf=1, pruning=None)
    laplace = ConfidenceTreeClassifier(smoothing=1.0, smoothing_target="uniform", **settings).fit(
        X, y
    )
    np.testing.assert_allclose(laplace.predict_proba([[0.0], [1.0]])[:, 1], [1 / 6, 4 / 6])
    rate = ConfidenceTreeClassifier(smoothing=1.0, smoothing_target="rate", **settings).fit(X, y)
    np.testing.assert_allclose(rate.predict_proba([[0.0], [1.0]])[:, 1], [0.75 / 6, 3.75 / 6])
    none = ConfidenceTreeClassifier(smoothing=0.0, **settings).fit(X, y)
    np.testing.assert_allclose(none.predict_proba([[0.0], [1.0]])[:, 1], [0, 0.75])


def test_a_leaf_is_drawn_to_the_nodes_above_it(rng):
    X, y = problem(rng)
    fn = rng.uniform(0.5, 4.0, len(y))
    settings = dict(min_samples_leaf=1, pruning=None)
    model = ConfidenceTreeClassifier(smoothing=3.0, smoothing_target="parent", **settings)
    nodes = model.fit(X, y, fn_cost=fn).nodes_
    totals = np.hstack([nodes.weight, nodes.regret])
    for leaf in np.flatnonzero(nodes.is_leaf):
        w0, w1, r0, r1 = naive.drawn_to_parents(nodes, totals, leaf, 6.0)
        assert nodes.probability[leaf] == pytest.approx(w1 / (w0 + w1), rel=1e-12)
        assert nodes.score[leaf] == pytest.approx((r1 - r0) / (r0 + r1), abs=1e-12)
    constant = ConfidenceTreeClassifier(smoothing_target="parent").fit(np.zeros((len(y), 1)), y)
    assert constant.predict_proba([[0.0]])[0, 1] == pytest.approx(y.mean())


def test_much_smoothing_is_the_best_constant_policy(rng):
    """Without evidence a leaf decides as the whole: no split alone can lose money."""
    X, y = problem(rng)
    fn = rng.uniform(0.5, 4.0, len(y))
    model = ConfidenceTreeClassifier(smoothing=1e9, smoothing_target="parent", pruning=None)
    decided = model.fit(X, y, fn_cost=fn).predict(X)
    costs = [np.sum(fn[y == 1]), np.sum(y == 0)]
    assert np.all(decided == np.argmin(costs))


def test_german_credit_costs_no_more_than_the_best_constant_policy():
    """With Laplace's correction and no pruning the same tree loses more than deciding all alike."""
    data = load_german_credit()
    X = OrdinalEncoder().fit_transform(data.X)
    names = ("fp_cost", "fn_cost", "tp_cost", "tn_cost")
    prices = {name: np.broadcast_to(getattr(data, name), len(X)) for name in names}
    laplace = dict(pruning=None, smoothing=1.0, smoothing_target="uniform")
    found = {}
    for name, settings in {"default": {}, "laplace": laplace}.items():
        decided = np.empty(len(X), dtype=data.y.dtype)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, data.y):
            tree = ConfidenceTreeClassifier(**settings)
            tree.fit(X[train], data.y[train], **{key: c[train] for key, c in prices.items()})
            decided[test] = tree.predict(X[test], **{key: c[test] for key, c in prices.items()})
        found[name] = savings_score(data.y, decided, **prices)
    assert found["laplace"] < 0 < found["default"]


def test_weights_are_copies(rng):
    X, y = problem(rng, 120)
    weight = rng.integers(0, 4, len(y))
    weighted = ConfidenceTreeClassifier(p_value=0.05).fit(X, y, weight)
    copied = ConfidenceTreeClassifier(p_value=0.05).fit(
        np.repeat(X, weight, 0), np.repeat(y, weight)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X))


def test_walks_end_where_a_naive_walk_does(rng):
    X, y = problem(rng)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 3] = rng.integers(0, 5, len(y))
    model = ConfidenceTreeClassifier(pruning=None, categorical_features=[3]).fit(X, y)
    new = np.vstack([X, np.full((1, 4), np.nan), [[0, 0, 0, 77]], [[0, 0, 0, 1e9]]])
    assert (model.nodes_.group >= 0).any()
    coded = np.where(new == np.array([np.inf] * 3 + [77]), 254, np.where(new == 1e9, 254, new))
    found = [naive.walk(model.nodes_, x) for x in coded]  # unknown categories share a code
    np.testing.assert_array_equal(model.apply(new), found)


def test_a_drawn_feature_subset_is_the_same_for_the_same_seed(rng):
    X, y = problem(rng)
    make = lambda seed: ConfidenceTreeClassifier(  # noqa: E731
        max_features=1, pruning=None, random_state=seed
    ).fit(X, y)
    np.testing.assert_array_equal(make(0).nodes_.feature, make(0).nodes_.feature)
    assert len({make(seed).nodes_.feature.tobytes() for seed in range(5)}) > 1


def test_a_file_with_a_tree_that_points_outside_is_refused(rng, tmp_path):
    X, y = problem(rng)
    model = ConfidenceTreeClassifier(p_value=0.05).fit(X, y)
    save_model(model, tmp_path / "sound.skops")
    loaded = load_model(tmp_path / "sound.skops").model
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    model.nodes_.left[0] = 10**6
    with pytest.raises(InputError, match=r"cannot be saved.*a tree node points outside"):
        save_model(model, tmp_path / "bad.skops")
    content = {"format": "stakes model", "version": "1", "model": model, "facts": {}}
    skops.io.dump(content, tmp_path / "bad.skops")
    with pytest.raises(InputError, match="a tree node points outside"):
        load_model(tmp_path / "bad.skops")


def test_nothing_at_stake_is_refused():
    with pytest.raises(ValueError, match="nothing to learn from"):
        ConfidenceTreeClassifier(fp_cost=0.0, fn_cost=0.0).fit([[0.0], [1.0]], [0, 1])


def test_rarity_does_not_blind():
    """On rare positives the CCP tree ranks better than entropy with the same few splits."""
    aucs = {"ccp_entropy": [], "entropy": []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(4000, 5))
        y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=4000) > 4.5).astype(int)
        for criterion, found in aucs.items():
            tree = ConfidenceTreeClassifier(criterion=criterion, pruning=None, max_depth=4)
            tree.fit(X[:2000], y[:2000])
            found.append(roc_auc_score(y[2000:], tree.predict_proba(X[2000:])[:, 1]))
    assert np.mean(aucs["ccp_entropy"]) > np.mean(aucs["entropy"])


def test_a_refit_with_bad_costs_leaves_the_old_tree_whole(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 2] > 0).astype(int)
    model = ConfidenceTreeClassifier().fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="missing"):
        model.fit(X[:, :2], y, fn_cost=np.nan)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(X[:, :2])
