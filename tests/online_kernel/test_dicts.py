"""Streams of dicts: flat in time and memory, in compressed rows, with a gamma of all events."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from naive.online_kernel import gram
from stakes._core.jit.kernel_rows import CSR, DENSE, MARGIN
from stakes.model_file import load_model, save_model
from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    KernelPAClassifier,
    KernelROMMAClassifier,
)


def events(n, seed=0, names=10**9):
    rng = np.random.default_rng(seed)
    for t in range(n):
        value = rng.normal()
        yield {"value": value, f"merchant={t % names}": 1.0}, int(value + 0.3 * rng.normal() > 0.5)


def bytes_of(store):
    return sum(a.nbytes for a in store.support if isinstance(a, np.ndarray))


@pytest.mark.jit
@pytest.mark.parametrize("learner", [AnomalyDetector, KernelPAClassifier])
def test_a_new_name_in_every_event_copies_no_vector(learner):
    model = learner(max_support_vectors=50, gamma=0.5)
    sizes = {}
    for t, (event, label) in enumerate(events(3000), start=1):
        model.learn_one(event, label)
        sizes[t] = bytes_of(model._store)
    assert model.n_features_in_ == 3001 and model._store.kind == CSR
    # the rest is one number per name, with room for as many again
    assert sizes[3000] - sizes[300] <= 8 * 2 * 3001 + 2 * 16 * 2 * 51
    assert model.feature_names_in_[-1] == "merchant=2999"
    assert model.decision_function_one({"value": 1.0, "never seen": 5.0}) == pytest.approx(
        model.decision_function_one({"value": 1.0})
    )


def test_dicts_equal_arrays_bit_for_bit():
    data = list(events(300, names=20))
    names = list(dict.fromkeys(name for event, _ in data for name in event))
    X = np.array([[event.get(name, 0.0) for name in names] for event, _ in data])
    y = [label for _, label in data]
    for learner in (
        CSDUOLClassifier(gamma=0.5, max_support_vectors=40),
        KernelROMMAClassifier(gamma=0.5),
    ):
        named, plain = (type(learner)(**learner.get_params()) for _ in range(2))
        for (event, label), x in zip(data, X, strict=True):
            named.learn_one(event, label)
            plain.learn_one(x, label)
        assert named._store.kind == CSR and plain._store.kind == DENSE
        np.testing.assert_array_equal(named.dual_coef_, plain.dual_coef_)
        named_rows = pd.DataFrame(X, columns=names)
        np.testing.assert_array_equal(
            named.decision_function(named_rows), plain.decision_function(X)
        )
        assert y[0] in named.classes_


def test_names_after_a_table():
    X = pd.DataFrame({"a": [0.1, 1.0, 0.3, 2.0], "b": [1.0, 0.5, 0.2, 0.1]})
    model = KernelPAClassifier(gamma=0.5).fit(X, [0, 1, 0, 1])
    before = model.decision_function(X)
    model.learn_one({"a": 1.5}, 1)
    assert model._store.kind == DENSE  # all names are known
    model.learn_one({"c": 3.0, "a": 0.2}, 0)
    assert model._store.kind == CSR and model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert before.shape == (4,)


@pytest.mark.jit
def test_gamma_follows_the_number_of_features_per_event(tmp_path):
    """The first event has one of eleven fields; 1 / 1 would be far too narrow a kernel."""
    rng = np.random.default_rng(0)
    model = CSDUOLClassifier(max_support_vectors=60)
    model.learn_one({"f0": 1.0}, 1)
    assert model._store.support.gamma == 1.0
    for _ in range(199):
        x = rng.normal(size=10)
        model.learn_one(dict(zip((f"f{j}" for j in range(10)), x, strict=True)), int(x[0] > 0.3))
    assert model._store.support.gamma == pytest.approx(1 / 10, rel=0.01)
    S, m = model._store.support, len(model._store)
    V = model.support_vectors_.toarray()
    K, c = gram(V, "rbf", S.gamma), model.dual_coef_[0]
    np.testing.assert_allclose(S.floats[MARGIN, :m], model._store.signs * (K @ c), atol=1e-8)
    np.testing.assert_allclose(S.pairs[:m, :m], K, atol=1e-9)
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    for one in (model, again):
        for t in range(1200):
            one.learn_one({"f0": t % 7 / 7, "new": 1.0}, t % 2)
    assert "_entries" not in vars(model)
    assert model.decision_function_one({"f0": 0.5}) == again.decision_function_one({"f0": 0.5})
    fixed = CSDUOLClassifier(gamma=0.3).learn_one({"a": 1.0}, 1).learn_one({"a": 1.0, "b": 1}, 0)
    assert fixed._store.support.gamma == 0.3


@pytest.mark.jit
@pytest.mark.parametrize(("density", "kind"), [(0.005, CSR), (0.5, DENSE)])
def test_sparse_rows_are_kept_by_their_density(density, kind):
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 1000), density=density, rng=rng, format="csr")
    y = (np.asarray(X[:, :500].sum(axis=1)).ravel() > density * 250).astype(int)
    model = KernelPAClassifier(gamma=0.5).fit(X, y)
    assert model._store.kind == kind
    assert bytes_of(model._store) < (1_000_000 if kind == CSR else 10_000_000)
    dense = KernelPAClassifier(gamma=0.5).fit(X.toarray(), y)
    np.testing.assert_array_equal(model.decision_function(X), dense.decision_function(X))
    np.testing.assert_array_equal(model.dual_coef_, dense.dual_coef_)


@pytest.mark.jit
def test_binary_rows_that_become_numbers_are_kept_by_their_density():
    rng = np.random.default_rng(0)
    X = sparse.random_array((200, 900), density=0.02, rng=rng, format="csr")
    X.data[:] = 1.0
    y = (np.asarray(X[:, :450].sum(axis=1)).ravel() > 9).astype(int)
    model = KernelPAClassifier(gamma=0.1).partial_fit(X, y)
    later = X[:20] * 0.5
    plain = KernelPAClassifier(gamma=0.1).partial_fit(X.toarray(), y)
    np.testing.assert_array_equal(
        model.decision_function(later), plain.decision_function(later.toarray())
    )
    assert model._store.kind == CSR and plain._store.kind == DENSE
