"""The kernel that is averaged over the errors."""

import numpy as np
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
