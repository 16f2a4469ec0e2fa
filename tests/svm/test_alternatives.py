"""Other ways to the kernel SVMs: scikit-learn's LIBSVM, and random features; model files."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from stakes._core.model_file import load_model, save_model
from stakes.svm import (
    BiasedPenaltySVC,
    BoundaryMovementSVC,
    CostSensitiveSVC,
    LinearCostSensitiveSVC,
)

CLASS_LEVEL = [
    BoundaryMovementSVC(cv=3, fn_cost=4.0),
    BiasedPenaltySVC(fn_cost=4.0),
    CostSensitiveSVC(kappa=0.5, fn_cost=4.0),
    CostSensitiveSVC(kappa=0.5, fp_cost=4.0, slope="consistent", conditions="ignore"),
]


def noisy(rng, n=80):
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n) > 0.5).astype(int)


@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")  # chance decides here
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("learner", CLASS_LEVEL, ids=repr)
def test_libsvm_finds_the_same_machine(learner, kernel, rng):
    X, y = noisy(rng)
    learner = clone(learner).set_params(kernel=kernel, gamma=0.5, coef0=1.0, tol=1e-5, C=0.5)
    own, other = learner.fit(X, y), clone(learner).set_params(solver="libsvm").fit(X, y)
    np.testing.assert_allclose(own.decision_function(X), other.decision_function(X), atol=1e-3)
    assert other.kkt_residual_ <= 2e-5
    assert other.objective_ == pytest.approx(own.objective_, rel=1e-4)
    assert other.duality_gap_ <= 1e-4
    assert other.dual_view().l1_negative == pytest.approx(other.dual_view().l1_positive)


def test_libsvm_searches_kappa_too():
    X, y = noisy(np.random.default_rng(0))
    model = CostSensitiveSVC(kappa="search", fn_cost=10.0, solver="libsvm", gamma=0.5).fit(X, y)
    assert (
        model.kappa_ == CostSensitiveSVC(kappa="search", fn_cost=10.0, gamma=0.5).fit(X, y).kappa_
    )


def test_libsvm_takes_a_penalty_but_not_a_margin_per_example(rng):
    X, y = noisy(rng)
    fp, fn = rng.uniform(1.0, 2.0, 80), rng.uniform(3.0, 9.0, 80)
    options = dict(tol=1e-5, gamma=0.5)
    own, other = (
        BiasedPenaltySVC(solver=solver, **options).fit(X, y, fp_cost=fp, fn_cost=fn)
        for solver in ("smo", "libsvm")
    )
    np.testing.assert_allclose(own.decision_function(X), other.decision_function(X), atol=1e-3)
    with pytest.raises(ValueError, match="solver='libsvm' needs one margin per class"):
        CostSensitiveSVC(kappa="paper", solver="libsvm").fit(X, y, fp_cost=fp, fn_cost=fn)
    # one margin per class, and multipliers at their bounds although penalties are rounded
    CostSensitiveSVC(solver="libsvm").fit(X, y, fp_cost=fp, fn_cost=fn)


def test_many_landmarks_give_the_kernel_itself(rng):
    X, y = noisy(rng)
    options = dict(gamma=0.5, fn_cost=4.0, kappa=0.5, tol=1e-8)
    exact = CostSensitiveSVC(**options).fit(X, y)
    near = CostSensitiveSVC(approximation="nystroem", random_state=0, **options).fit(X, y)
    assert near.coef_.shape == (1, 80)
    assert near.duality_gap_ <= 1e-8
    # |w - w*|^2 <= 2 gap, so scores agree to sqrt(2 * 1e-8 * objective)
    within = np.sqrt(2e-8 * near.objective_)
    np.testing.assert_allclose(exact.decision_function(X), near.decision_function(X), atol=within)
    with pytest.raises(ValueError, match="approximation=None has a dual view"):
        near.dual_view()


def test_more_cosines_come_nearer_to_the_kernel():
    X, y = noisy(np.random.default_rng(0))
    options = dict(gamma=0.3, fn_cost=4.0, kappa=0.5)
    exact = CostSensitiveSVC(tol=1e-6, **options).fit(X, y).decision_function(X)
    away = []
    for n in (10, 1000):
        near = CostSensitiveSVC(
            approximation="fourier", n_components=n, random_state=0, **options
        ).fit(X, y)
        away.append(np.abs(near.decision_function(X) - exact).mean())
    assert away[1] < 0.1 < away[0]
    with pytest.raises(ValueError, match="approximation='fourier' needs kernel='rbf'"):
        CostSensitiveSVC(approximation="fourier", kernel="poly").fit(X, y)


@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
@pytest.mark.parametrize(
    "learner",
    [BoundaryMovementSVC(), BiasedPenaltySVC(), CostSensitiveSVC(kappa="search")],
    ids=lambda learner: type(learner).__name__,
)
def test_random_features_in_every_kernel_learner(learner, approximation, tmp_path):
    X, y = noisy(np.random.default_rng(0), n=150)
    model = clone(learner).set_params(
        approximation=approximation, n_components=60, fn_cost=2.0, random_state=0
    )
    model.fit(X, y)
    assert model.score(X, y) > 0.7
    save_model(model, tmp_path / "model.stakes")
    stored = load_model(tmp_path / "model.stakes").model
    np.testing.assert_array_equal(stored.decision_function(X), model.decision_function(X))
    thin = clone(model).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)), model.decision_function(X), atol=1e-4
    )
    model.set_params(approximation=None).fit(X, y)  # leaves nothing of the fit before
    assert model.dual_coef_.shape == (1, model.n_support_.sum())


@pytest.mark.parametrize(
    "learner",
    [
        BoundaryMovementSVC(),
        BiasedPenaltySVC(solver="libsvm"),
        CostSensitiveSVC(),
        LinearCostSensitiveSVC(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_model_files(learner, tmp_path):
    X, y = noisy(np.random.default_rng(0))
    model = clone(learner).fit(X, y)
    save_model(model, tmp_path / "model.stakes")
    stored = load_model(tmp_path / "model.stakes").model
    np.testing.assert_array_equal(stored.decision_function(X), model.decision_function(X))
