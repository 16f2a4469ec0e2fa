"""Worthless decisions are told: by whom, on which rows, and how surely."""

import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from stakes._core.deciding import spread_rows, warn_below_trivial
from stakes.costs import Costs
from stakes.decision import BayesDecisionClassifier
from stakes.errors import BelowTrivialWarning
from stakes.online_kernel import AnomalyDetector, CSDUOLClassifier, KernelPAUMClassifier
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
    with pytest.warns(BelowTrivialWarning, match="training rows cost more than always"):
        model = learner.fit(X, y, **prices)
    assert (model.predict(X) != y).sum() > y.sum() == 8


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
    with pytest.warns(BelowTrivialWarning, match="than always predicting negative"):
        BayesDecisionClassifier(off, cost_matrix=matrix).fit(X, y)


def test_weights_are_copies():
    """What is told of positives at weight 49 is what is told of 49 copies of them."""
    X, y = rare()
    off = BayesDecisionClassifier(FrozenEstimator(DummyClassifier(strategy="prior").fit(X, y)))
    priced = dict(fp_cost=1.0, fn_cost=2.0)
    assert not off.fit(X, y, **priced).predict(X, **priced).any()
    copies = np.repeat(np.arange(len(y)), np.where(y == 1, 49, 1))
    for rows, weight in ((slice(None), np.where(y == 1, 49.0, 1.0)), (copies, None)):
        with pytest.warns(BelowTrivialWarning, match="than always predicting positive"):
            off.fit(X[rows], y[rows], weight, **priced)


def test_the_best_constant_is_no_loss():
    """Where a learner gives one answer for all it costs what that costs, to the last digit."""
    X, y = rare()
    price = np.random.default_rng(1).lognormal(0.0, 2.0, len(y))
    model = CostSensitiveSVC(C=1e-6).fit(X, y, fp_cost=100 * price, fn_cost=price)
    assert not model.predict(X).any()


def test_all_fits_of_a_search_say_one_thing():
    X, y = rare()
    search = GridSearchCV(QuadraticMeanClassifier(loss="hinge", fn_cost=2.0), {"alpha": [0.1, 1.0]})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        search.fit(X, y)
    said = [str(one.message) for one in told if one.category is BelowTrivialWarning]
    assert len(said) > 1 and len(set(said)) == 1


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
    with pytest.warns(BelowTrivialWarning, match="NoneType on rows cost more than always"):
        warn_below_trivial(None, costs, positive, ~positive, np.full(n, 100.0), where="rows")


@pytest.mark.parametrize("learner", [CSDUOLClassifier(), AnomalyDetector(), KernelPAUMClassifier()])
def test_a_kernel_stream_that_lost_while_it_learnt_is_told(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), (np.arange(400) % 40 == 0).astype(int)
    with pytest.warns(BelowTrivialWarning, match="on the stream .* cost more than always") as told:
        learner.fit(X, y, fp_cost=1.0, fn_cost=20.0)
    assert told[0].filename == __file__
    learner.fit(X, y)  # without prices nothing is known to be lost; warnings are errors here
    learner.fit(X + 9.0 * y[:, None], y, fp_cost=1.0, fn_cost=20.0)
