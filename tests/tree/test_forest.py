"""Forests: the same results for any n_jobs, averages of trees, out-of-bag costs."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from naive import tree as naive
from stakes.datasets import make_fraud
from stakes.metrics import cost_loss
from stakes.tree import ConfidenceForestClassifier, ConfidenceTreeClassifier


def problem(seed=0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 1.5).astype(int)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 5] = rng.integers(0, 4, n)
    return X, y


def forest(n=6, **settings):
    return ConfidenceForestClassifier(
        n_estimators=n, random_state=0, categorical_features=[5], **settings
    )


@pytest.mark.parametrize("bootstrap", ["plain", "balanced", None])
def test_any_number_of_jobs_gives_the_same_bytes(bootstrap):
    X, y = problem()
    one, two = (forest(bootstrap=bootstrap, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.predict_proba(X).tobytes() == two.predict_proba(X).tobytes()
    assert one.nodes_.threshold.tobytes() == two.nodes_.threshold.tobytes()


def test_the_forest_is_the_mean_of_its_trees():
    X, y = problem()
    model = forest(smoothing=0.0).fit(X, y)
    nodes, roots = model.nodes_, model.roots_
    share = nodes.weight[:, 1] / nodes.weight.sum(axis=1)
    ends = [*roots[1:], len(nodes)]
    for i in range(0, 400, 40):
        leaves = [naive.walk(nodes, X[i], root) for root in roots]
        assert all(a <= leaf < b for a, leaf, b in zip(roots, leaves, ends, strict=True))
        assert model.predict_proba(X[i : i + 1])[0, 1] == pytest.approx(share[leaves].mean())


def test_one_tree_on_all_examples_and_features_is_the_tree():
    X, y = problem()
    settings = dict(criterion="ccp_entropy", min_samples_leaf=3, categorical_features=[5])
    alone = ConfidenceTreeClassifier(pruning=None, exact_rows=0, smoothing=0.0, **settings)
    single = ConfidenceForestClassifier(
        n_estimators=1, bootstrap=None, max_features=None, smoothing=0.0, **settings
    )
    np.testing.assert_allclose(
        alone.fit(X, y).predict_proba(X), single.fit(X, y).predict_proba(X), atol=1e-14
    )


def test_balanced_samples_give_probabilities_at_the_frequencies_of_training():
    data = make_fraud(4000, random_state=0)
    model = ConfidenceForestClassifier(
        n_estimators=20, bootstrap="balanced", smoothing=0.0, random_state=0
    )
    p = model.fit(data.X, data.y).predict_proba(data.X)[:, 1]
    assert p.mean() == pytest.approx(data.y.mean())
    np.testing.assert_allclose(model.nodes_.weight[model.roots_].sum(axis=1), 4000)


def test_out_of_bag_cost_is_near_the_cost_on_new_rows():
    data = make_fraud(6000, random_state=1)
    train, new = data.take(slice(0, 3000)), data.take(slice(3000, None))
    model = ConfidenceForestClassifier(
        n_estimators=15, oob=True, random_state=0, min_samples_leaf=20
    )
    model.fit(train.X, train.y, fp_cost=train.fp_cost, fn_cost=train.fn_cost)
    decided = model.predict(new.X, fp_cost=new.fp_cost, fn_cost=new.fn_cost)
    fresh = cost_loss(new.y, decided, fp_cost=new.fp_cost, fn_cost=new.fn_cost)
    assert model.oob_cost_ == pytest.approx(fresh, rel=0.5)
    seen = ~np.isnan(model.oob_probability_)
    assert seen.mean() > 0.95
    p = model.oob_probability_[seen]
    decided = p * train.fn_cost[seen] > (1 - p) * np.broadcast_to(train.fp_cost, 3000)[seen]
    costs = dict(fp_cost=np.broadcast_to(train.fp_cost, 3000)[seen], fn_cost=train.fn_cost[seen])
    expected = cost_loss(train.y[seen], decided.astype(int), **costs)
    assert model.oob_cost_ == pytest.approx(expected)


def test_importance_is_what_shuffling_costs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 1] > 0.8).astype(int)
    model = ConfidenceForestClassifier(n_estimators=10, random_state=0).fit(X[:300], y[:300])
    found = model.importances(X[300:], y[300:], fn_cost=3.0, random_state=0)
    assert found.argmax() == 1 and found[1] > 0.3
    assert np.abs(found[[0, 2, 3]]).max() < 0.1
    column = model.importances(X[300:], y[300:, None], fn_cost=3.0, random_state=0)
    np.testing.assert_array_equal(column, found)


@pytest.mark.parametrize(("share", "count"), [(1 / 3, 2), (0.01, 1), (1.0, 6), (1, 1), ("sqrt", 2)])
def test_features_tried_are_a_number_or_a_share(share, count):
    X, y = problem()
    drawn = [forest(max_features=tried).fit(X, y).predict_proba(X) for tried in (share, count)]
    np.testing.assert_array_equal(*drawn)


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    model = ConfidenceForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.94 and model.decision_function(X).shape == (150, 3)
    assert model.score(X, y[:, None]) == model.score(X, y)
    assert model.importances(X, y, random_state=0).argmax() in (2, 3)
    with pytest.raises(ValueError, match="oob=True needs two classes"):
        ConfidenceForestClassifier(n_estimators=3, oob=True).fit(X, y)


def test_out_of_bag_probabilities_are_aligned_with_all_rows():
    X, y = problem()
    cost = np.where(np.arange(len(y)) % 10 == 0, 0.0, 1.0)
    model = ConfidenceForestClassifier(n_estimators=30, oob=True, random_state=0)
    probability = model.fit(X, y, fp_cost=cost, fn_cost=cost).oob_probability_
    assert len(probability) == len(y) and np.isnan(probability[cost == 0]).all()
    paid = cost > 0
    alone = model.fit(X[paid], y[paid]).oob_probability_
    np.testing.assert_array_equal(probability[paid], alone)
