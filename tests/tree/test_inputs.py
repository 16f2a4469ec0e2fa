"""What trees, forests and rules take: weights in any unit, text, many categories, sparse tables."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.ensemble import AdaBoostClassifier

from stakes._core.model_file import load_model, save_model
from stakes.datasets import make_fraud
from stakes.tree import (
    AssociationRuleClassifier,
    ConfidenceForestClassifier,
    ConfidenceTreeClassifier,
)

LEARNERS = [
    ConfidenceTreeClassifier(p_value=0.05),
    ConfidenceTreeClassifier(p_value=0.05, criterion="cost", class_weight="balanced"),
    ConfidenceForestClassifier(n_estimators=5, random_state=0),
    AssociationRuleClassifier(p_value=0.05),
]
each = pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)


def problem(rng, n=300):
    X = rng.normal(size=(n, 3)).round(2)
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0.7).astype(int)


@pytest.mark.jit
def test_small_weights_give_the_same_tree():
    """Before: one leaf instead of dozens, and AdaBoost that stops at its first tree."""
    data = make_fraud(4000, random_state=0)
    plain = ConfidenceTreeClassifier(p_value=0.01).fit(data.X, data.y)
    n = len(data.y)
    scaled = ConfidenceTreeClassifier(p_value=0.01).fit(data.X, data.y, np.ones(n) / n)
    assert plain.n_leaves_ > 5
    np.testing.assert_array_equal(plain.nodes_.feature, scaled.nodes_.feature)
    np.testing.assert_allclose(plain.predict_proba(data.X), scaled.predict_proba(data.X))
    boosted = AdaBoostClassifier(
        ConfidenceTreeClassifier(max_depth=2), n_estimators=10, random_state=0
    ).fit(data.X, data.y)
    assert len(boosted.estimators_) == 10


@each
@settings(max_examples=10, deadline=None)
@given(factor=st.floats(1e-9, 1e9), seed=st.integers(0, 5), whole=st.booleans())
def test_the_unit_of_the_weights_does_not_matter(learner, factor, seed, whole):
    rng = np.random.default_rng(seed)
    X, y = problem(rng)
    weight = rng.integers(0, 3, len(y)) if whole else rng.uniform(0.2, 3.0, len(y))
    one = learner.fit(X, y, sample_weight=weight).predict_proba(X)
    other = learner.fit(X, y, sample_weight=weight * factor).predict_proba(X)
    np.testing.assert_allclose(one, other, rtol=1e-9)


@each
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 20))
def test_the_order_of_the_categories_does_not_matter(learner, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng)
    X[:, 1] = rng.integers(0, 6, len(y))
    y = np.where(np.isin(X[:, 1], (2, 3)), 1 - y, y)
    new = X.copy()
    new[:, 1] = rng.permutation(6)[X[:, 1].astype(int)] * 10.0 - 7.0  # any numbers are codes
    learner.set_params(categorical_features=[1])
    one, other = (learner.fit(Z, y).predict_proba(Z) for Z in (X, new))
    learner.set_params(categorical_features=None)
    np.testing.assert_allclose(one, other, rtol=1e-9)


@each
def test_text_is_a_category(learner, rng, tmp_path):
    X, y = problem(rng)
    kind = np.where(rng.random(len(y)) < 0.8, np.where(y, "M", "F"), "unknown")
    coded = np.column_stack([X[:, 0], np.unique(kind, return_inverse=True)[1]])
    table = pl.DataFrame({"age": X[:, 0], "kind": kind})
    expected = learner.set_params(categorical_features=[1]).fit(coded, y).predict_proba(coded)
    learner.set_params(categorical_features=None)
    for frame in (
        table,
        table.to_pandas(),
        table.to_pandas().to_numpy(),
        table.to_pandas().astype({"kind": "category"}),
    ):
        np.testing.assert_array_equal(learner.fit(frame, y).predict_proba(frame), expected)
    save_model(learner, tmp_path / "text.skops")
    loaded = load_model(tmp_path / "text.skops").model
    np.testing.assert_array_equal(loaded.predict_proba(frame), expected)
    gone = pd.DataFrame({"age": [0.0, 0.0], "kind": [None, "new"]})
    assert np.isfinite(learner.predict_proba(gone)).all()


@pytest.mark.jit
@each
def test_more_categories_than_codes(learner, rng):
    """The rarest of 600 categories share a code; the frequent ones keep theirs."""
    code = np.minimum(rng.geometric(0.01, 5000), 599).astype(float)
    y = (np.isin(code, (3, 4, 5)) ^ (rng.random(5000) < 0.01)).astype(int)
    assert len(np.unique(code)) > 255
    learner.set_params(categorical_features=[0]).fit(code[:, None], y)
    found = learner.predict_proba(np.array([[4.0], [1.0], [598.5], [np.nan]]))[:, 1]
    learner.set_params(categorical_features=None)
    assert found[0] > max(0.5, found[1] + 0.2) and np.isfinite(found).all()
    assert len(learner.categories_[0]) == 254


@each
def test_sparse_tables_are_those_of_their_numbers(learner, rng):
    X, y = problem(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    dense = learner.fit(X, y).predict_proba(X)
    for form in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
        found = learner.fit(form(X), y).predict_proba(form(X))
        np.testing.assert_array_equal(found, dense)


def test_weights_multiply_classes_but_no_counts(rng):
    """Class weights move probabilities and plain splits; leaf sizes and p-values count examples."""
    X, y = problem(rng)
    plain = ConfidenceTreeClassifier(p_value=0.01, min_samples_leaf=10).fit(X, y)
    heavy = ConfidenceTreeClassifier(p_value=0.01, min_samples_leaf=10, class_weight={1: 50.0})
    heavy.fit(X, y)
    np.testing.assert_array_equal(plain.nodes_.feature, heavy.nodes_.feature)
    np.testing.assert_allclose(plain.nodes_.log_p, heavy.nodes_.log_p)
    assert heavy.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.2
    balanced = ConfidenceTreeClassifier(criterion="gini", class_weight="balanced").fit(X, y)
    root = balanced.nodes_.weight[0]
    assert root[0] == pytest.approx(root[1])
    assert np.bincount(balanced.apply(X)).max() > 0 and balanced.nodes_.is_leaf.sum() > 1


@pytest.mark.jit  # long without the compiled loops
@pytest.mark.parametrize("criterion", ["ccp_entropy", "gini", "cost"])
@pytest.mark.parametrize("learner", LEARNERS[::2], ids=lambda one: type(one).__name__)
def test_monotonic_constraints_hold_everywhere(learner, criterion, rng):
    X = rng.normal(size=(500, 3))
    y = (X[:, 0] - X[:, 1] + np.sin(4 * X[:, 0]) + rng.normal(size=500) > 0.8).astype(int)
    settings = dict(criterion=criterion, min_samples_leaf=2, smoothing=3.0)
    if isinstance(learner, ConfidenceTreeClassifier):
        settings["pruning"] = None
    free = type(learner)(**settings, random_state=0).fit(X, y)
    model = type(learner)(**settings, random_state=0, monotonic_cst=[1, -1, 0]).fit(X, y)
    grid = np.linspace(-3, 3, 60)
    broken = 0
    for feature, sign in ((0, 1), (1, -1)):
        for row in X[:40]:
            Z = np.tile(row, (60, 1))
            Z[:, feature] = grid
            for values in (model.predict_proba(Z)[:, 1], model.decision_function(Z)):
                assert (np.diff(values) * sign >= -1e-12).all()
            broken += (np.diff(free.predict_proba(Z)[:, 1]) * sign < -1e-12).any()
    assert broken > 0
    named = type(learner)(**settings, random_state=0, monotonic_cst={"a": 1, "b": -1})
    named.fit(pl.DataFrame(X, schema=["a", "b", "c"]), y)
    np.testing.assert_array_equal(named.nodes_.feature, model.nodes_.feature)


def test_monotonic_constraints_are_checked(rng):
    X, y = problem(rng)
    with pytest.raises(ValueError, match="one entry -1, 0 or 1 for each of 3 features"):
        ConfidenceTreeClassifier(monotonic_cst=[2, 0, 0]).fit(X, y)
    with pytest.raises(ValueError, match="'z', which is not a column"):
        ConfidenceTreeClassifier(monotonic_cst={"z": 1}).fit(X, y)
    with pytest.raises(ValueError, match="must be 0 for categorical features"):
        ConfidenceTreeClassifier(monotonic_cst=[1, 0, 0], categorical_features=[0]).fit(X, y)
    with pytest.raises(ValueError, match=r"needs two classes\. Got 3"):
        ConfidenceTreeClassifier(monotonic_cst=[1, 0, 0]).fit(X, np.arange(len(y)) % 3)


def test_the_usual_interface_of_trees(rng):
    X, y = problem(rng)
    model = ConfidenceTreeClassifier(pruning=None, max_depth=4).fit(X, y)
    nodes, path = model.nodes_, model.decision_path(X)
    assert model.get_depth() == 4 and model.get_n_leaves() == nodes.is_leaf.sum()
    assert path.shape == (len(X), len(nodes))
    np.testing.assert_array_equal(np.asarray(path.sum(axis=0)).ravel(), nodes.weight.sum(axis=1))
    np.testing.assert_array_equal(
        np.asarray(path.sum(axis=1)).ravel() - 1, nodes.depth[model.apply(X)]
    )
    assert path[np.arange(len(X)), model.apply(X)].sum() == len(X)
    for one in (model, ConfidenceForestClassifier(n_estimators=5, random_state=0).fit(X, y)):
        assert one.feature_importances_.sum() == pytest.approx(1.0)
        assert one.feature_importances_.argmax() == 0
        money = one.importances(X, y, fn_cost=10.0, random_state=0)
        assert money.argmax() == 0 and money[0] > 0
    stump = ConfidenceTreeClassifier().fit(np.zeros((10, 2)), [0, 1] * 5)
    assert stump.feature_importances_.tolist() == [0.0, 0.0]
