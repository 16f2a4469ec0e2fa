"""The Gaussian learners against inverses, root finding and quadrature."""

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.special import erfcx, ndtr, ndtri
from scipy.stats import norm
from sklearn.base import clone

from naive import online as naive
from stakes.online import (
    AROWClassifier,
    CWClassifier,
    CWCVaRClassifier,
    CWRobustClassifier,
    ProbitClassifier,
    SCWClassifier,
)
from stakes.online._mills_jit import HIGH, LOW, PER_UNIT, inverse_mills
from stakes.risk import omega

PHI = ndtri(0.9)


def stream(rng, n=40, d=5):
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return X, y, rng.lognormal(0, 1, n), rng.lognormal(1, 1, n)


def cvar_factors(c, alpha, beta, tau, strict):
    """Eq. 13 with the CVaR from sorting all costs anew."""
    out = []
    for t in range(1, len(c) + 1):
        top = np.sort(c[:t])[::-1]
        k = tau * t
        whole = int(k)
        cvar = (top[:whole].sum() + (k - whole) * top[min(whole, t - 1)]) / k
        star = min(cvar, top[0])
        expensive = star < c[t - 1] if strict else star <= c[t - 1]
        out.append(omega(alpha if expensive else beta, "gaussian"))
    return out


def cases(y, c_neg, c_pos):
    c = np.where(y > 0, c_pos, c_neg)
    w, stake, plain = (naive.weights(y, c_pos, c_neg, k) for k in ("class", "stake", "regret"))
    om = cvar_factors(c, 0.7, 0.8, 0.2, strict=True)
    printed = cvar_factors(c, 0.7, 0.8, 0.2, strict=False)
    cvar = dict(expensive_share=0.2, max_memory=None)
    kl = naive.constrained_kl
    return {
        "cw": (CWClassifier(), "precision", lambda *a: kl(*a[:4], PHI)),
        "arow": (AROWClassifier(r=0.7), "precision", lambda *a: naive.arow(*a[:4], 0.7 / w[a[4]])),
        "scw-i": (
            SCWClassifier(C=0.3),
            "precision",
            lambda *a: naive.scw(*a[:4], PHI, 0.3 * w[a[4]], False),
        ),
        "scw-ii": (
            SCWClassifier(C=0.3, variant="SCW-II"),
            "precision",
            lambda *a: naive.scw(*a[:4], PHI, 0.3 * w[a[4]], True),
        ),
        "class": (
            CWCVaRClassifier(C=0.2, **cvar),
            "precision",
            lambda *a: kl(*a[:4], om[a[4]], target=1.0, most=0.2 * w[a[4]]),
        ),
        "stake": (
            CWCVaRClassifier(C=0.2, cost_rule="stake", **cvar),
            "precision",
            lambda *a: kl(*a[:4], om[a[4]], target=1.0, most=0.2 * stake[a[4]]),
        ),
        "regret": (
            CWCVaRClassifier(C=0.2, cost_rule="regret", **cvar),
            "precision",
            lambda *a: kl(*a[:4], om[a[4]], target=1.0, most=0.2 * plain[a[4]]),
        ),
        "paper": (
            CWCVaRClassifier(cost_rule="paper", normalize_costs=False, **cvar),
            "precision",
            lambda *a: kl(*a[:4], printed[a[4]], c=c[a[4]]),
        ),
    }


@pytest.mark.parametrize(
    "name", ["cw", "arow", "scw-i", "scw-ii", "class", "stake", "regret", "paper"]
)
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_loops_equal_the_naive_references(rng, name, covariance):
    X, y, c_neg, c_pos = stream(rng)
    model, diagonal, step = cases(y, c_neg, c_pos)[name]
    model.set_params(covariance=covariance)
    mu, Sigma = naive.run(X, y, step, diagonal=None if covariance == "full" else diagonal)
    for data in (X, sparse.csr_matrix(X)):
        model.fit(data, y, fp_cost=c_neg, fn_cost=c_pos)
        np.testing.assert_allclose(model._mu, mu, rtol=1e-9, atol=1e-9)
        found = model._Sigma if covariance == "full" else np.diag(model._Sigma)
        np.testing.assert_allclose(found, Sigma, rtol=1e-9, atol=1e-9)


