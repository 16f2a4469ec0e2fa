"""Forgetting: a fixed half-life, and the one that costs least."""

import itertools
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import log_loss

from naive import online as naive
from stakes._core.jit.prequential import RATE, A, stands_for
from stakes.costs import Costs
from stakes.datasets import make_fraud
from stakes.model_file import load_model, save_model
from stakes.online import (
    AROWClassifier,
    CWClassifier,
    CWCVaRClassifier,
    CWRobustClassifier,
    PAClassifier,
    ProbitClassifier,
    SCWClassifier,
)
from stakes.online._before_step_jit import log_odds
from stakes.online._fading_jit import LARGE
from stakes.online._half_lives import (
    ASLEEP_FOR,
    AWAKE,
    DUE,
    HALF_LIVES,
    SCOUTS,
    SHORTEST,
    rivals_of,
)
from stakes.online._state import (
    CALIBRATE,
    HALF_LIFE,
    HEAD,
    N_SEEN,
    N_UPDATES,
    SCALE,
    new_array,
)

GAUSSIAN = [
    AROWClassifier(),
    CWClassifier(),
    CWCVaRClassifier(),
    ProbitClassifier(),
    SCWClassifier(),
]
names = pytest.mark.parametrize("learner", GAUSSIAN, ids=lambda m: type(m).__name__)


