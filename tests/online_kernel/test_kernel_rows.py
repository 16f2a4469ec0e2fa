"""Kernel rows: right values, and the same bits in every layout and block."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from stakes._core.jit.kernel_rows import BITS, CSR, DENSE
from stakes._core.jit.kernel_values import kernel_of_dots, popcount
from stakes.online_kernel import KernelPAClassifier
from stakes.online_kernel import _store as store_module
from stakes.online_kernel._packing import pack, unpack
from stakes.online_kernel._store import SupportStore

REFERENCE = {
    "linear": linear_kernel,
    "rbf": lambda A, B: rbf_kernel(A, B, gamma=0.3),
    "poly": lambda A, B: polynomial_kernel(A, B, degree=3, gamma=0.3, coef0=1.0),
}


def fitted_store(kernel, V, coefficients):
    """A store that has the rows of V as support vectors."""
    store = SupportStore(kernel, 0.3, 1.0, 3, V.shape[1])
    learner = KernelPAClassifier(kernel=kernel, gamma=0.3)
    for start, stop, batch in store.batches(V):
        n = stop - start
        # an unreachable margin makes every example a support vector
        learner._pass(store, batch, np.ones(n), np.full(n, 1e9), np.zeros(n))
    store.alpha[:] = coefficients
    return store


@pytest.mark.parametrize("kernel", REFERENCE)
@pytest.mark.parametrize("layout", ["dense", "bits", "csr"])
def test_values(kernel, layout, rng, monkeypatch):
    monkeypatch.setattr(store_module, "_saves_memory", lambda *of: True)
    V, X = rng.normal(size=(9, 20)), rng.normal(size=(7, 20))
    if layout == "bits":
        V, X = (V > 0).astype(float), (X > 0).astype(float)
    if layout == "csr":
        V, X = (sparse.csr_array(np.where(A > 0.5, A, 0.0)) for A in (V, X))
    coefficients = rng.normal(size=9)
    store = fitted_store(kernel, V, coefficients)
    assert store.kind == {"dense": DENSE, "bits": BITS, "csr": CSR}[layout]
    np.testing.assert_allclose(
        store.scores(X), REFERENCE[kernel](X, V) @ coefficients, rtol=1e-11, atol=1e-12
    )
    kept = store.vectors()
    assert abs(kept - V).max() == 0


@pytest.mark.parametrize("kernel", REFERENCE)
@pytest.mark.parametrize("n_features", [20, 130])
def test_same_bits_in_every_layout(kernel, n_features, monkeypatch):
    rng = np.random.default_rng(3)
    V = (rng.normal(size=(30, n_features)) > 0.3).astype(float)
    X = (rng.normal(size=(40, n_features)) > 0.3).astype(float)
    coefficients = rng.normal(size=30)
    bits = fitted_store(kernel, V, coefficients)
    monkeypatch.setattr(store_module, "_saves_memory", lambda *of: True)
    compressed = fitted_store(kernel, sparse.csr_array(V), coefficients)
    monkeypatch.setattr(store_module, "_is_binary", lambda rows: False)
    dense = fitted_store(kernel, V, coefficients)
    assert (bits.kind, compressed.kind, dense.kind) == (BITS, CSR, DENSE)
    expected = dense.scores(X)
    one_by_one = np.concatenate([dense.scores(X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_array_equal(one_by_one, expected)
    np.testing.assert_array_equal(compressed.scores(X), expected)
    np.testing.assert_array_equal(bits.scores(X), expected)  # turns into a dense store on the way
    assert bits.kind == DENSE


def test_exponential_over_the_whole_range():
    z = np.concatenate([[0.0, 1e-300, 1e-9], np.linspace(0, 706, 5001)])
    out = np.zeros(len(z))
    kernel_of_dots(1, 1.0, 0.0, 1, 0.0, z, out)
    np.testing.assert_allclose(out, np.exp(-z), rtol=5e-15)
    far = np.zeros(3)
    kernel_of_dots(1, 1.0, 0.0, 1, 0.0, np.array([708.0, 1e5, 1e300]), far)
    assert far.tolist() == [0.0, 0.0, 0.0]


def test_equal_vectors_have_kernel_one(rng):
    V = 1e3 * rng.normal(size=(4, 6))
    store = fitted_store("rbf", V, [0.0, 1.0, 0.0, 0.0])
    assert store.scores(V)[1] == 1.0


def test_bits_there_and_back():
    X = (np.random.default_rng(0).random((5, 200)) > 0.5).astype(float)
    np.testing.assert_array_equal(unpack(pack(X), 200), X)
    assert popcount(np.uint64(0b1011)) == 3
