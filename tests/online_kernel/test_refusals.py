"""Kernels, rows and settings that a stream refuses, and what is left of the model afterwards."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from stakes.model_file import load_model, save_model
from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    DUOLClassifier,
    KernelCPAClassifier,
    KernelPAClassifier,
    KernelPAUMClassifier,
)


def stream(seed=0, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0.2).astype(int)


def not_a_number(A, B):
    return np.full((len(A), len(B)), np.nan)


def not_symmetric(A, B):
    return A[:, :1] @ np.ones((1, len(B))) + 3.0


@pytest.mark.parametrize(
    ("kernel", "words"), [(not_a_number, "NaN or infinity"), (not_symmetric, "not symmetric")]
)
def test_what_is_no_kernel_is_refused(kernel, words):
    X, y = stream()
    with pytest.raises(ValueError, match=words):
        DUOLClassifier(kernel=kernel).fit(X, y)
    one = DUOLClassifier(kernel=kernel)
    with pytest.raises(ValueError, match=words):
        for x, label in zip(X, y, strict=True):
            one.learn_one(x, label)


@pytest.mark.parametrize(
    "settings", [{"degree": 1000}, {"coef0": 1e60}, {"gamma": 1e60}, {"degree": 300, "coef0": 4.0}]
)
def test_powers_of_the_polynomial_kernel_that_overflow_are_refused(settings):
    X, y = stream()
    X = 3 * X
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"kernel='poly' with degree=.* has values beyond"):
            KernelPAClassifier(kernel="poly", **settings).fit(rows, y)
    model = DUOLClassifier(kernel="poly", **settings)
    with pytest.raises(ValueError, match="scale the features, or lower degree, gamma or coef0"):
        for x, label in zip(X, y, strict=True):
            model.learn_one(x, label)
    model = CSDUOLClassifier(kernel="poly").fit(X, y)
    for rows in (1e60 * X, sparse.csr_array(1e60 * X)):
        with pytest.raises(ValueError, match="kernel='poly'"):
            model.predict_proba(rows)
    with pytest.raises(ValueError, match="kernel='poly'"):
        model.predict_proba_one(1e60 * X[0])
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="kernel='poly'"):
        model.partial_fit(np.vstack([X] * 20 + [1e60 * X]), np.tile(y, 21))
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("learner", [CSDUOLClassifier, KernelCPAClassifier, KernelPAUMClassifier])
def test_costs_whose_ratio_overflows(learner):
    X, y = stream()
    for costs in (dict(fp_cost=1e-320, fn_cost=1.0), dict(fp_cost=1.0, fn_cost=1e-320)):
        model = learner().fit(X, y, **costs)
        assert np.isfinite(model.decision_function(X)).all()
        assert np.isfinite(model.predict_proba(X)).all()


def test_a_gram_matrix_that_is_not_symmetric_is_refused():
    X, y = stream()
    K = rbf_kernel(X)
    K[3, 9] += 0.1
    with pytest.raises(ValueError, match="not symmetric"):
        DUOLClassifier(kernel="precomputed").fit(K, y)
    model = DUOLClassifier(kernel="precomputed")
    with pytest.raises(ValueError, match="not symmetric"):
        for start in (0, 20, 40):
            model.partial_fit(K[start : start + 20], y[start : start + 20], [0, 1])


@pytest.mark.jit
def test_a_kernel_that_fails_in_the_middle_changes_nothing():
    X, y = stream(n=700)
    calls = {"left": 10**6}

    def tired(A, B):
        calls["left"] -= 1
        if calls["left"] < 0:
            raise RuntimeError("no more")
        return rbf_kernel(A, B, gamma=0.5)

    model = AnomalyDetector(kernel=tired, max_support_vectors=30).partial_fit(X[:100], y[:100])
    before = pickle.dumps({n: v for n, v in vars(model).items() if n not in ("_store", "kernel")})
    scores, seen = model.decision_function(X), model.n_seen_
    calls["left"] = 2  # the third of three chunks fails
    with pytest.raises(RuntimeError, match="no more"):
        model.partial_fit(X[100:], y[100:])
    calls["left"] = 10**6
    after = pickle.dumps({n: v for n, v in vars(model).items() if n not in ("_store", "kernel")})
    assert before == after and model.n_seen_ == seen
    np.testing.assert_array_equal(model.decision_function(X), scores)
    model.partial_fit(X[100:], y[100:])
    whole = AnomalyDetector(kernel=tired, max_support_vectors=30)
    whole.partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.coo_array])
def test_one_sparse_row(form):
    X, y = stream()
    X = np.where(X > 0, X, 0.0)
    dense, compressed = KernelPAClassifier(gamma=0.5), KernelPAClassifier(gamma=0.5)
    for x, label in zip(X, y, strict=True):
        dense.learn_one(x, label)
        compressed.learn_one(form(x[None]), label)
    np.testing.assert_array_equal(
        dense.decision_function(X), compressed.decision_function(sparse.csr_array(X))
    )
    assert dense.decision_function_one(form(X[:1])) == dense.decision_function(X)[0]
    with pytest.raises(ValueError, match="must have 3 features"):
        dense.learn_one(form(X[:2]), 1)


@pytest.mark.parametrize("kernel", [rbf_kernel, laplacian_kernel])
@pytest.mark.parametrize("sparsely", [False, True])
def test_a_model_with_a_kernel_of_scikit_learn_has_a_file(kernel, sparsely, tmp_path):
    X, y = stream()
    X = sparse.csr_array(np.where(X > 0, X, 0.0)) if sparsely else X
    if sparsely and kernel is laplacian_kernel:
        pytest.skip("scikit-learn's takes sparse matrices only")
    model = CSDUOLClassifier(kernel=kernel, max_support_vectors=20).partial_fit(X[:40], y[:40])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    for one in (model, again):
        one.partial_fit(X[40:], y[40:])
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def test_an_own_kernel_has_no_file_and_the_message_says_so(tmp_path):
    X, y = stream()
    model = DUOLClassifier(kernel=not_a_number.__class__(not_symmetric.__code__, globals()))
    model.kernel = own_kernel
    model.fit(X, y)
    with pytest.raises(ValueError, match="own_kernel"):
        save_model(model, tmp_path / "model.skops")


def own_kernel(A, B):
    return A @ B.T


@pytest.mark.parametrize(
    "changed",
    [
        dict(gamma=2.0),
        dict(kernel="linear"),
        dict(degree=2),
        dict(coef0=1.0),
        dict(max_support_vectors=7),
        dict(half_life=10.0),
    ],
)
def test_settings_that_a_stream_cannot_change(changed):
    X, y = stream()
    model = DUOLClassifier(gamma=0.5).partial_fit(X, y)
    (name,) = changed
    then = model.get_params()[name]
    model.set_params(**changed)
    for learn in (lambda: model.partial_fit(X, y), lambda: model.learn_one(X[0], 1)):
        with pytest.raises(ValueError, match=f"started with {name}="):
            learn()
    model.set_params(**{name: then}).learn_one(X[0], 1)
    model.set_params(**changed).fit(X, y).learn_one(X[0], 1)
    free = DUOLClassifier(gamma=0.5).partial_fit(X, y).set_params(C=0.5, rho=0.1)
    assert free.partial_fit(X, y).n_seen_ == 120  # the rule may change on the way
