"""One tree for any number of classes, and costs between them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from naive import tree as naive
from stakes._core.jit.gain import CRITERIA
from stakes._core.model_file import load_model, save_model
from stakes.errors import BelowTrivialWarning
from stakes.tree import ConfidenceForestClassifier, ConfidenceTreeClassifier

COST = [[0, 1, 9], [4, 0, 1], [2, 3, 0]]


def problem(rng, n=60):
    X = np.column_stack([rng.normal(size=(n, 2)).round(1), rng.integers(0, 4, n)])
    label = np.digitize(X[:, 0] + (X[:, 2] == 1) + 0.5 * rng.normal(size=n), [-0.3, 0.8])
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, label


@pytest.mark.parametrize("criterion", sorted(set(CRITERIA) - {"gain_ratio"}))
@pytest.mark.parametrize("exact_rows", [0, 256])
def test_each_split_is_the_best_of_all(criterion, exact_rows, rng):
    """Of groups of categories only for one class against the rest: others search k orders."""
    X, label = problem(rng)
    categorical = () if criterion in ("entropy", "gini", "cost") else (2,)
    model = ConfidenceTreeClassifier(
        criterion=criterion,
        pruning=None,
        max_depth=2,
        exact_rows=exact_rows,
        max_bins=8 if exact_rows else 255,
        min_samples_leaf=3,
        categorical_features=list(categorical),
        cost_matrix=COST,
    ).fit(X, label)
    nodes, coded = model.nodes_, model._validate_X(X)
    inside = np.zeros((len(nodes), len(X)), dtype=bool)
    for i, x in enumerate(coded):
        inside[naive.walk(nodes, x), i] = True
    for k in np.flatnonzero(~nodes.is_leaf)[::-1]:
        inside[k] = inside[nodes.left[k]] | inside[nodes.left[k] + 1]
    np.testing.assert_array_equal(
        nodes.weight, [np.bincount(label[rows], minlength=3) for rows in inside]
    )
    assert (~nodes.is_leaf).any()
    for k in np.flatnonzero(~nodes.is_leaf):
        rows = inside[k]
        best = naive.best_gain_many(
            coded[rows], label[rows], 3, criterion, 3, categorical, cost=COST
        )
        sides = [nodes.weight[nodes.left[k] + side].tolist() for side in (0, 1)]
        assert naive.gain_many(criterion, *sides, cost=COST) == pytest.approx(best, abs=1e-10)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_plain_criteria_equal_scikit_learn(criterion):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).uniform(-0.01, 0.01, X.shape)  # no ties
    settings = dict(criterion=criterion, max_depth=3)
    theirs = DecisionTreeClassifier(random_state=0, **settings).fit(X, y)
    ours = ConfidenceTreeClassifier(
        pruning=None, min_samples_leaf=1, smoothing=0.0, **settings
    ).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_two_classes_of_three_are_the_two_class_tree(rng):
    """A class without examples in a node changes nothing there."""
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    y[X[:, 0] > 0.5] = 1
    X3, y3 = np.vstack([X, np.full((50, 3), 99.0)]), np.append(y, np.full(50, 2))
    settings = dict(pruning=None, min_samples_leaf=5, smoothing=0.0, exact_rows=10**6)
    two = ConfidenceTreeClassifier(criterion="gini", max_depth=3, **settings).fit(X, y)
    three = ConfidenceTreeClassifier(criterion="gini", max_depth=4, **settings).fit(X3, y3)
    np.testing.assert_allclose(three.predict_proba(X)[:, :2], two.predict_proba(X), atol=1e-12)


@pytest.mark.jit
def test_accuracy_is_that_of_the_peers():
    for X, y in (load_iris(return_X_y=True), load_wine(return_X_y=True)):
        for ours, theirs in (
            (ConfidenceTreeClassifier(p_value=0.01), DecisionTreeClassifier(random_state=0)),
            (ConfidenceForestClassifier(random_state=0), RandomForestClassifier(random_state=0)),
        ):
            scores = [cross_val_score(m, X, y, cv=5).mean() for m in (ours, theirs)]
            assert scores[0] > scores[1] - 0.04


def test_probabilities_sum_to_one_and_models_can_be_saved(tmp_path):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for model in (
        ConfidenceTreeClassifier(),
        ConfidenceForestClassifier(n_estimators=10, random_state=0),
    ):
        P = model.fit(X, names).predict_proba(X)
        np.testing.assert_allclose(P.sum(axis=1), 1.0)
        assert model.score(X, names) > 0.94
        save_model(model, tmp_path / "many.skops")
        loaded = load_model(tmp_path / "many.skops").model
        np.testing.assert_array_equal(loaded.predict_proba(X), P)
    with pytest.raises(ValueError, match="for two classes only, and y has 3; set cost_matrix"):
        model.predict(X, fn_cost=2.0)
    with pytest.raises(ValueError, match="for two classes only"):
        ConfidenceTreeClassifier(fn_cost=2.0).fit(X, y)


def test_the_cost_matrix_decides(rng):
    X, label = problem(rng, 300)
    model = ConfidenceTreeClassifier(cost_matrix=COST, p_value=0.05).fit(X, label)
    expected = model.predict_proba(X) @ np.array(COST)
    np.testing.assert_array_equal(model.predict(X), expected.argmin(axis=1))
    assert (model.predict(X) != model.predict_proba(X).argmax(axis=1)).any()
    scaled = ConfidenceTreeClassifier(cost_matrix=np.multiply(COST, 1e3), p_value=0.05)
    np.testing.assert_array_equal(scaled.fit(X, label).predict(X), model.predict(X))
    rules = model.rules()
    table = np.array(COST, dtype=float)
    lost = table[label, model.predict(X)].sum()
    assert rules["lost"].sum() == pytest.approx(lost)
    assert rules["at_stake"].sum() == pytest.approx(table.max(axis=1)[label].sum())
    gains = model.importances(X, label, random_state=0)
    assert gains.shape == (3,) and gains[0] > 0


def test_a_cost_matrix_of_two_classes_is_the_four_costs(rng):
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 1).astype(int)
    matrix = ConfidenceTreeClassifier(cost_matrix=[[0, 1], [6, 0]]).fit(X, y)
    numbers = ConfidenceTreeClassifier(fn_cost=6.0).fit(X, y)
    np.testing.assert_array_equal(matrix.predict(X), numbers.predict(X))
    with pytest.raises(ValueError, match="Give either cost_matrix or fp_cost"):
        ConfidenceTreeClassifier(cost_matrix=[[0, 1], [6, 0]], fn_cost=2.0).fit(X, y)


def test_worse_than_a_constant_is_reported():
    """A tree on noise that may not smooth: the expensive mistakes cost more than one answer."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 1)).astype(float), rng.integers(0, 3, 300)
    model = ConfidenceTreeClassifier(cost_matrix=[[0, 1, 1], [1, 0, 1], [9, 9, 0]])
    model.fit(X, y)  # decides class 2 everywhere: no warning
    model.cost_matrix = [[0, 9, 9], [9, 0, 9], [1, 1, 0]]
    model.nodes_.probability[:] = [0.0, 0.0, 1.0]
    with pytest.warns(BelowTrivialWarning, match="always predicting"):
        model._compare_many_with_trivial(X, y, None)
