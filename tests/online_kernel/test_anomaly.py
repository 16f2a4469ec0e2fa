"""The anomaly detector: probabilities on the way, decisions by price, bounded memory."""

import numpy as np
import pytest

from stakes.online_kernel import AnomalyDetector, CSDUOLClassifier


def stream(seed=0, n=250):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, ((X**2).sum(axis=1) + 0.5 * rng.normal(size=n) > 4.5).astype(int)


def test_it_is_csduol_underneath():
    X, y = stream()
    detector = AnomalyDetector(gamma=0.5).fit(X, y)
    plain = CSDUOLClassifier(cost_rule="balanced", max_support_vectors=500, gamma=0.5).fit(X, y)
    np.testing.assert_array_equal(detector.dual_coef_, plain.dual_coef_)
    odds = detector.decision_function(X)
    assert (np.argsort(odds) == np.argsort(plain.decision_function(X))).all()
    np.testing.assert_allclose(detector.predict_proba(X)[:, 1], 1 / (1 + np.exp(-odds)))


def test_batch_equals_one_by_one_and_scores_come_first():
    X, y = stream(1, n=200)
    a, b = (
        AnomalyDetector(gamma=0.5, max_support_vectors=30),
        AnomalyDetector(gamma=0.5, max_support_vectors=30),
    )
    odds = a.decision_function_then_learn(X, y)
    before = []
    for x, label in zip(X, y, strict=True):
        before.append(b.decision_function_one(x) if b.__dict__.get("_store") else 0.0)
        b.learn_one(x, label)
    np.testing.assert_array_equal(odds, before)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    assert b.predict_proba_one(X[0])[1] == a.predict_proba(X[:1])[0, 1]


@pytest.mark.jit
def test_probabilities_are_calibrated_and_prices_pay():
    X, y = stream(2, n=8000)
    p = 1 / (1 + np.exp(-AnomalyDetector(gamma=0.5).decision_function_then_learn(X, y)))
    late, truth = p[4000:], y[4000:]
    assert abs(late.mean() - truth.mean()) < 0.02
    for low, high in ((0.0, 0.2), (0.2, 0.8), (0.8, 1.0)):
        among = (late >= low) & (late <= high)
        assert abs(late[among].mean() - truth[among].mean()) < 0.08
    cost = [np.where(truth == 1, 20.0, 1.0) @ ((late > t) != truth) for t in (0.5, 1 / 21)]
    assert cost[1] < cost[0] < 20 * truth.sum()


def test_prices_per_event():
    X, y = stream(3)
    detector = AnomalyDetector(gamma=0.5).fit(X, y)
    p = detector.predict_proba(X)[:, 1]
    fn = np.linspace(0.1, 30, len(y))
    np.testing.assert_array_equal(
        detector.predict(X, fp_cost=1.0, fn_cost=fn), (p > 1 / (1 + fn)).astype(int)
    )
    assert detector.predict_one(X[7], fp_cost=1.0, fn_cost=1e9) == 1
    assert detector.predict_one(X[7]) == int(p[7] > 0.5)