def stream(n, seed=0, d=8, noise=0.5, flip_at=None, turn=0.0):
    """Weights that are constant, change sign at one row, or rotate by `turn` over the stream."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    a, b = np.linalg.qr(rng.normal(size=(d, 2)))[0].T
    angle = np.linspace(0.0, turn, n)
    f = 3.0 * (np.cos(angle) * (X @ a) + np.sin(angle) * (X @ b))
    if flip_at is not None:
        f[flip_at:] *= -1.0
    return X, (f + noise * rng.normal(size=n) > 0).astype(int)


def errors(model, X, y):
    return (model.predict_proba_then_learn(X, y, [0, 1]) > 0.5) != y


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_half_life_equals_the_naive_reference(rng, covariance, form):
    X = rng.normal(size=(120, 4)) * (rng.random((120, 4)) < 0.7)
    y = np.where(X[:, 0] + rng.normal(size=120) > 0, 1, -1)
    for model, step, diagonal in (
        (AROWClassifier(), lambda *a: naive.arow(*a[:4], 1.0), "precision"),
        (ProbitClassifier(noise=0.8), lambda *a: naive.probit(*a[:4], 0.8), "covariance"),
    ):
        model.set_params(covariance=covariance, half_life=7.0, initial_variance=2.0)
        model.fit(form(X), y)
        diagonal = None if covariance == "full" else diagonal
        mu, Sigma = naive.run(X, y, step, variance=2.0, diagonal=diagonal, half_life=7.0)
        found = np.r_[model.coef_[0], model.intercept_]
        np.testing.assert_allclose(found, mu, rtol=1e-6, atol=1e-7)
        found = model.covariance_ if covariance == "full" else np.diag(model.covariance_)
        np.testing.assert_allclose(found, Sigma[:-1, :-1], rtol=1e-6, atol=1e-12)
        assert model.half_life_ == 7.0


@pytest.mark.parametrize("half_life", [3.0, 50.0])
def test_a_calibration_with_a_half_life_equals_the_naive_reference(rng, half_life):
    n = 3000
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    scores = np.where(np.arange(n) < n // 2, 0.8, -0.8) * y + rng.normal(size=n)
    state, found = new_array(), []
    state[CALIBRATE], state[RATE] = 1.0, np.log(2) / half_life
    for s, label in zip(scores, y, strict=True):
        found.append(log_odds(state, s, label, 1.0, 1.0, stands_for(state, label), 1.0))
        assert state[A] >= 0.0  # wrong scores say nothing, they are not turned around
    expected, _ = naive.calibration(scores, y, np.ones(n), np.ones(n), half_life)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


def test_a_scale_that_would_overflow_begins_again(rng):
    X = sparse.csr_matrix(rng.normal(size=(400, 6)) * (rng.random((400, 6)) < 0.3))
    y = rng.integers(0, 2, 400)
    short = AROWClassifier(half_life=1.0)
    dense = AROWClassifier(half_life=1.0).fit(X.toarray(), y)
    largest = 1.0
    for t in range(400):
        short.partial_fit(X[t], y[[t]], [0, 1])
        largest = max(largest, short._knows[SCALE])
    assert 0.01 * LARGE < largest <= 2 * LARGE
    np.testing.assert_allclose(short.coef_, dense.coef_, rtol=1e-9)
    np.testing.assert_allclose(short.covariance_, dense.covariance_, rtol=1e-9)
    short.learn_one(X[0].toarray().ravel(), 1)  # a dense row after sparse ones
    dense.learn_one(X[0].toarray().ravel(), 1)
    np.testing.assert_allclose(short.coef_, dense.coef_, rtol=1e-9)


@pytest.mark.jit
@names
def test_the_default_follows_drift_and_says_how_fast(learner):
    X, y = stream(12_000, turn=np.pi)
    wrong = errors(clone(learner), X, y)[-3000:].mean()
    assert wrong < 0.12  # without forgetting 0.25 to 0.6, by learner
    X, y = stream(8000, flip_at=4000)
    model = clone(learner)
    wrong = errors(model, X, y)
    assert wrong[-2000:].mean() < 1.5 * wrong[2000:4000].mean() + 0.02
    assert wrong[4000:4400].mean() < 0.5
    assert model.half_life_ in {np.inf, *HALF_LIVES[1:]}


@pytest.mark.jit
@names
def test_rare_positives_do_not_make_a_stationary_stream_forget(learner):
    ratio = []
    for seed in range(3):
        data = make_fraud(30_000, positive_share=0.005, random_state=seed)
        paid = []
        for half_life in ("auto", None):
            model = clone(learner).set_params(half_life=half_life)
            p = model.predict_proba_then_learn(data.X, data.y, [0, 1], **data.costs)
            costs = Costs.of(len(p), **data.costs)
            paid.append(costs.paid(data.y == 1, costs.decide(p)).sum())
        ratio.append(paid[0] / paid[1])
    assert np.mean(ratio) < 1.01


@pytest.mark.jit
@names
def test_a_stationary_stream_loses_nothing_that_can_be_measured(learner):
    ratio = []
    for seed in range(6):
        X, y = stream(6000, seed=seed, noise=1.0)
        losses = []
        for half_life in ("auto", None):
            model = clone(learner).set_params(half_life=half_life)
            p = model.predict_proba_then_learn(X, y, [0, 1])
            losses.append((log_loss(y, p), np.mean((p > 0.5) != y)))
        ratio.append(np.divide(*losses))
    log_losses, wrong = np.mean(ratio, axis=0)
    assert log_losses < 1.01
    # CW, which follows every mislabeled row, has better probabilities and more errors if it forgets
    assert wrong < (1.1 if isinstance(learner, CWClassifier) else 1.01)


def test_after_a_change_of_sign_the_slope_waits_for_the_weights():
    X, y = stream(20_000, flip_at=10_000)
    model = AROWClassifier(half_life=None)
    for start in range(0, len(y), 500):
        model.partial_fit(X[start : start + 500], y[start : start + 500], [0, 1])
        assert model._knows[A] >= 0.0


@pytest.mark.jit  # long without the compiled loops
@pytest.mark.parametrize(
    "learner", [*GAUSSIAN, PAClassifier(), CWRobustClassifier(prior_variance=5.0)], ids=repr
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_batches_equal_single_rows_through_every_change_of_half_life(learner, form):
    X, y = stream(5600, flip_at=4200, d=4)
    rng = np.random.default_rng(1)
    priced = dict(fn_cost=rng.lognormal(size=5600), fp_cost=(rng.random(5600) > 0.1) * 2.0)
    X = form(X)
    whole, parts = clone(learner), clone(learner)
    whole.partial_fit(X, y, [0, 1], **priced)
    ends = sorted({0, *rng.integers(1, 5600, 30), *range(4500, 4620), 5600})
    for a, b in itertools.pairwise(ends):
        part = {name: cost[a:b] for name, cost in priced.items()}
        parts.partial_fit(X[a:b], y[a:b], [0, 1], **part)
        if b == 4500:
            parts = pickle.loads(pickle.dumps(parts))
    for name in ("_lead", "_clock"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    known = np.r_[0 : N_UPDATES + 1, HEAD : len(whole._knows)]
    np.testing.assert_array_equal(whole._knows[known], parts._knows[known])
    assert whole._rivals.shape == parts._rivals.shape
    np.testing.assert_array_equal(whole._rivals[:, HEAD:], parts._rivals[:, HEAD:])


@pytest.mark.jit  # long without the compiled loops
def test_learn_one_equals_a_batch_through_every_change_of_half_life():
    X, y = stream(4500, flip_at=2500, d=4)
    for learner in (ProbitClassifier(), CWCVaRClassifier(), AROWClassifier(covariance="full")):
        batch = clone(learner).partial_fit(X, y, [0, 1])
        ones = clone(learner)
        for x, label in zip(X, y, strict=True):
            ones.learn_one(x, label)
        assert batch.half_life_ == ones.half_life_
        np.testing.assert_array_equal(batch._knows[HEAD:], ones._knows[HEAD:])


def test_scaling_costs_changes_nothing_and_a_row_without_a_cost_teaches_nothing():
    X, y = stream(4000, flip_at=2000, noise=1.0)
    rng = np.random.default_rng(0)
    fn = rng.lognormal(3, 1, 4000)
    one = CWCVaRClassifier().predict_proba_then_learn(X, y, [0, 1], fn_cost=fn, fp_cost=2.0)
    many = CWCVaRClassifier().predict_proba_then_learn(
        X, y, [0, 1], fn_cost=1024 * fn, fp_cost=2048.0
    )
    np.testing.assert_allclose(one, many, rtol=1e-6)
    free = rng.random(4000) < 0.3
    fn, fp = np.where(free, 0.0, fn), np.where(free, 0.0, 2.0)
    mixed = ProbitClassifier().partial_fit(X, y, [0, 1], fn_cost=fn, fp_cost=fp)
    kept = ~free
    only = ProbitClassifier().partial_fit(X[kept], y[kept], [0, 1], fn_cost=fn[kept], fp_cost=2.0)
    np.testing.assert_array_equal(mixed._knows[HEAD:], only._knows[HEAD:])
    assert mixed.half_life_ == only.half_life_


def test_a_saved_model_continues_in_the_middle_of_a_comparison(tmp_path):
    X, y = stream(3000, flip_at=1500)
    model = ProbitClassifier().partial_fit(X[:1700], y[:1700], [0, 1])
    assert len(model._rivals)
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model").model
    for one in (model, again):
        one.partial_fit(X[1700:], y[1700:])
    np.testing.assert_array_equal(model._knows, again._knows)


def test_what_switches_the_comparison_off():
    X, y = stream(3000, flip_at=1500)
    assert len(ProbitClassifier(calibration=None).fit(X, y)._rivals) == 0
    shuffled = ProbitClassifier(shuffle=True, random_state=0).fit(X, y)
    assert len(shuffled._rivals) == 0 and shuffled.half_life_ == np.inf
    model = ProbitClassifier().fit(X, y)
    model.set_params(half_life=100.0).partial_fit(X, y)
    assert model.half_life_ == 100.0 and len(model._rivals) == 0
    model.set_params(half_life="auto").partial_fit(X[:10], y[:10])
    assert len(model._rivals) == len(HALF_LIVES)  # 100 is not one of them
    with pytest.raises(ValueError, match="half_life"):
        ProbitClassifier(half_life=0.5).fit(X, y)


def test_models_that_forget_can_be_merged():
    X, y = stream(2000)
    S = sparse.csr_matrix(X)
    half, rest = (
        AROWClassifier(half_life=200.0).fit(S[s], y[s]) for s in (slice(0, 1000), slice(1000, 2000))
    )
    merged = half.merge(rest)
    precision = 1 / half.covariance_ + 1 / rest.covariance_ - 1.0
    np.testing.assert_allclose(merged.covariance_, 1 / precision)
    mean = (half.coef_ / half.covariance_ + rest.coef_ / rest.covariance_) / precision
    np.testing.assert_allclose(merged.coef_, mean)
    assert merged.half_life_ == 200.0
    merged.partial_fit(S, y)


def test_scouts_call_all_half_lives_when_one_of_them_takes_over():
    X, y = stream(6000, flip_at=1500)
    model = ProbitClassifier().partial_fit(X[:1000], y[:1000], [0, 1])
    assert set(model._rivals[:, HALF_LIFE]) <= set(SCOUTS) and len(model._rivals)
    start = 1000
    while model.half_life_ == np.inf:
        model.partial_fit(X[start : start + 1], y[start : start + 1])
        start += 1
    assert sorted(model._rivals[:, HALF_LIFE]) == sorted(rivals_of(model.half_life_))
    assert len(model._rivals) == len(HALF_LIVES) - 1 == len(model._lead) - 1


def test_an_alarm_calls_the_scouts_and_halves_the_next_time_away():
    X, y = stream(20_000, flip_at=13_000)
    model = ProbitClassifier().partial_fit(X[:13_000], y[:13_000], [0, 1])
    away = model._clock[ASLEEP_FOR]
    assert len(model._rivals) == 0 and away > 2 * SHORTEST
    assert model._knows[N_SEEN] + AWAKE < model._clock[DUE]
    for start in range(13_000, int(model._clock[DUE])):
        model.partial_fit(X[start : start + 1], y[start : start + 1])
        if len(model._rivals):
            break
    assert model._knows[N_SEEN] < model._clock[DUE]
    assert model._clock[ASLEEP_FOR] == away / 2
