"""Costs of many classes and of actions that are not the classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from stakes.costs import CostMatrix, Costs
from stakes.decision import BayesDecisionClassifier
from stakes.errors import BelowTrivialWarning
from stakes.metrics import cost_loss, expected_cost_loss, make_cost_scorer, savings_score

ACTIONS = ["ignore", "call", "block"]
COSTS = [[0, 2, 9], [30, 5, 1], [8, 1, 8], [0, 0, 0]]


def toy(rng, n=200, k=3):
    y = rng.integers(k, size=n)
    return rng.normal(size=(n, 2)) + 3 * y[:, None], np.array(["a", "b", "c", "d"])[y]


def test_actions_need_not_be_classes(rng):
    costs = CostMatrix.of(COSTS, 4, actions=ACTIONS)
    P = rng.dirichlet(np.ones(4), 50)
    by_hand = [[sum(p[k] * COSTS[k][j] for k in range(4)) for j in range(3)] for p in P]
    np.testing.assert_allclose(costs.expected(P), by_hand)
    assert costs.decide(P).tolist() == np.argmin(by_hand, axis=1).tolist()
    assert costs.answer([0, 1, 2]).tolist() == [0, 2, 1]
    assert costs.regret([0, 1, 3]).tolist() == [9, 29, 0]


def test_a_table_for_each_example_and_one_for_all_agree(rng):
    one = CostMatrix.of(COSTS, 4, actions=ACTIONS)
    each = CostMatrix.of(np.repeat([COSTS], 50, axis=0), 4, actions=ACTIONS, n=50)
    P, truth, decided = (
        rng.dirichlet(np.ones(4), 50),
        rng.integers(4, size=50),
        rng.integers(3, size=50),
    )
    np.testing.assert_allclose(one.expected(P), each.expected(P))
    assert (one.paid(truth, decided) == each.paid(truth, decided)).all()
    assert (one.constant(truth) == each.constant(truth)).all()
    assert ((one * 3.0).constant(truth) == (each[:] * np.full(50, 3.0)).constant(truth)).all()
    with pytest.raises(ValueError, match="one table for each of the 9 examples"):
        CostMatrix.of(each.table, 4, actions=ACTIONS, n=9)


def test_labels_of_rows_and_columns_are_matched():
    frame = pd.DataFrame(COSTS[:3], index=list("cab"), columns=ACTIONS)
    table = CostMatrix.of(frame, 3, list("abc"), ["block", "ignore", "call"]).table
    assert table.tolist() == [[1, 30, 5], [8, 8, 1], [9, 0, 2]]
    of_polars = pl.DataFrame(COSTS[:3], schema=ACTIONS, orient="row")
    assert CostMatrix.of(of_polars, 3, list("abc"), ACTIONS).table.tolist() == COSTS[:3]
    with pytest.raises(ValueError, match="but the actions are ignore, call, refuse"):
        CostMatrix.of(frame, 3, list("abc"), ["ignore", "call", "refuse"])


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_are_the_two_class_formulas(seed):
    rng = np.random.default_rng(seed)
    n = 60
    y, p = rng.integers(2, size=n), rng.random(n)
    tn, tp = rng.normal(size=n), rng.normal(size=n)
    fp, fn = tn + rng.exponential(size=n), tp + rng.exponential(size=n)
    weight = rng.integers(1, 4, size=n)
    four = dict(fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn)
    table = dict(cost_matrix=np.stack([tn, fp, fn, tp], axis=1).reshape(n, 2, 2), labels=[0, 1])
    P = np.column_stack([1 - p, p])
    decided = Costs.of(n, **four).decide(p).astype(int)
    assert (CostMatrix.of(table["cost_matrix"], 2).decide(P) == decided).all()
    for metric, given in ((cost_loss, decided), (savings_score, decided), (expected_cost_loss, p)):
        other = P if metric is expected_cost_loss else given
        expected = metric(y, given, **four, sample_weight=weight)
        assert metric(y, other, **table, sample_weight=weight) == pytest.approx(expected, abs=1e-12)
    today = rng.integers(2, size=n)
    expected = savings_score(y, decided, **four, baseline=today)
    assert savings_score(y, decided, **table, baseline=today) == pytest.approx(expected, abs=1e-12)


def test_savings_of_actions():
    truth, decided = ["a", "b", "c"], ["ignore", "block", "ignore"]
    costs = dict(cost_matrix=COSTS[:3], labels=["a", "b", "c"], actions=ACTIONS)
    assert cost_loss(truth, decided, **costs, normalize=False) == 9
    assert savings_score(truth, decided, **costs) == 1 - 9 / 8  # always "call" costs 8
    assert savings_score(truth, decided, **costs, baseline=["block"] * 3) == 0.5
    with pytest.raises(ValueError, match="an action that is not in actions"):
        cost_loss(truth, ["call", "call", "a"], **costs)
    with pytest.raises(ValueError, match="baseline must be 'best' or an array"):
        savings_score(truth, decided, **costs, baseline="negative")


def test_bayes_decision_about_actions(rng):
    X, y = toy(rng)
    model = BayesDecisionClassifier(LogisticRegression(), cost_matrix=COSTS[:3], actions=ACTIONS)
    model.fit(X, y)
    best = (model.predict_proba(X) @ np.array(COSTS[:3])).argmin(axis=1)
    assert model.predict(X).tolist() == np.array(ACTIONS)[best].tolist()
    assert set(model.predict(X)) == set(ACTIONS)
    # scaling changes no decision; costs of the call replace those of the constructor
    scaled = 1000.0 * np.repeat([COSTS[:3]], len(X), axis=0)
    assert (model.predict(X, cost_matrix=scaled) == model.predict(X)).all()
    np.testing.assert_allclose(
        model.expected_cost(X, cost_matrix=scaled), 1000 * model.expected_cost(X)
    )
    assert model.score(X, y) == pytest.approx(model.score(X, y, cost_matrix=scaled))
    assert set(model.predict(X, cost_matrix=[[1, 0, 1]] * 3)) == {"call"}
    with pytest.raises(ValueError, match="y has 3"):
        model.predict(X, fp_cost=3.0)
    two = BayesDecisionClassifier(LogisticRegression(), actions=ACTIONS).fit(X, y == "c")
    assert set(two.predict(X, cost_matrix=[[0, 2, 9], [30, 5, 1]])) == set(ACTIONS)


def test_a_table_per_row_reaches_predict_in_cross_validation(rng):
    X, y = toy(rng)
    table = rng.random((len(X), 3, 3)) * 9
    table[:, range(3), range(3)] = 0
    model = BayesDecisionClassifier(LogisticRegression())
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_cost_scorer(cost_loss)
        found = cross_val_score(model, X, y, scoring=scorer, params={"cost_matrix": table}, cv=3)
    by_hand = []
    for train, test in StratifiedKFold(3).split(X, y):
        decided = model.fit(X[train], y[train]).predict(X[test], cost_matrix=table[test])
        classes = dict(labels=["a", "b", "c"])
        by_hand.append(-cost_loss(y[test], decided, cost_matrix=table[test], **classes))
    np.testing.assert_allclose(found, by_hand)


def test_warns_below_the_best_constant_decision(rng):
    X, y = toy(rng)
    swapped = {"a": "b", "b": "c", "c": "a"}
    frozen = DecisionTreeClassifier().fit(X, [swapped[one] for one in y])
    model = BayesDecisionClassifier(FrozenEstimator(frozen), cost_matrix=1 - np.eye(3))
    with pytest.warns(BelowTrivialWarning, match="cost more than always predicting"):
        model.fit(X, y)
