"""Worthless decisions are told: by whom, on which rows, and how surely."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from stakes._trivial import spread_rows, warn_below_trivial
from stakes.costs import Costs
from stakes.decision import BayesDecisionClassifier
from stakes.errors import BelowTrivialWarning
from stakes.qmean import QuadraticMeanClassifier
from stakes.svm import CostSensitiveSVC


def rare(n=400, seed=0):
    """Two per cent positives that the features say next to nothing of."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 50 == 0).astype(int)
    return rng.normal(size=(n, 2)) + 0.1 * y[:, None], y


def test_a_balanced_learner_at_equal_prices_is_told():
    """The hinge form counts both classes the same, whatever their prices are."""
    X, y = rare()
    prices = dict(fp_cost=1.0, fn_cost=1.0)
    learner = QuadraticMeanClassifier(loss="hinge")
    with pytest.warns(BelowTrivialWarning, match=r"always negative \(8\)") as told:
        model = learner.fit(X, y, **prices)
    paid = (model.predict(X) != y).sum()
    assert paid > 8 and f"cost {paid} on its own training rows" in str(told[0].message)


def test_without_prices_nothing_is_known_to_be_lost():
    QuadraticMeanClassifier(loss="hinge").fit(*rare())  # warnings are errors here


def test_scores_of_an_inner_learner_are_no_decisions():
    X, y = rare()
    inner = QuadraticMeanClassifier(loss="hinge")
    model = BayesDecisionClassifier(inner, calibration="sigmoid")
    assert not model.fit(X, y, fp_cost=1.0, fn_cost=1.0).predict(X).any()


def test_probabilities_that_are_off_are_told_of_the_decision():
    X, y = rare()
    off = LogisticRegression(class_weight="balanced")
    with pytest.warns(BelowTrivialWarning, match="decisions of BayesDecisionClassifier"):
        BayesDecisionClassifier(off, fn_cost=2.0).fit(X, y)
    BayesDecisionClassifier(off, fn_cost=2.0, training_prior=0.5).fit(X, y)
    matrix = [[0.0, 1.0], [2.0, 0.0]]
    with pytest.warns(BelowTrivialWarning, match=r"always negative \(16\)"):
        BayesDecisionClassifier(off, cost_matrix=matrix).fit(X, y)


def test_weights_are_copies():
    X, y = rare()
    weight = np.where(y == 1, 3.0, 1.0)
    off = BayesDecisionClassifier(LogisticRegression(class_weight="balanced"), fn_cost=2.0)
    with pytest.warns(BelowTrivialWarning, match=r"always negative \(48\)"):
        off.fit(X, y, weight)


def test_the_best_constant_is_no_loss():
    """Where a learner gives one answer for all it costs what that costs, to the last digit."""
    X, y = rare()
    price = np.random.default_rng(1).lognormal(0.0, 2.0, len(y))
    model = CostSensitiveSVC(C=1e-6).fit(X, y, fp_cost=100 * price, fn_cost=price)
    assert not model.predict(X).any()


def test_rows_are_spread_over_both_classes(rng):
    positive = rng.random(5000) < 0.01
    rows, weight = spread_rows(positive, most=200)
    assert positive[rows].sum() == positive.sum() and (~positive[rows]).sum() == 200
    assert weight.sum() == pytest.approx(5000)
    assert (weight[positive[rows]] == 1.0).all()
    assert (np.diff(rows) > 0).all()


def test_a_drawn_loss_has_to_be_sure(rng):
    """With some rows for all, a true loss of nothing is told in few of the draws."""
    n, told = 400, 0
    for _ in range(40):
        positive = rng.random(n) < 0.5
        decided = np.where(rng.random(n) < 0.5, positive, ~positive)
        costs = Costs.of(n, fp_cost=1.0, fn_cost=1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BelowTrivialWarning)
            told += warn_below_trivial(
                None, costs, positive, decided, np.full(n, 100.0), where="rows"
            )
    assert told <= 10
    with pytest.warns(BelowTrivialWarning, match="cost 40,000 on rows"):
        warn_below_trivial(None, costs, positive, ~positive, np.full(n, 100.0), where="rows")
