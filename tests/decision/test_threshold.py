"""ThresholdDecisionClassifier: the exact threshold, out of fold, on any score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from naive import decision as naive
from stakes.costs import Costs
from stakes.decision import ThresholdDecisionClassifier, threshold_curve


def test_curve_equals_enumeration(rng):
    n = 60
    scores = rng.integers(0, 12, n) / 4  # many ties
    positive, weight = rng.random(n) < 0.3, rng.integers(0, 3, n).astype(float)
    costs = Costs.of(n, fp_cost=rng.random(n), fn_cost=2 + rng.random(n), tp_cost=1.0, tn_cost=-1.0)
    curve = threshold_curve(scores, positive, costs, weight)
    np.testing.assert_allclose(
        curve.costs, naive.threshold_costs(scores, positive, costs, weight), atol=1e-12
    )
    for threshold, cost in zip(curve.thresholds, curve.costs, strict=True):
        paid = (weight * costs.paid(positive, scores > threshold)).sum()
        assert paid == pytest.approx(cost, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=12), st.integers(0, 2**12))
def test_every_threshold_decides_as_told(scores, bits):
    scores = np.array(scores)
    positive = (bits >> np.arange(len(scores))) & 1 == 1
    costs = Costs.of(len(scores), fn_cost=3.0)
    curve = threshold_curve(scores, positive, costs)
    assert len(curve.thresholds) == len(np.unique(scores)) + 1
    for threshold, cost in zip(curve.thresholds, curve.costs, strict=True):
        assert costs.paid(positive, scores > threshold).sum() == cost


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_scores_that_no_threshold_parts_are_refused(score):
    with pytest.raises(ValueError, match=r"scores has 1 missing or infinite value\(s\)"):
        threshold_curve([score, 0.2, 0.3], [True, False, True], Costs.of(3))


def test_neighbouring_floats_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    curve = threshold_curve([low, high], [False, True], Costs.of(2))
    assert not low > curve.thresholds[1]
    assert high > curve.thresholds[1]


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        LinearSVC(),
        Perceptron(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        HistGradientBoostingClassifier(max_iter=10),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_threshold_is_the_best_out_of_fold(priced, estimator):
    X, y, fp, fn = priced
    model = ThresholdDecisionClassifier(estimator, cv=4).fit(X, y, fp_cost=fp, fn_cost=fn)
    method = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    scores = cross_val_predict(estimator, X, y, cv=cv, method=method)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    costs = Costs.of(len(y), fp_cost=fp, fn_cost=fn)
    totals = naive.threshold_costs(scores, y == 1, costs, np.ones(len(y)))
    assert model.cost_ == pytest.approx(totals.min() / len(y))
    assert costs.paid(y == 1, scores > model.threshold_).mean() == pytest.approx(model.cost_)
    np.testing.assert_array_equal(model.predict(X) == 1, model.decision_function(X) > 0)


def test_nothing_at_stake_on_one_side(priced):
    X, y, *_ = priced
    never = ThresholdDecisionClassifier(LogisticRegression(), fn_cost=0.0).fit(X, y)
    assert never.threshold_ == np.inf
    assert never.cost_ == 0.0
    catch_all = ThresholdDecisionClassifier(LogisticRegression(), fp_cost=0.0).fit(X, y)
    assert catch_all.cost_ == 0.0
    assert (catch_all.predict(X)[y == 1] == 1).mean() > 0.99


@pytest.mark.parametrize(("threshold", "label"), [(np.inf, 0), (-np.inf, 1)])
def test_infinite_threshold_keeps_the_order_of_scores(priced, threshold, label):
    X, y, *_ = priced
    model = ThresholdDecisionClassifier(LogisticRegression()).fit(X, y)
    order = np.argsort(model.decision_function(X))
    model.threshold_ = threshold
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    assert (np.diff(scores[order]) > 0).all()
    assert ((scores > 0) == label).all()
    assert (model.predict(X) == label).all()


def test_weights_count_rows(priced):
    X, y, *_ = priced
    twice = np.concatenate([X, X]), np.concatenate([y, y])
    folds = np.arange(len(y)) % 5
    cv = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)]
    both = np.concatenate([folds, folds])
    cv_twice = [(np.flatnonzero(both != k), np.flatnonzero(both == k)) for k in range(5)]
    weighted = ThresholdDecisionClassifier(LogisticRegression(), cv=cv, fn_cost=3.0)
    weighted.fit(X, y, sample_weight=np.full(len(y), 2.0))
    doubled = ThresholdDecisionClassifier(LogisticRegression(), cv=cv_twice, fn_cost=3.0)
    doubled.fit(*twice)
    assert weighted.threshold_ == pytest.approx(doubled.threshold_, rel=1e-4)
    assert weighted.cost_ == pytest.approx(doubled.cost_)


def test_frozen_and_score(priced):
    X, y, fp, fn = priced
    fitted = LogisticRegression().fit(X[:150], y[:150])
    model = ThresholdDecisionClassifier(FrozenEstimator(fitted)).fit(X[150:], y[150:])
    assert 0 < model.threshold_ < 1
    right = model.predict(X) == y
    assert model.score(X, y) == pytest.approx(right.mean())
    stake = np.where(y == 1, fn, fp)
    assert model.score(X, y, fp_cost=fp, fn_cost=fn) == pytest.approx(
        stake[right].sum() / stake.sum()
    )
    assert model.score(X, y, sample_weight=right + 1e-12) == pytest.approx(1.0)
    assert model.score(X, y, fp_cost=0.0, fn_cost=0.0) == 1.0


def test_no_score_no_threshold(priced):
    class Mute(LogisticRegression):
        predict_proba = decision_function = property()

    with pytest.raises(ValueError, match="Mute has neither predict_proba nor decision_function"):
        ThresholdDecisionClassifier(Mute()).fit(*priced[:2])
