"""Kernel streams of fixed size: the features are the kernel's, and a stream of them is a stream."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from naive import online_kernel as naive
from stakes.model_file import load_model, save_model
from stakes.online import CWCVaRClassifier, ProbitClassifier
from stakes.online_kernel import KernelFeaturesClassifier
from stakes.online_kernel._features import FourierMap, NystroemMap

FORMS = [dict(features="fourier", random_state=0), dict(features="nystroem", n_components=40)]


def stream(seed=0, n=400, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=n) > 0.2).astype(int)


def rows_of(made, X, learn=False):
    out = np.empty((X.shape[0], made.n_components))
    made.rows(X, out, np.ones(X.shape[0], bool) if learn else None)
    return out


def test_fourier_features_are_cosines_and_sines(rng):
    X = rng.normal(size=(20, 4)) * rng.choice([1.0, 1e3], size=(20, 1))
    made = FourierMap(4, 50, 0.3, np.random.RandomState(0))
    P = np.sqrt(0.6) * (X @ made.W)
    expected = np.hstack([np.cos(P), np.sin(P)]) / 5.0
    np.testing.assert_allclose(rows_of(made, X), expected, atol=1e-9)
    sparse_rows = sparse.csr_array(np.where(X > 0, X, 0.0))
    np.testing.assert_array_equal(rows_of(made, sparse_rows), rows_of(made, sparse_rows.toarray()))


def test_orthogonal_directions_approximate_the_kernel_better_than_independent_ones():
    X = np.random.default_rng(0).normal(size=(60, 8))
    K, errors = rbf_kernel(X, gamma=0.1), {"orthogonal": 0.0, "independent": 0.0}
    for seed in range(20):
        made = FourierMap(8, 64, 0.1, np.random.RandomState(seed))
        np.testing.assert_allclose(
            made.W[:, :8].T @ made.W[:, :8], np.diag((made.W[:, :8] ** 2).sum(axis=0)), atol=1e-9
        )
        for kind in errors:
            if kind == "independent":
                made.W = np.random.RandomState(seed).normal(size=made.W.shape)
            Z = rows_of(made, X)
            errors[kind] += np.mean((Z @ Z.T - K) ** 2)
    assert errors["orthogonal"] < 0.8 * errors["independent"]


def test_landmarks_are_chosen_and_features_computed_as_by_the_definition(rng):
    X = rng.normal(size=(80, 2))
    made = NystroemMap(2, 30, 0.4)
    Z = rows_of(made, X, learn=True)
    expected, chosen = naive.landmark_features(X, 0.4, 30, 0.05)
    assert made.m == len(chosen)
    np.testing.assert_array_equal(made.L[:, : made.m].T, X[chosen])
    np.testing.assert_allclose(Z[:, : made.m], expected, atol=1e-6)
    assert not Z[:, made.m :].any()
    # of landmarks, and of all pairs that one of them is in, inner products are the kernel
    after = rows_of(made, X)
    np.testing.assert_allclose(
        after @ after[chosen].T, rbf_kernel(X, X[chosen], gamma=0.4), atol=1e-6
    )


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["features"])
@pytest.mark.parametrize("sparsely", [False, True])
def test_batch_equals_one_by_one_bit_for_bit(form, sparsely):
    X, y = stream()
    if sparsely:
        X = sparse.csr_array(np.where(X > 0, X, 0.0))
    costs = dict(fp_cost=2.0, fn_cost=np.linspace(1.0, 5.0, len(y)))
    batch, ones = KernelFeaturesClassifier(**form), KernelFeaturesClassifier(**form)
    p = batch.predict_proba_then_learn(X, y, **costs)
    for t in range(len(y)):
        x = X[[t]] if sparsely else X[t]
        if t:
            assert ones.predict_proba_one(x)[1] == p[t]
        ones.learn_one(x, y[t], fp_cost=2.0, fn_cost=costs["fn_cost"][t])
    np.testing.assert_array_equal(batch.decision_function(X), ones.decision_function(X))
    steps = KernelFeaturesClassifier(**form)
    for part in (slice(0, 7), slice(7, 150), slice(150, 400)):
        steps.partial_fit(X[part], y[part], [0, 1], fp_cost=2.0, fn_cost=costs["fn_cost"][part])
    np.testing.assert_array_equal(batch.decision_function(X), steps.decision_function(X))


@pytest.mark.jit
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["features"])
def test_curved_boundaries_are_learned_and_prices_decide(form):
    X, y = stream(1, n=3000)
    model = KernelFeaturesClassifier(**form).fit(X[:2000], y[:2000])
    linear = ProbitClassifier().fit(X[:2000], y[:2000])
    assert linear.score(X[2000:], y[2000:]) < 0.7 < 0.85 < model.score(X[2000:], y[2000:])
    rates = [model.predict(X, fp_cost=1.0, fn_cost=c).mean() for c in (0.2, 1.0, 20.0)]
    assert rates[0] < rates[1] < rates[2]
    p = model.predict_proba(X[2000:])[:, 1]
    assert abs(p.mean() - y[2000:].mean()) < 0.05
    assert model.predict_one(X[5], fp_cost=1.0, fn_cost=1e6) == 1
    given = KernelFeaturesClassifier(estimator=CWCVaRClassifier(), **form).fit(X, y)
    assert isinstance(given.estimator_, CWCVaRClassifier)


@pytest.mark.jit
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["features"])
def test_dicts_take_no_memory_for_new_names(form):
    model = KernelFeaturesClassifier(n_features=64, **form)
    rng = np.random.default_rng(0)
    sizes = []
    for t in range(1200):
        value = rng.normal()
        event = {"value": value, f"merchant={t}": 1.0, "hour": rng.normal()}
        model.learn_one(event, int(abs(value) > 1.0))
        if t in (20, 1199):
            sizes.append(len(pickle.dumps(model)))
    assert sizes[1] < 1.1 * sizes[0]
    assert "_entries" not in vars(model) and model._map.gamma == pytest.approx(1 / 3)
    assert model.predict_one({"value": 3.0}) == 1 and model.predict_one({"value": 0.1}) == 0


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["features"])
def test_file_and_restart(form, tmp_path):
    X, y = stream(2)
    model = KernelFeaturesClassifier(**form).partial_fit(X[:200], y[:200])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    model.partial_fit(X[200:], y[200:])
    again.partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def test_a_zero_cost_example_becomes_no_landmark():
    X, y = stream(3, n=60)
    cost = np.where(np.arange(60) % 2, 1.0, 0.0)
    form = dict(features="nystroem", n_components=50, gamma=0.5)
    some = KernelFeaturesClassifier(**form).partial_fit(X, y, [0, 1], fp_cost=cost, fn_cost=cost)
    few = KernelFeaturesClassifier(**form).partial_fit(X[1::2], y[1::2], [0, 1])
    np.testing.assert_array_equal(some._map.L, few._map.L)
    one = KernelFeaturesClassifier(**form).learn_one(X[0], 1, fn_cost=0.0, fp_cost=0.0)
    assert one._map.m == 0


@pytest.mark.jit
@pytest.mark.parametrize("form", ["fourier", "nystroem"])
@pytest.mark.parametrize("sparsely", [False, True])
def test_threads_give_the_same_scores_and_memory_is_bounded(form, sparsely):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 6)) * (rng.random((5000, 6)) < 0.5)
    y = (X[:, 0] * X[:, 1] > 0.1).astype(int)
    model = KernelFeaturesClassifier(features=form, n_components=512, random_state=0)
    model.fit(X[:400], y[:400])
    rows = sparse.csr_array(X) if sparsely else X
    alone = model.predict_proba(rows)
    tracemalloc.start()
    model.decision_function(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * 1024 * 518 * 8 < 5000 * 518 * 8  # a part of the features, not all of them
    model.set_params(n_jobs=3)
    np.testing.assert_array_equal(model.predict_proba(rows), alone)
    for t in (0, 1023, 1024, 4999):
        assert model.predict_proba_one(X[t])[1] == pytest.approx(alone[t, 1], rel=1e-12)


def test_messages():
    X, y = stream()
    model = KernelFeaturesClassifier(random_state=0)
    with pytest.raises(NotFittedError):
        model.predict_one(X[0])
    model.partial_fit(X, y)
    with pytest.raises(ValueError, match="must have 3 features"):
        model.learn_one(X[0, :2], 1)
    with pytest.raises(ValueError, match="must be finite"):
        model.predict_one([np.nan] * 3)
    with pytest.raises(ValueError, match="no names"):
        model.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match="needs the variance"):
        KernelFeaturesClassifier(gamma="scale").learn_one(X[0], 1)
    with pytest.raises(ValueError, match="started with gamma='auto'"):
        model.set_params(gamma=3.0).learn_one(X[0], 1)
