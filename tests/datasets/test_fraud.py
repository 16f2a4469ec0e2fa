"""make_fraud: share, tail, speed, and that boosting beats linear beats nothing."""

import time

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stakes.datasets import make_fraud
from stakes.decision import BayesDecisionClassifier


def test_share_and_heavy_tail(rng):
    seed = int(rng.integers(1000))
    data, p = make_fraud(20_000, random_state=seed, return_probability=True)
    assert p.mean() == pytest.approx(0.02, abs=1e-9)
    assert data.y.mean() == pytest.approx(0.02, abs=0.004)
    assert np.median(data.fn_cost) == pytest.approx(60.0, rel=0.05)
    top = np.sort(data.fn_cost)[-200:].sum() / data.fn_cost.sum()
    assert top > 0.1  # the top 1 % of payments hold more than 10 % of the money
    np.testing.assert_allclose(np.log(data.fn_cost), data.X[:, 0])


def test_same_seed_same_bytes():
    one, two = make_fraud(500, random_state=3), make_fraud(500, random_state=3)
    assert one.X.tobytes() == two.X.tobytes() and one.y.tobytes() == two.y.tobytes()
    assert one.X.tobytes() != make_fraud(500, random_state=4).X.tobytes()


@pytest.mark.slow
def test_boosting_beats_linear_beats_nothing():
    data, p = make_fraud(60_000, random_state=0, return_probability=True)
    train, test = data.take(np.arange(40_000)), data.take(np.arange(40_000, 60_000))
    costs, truth = test.as_costs(), test.y == 1

    def savings(decided):
        best = min(costs.paid(truth, np.full(len(test), policy)).sum() for policy in (False, True))
        return 1 - costs.paid(truth, decided).sum() / best

    def learnt(model):
        model = BayesDecisionClassifier(model).fit(train.X, train.y)
        return savings(model.predict(test.X, **test.costs) == 1)

    linear = learnt(make_pipeline(StandardScaler(), LogisticRegression()))
    boosted = learnt(HistGradientBoostingClassifier(learning_rate=0.05, random_state=0))
    ceiling = savings(costs.decide(p[40_000:]))
    assert 0.4 < linear < boosted - 0.05 < boosted < ceiling < 0.85


def test_drift_turns_the_linear_part():
    plain, p = make_fraud(40_000, random_state=0, return_probability=True)
    drifted, q = make_fraud(40_000, random_state=0, drift=3.0, return_probability=True)
    np.testing.assert_array_equal(plain.X, drifted.X)
    early, late = slice(0, 4000), slice(36_000, None)
    assert np.corrcoef(p[early], q[early])[0, 1] > 0.95
    assert np.corrcoef(p[late], q[late])[0, 1] < 0.4


@pytest.mark.slow
def test_a_million_rows_in_seconds():
    start = time.perf_counter()
    assert len(make_fraud(1_000_000, random_state=0)) == 1_000_000
    assert time.perf_counter() - start < 20


def test_bad_parameters():
    with pytest.raises(ValueError, match=r"n_features must be at least 15. Got 3"):
        make_fraud(10, 3)
    with pytest.raises(ValueError, match=r"positive_share must lie between 0 and 1. Got 2"):
        make_fraud(10, positive_share=2)