def test_equation_5_needs_the_inverse_in_its_quadratic_term():
    """The divergence of two Gaussians by quadrature, the older one four times as wide."""
    new, old = norm(1.0, 1.0), norm(-0.5, 2.0)
    found, _ = quad(lambda w: new.pdf(w) * (new.logpdf(w) - old.logpdf(w)), -12, 12)
    quadratic = {"printed": 1.5**2 * 2.0**2, "with the inverse": 1.5**2 / 2.0**2}
    value = {name: (np.log(4.0) + 1 / 4.0 + q - 1) / 2 for name, q in quadratic.items()}
    assert found == pytest.approx(value["with the inverse"])
    assert value["printed"] > 8 * found


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_probit_matches_the_moments_found_by_quadrature(rng, covariance):
    X, y, _, _ = stream(rng, n=20, d=3)
    diagonal = None if covariance == "full" else "covariance"
    mu, Sigma = naive.run(X, y, lambda *a: naive.probit(*a[:4], 0.8), diagonal=diagonal)
    for data in (X, sparse.csr_matrix(X)):
        model = ProbitClassifier(noise=0.8, covariance=covariance).fit(data, y)
        np.testing.assert_allclose(model._mu, mu, rtol=1e-9, atol=1e-9)
        found = model._Sigma if covariance == "full" else np.diag(model._Sigma)
        np.testing.assert_allclose(found, Sigma, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("evidence", ["once", "paper"])
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_robust_scores_equal_the_naive_blend(rng, covariance, evidence):
    X, y, c_neg, c_pos = stream(rng)
    variance = np.array([np.inf, 1.0, 0.2, np.inf, 5.0])
    mean = np.array([0.0, 1.0, -1.0, 0.0, 0.3])
    model = CWRobustClassifier(
        prior_mean=mean, prior_variance=variance, evidence=evidence, covariance=covariance,
        C=0.2, expensive_share=0.2, max_memory=None, calibration=None,
    )  # fmt: skip
    _, _, step = cases(y, c_neg, c_pos)["class"]
    diagonal = None if covariance == "full" else "precision"
    scores = []

    def score_first(mu, Sigma, x, y_t, t):
        times = max(t, 1) if evidence == "paper" else 1
        m, S = naive.blended(mu, Sigma, np.r_[mean, 0.0], np.r_[variance, np.inf], times)
        scores.append(m @ x / np.sqrt(1 + x @ S @ x))
        return step(mu, Sigma, x, y_t, t)

    mu, Sigma = naive.run(X, y, score_first, diagonal=diagonal)
    for data in (X, sparse.csr_matrix(X)):
        p = clone(model).predict_proba_then_learn(data, y, [-1, 1], fp_cost=c_neg, fn_cost=c_pos)
        np.testing.assert_allclose(p, norm.cdf(scores), rtol=1e-9, atol=1e-9)
        fitted = clone(model).fit(data, y, fp_cost=c_neg, fn_cost=c_pos)
        np.testing.assert_allclose(fitted._mu, mu, rtol=1e-9, atol=1e-9)
        times = len(X) if evidence == "paper" else 1
        m, _ = naive.blended(mu, Sigma, np.r_[mean, 0.0], np.r_[variance, np.inf], times)
        np.testing.assert_allclose(fitted.blended_coef_[0], m[:-1], rtol=1e-9, atol=1e-9)


def test_inverse_mills_ratio_in_and_between_the_cells_of_its_table():
    edges = LOW + np.arange((HIGH - LOW) * PER_UNIT + 1) / PER_UNIT
    before, inside = np.nextafter(edges, -np.inf), edges + 0.3 / PER_UNIT
    near = np.r_[edges, before, inside, -1e8, -40.0, np.linspace(HIGH, 37.0, 200)]
    right = np.sqrt(2 / np.pi) / erfcx(-near / np.sqrt(2))
    np.testing.assert_allclose([inverse_mills(z) for z in near], right, rtol=3e-13)
    assert inverse_mills(60.0) == inverse_mills(1e200) == inverse_mills(np.inf) == 0.0
    assert np.isnan(inverse_mills(np.nan))


def test_probit_stays_finite_on_examples_far_on_the_wrong_side():
    model = ProbitClassifier(calibration=None).fit([[-1.0], [1.0]] * 50, [0, 1] * 50)
    for x in (30.0, 300.0, 3000.0):
        before = model._mu.copy()
        model.learn_one(np.array([x]), 0)
        assert np.isfinite(model._mu).all() and (model._Sigma > 0).all()
        assert model._mu[0] < before[0]


def test_the_constraint_holds_after_each_step_of_cw(rng):
    X, y, _, _ = stream(rng)
    model = CWClassifier(covariance="full")
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label, classes=[-1, 1])
        z = np.r_[x, 1.0]
        assert label * (model._mu @ z) >= PHI * (z @ model._Sigma @ z) - 1e-9


def test_the_variance_form_reaches_less_than_eta_and_a_negative_cvar(rng):
    X = rng.normal(size=(400, 10)) / np.sqrt(10)
    y = np.where(X @ rng.normal(size=10) + 0.3 * rng.normal(size=400) > 0, 1, -1)
    eta, tail = 0.9, 0.7
    cw = CWClassifier(eta=eta, covariance="full")
    paper = CWCVaRClassifier(
        cost_rule="paper", normalize_costs=False, buffer=False, covariance="full"
    ).set_params(expensive_tail=tail)
    reached, cvar = [], []
    for x, label in zip(X, y, strict=True):
        z = np.r_[x, 1.0]
        for model in (cw, paper):
            before = model.n_updates_ if hasattr(model, "_knows") else 0
            model.learn_one(x, label, classes=[-1, 1])
            if model.n_updates_ == before:
                continue
            m, v = label * (model._mu @ z), z @ model._Sigma @ z
            if model is cw:
                reached.append(ndtr(m / np.sqrt(v)))
                np.testing.assert_allclose(reached[-1], ndtr(ndtri(eta) * np.sqrt(v)))
            else:
                cvar.append(m - omega(tail, "gaussian") * np.sqrt(v))
                np.testing.assert_allclose(cvar[-1], omega(tail, "gaussian") * (v - np.sqrt(v)))
    # the variance falls below one within a few examples
    assert len(reached) > 50 and np.median(reached) < 0.8
    assert len(cvar) > 50 and np.median(cvar) < 0.0


def test_cw_costs_is_the_plain_step_times_the_cost():
    x = np.array([1.0, 2.0])
    plain = CWClassifier(eta=0.95).learn_one(x, 1)
    priced = CWCVaRClassifier(
        cost_rule="costs", expensive_tail=0.05, cheap_tail=0.05, normalize_costs=False
    ).learn_one(x, 1, fn_cost=3.0)
    np.testing.assert_allclose(priced._mu, 3 * plain._mu, rtol=1e-12)
    np.testing.assert_allclose(priced._Sigma, plain._Sigma, rtol=1e-12)
