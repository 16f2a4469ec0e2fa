"""A limit on support vectors: memory stays bounded, and f stays what its vectors say."""

import numpy as np
import pytest
from scipy import sparse

from naive.online_kernel import gram
from stakes._core.jit.kernel_rows import MARGIN
from stakes.online_kernel import (
    CSDUOLClassifier,
    DUOLClassifier,
    KernelALMAClassifier,
    KernelPAClassifier,
    KernelROMMAClassifier,
)
from stakes.online_kernel import _store as store_module
from stakes.online_kernel._expansion_jit import SQUARED_NORM

LEARNERS = [
    KernelPAClassifier,
    KernelALMAClassifier,
    KernelROMMAClassifier,
    DUOLClassifier,
    CSDUOLClassifier,
]


def stream(seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n) > 0.7).astype(int)


@pytest.mark.parametrize("kernel", ["rbf", "linear", lambda A, B: (A @ B.T + 1) ** 2])
@pytest.mark.parametrize("learner", LEARNERS)
def test_limit_is_kept_and_running_values_are_right(learner, kernel):
    X, y = stream()
    learner = learner(kernel=kernel, gamma=0.5, max_support_vectors=15).fit(X, y)
    assert learner.n_support_.sum() == 15 and learner.n_updates_ > 15
    assert learner._store.support.floats.shape[1] == 16
    V, c = learner.support_vectors_, learner.dual_coef_[0]
    np.testing.assert_array_equal(V, X[learner.support_])
    K = kernel(V, V) if callable(kernel) else gram(V, kernel, 0.5)
    if isinstance(learner, (KernelALMAClassifier, KernelROMMAClassifier)):
        assert learner._store.support.numbers[SQUARED_NORM] == pytest.approx(c @ K @ c, rel=1e-6)
    if hasattr(learner, "dual_objective_"):
        signs = np.where(y == 1, 1.0, -1.0)[learner.support_]
        np.testing.assert_allclose(
            learner._store.support.floats[MARGIN, :15], signs * (K @ c), rtol=1e-6, atol=1e-8
        )


def test_projection_beats_dropping_the_oldest():
    X, y = stream(1, n=1200)
    learner = CSDUOLClassifier(gamma=0.5, max_support_vectors=40).fit(X[:900], y[:900])
    full = CSDUOLClassifier(gamma=0.5).fit(X[:900], y[:900])
    recent = CSDUOLClassifier(gamma=0.5).fit(X[860:900], y[860:900])
    scores = [m.score(X[900:], y[900:]) for m in (recent, learner, full)]
    assert scores[0] < scores[1] > 0.8 and scores[2] - scores[1] < 0.1


def test_wide_sparse_store_with_a_limit_stays_small(monkeypatch):
    monkeypatch.setattr(store_module, "_saves_memory", lambda *of: True)
    monkeypatch.setattr(store_module, "CHUNK", 16)
    X, y = stream(2)
    X = np.where(np.abs(X) > 0.4, X, 0.0)
    wide = CSDUOLClassifier(gamma=0.5, max_support_vectors=15).fit(sparse.csr_array(X), y)
    plain = CSDUOLClassifier(gamma=0.5, max_support_vectors=15).fit(X, y)
    np.testing.assert_array_equal(wide.dual_coef_, plain.dual_coef_)
    assert len(wide._store.support.values) <= 2 * (15 + 16) * 3
    assert abs(wide.support_vectors_ - plain.support_vectors_).max() == 0


def test_limit_larger_than_needed_changes_nothing():
    X, y = stream(3, n=120)
    a, b = (
        KernelPAClassifier(gamma=0.5, max_support_vectors=500).fit(X, y),
        KernelPAClassifier(gamma=0.5).fit(X, y),
    )
    np.testing.assert_array_equal(a.dual_coef_, b.dual_coef_)
