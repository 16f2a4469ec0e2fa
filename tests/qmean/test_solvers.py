"""All losses and means against a conic solver; the certificates; the bundle method."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from naive import qmean as naive
from stakes._core.simplex import simplex_qp
from stakes.qmean import QuadraticMeanClassifier, QuadraticMeanRegressor
from stakes.qmean._bundle import bundle
from stakes.qmean._losses import Huber
from stakes.qmean._problem import QuadraticMeanProblem
from stakes.qmean._regressor import target_groups

CLASSIFICATION = ["logistic", "hinge", "huber"]
REGRESSION = ["squared", "epsilon_insensitive", "quantile"]
MEANS = [2.0, 3.0, np.inf]


def two_classes(rng, n=60, d=4):
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) + rng.normal(size=n) > 0.8).astype(int)
    y[:2] = 0, 1
    return X, y, rng.uniform(0.5, 2, n)


def check(model, reference):
    """Objective and weights to 1e-6 of the largest."""
    value, w, b = reference
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    atol = 1e-6 * max(np.abs(w).max(), np.abs(b).max())
    np.testing.assert_allclose(np.ravel(model.coef_), w, atol=atol)
    np.testing.assert_allclose(np.ravel(model.intercept_), b, atol=atol)


@pytest.mark.parametrize("p", MEANS)
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", CLASSIFICATION)
def test_classifier_equals_conic_solver(loss, free, p):
    X, y, weight = two_classes(np.random.default_rng(0))
    tol = 1e-8
    model = QuadraticMeanClassifier(
        loss=loss, alpha=0.05, p=p, regularize_intercept=not free, tol=tol
    ).fit(X, y, sample_weight=weight)
    reference = naive.minimum(X, 2.0 * y - 1, y, weight, loss, 0.05, p, free)
    check(model, reference)
    assert -1e-12 <= model.duality_gap_ <= tol
    if loss != "hinge" and np.isfinite(p):
        assert model.gradient_norm_ < 1e-8


@pytest.mark.parametrize("p", MEANS)
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", REGRESSION)
def test_regressor_equals_conic_solver(loss, free, p):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 4)), rng.uniform(0.5, 2, 60)
    y = np.exp(X @ [0.5, -0.3, 0.1, 0.0] + 0.4 * rng.normal(size=60))
    options = dict(epsilon=0.1, quantile=0.3)
    tol = 1e-8
    model = QuadraticMeanRegressor(
        loss=loss, alpha=0.05, p=p, regularize_intercept=not free, tol=tol, **options
    ).fit(X, y, sample_weight=weight)
    group, _ = target_groups(y, weight, 2)
    reference = naive.minimum(X, y, group, weight, loss, 0.05, p, free, **options)
    check(model, reference)
    assert -1e-12 <= model.duality_gap_ <= tol


@pytest.mark.parametrize("loss", CLASSIFICATION + REGRESSION)
def test_random_problems_equal_conic_solver(loss, rng):
    X, y, weight = two_classes(rng)
    settings = dict(loss=loss, alpha=0.02, tol=1e-8)
    if loss in CLASSIFICATION:
        model, target, group = QuadraticMeanClassifier(**settings), 2.0 * y - 1, y
    else:
        target = y = np.exp(0.5 * X[:, 0] + 0.4 * rng.normal(size=len(X)))
        model, group = QuadraticMeanRegressor(**settings), target_groups(y, weight, 2)[0]
    model.set_params(regularize_intercept=True).fit(X, y, sample_weight=weight)
    check(model, naive.minimum(X, target, group, weight, loss, 0.02))
    assert -1e-12 <= model.duality_gap_ <= 1e-8


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_three_classes_equal_conic_solver(loss, free):
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(45, 3)), rng.uniform(0.5, 2, 45)
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=45), [-0.2, 1.0])
    model = QuadraticMeanClassifier(
        loss=loss, alpha=0.05, regularize_intercept=not free, tol=1e-8
    ).fit(X, y, sample_weight=weight)
    value, W, b = naive.several_class_minimum(X, y, weight, loss, 0.05, 2.0, free)
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    # a constant added to all intercepts changes nothing where they are free
    shift = b.mean() - model.intercept_.mean() if free else 0.0
    np.testing.assert_allclose(model.coef_, W, atol=1e-6)
    np.testing.assert_allclose(model.intercept_ + shift, b, atol=1e-6)
    assert model.duality_gap_ <= 1e-8


@pytest.mark.parametrize("loss", CLASSIFICATION)
def test_bundle_and_lbfgs_agree_with_newton(loss, rng):
    X, y, _ = two_classes(rng)
    settings = dict(loss=loss, alpha=0.05)
    newton = QuadraticMeanClassifier(solver="newton", tol=1e-9, **settings).fit(X, y)
    bundle = QuadraticMeanClassifier(solver="bundle", tol=1e-6, **settings).fit(X, y)
    lbfgs = QuadraticMeanClassifier(solver="lbfgs", tol=1e-4, **settings).fit(X, y)
    assert newton.objective_ <= bundle.objective_ * (1 + 1e-9)
    # the gap is a proof: the true minimum lies no deeper
    for model in (bundle, lbfgs):
        assert model.objective_ * (1 - model.duality_gap_) <= newton.objective_ * (1 + 1e-9)
    assert bundle.gaps_[-1] == bundle.duality_gap_ <= 1e-6
    assert (np.diff(bundle.gaps_) <= 1e-12).all()
    assert bundle.n_iter_ == len(bundle.gaps_)


@pytest.mark.parametrize("loss", REGRESSION)
def test_bundle_on_regression(loss, rng):
    X = rng.normal(size=(80, 4))
    y = np.exp(X[:, 0]) + 0.1 * rng.normal(size=80)
    settings = dict(loss=loss, alpha=0.5, regularize_intercept=True)
    bundle = QuadraticMeanRegressor(solver="bundle", tol=1e-6, **settings).fit(X, y)
    newton = QuadraticMeanRegressor(tol=1e-8, **settings).fit(X, y)
    assert bundle.objective_ == pytest.approx(newton.objective_, rel=2e-6)
    np.testing.assert_allclose(bundle.coef_, newton.coef_, atol=2e-3)


def test_bundle_on_three_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=60), [-0.2, 0.9])
    for loss in ("logistic", "hinge"):
        settings = dict(loss=loss, alpha=0.1)
        bundle = QuadraticMeanClassifier(solver="bundle", **settings).fit(X, y)
        newton = QuadraticMeanClassifier(tol=1e-8, **settings).fit(X, y)
        assert bundle.objective_ == pytest.approx(newton.objective_, rel=2e-6)


def test_simplex_qp_against_conditions(rng):
    for size in (1, 2, 5, 12):
        A = rng.normal(size=(size, max(1, size // 2)))  # rank-deficient on purpose
        Q, b = A @ A.T, rng.normal(size=size)
        gamma = simplex_qp(Q, b)
        assert gamma.sum() == pytest.approx(1.0) and gamma.min() >= 0
        promise = b - Q @ gamma
        assert promise.max() <= gamma @ promise + 1e-7


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", CLASSIFICATION)
def test_fewer_rows_than_features_and_sparse(loss, free):
    """Solved for one number per row; with every row three times, for one per feature."""
    X, y, _ = two_classes(np.random.default_rng(0), n=20, d=50)
    X[np.abs(X) < 0.7] = 0.0
    settings = dict(loss=loss, alpha=0.1, tol=1e-8, regularize_intercept=not free, solver="newton")
    dense = QuadraticMeanClassifier(**settings).fit(X, y)
    csr = QuadraticMeanClassifier(**settings).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(csr.coef_, dense.coef_, atol=1e-8)
    many = QuadraticMeanClassifier(**settings).fit(np.tile(X, (3, 1)), np.tile(y, 3))
    assert dense.objective_ == pytest.approx(many.objective_, rel=1e-8)
    np.testing.assert_allclose(dense.coef_, many.coef_, atol=1e-6)
    np.testing.assert_allclose(dense.intercept_, many.intercept_, atol=1e-6)


def test_dense_and_csr_and_no_intercept(rng):
    X, y, weight = two_classes(rng)
    for solver in ("newton", "lbfgs", "bundle"):
        model = QuadraticMeanClassifier(fit_intercept=False, solver=solver, alpha=0.1)
        dense = model.fit(X, y, sample_weight=weight).coef_
        csr = model.fit(sparse.csr_matrix(X), y, sample_weight=weight)
        np.testing.assert_allclose(csr.coef_, dense, atol=1e-9)
        assert csr.intercept_ == [0.0]
    centred = QuadraticMeanClassifier(alpha=0.1, tol=1e-8).fit(X, y, sample_weight=weight)
    assert np.abs(centred.intercept_) > 1e-3


def test_too_few_steps_warn(rng):
    X, y, _ = two_classes(rng)
    for solver in ("newton", "lbfgs", "bundle"):
        with pytest.warns(ConvergenceWarning, match="duality gap is .* above tol"):
            QuadraticMeanClassifier(solver=solver, max_iter=1).fit(X, y)


def test_bundle_refuses_a_free_intercept(rng):
    X, y, _ = two_classes(rng)
    with pytest.raises(ValueError, match="needs regularize_intercept=True"):
        QuadraticMeanClassifier(solver="bundle", regularize_intercept=False).fit(X, y)


def test_many_rows_start_from_few_and_thin_the_curvature(monkeypatch):
    rng = np.random.default_rng(0)
    X, y, weight = two_classes(rng, n=3000)
    settings = dict(alpha=0.01, tol=1e-9)
    whole = QuadraticMeanClassifier(**settings).fit(X, y, sample_weight=weight)
    monkeypatch.setattr("stakes.qmean._problem._CURVED_ROWS", 150)
    thinned = QuadraticMeanClassifier(**settings).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(thinned.coef_, whole.coef_, atol=1e-5)
    assert thinned.duality_gap_ <= 1e-9
    assert thinned.objective_ == pytest.approx(whole.objective_, rel=1e-9)


def test_algorithm_6_can_end_on_a_worse_iterate():
    """Objective values along the way are not monotone: the gap belongs to the best of them."""
    X, y, _ = two_classes(np.random.default_rng(0))
    values = []

    class Recorded(QuadraticMeanProblem):
        def risk_and_weights(self, W, f=None, smoothing=None):
            risk, *rest = super().risk_and_weights(W, f, smoothing)
            values.append(risk + self.ridge(W))
            return risk, *rest

    problem = Recorded(X, 2.0 * y - 1, np.ones(60), y, Huber(0.0), np.full(2, 0.5), alpha=0.05)
    W, *_ = bundle(problem, problem.start(), 1e-4, 200)
    assert max(np.diff(values)) > 1e-3
    assert problem.value(W) == pytest.approx(min(values), rel=1e-12)
