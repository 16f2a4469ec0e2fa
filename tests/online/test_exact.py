"""The standard deviation in the constraints of CW and CW-CVaR: the guarantees hold."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from naive import online as naive
from stakes.online import CWClassifier, CWCVaRClassifier
from stakes.risk import omega


def stream(rng, n=60, d=4):
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1)


def margin_after(model, x, y):
    z = np.r_[x, 1.0]
    return y * model._mu @ z, z @ model._Sigma @ z


def test_after_a_step_of_cw_the_example_is_correct_with_probability_eta(rng):
    X, y = stream(rng)
    exact, printed = (
        CWClassifier(eta=0.9, covariance="full", constraint=c, half_life=None)
        for c in ("deviation", "variance")
    )
    found = []
    for x, label in zip(X, y, strict=True):
        p = []
        for model in (exact, printed):
            model.learn_one(x, label, classes=[-1, 1])
            m, v = margin_after(model, x, label)
            p.append(ndtr(m / np.sqrt(v)))
        found.append(p)
    found = np.array(found)
    assert found[:, 0].min() > 0.9 - 1e-9
    assert found[:, 1].min() < 0.85  # the variance form does not guarantee it


def test_cw_with_the_deviation_equals_the_naive_reference(rng):
    X, y = stream(rng)
    model = CWClassifier(eta=0.8, covariance="full", constraint="deviation").fit(X, y)
    step = lambda *a: naive.scw(*a[:4], ndtri(0.8), np.inf, False)  # noqa: E731
    mu, Sigma = naive.run(X, y, step)
    np.testing.assert_allclose(model._mu, mu, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model._Sigma, Sigma, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("margin", ["gaussian", "arbitrary"])
def test_after_a_step_of_cw_cvar_the_cvar_of_the_margin_is_one(rng, margin):
    X, y = stream(rng, n=20)  # hard constraints soon leave no variance
    model = CWCVaRClassifier(
        C=1e12, margin=margin, covariance="full", constraint="deviation", buffer=False
    )
    factor = omega(model.expensive_tail, margin)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label, classes=[-1, 1])
        m, v = margin_after(model, x, label)
        assert m - factor * np.sqrt(v) > 1.0 - 1e-6
    with pytest.raises(ValueError, match="soft cost rules"):
        CWCVaRClassifier(constraint="deviation", cost_rule="paper").fit(X, y)


@pytest.mark.jit  # steps overflow, which the loop looks for; without the compiler numpy warns
@pytest.mark.parametrize("seed", range(3))
def test_hard_steps_on_labels_that_contradict_each_other_keep_the_variances_positive(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6000, 40)) * (rng.random((6000, 40)) < 0.3)
    turned = np.where(np.arange(6000) < 3500, 1.0, -1.0)
    y = (turned * (X @ rng.normal(size=40)) + 0.3 * rng.normal(size=6000) > 0).astype(int)
    model = CWClassifier(constraint="deviation", half_life=None).partial_fit(X, y, [0, 1])
    assert model._Sigma.min() >= 0.0
    assert np.isfinite(model.predict_proba(X)).all()
