"""The blend for streams: as good as its best member, a stream like the others."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes.compare import recommended
from stakes.model_file import load_model, save_model
from stakes.online import ProbitClassifier
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier, _stream_blend
from stakes.online_forest._blend_jit import blend_rows
from stakes.stream import ClassStream, DecisionStream, progressive
from stakes.tables import CostTable

FOREST = StreamForestClassifier(n_estimators=4, max_nodes=31)
FORM = dict(estimators=["probit", FOREST], random_state=0)


def stream(seed=0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 100.0, 1e-3]
    return X, (X[:, 0] + np.abs(X[:, 1]) / 100 > 1).astype(int)


@pytest.mark.parametrize("delay", [0, 30, 90])
def test_batch_equals_one_by_one_bit_for_bit(delay, monkeypatch):
    monkeypatch.setattr(_stream_blend, "LEAST_STEP", 70)
    X, y = stream()
    X[::9, 1] = np.nan
    fn = np.linspace(0.0, 3.0, len(y))
    batch, ones = (StreamBlendClassifier(label_delay=delay, **FORM) for _ in range(2))
    p = batch.predict_proba_then_learn(X, y, [0, 1], fp_cost=2.0, fn_cost=fn)
    for t in range(len(y)):
        if t:
            assert ones.predict_proba_one(X[t])[1] == p[t]
        ones.learn_one(X[t], y[t], fp_cost=2.0, fn_cost=fn[t])
    np.testing.assert_array_equal(batch.decision_function(X), ones.decision_function(X))
    assert batch.shares_ == ones.shares_ and batch.n_seen_ == ones.n_seen_


@pytest.mark.parametrize("delay", [0, 30, 90])
def test_files_and_restart_are_exact(tmp_path, delay, monkeypatch):
    monkeypatch.setattr(_stream_blend, "LEAST_STEP", 70)
    X, y = stream(1)
    model = StreamBlendClassifier(label_delay=delay, **FORM).partial_fit(X[:200], y[:200])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    for t in range(200, 400):
        model.learn_one(X[t], y[t])
        again.learn_one(X[t], y[t])
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def naive_blend(odds, y, then):
    """The same in plain numpy: precision matrices instead of covariances."""
    m = odds.shape[1]
    w, shares = np.append(np.full(m, 1 / m), 0.0), np.full(m + 1, 1 / (m + 1))
    prior = np.append(np.full(m, 0.25), 0.05)
    precision, growth, found = np.diag(1 / prior), 2 ** (1 / 5000), []
    for now, row, label in zip(odds, then, y, strict=True):
        s = w @ np.append(now.clip(-10, 10), 1.0)
        found.append(shares @ (1 / (1 + np.exp(-np.append(now, s)))))
        u = np.append(row.clip(-10, 10), 1.0)
        s = w @ u
        p = 1 / (1 + np.exp(-np.append(row, s)))
        shares = shares * np.where(label, p, 1 - p)
        shares = 0.999 * shares / shares.sum() + 0.001 / (m + 1)
        covariance = np.linalg.inv(precision)
        if (np.diag(covariance) * growth <= prior).all():
            covariance, precision = covariance * growth, precision / growth
        bound = np.tanh(abs(s) / 2) / (2 * abs(s)) if abs(s) > 1e-4 else 0.25
        w = w + covariance @ u * (label - p[-1]) / (1 + bound * (u @ covariance @ u))
        precision = precision + p[-1] * (1 - p[-1]) * np.outer(u, u)
    return np.array(found)


@pytest.mark.parametrize("late", [False, True])
def test_against_naive(rng, late):
    odds, y = rng.normal(size=(300, 2)) * [1.0, 8.0], rng.random(300) < 0.3
    head, ones, out = np.zeros(7), np.ones(1), np.empty(300)
    covariance = np.diag([0.25, 0.25, 0.05])
    state = head, np.array([0.5, 0.5, 0.0]), covariance, np.full(3, 1 / 3)
    then = 0.5 * odds + rng.normal(size=odds.shape) if late else np.empty((0, 2))
    blend_rows(odds, then, y, np.ones(300, bool), ones, ones, state, out)
    naive = naive_blend(odds, y, then if late else odds)
    np.testing.assert_allclose(1 / (1 + np.exp(-out)), naive, rtol=1e-6)


def ages(model, n_rows):
    """Events learned by the copies that judge each event, one by one; -1 without a copy."""
    X, y = stream(2, n_rows)
    found = []
    for t in range(n_rows):
        judge = model._judge() if t else None
        found.append(-1 if judge is None else t - judge.n_seen_)
        model.learn_one(X[t], y[t])
    return np.array(found)


@pytest.mark.parametrize("delay", [1, 20, 70, 100])
def test_copies_are_as_old_as_the_decisions(delay, monkeypatch):
    monkeypatch.setattr(_stream_blend, "LEAST_STEP", 70)
    model = StreamBlendClassifier(estimators=["probit"], label_delay=delay)
    found = ages(model, 450)
    step = max(delay, 70)
    assert (found[: step + delay] == -1).all()
    judged = found[step + delay :]
    assert judged.min() == delay and judged.max() == delay + step - 1
    assert len(model._past) <= 2
    model.set_params(label_delay=0)
    assert model._judge() is None


def test_the_stream_says_how_late_labels_are():
    X, y = stream(4, 60)
    for own, used in ((None, 20), (0, 0), (7, 7)):
        model = StreamBlendClassifier(estimators=["probit"], label_delay=own)
        progressive(model, X, y, delay=20)
        assert model.label_delay == used
        assert DecisionStream(model, delay=30).learner.label_delay == used
    untold = progressive(StreamBlendClassifier(estimators=["probit"]), X, y).model
    assert untold.label_delay is None
    assert recommended(stream=True, label_delay=9).label_delay == 9
    costs = CostTable.of(["a", "b", "c"], ["a", "b", "c"], 1 - np.eye(3))
    many = ClassStream(StreamBlendClassifier(), cost_matrix=costs, delay=11)
    assert many.learner.estimator.label_delay == 11


@pytest.mark.jit
def test_labels_that_come_late_are_judged_as_of_the_decision():
    """A base rate that moves faster than labels come: following it helps at once, not later."""
    rng, n, delay = np.random.default_rng(3), 12_000, 600
    X = rng.normal(size=(n, 4))
    odds = X[:, 0] + 3.0 * np.sin(2 * np.pi * np.arange(n) / 500)
    y = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)

    def loss(label_delay):
        model, p = StreamBlendClassifier(label_delay=label_delay, random_state=0), np.full(n, 0.5)
        for t in range(0, n, 100):
            if t > delay:
                p[t : t + 100] = model.predict_proba(X[t : t + 100])[:, 1]
            if t >= delay:
                old = slice(t - delay, t - delay + 100)
                model.partial_fit(X[old], y[old], [0, 1])
        p = p[n // 4 :].clip(1e-9, 1 - 1e-9)
        return -np.log(np.where(y[n // 4 :] == 1, p, 1 - p)).mean()

    assert loss(delay) < 0.9 * loss(0)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(allow_infinity=False, width=64),
            st.floats(allow_infinity=False, width=64),
            st.booleans(),
            st.sampled_from([0.0, 1e-90, 1.0, 1e90]),
        ),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from([0, 1, 9]),
)
def test_hostile_values_never_break_it(events, delay):
    forest = StreamForestClassifier(n_estimators=2, max_nodes=5, trial_length=10)
    members = [ProbitClassifier(), forest, "kernel-features"]
    with mock.patch.object(_stream_blend, "LEAST_STEP", 5):
        model = StreamBlendClassifier(estimators=members, label_delay=delay, random_state=0)
        for a, b, positive, price in events * 3:
            weight = 1 + price
            model.learn_one([a, b], int(positive), fn_cost=price, sample_weight=weight)
            assert 0.0 <= model.predict_proba_one([a, b])[1] <= 1.0
    assert sum(model.shares_.values()) == pytest.approx(1.0)
    for state in (model._weights, model._covariance, model._head, model._scale):
        assert np.isfinite(state).all()


@pytest.mark.jit
def test_the_blend_is_nearly_as_good_as_its_best_member_and_follows_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8_000, 5))
    curved, linear = np.abs(X[:, 0]) + np.abs(X[:, 1]) - 1.5, X[:, 2]
    odds = 4 * np.where(np.arange(8_000) < 4_000, linear, curved)
    y = (rng.random(8_000) < 1 / (1 + np.exp(-odds))).astype(int)

    def loss(model):
        p = model.predict_proba_then_learn(X, y, [0, 1]).clip(1e-9, 1 - 1e-9)
        return -np.log(np.where(y == 1, p, 1 - p)).mean()

    members = [loss(ProbitClassifier()), loss(StreamForestClassifier(random_state=0))]
    blend = StreamBlendClassifier(random_state=0)
    assert loss(blend) < min(members)
    assert blend.shares_["ProbitClassifier"] < 0.2
    assert type(recommended(0, stream=True)) is StreamBlendClassifier


def test_messages():
    X, y = stream()
    with pytest.raises(ValueError, match="Only binary"):
        StreamBlendClassifier().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="no stream learner"):
        StreamBlendClassifier(estimators=["perceptron", "kernel-pa"]).fit(X, y)
    with pytest.raises(ValueError, match="at least one"):
        StreamBlendClassifier(estimators=[]).fit(X, y)
