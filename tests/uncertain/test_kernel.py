"""The kernel that is averaged over the errors."""

import numpy as np
import pytest
from sklearn.svm import SVC

from stakes.uncertain import UncertainKernelClassifier
from stakes.uncertain._kernel import mean_kernel


def ring(rng, n=120):
    X = rng.normal(size=(n, 2))
    return X, (np.hypot(*X.T) > 1.2).astype(int)


def test_the_kernel_is_the_mean_over_draws(rng):
    M, N = rng.normal(size=(2, 3, 2))
    V, W = rng.uniform(0, 1, (2, 3, 2))
    x = M + np.sqrt(V) * rng.standard_normal((40_000, 3, 2))
    z = N + np.sqrt(W) * rng.standard_normal((40_000, 3, 2))
    slow = np.exp(-0.7 * ((x[:, :, None] - z[:, None]) ** 2).sum(axis=3)).mean(axis=0)
    np.testing.assert_allclose(mean_kernel(M, V, N, W, 0.7), slow, atol=0.01)


def test_without_errors_it_is_an_svm(rng):
    X, y = ring(rng)
    ours = UncertainKernelClassifier(C=2.0).fit(X, y)
    theirs = SVC(C=2.0, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


def test_certificates_hold_for_gaussian_errors():
    rng = np.random.default_rng(0)
    X, y = ring(rng)
    std = rng.uniform(0.05, 0.6, X.shape)
    model = UncertainKernelClassifier(C=2.0).fit(X, y, std=std)
    for costs in ({}, dict(fp_cost=1.0, fn_cost=4.0)):
        decided = model.predict(X, std=std, **costs)
        bound = model.predict_certificate(X, std=std, **costs)
        draws = X + std * rng.standard_normal((3000, *X.shape))
        later = model.predict(draws.reshape(-1, 2), **costs).reshape(3000, -1)
        turned = (later != decided).mean(axis=0)
        assert (turned <= bound + 5 * np.sqrt(bound * (1 - bound) / 3000) + 3 / 3000).all()
        assert (bound < 0.3).mean() > 0.2
    longer = model.predict_proba(np.zeros((1, 2)), std=3.0)[0, 1]
    assert model.predict_proba(np.zeros((1, 2)), std=0.05)[0, 1] < longer


def test_certificates_of_correlated_errors(rng):
    """A drift of all features: independence promised 0.26 on average, and 41 of 200 were above."""
    X = rng.normal(size=(150, 4))
    y = (X.sum(axis=1) + 0.5 * rng.normal(size=150) > 0).astype(int)
    model = UncertainKernelClassifier().fit(X, y, std=0.3)
    points, cov = X[:40], np.full((4, 4), 0.25)
    bound, decided = model.predict_certificate(points, cov=cov), model.predict(points, cov=cov)
    draws = points + 0.5 * rng.standard_normal((3000, 40, 1))
    turned = (model.predict(draws.reshape(-1, 4)).reshape(3000, 40) != decided).mean(axis=0)
    assert (turned <= bound + 5 * np.sqrt(bound * (1 - bound) / 3000)).all()
    assert turned.mean() > 0.7 * bound.mean()
    apart = model.predict_certificate(points, var=np.diagonal(cov))
    assert (turned > apart + 5 * np.sqrt(apart * (1 - apart) / 3000)).sum() > 3


def test_certificates_of_classical_errors():
    """The truth behind a measurement has correlated features, even if the errors have not."""
    rng = np.random.default_rng(1)
    mix, std = np.array([[1.0, 0.0], [0.95, 0.3]]), 1.0
    x = rng.normal(size=(1500, 2)) @ mix.T
    m, y = x + std * rng.normal(size=x.shape), (x.sum(axis=1) > 0).astype(int)
    model = UncertainKernelClassifier(error_model="classical").fit(m[:500], y[:500], std=std)
    population = mix @ mix.T
    gain = population @ np.linalg.inv(population + std**2 * np.eye(2))
    cov = population - gain @ population
    points = m[500:540]
    decided = model.predict(points, std=std)
    bound = model.predict_certificate(points, std=std)
    draws = points @ gain.T + rng.multivariate_normal(np.zeros(2), cov, (3000, 1))
    exact = model.classes_[(model._exact_scores(draws.reshape(-1, 2)) > 0).astype(int)]
    turned = (exact.reshape(3000, 40) != decided).mean(axis=0)
    # the population is learned from 500 rows
    assert (turned <= bound + 5 * np.sqrt(bound * (1 - bound) / 250)).all()


def test_certificates_of_replicates_and_intervals():
    rng = np.random.default_rng(2)
    X, y = ring(rng)
    model = UncertainKernelClassifier(C=2.0).fit(X, y, std=0.1)
    R = X[:, None] + 0.4 * (rng.standard_exponential((120, 905, 1)) - 1) * [1.0, -1.0]
    decided = model.predict(None, replicates=R[:, :5])
    bound = model.predict_certificate(None, replicates=R[:, :5])
    later = model.predict(R[:, 5:].reshape(-1, 2)).reshape(120, 900)
    turned = (later != decided[:, None]).mean(axis=1)
    assert (turned > bound + 4 * np.sqrt(bound * (1 - bound) / 900)).mean() <= 0.05
    box = dict(lower=X - 0.1, upper=X + 0.1)
    bound, decided = model.predict_certificate(None, **box), model.predict(None, **box)
    assert set(bound) == {0.0, 1.0}
    draws = X + 0.1 * rng.uniform(-1, 1, (2000, *X.shape))
    turned = (model.predict(draws.reshape(-1, 2)).reshape(2000, -1) != decided).any(axis=0)
    assert (bound[turned] == 1).all() and (bound == 0).mean() > 0.5
    with pytest.raises(ValueError, match="A certificate needs the uncertainty of the points"):
        model.predict_certificate(X)
    with pytest.raises(ValueError, match="measure must be 'best'"):
        model.predict_certificate(X, std=0.1, measure="c")
