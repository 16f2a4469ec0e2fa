"""Losses from a link and a risk, the consistency checker, and boosting on one of them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

from stakes.svm import (
    CostSensitiveBoost,
    bp_hinge_loss,
    check_consistency,
    cs_exponential_loss,
    cs_hinge_loss,
    cs_logistic_loss,
    elicit_loss,
    kappa_path,
)
from stakes.svm._boost import best_step
from stakes.svm._consistency import minimize_risk
from stakes.svm._losses import cs_logistic_inverse_link

COSTS = [(1.0, 1.0), (1.0, 4.0), (2.0, 4.0), (3.0, 2.0)]


@pytest.mark.parametrize(("fp", "fn"), COSTS)
def test_the_recipe_gives_the_exponential_and_the_logistic_loss(fp, fn):
    f = np.linspace(-1.0, 1.0, 21)
    exponential = cs_exponential_loss(fp, fn)

    def inverse(v):
        odds = np.exp((fn + fp) * v) * fp / fn
        return odds / (1 + odds)

    made = elicit_loss(inverse, exponential.minimum_risk, fp_cost=fp, fn_cost=fn)
    np.testing.assert_allclose(made.positive(f), np.exp(-fn * f), rtol=1e-6)
    np.testing.assert_allclose(made.negative(f), np.exp(fp * f), rtol=1e-6)
    logistic = cs_logistic_loss(fp, fn)
    made = elicit_loss(
        cs_logistic_inverse_link(fp, fn), logistic.minimum_risk, fp_cost=fp, fn_cost=fn
    )
    np.testing.assert_allclose(made.positive(f), logistic.positive(f), rtol=1e-5)
    np.testing.assert_allclose(made.negative(f), logistic.negative(f), rtol=1e-5)


@pytest.mark.parametrize("make", [cs_exponential_loss, cs_logistic_loss])
@pytest.mark.parametrize(("fp", "fn"), COSTS)
def test_links_minimise_the_conditional_risk(make, fp, fn):
    loss, eta = make(fp, fn), np.array([0.05, 0.3, 0.5, 0.8])
    f, risk = minimize_risk(loss, eta)
    np.testing.assert_allclose(f, loss.link(eta), atol=1e-5)
    np.testing.assert_allclose(risk, loss.minimum_risk(eta), rtol=1e-8)


@pytest.mark.parametrize("make", [cs_exponential_loss, cs_logistic_loss, bp_hinge_loss])
@pytest.mark.parametrize(("fp", "fn"), COSTS)
def test_consistent_losses_and_their_types(make, fp, fn):
    report = check_consistency(make(fp, fn))
    assert report.consistent
    assert report.threshold == pytest.approx(fp / (fp + fn), abs=1e-4)
    symmetric = fp == fn or make is bp_hinge_loss
    assert report.risk_type == ("II" if symmetric else "I")
    assert "is Bayes consistent" in str(report)


@pytest.mark.parametrize(("fp", "fn"), [(2.0, 4.0), (3.0, 6.0), (1.5, 2.0)])
def test_the_printed_cs_hinge_is_not_consistent_and_the_mended_one_is(fp, fn):
    """Eq. 46 decides at (1/kappa)/(C1 + 1/kappa), not at C_-1/(C1 + C_-1)."""
    printed = check_consistency(cs_hinge_loss(fp, fn))
    assert not printed.consistent
    assert printed.threshold == pytest.approx((2 * fp - 1) / (fn + 2 * fp - 1), abs=1e-4)
    assert printed.risk_type == "none"
    mended = check_consistency(cs_hinge_loss(fp, fn, slope="consistent"))
    assert mended.consistent
    assert mended.threshold == pytest.approx(fp / (fn + fp), abs=1e-4)
    assert mended.risk_type == "II"


def test_consistency_is_judged_as_strictly_for_large_costs():
    """With an absolute tolerance thresholds of 0.002 and 0.003 were the same."""
    printed = check_consistency(cs_hinge_loss(2.0, 1000.0))
    assert not printed.consistent
    assert printed.threshold == pytest.approx(3 / 1003, rel=1e-6)
    assert check_consistency(cs_hinge_loss(2.0, 1000.0, slope="consistent")).consistent


@pytest.mark.parametrize("make", [cs_exponential_loss, cs_logistic_loss, bp_hinge_loss])
@pytest.mark.parametrize(("fp", "fn"), [(1.0, 1000.0), (1000.0, 1.0), (1e-3, 1e-3), (50.0, 2e4)])
def test_consistent_losses_at_costs_of_any_size(make, fp, fn):
    report = check_consistency(make(fp, fn), n_points=51)
    assert report.consistent
    assert report.threshold == pytest.approx(fp / (fp + fn), rel=1e-4)


def test_the_link_of_the_hinge_with_equal_costs_is_symmetric():
    assert check_consistency(bp_hinge_loss(1.0, 1.0)).link_symmetry_error < 1e-6
    assert check_consistency(bp_hinge_loss(2.0, 2.0)).link_symmetry_error < 1e-6


def test_the_printed_cs_hinge_with_unit_negative_cost_is_the_bp_hinge():
    report = check_consistency(cs_hinge_loss(1.0, 4.0))
    assert report.consistent
    f = np.linspace(-2, 2, 41)
    np.testing.assert_allclose(cs_hinge_loss(1.0, 4.0).negative(f), bp_hinge_loss().negative(f))


def test_the_stated_risk_is_not_the_minimum():
    """Eq. 47 puts the score at -1 where -kappa is better."""
    loss, eta = cs_hinge_loss(2.0, 4.0), np.array([0.2, 0.4])
    f, risk = minimize_risk(loss, eta)
    np.testing.assert_allclose(f, -1 / 3, atol=1e-6)
    assert (risk < loss.minimum_risk(eta) - 0.2).all()


def test_the_exponential_link_lacks_the_symmetry_of_theorem_6():
    """Section 3.3 says that it satisfies Eq. 35; it does so only for equal costs."""
    assert check_consistency(cs_exponential_loss(1.0, 1.0)).link_symmetry_error < 1e-4
    assert check_consistency(cs_exponential_loss(1.0, 4.0)).link_symmetry_error > 0.05


def test_equation_32_as_printed_forgets_the_probability():
    """With phi_-1(f) in place of phi_-1(-f) the largest score is the best one, always."""
    loss, f = cs_exponential_loss(1.0, 4.0), np.linspace(-3, 3, 601)
    eta = np.array([0.05, 0.15, 0.25, 0.95])[:, None]
    printed = eta * loss.positive(f) + (1 - eta) * loss.negative(-f)
    assert (f[printed.argmin(axis=1)] == f[-1]).all()
    best = f[loss.conditional_risk(eta, f).argmin(axis=1)]
    np.testing.assert_array_equal(best > 0, eta[:, 0] > loss.bayes_threshold)


def test_the_proof_of_theorem_6_means_zero_where_it_says_gamma():
    """A link with the symmetry of Eq. 35 whose score is positive above gamma, but below it."""
    gamma, v = 2.0 / (4.0 + 2.0), np.linspace(-0.3, 0.3, 7)

    def link(eta):
        return np.tan(eta - gamma)

    def inverse(score):
        return gamma + np.arctan(score)

    np.testing.assert_allclose(link(inverse(v)), v, atol=1e-12)
    np.testing.assert_allclose(inverse(-v), 2 * gamma - inverse(v))
    assert 0 < link(gamma + 0.1) < gamma


def test_the_margin_after_equation_45_is_e_over_d():
    """With the costs of Figure 1 that is one; the printed e/a would be 4/3."""
    loss, step = cs_hinge_loss(2.0, 4.0), 0.01
    e, b = float(loss.positive(0.0)), float(loss.negative(0.0))
    d, a = (e - float(loss.positive(step))) / step, (float(loss.negative(step)) - b) / step
    assert (e, d, b, a) == pytest.approx((4, 4, 1, 3))
    f = np.linspace(0, 2, 2001)
    margin = f[np.argmin(loss.positive(f) > 0)]
    assert margin == pytest.approx(e / d) and e / a == pytest.approx(4 / 3)
    assert f[np.argmin(loss.negative(-f) > 1e-12)] == pytest.approx(b / a, abs=1e-3)


def test_report_is_drawn():
    axes = check_consistency(cs_hinge_loss(2.0, 4.0), n_points=51).plot()
    assert [len(ax.lines) for ax in axes] == [2, 4]


def test_kappa_path_thins_the_negative_support_vectors(rng):
    X, y = rng.normal(size=(150, 2)), np.arange(150) < 15
    X[y] += 1.0
    path = kappa_path(X, y, [1.0, 0.5, 0.1, 2.0**-30], fn_cost=10.0)
    assert (path.kkt_residuals <= 1e-3).all()
    assert path.views[-1].n_negative < path.views[0].n_negative
    assert path.views[-1].imbalance < path.views[0].imbalance
    assert [len(ax.lines) for ax in path.plot()] == [2, 1]


def test_the_step_is_the_best_one(rng):
    exponent, a = rng.normal(size=30), rng.uniform(0.2, 3.0, 30) * rng.choice([-1, 1, 1], 30)
    found = minimize_scalar(
        lambda s: np.exp(exponent - s * a).sum(), bounds=(0, 4), method="bounded"
    )
    if (np.exp(exponent) * a).sum() > 0:
        assert best_step(exponent, a, np.ones(len(a))) == pytest.approx(found.x, abs=1e-4)


def test_boosting_lowers_the_loss_every_round_and_follows_costs(rng):
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 1.0).astype(int)
    cheap, dear = (
        CostSensitiveBoost(n_estimators=30, fn_cost=cost).fit(X, y) for cost in (1.0, 10.0)
    )
    for model in (cheap, dear):
        assert (np.diff(model.training_loss_) <= 1e-12).all()
        assert (model.edges_ > 0).all()
    assert dear.predict(X).mean() > cheap.predict(X).mean() + 0.1
    with pytest.raises(ValueError, match="No mistake costs anything"):
        cheap.fit(X, y, fp_cost=0.0, fn_cost=0.0)
    assert (cheap.fit(X, y, fn_cost=0.0).predict(X) == 0).all()


def test_boosting_with_equal_costs_is_adaboost(rng):
    """With c = 1 the step of a stump with weighted error e is 1/2 log((1 - e)/e)."""
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    model = CostSensitiveBoost(n_estimators=5).fit(X, y)
    error = (1 - model.edges_) / 2
    np.testing.assert_allclose(
        model.estimator_weights_, 0.5 * np.log((1 - error) / error), rtol=1e-6
    )


def test_a_slope_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="Got 'papper' instead"):
        cs_hinge_loss(slope="papper")


@pytest.mark.parametrize(("fp", "fn"), [(1.0, 1.0), (2.0, 7.0), (30.0, 4.0)])
def test_probabilities_of_boosting_invert_the_link_of_its_loss(fp, fn, rng):
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + rng.normal(size=200) > 0.5).astype(int)
    model = CostSensitiveBoost(n_estimators=8, fp_cost=fp, fn_cost=fn).fit(X, y)
    mean = np.where(y == 1, fn, fp).mean()
    loss = cs_exponential_loss(fp / mean, fn / mean)
    p = model.predict_proba(X)[:, 1]
    inside = (p > 1e-6) & (p < 1 - 1e-6)
    np.testing.assert_allclose(loss.link(p[inside]), model.decision_function(X)[inside], atol=1e-9)
    # the decision at the costs of training is the sign of the score
    decided = model.predict(X, fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(decided, model.predict(X))


def test_probabilities_of_boosting_with_costs_per_example(rng):
    """Costs that do not depend on the features leave the probability as it is."""
    X = rng.integers(0, 2, size=(4000, 1)).astype(float)
    y = (rng.random(4000) < np.where(X[:, 0] > 0, 0.7, 0.2)).astype(int)
    fn_cost = rng.choice([0.5, 2.0], 4000)
    for rule in ("class", "example"):
        model = CostSensitiveBoost(cost_rule=rule).fit(X, y, fp_cost=1.0, fn_cost=fn_cost)
        share = [y[X[:, 0] == x].mean() for x in (0, 1)]
        found = model.predict_proba([[0.0], [1.0]])[:, 1]
        np.testing.assert_allclose(found, share, atol=0.03)


def test_stages_of_boosting_end_at_the_model(rng):
    X = rng.normal(size=(120, 3))
    X[np.abs(X) < 0.5] = 0.0
    y = (X[:, 0] + rng.normal(size=120) > 0.5).astype(int)
    model = CostSensitiveBoost(n_estimators=7, fn_cost=3.0, random_state=0).fit(X, y)
    *_, scores = model.staged_decision_function(X)
    np.testing.assert_allclose(scores, model.decision_function(X))
    *_, decided = model.staged_predict(X)
    np.testing.assert_array_equal(decided, model.predict(X))
    stages = list(model.staged_predict_proba(X))
    np.testing.assert_allclose(stages[-1], model.predict_proba(X))
    assert len(stages) == len(model.estimators_)
    thin = sparse.csr_array(X)
    again = CostSensitiveBoost(n_estimators=7, fn_cost=3.0, random_state=0).fit(thin, y)
    np.testing.assert_array_equal(again.decision_function(thin), model.decision_function(X))
