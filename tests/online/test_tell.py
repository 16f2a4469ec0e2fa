"""Scores before learning: the calibration, and the regret of decisions and constant policies."""

import numpy as np
import pytest

from naive import online as naive
from stakes._core.jit.prequential import stands_for
from stakes.errors import BelowTrivialWarning
from stakes.online import AROWClassifier, PAClassifier, ProbitClassifier
from stakes.online._before_step_jit import log_odds
from stakes.online._state import ALWAYS, BOOK, CALIBRATE, NEVER, PAID, new_array


@pytest.mark.parametrize("share", [0.02, 0.6])
def test_the_calibration_and_the_book_equal_the_naive_reference(rng, share):
    n = 5000
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    scores = 0.8 * y + rng.normal(size=n)
    c_pos, c_neg = rng.lognormal(3, 1, n), rng.lognormal(1, 1, n)
    state, found = new_array(), []
    state[CALIBRATE] = 1.0
    for s, label, miss, alarm in zip(scores, y, c_pos, c_neg, strict=True):
        w = stands_for(state, label)
        found.append(log_odds(state, s, label, miss, alarm, w, 1.0))
    expected, book = naive.calibration(scores, y, c_pos, c_neg)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(state[BOOK], book, rtol=1e-9)


def test_a_common_class_is_thinned_and_stands_for_all_of_it():
    cal = new_array()
    found = np.array([stands_for(cal, -1.0) for _ in range(40_000)])
    assert (found[:2048] == 1).all()
    assert set(found[30_000:]) == {0.0, 16.0}
    for n in (5000, 20_000, 40_000):
        assert abs(found[:n].sum() - n) < 16
    assert (found > 0).sum() < 7000
    assert stands_for(cal, 1.0) == 1.0  # the other class has its own count


def test_decisions_during_training_are_booked_next_to_the_constant_policies(priced):
    X, y, fp, fn = priced
    model = ProbitClassifier()
    p = model.predict_proba_then_learn(X, y, [0, 1], fp_cost=fp, fn_cost=fn)
    wrong = (p * fn > (1 - p) * fp) != y
    regret = np.where(y == 1, fn, fp)
    found = model.progressive_regret_
    expected = [np.mean(regret * wrong), np.mean(regret * (y == 1)), np.mean(regret * (y == 0))]
    np.testing.assert_allclose(list(found.values()), expected)
    half = ProbitClassifier().fit(X[:100], y[:100], fp_cost=fp[:100], fn_cost=fn[:100])
    rest = ProbitClassifier().fit(X[100:], y[100:], fp_cost=fp[100:], fn_cost=fn[100:])
    np.testing.assert_allclose(half.merge(rest)._knows[BOOK], half._knows[BOOK] + rest._knows[BOOK])
    plain = ProbitClassifier(calibration=None).fit(X, y)
    assert np.isnan(plain.progressive_regret_["learner"])


def test_a_learner_that_loses_to_a_constant_policy_warns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, 300)  # there is nothing to learn
    with pytest.warns(BelowTrivialWarning, match="during training cost more than always negative"):
        PAClassifier().fit(X, y, fn_cost=0.8)
    AROWClassifier().fit(X[:50], y[:50], fn_cost=0.8)  # too few to say
    PAClassifier().fit(X, y)  # without prices there is nothing to compare


@pytest.mark.parametrize("score", [-1e6, 1e6])
def test_scores_beyond_all_bounds_are_booked(score):
    state = new_array()
    state[CALIBRATE] = 1.0
    # a false alarm costs nothing, so that acting is right however sure the score is
    for label in (1.0, -1.0):
        log_odds(state, score, label, 5.0, 0.0, 1.0, 1.0)
    assert (state[PAID], state[NEVER], state[ALWAYS]) == (0.0, 5.0, 0.0)
