"""Promises that were once broken: each test is a defect that was found."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.optimize import check_grad
from scipy.stats import norm
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stakes.errors import BelowTrivialWarning
from stakes.metrics import certified_error
from stakes.uncertain import (
    Ellipsoid,
    UncertainKernelClassifier,
    UncertainLogisticClassifier,
    UncertainMarginClassifier,
    UncertainOneVsRestClassifier,
    UncertainPipeline,
    UncertainScaler,
    covariances_from_replicates,
    make_certified_scorer,
)
from stakes.uncertain._logistic import _Loss
from uncertain.problems import covariances, uncertain_problem

D, SD = 20, 0.3
LEARNERS = [
    UncertainLogisticClassifier(),
    UncertainMarginClassifier(
        formulation="MM-MC", max_error=0.5, error_model="classical", tol=1e-9
    ),
    UncertainKernelClassifier(error_model="classical"),
]


def linear(d=D, **settings):
    """A classifier with the weights one over root d and the boundary at zero."""
    y = np.array([0, 1])
    X = np.outer(2 * y - 1, np.ones(d))
    model = UncertainMarginClassifier(formulation="MM-M", **settings).fit(X, y)
    model.coef_, model.intercept_ = np.full((1, d), 1 / np.sqrt(d)), np.zeros(1)
    return model


def test_a_common_drift_of_all_features():
    """Twenty features that drift together: independence promised 0.048, the truth was 0.159."""
    x = np.full((1, D), SD)  # one standard deviation of the drift from the boundary
    truth = norm.cdf(-1.0)
    model = linear()
    assert model.predict_certificate(x, std=SD)[0] == pytest.approx(1 / (1 + D), abs=1e-3)
    assert model.predict_certificate(x, cov=np.full((D, D), SD**2))[0] == pytest.approx(0.5)
    assert linear(independent=False).predict_certificate(x, std=SD)[0] == pytest.approx(0.5)
    gaussian = linear(independent=False).predict_certificate(x, std=SD, measure="gaussian")[0]
    assert gaussian == pytest.approx(truth)
    with pytest.raises(ValueError, match="needs independent errors of the features; use MM-MC"):
        model.predict_certificate(
            x, lower=x - 1, upper=x + 1, cov=np.full((D, D), SD**2), measure="MM-SMV"
        )
    with pytest.raises(ValueError, match="needs independent errors"):
        linear(independent=False).predict_certificate(x, lower=x - 1, upper=x + 1, measure="4")


def test_a_common_drift_of_replicates():
    rng = np.random.default_rng(0)
    n, r = 2000, 10
    drift = SD * rng.standard_normal((n, r, 1)) + 0.01 * rng.standard_normal((n, r, D))
    R, truth = SD + drift, norm.cdf(-1.0)
    bound = linear().predict_certificate(None, replicates=R)
    wrong = np.where(linear().predict(None, replicates=R) == 1, truth, 1 - truth)
    assert (bound >= wrong).mean() >= 0.95
    chebyshev = linear().predict_certificate(None, replicates=R, measure="c")
    assert np.median(chebyshev) > 0.3  # shrunken covariances see the drift; variances said 0.06
    cov = covariances_from_replicates(R[:50])
    correlation = cov[:, 0, 1] / cov[:, 0, 0]
    assert correlation.min() > 0.9


def test_box_of_every_correlation_in_training(rng):
    known, y = uncertain_problem(rng)
    model = UncertainMarginClassifier(formulation="MM-MC", independent=False, max_error=0.8)
    model.fit(known.mean, y, var=known.var)
    half = 0.5 * np.sqrt(known.var)  # kappa of 0.8
    box = UncertainMarginClassifier(formulation="MM-S")
    box.fit(known.mean, y, lower=known.mean - half, upper=known.mean + half)
    np.testing.assert_allclose(model.coef_, box.coef_, atol=1e-4)
    with pytest.raises(ValueError, match="MM-SM needs independent errors"):
        UncertainMarginClassifier(formulation="MM-SM", independent=False).fit(
            known.mean, y, lower=known.lower, upper=known.upper
        )


def test_a_pipeline_scales_error_bars_or_refuses(rng):
    known, y = uncertain_problem(rng, n=40)
    units = np.array([1.0, 1000.0, 0.01])
    X, var = known.mean * units, known.var * units**2
    learner = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5, tol=1e-9)
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="Pipeline does not scale error bars; use UncertainPipel"),
    ):
        make_pipeline(UncertainScaler(), learner).fit(X, y, var=var)
    model = UncertainPipeline([("scale", UncertainScaler()), ("learn", learner)]).fit(X, y, var=var)
    scaler = UncertainScaler().fit(X)
    by_hand = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5, tol=1e-9)
    moved = scaler.transform_uncertainty(var=var)
    by_hand.fit(scaler.transform(X), y, **moved)
    for method in ("predict", "predict_proba", "decision_function", "predict_certificate"):
        expected = getattr(by_hand, method)(scaler.transform(X), **moved)
        np.testing.assert_allclose(getattr(model, method)(X, var=var), expected)
    review = model.needs_review(X, var=var, max_error=0.2)
    np.testing.assert_array_equal(review, model.predict_certificate(X, var=var) > 0.2)
    costs = dict(fp_cost=1.0, fn_cost=7.0)
    assert model.score(X, y, var=var, **costs) <= 1.0
    with config_context(enable_metadata_routing=True):
        scores = cross_val_score(model, X, y, cv=StratifiedKFold(3), params=dict(var=var))
    for score, (train, test) in zip(scores, StratifiedKFold(3).split(X, y), strict=True):
        again = UncertainPipeline([("scale", UncertainScaler()), ("learn", learner)])
        again.fit(X[train], y[train], var=var[train])
        assert score == again.score(X[test], y[test], var=var[test])
    with pytest.raises(ValueError, match="has no transform_uncertainty, so error bars"):
        UncertainPipeline([("scale", StandardScaler()), ("learn", learner)]).fit(X, y, var=var)


def test_no_pipeline_of_scikit_learn_passes_error_bars_on_unscaled(rng):
    """A StandardScaler does not ask for error bars, so that nothing refused them."""
    known, y = uncertain_problem(rng, n=40)
    X, var = known.mean * 1000, known.var * 1000**2
    learner = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5)
    refused = pytest.raises(ValueError, match="passes on var as it was; use UncertainPipeline")
    with config_context(enable_metadata_routing=True):
        for last in (learner, GridSearchCV(learner, {"C": [0.1, 1.0]}, cv=3, error_score="raise")):
            with refused:
                make_pipeline(StandardScaler(), last).fit(X, y, var=var)
        # nothing is transformed, or nothing is passed on
        as_is = make_pipeline("passthrough", learner).fit(known.mean, y, var=known.var)
        assert len(as_is.predict(known.mean, var=known.var)) == 40
        model = make_pipeline(StandardScaler(), learner)
        with pytest.raises(ValueError, match="passes on var"):
            make_pipeline(StandardScaler(), UncertainOneVsRestClassifier(learner)).fit(
                X, y, var=var
            )
    with refused:
        model.fit(X, y, uncertainmarginclassifier__var=var)
    model.fit(X, y)
    with refused:
        model.predict(X, var=var)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_a_weight_is_a_number_of_repetitions(learner, rng):
    """The covariance of the true points once counted rows whatever their weight."""
    known, y = uncertain_problem(rng, n=60)
    weight = rng.integers(0, 3, 60)
    rows = np.repeat(np.arange(60), weight)
    std = np.sqrt(known.var)
    weighted = clone(learner).fit(known.mean, y, weight, std=std)
    repeated = clone(learner).fit(known.mean[rows], y[rows], std=std[rows])
    ours, theirs = (model.decision_function(known.mean, std=std) for model in (weighted, repeated))
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_intervals_without_a_mean_are_certain_or_not():
    """The middle of an interval is not its mean: a law at 1.85 is always on the other side of 2."""
    X, y = np.array([[0.0, 0.0], [4.0, 0.0]]), [0, 1]
    model = UncertainMarginClassifier(formulation="MM-M", C=10).fit(X, y)  # the boundary is at 2
    bound = model.predict_certificate(None, lower=[[1.8, -1.0]], upper=[[3.8, 1.0]])
    assert bound[0] == 1.0
    assert model.predict_certificate(None, lower=[[2.1, -1.0]], upper=[[3.8, 1.0]])[0] == 0.0
    known = dict(lower=[[1.8, -1.0]], upper=[[3.8, 1.0]])
    assert model.predict_certificate([[2.8, 0.0]], **known)[0] < 0.8  # a mean was given
    box = dict(lower=X - 0.5, upper=X + 0.5)
    with pytest.raises(ValueError, match="MM-SM needs the mean, and the middle of the support"):
        UncertainMarginClassifier(formulation="MM-SM").fit(None, y, **box)
    UncertainMarginClassifier(formulation="MM-S").fit(None, y, **box)


@pytest.mark.parametrize("r", [2, 3, 5, 10])
@pytest.mark.parametrize("law", ["gaussian", "heavy", "skewed", "two points"])
def test_bounds_from_replicates_hold_with_their_confidence(law, r):
    """Of three Gaussian replicates 13 % of the rows had a bound of exactly 0, and 9 % turned."""
    rng = np.random.default_rng(r)
    n, d = 1500, 4
    mean = rng.uniform(-1.5, 1.5, (n, 1, 1)) / np.sqrt(d)  # in standard deviations of the score
    if law == "gaussian":
        mix = rng.standard_normal((d, d))
        noise = rng.standard_normal((n, r + 200, d)) @ mix
        noise /= np.sqrt((mix.sum(axis=1) ** 2).sum() / d)
    elif law == "heavy":
        noise = rng.standard_t(2.5, (n, r + 200, 1)) * np.ones((1, 1, d)) / np.sqrt(d)
    elif law == "skewed":
        noise = (rng.standard_exponential((n, r + 200, 1)) - 1) * np.ones((1, 1, d)) / np.sqrt(d)
    else:
        q = rng.choice([0.03, 0.3], (n, 1, 1))
        noise = np.where(rng.random((n, r + 200, 1)) < q, -(1 - q) / q, 1.0) * 0.3
        noise = noise * np.ones((1, 1, d)) / np.sqrt(d)
    draws = mean + noise
    model = linear(d)
    R, later = draws[:, :r], draws[:, r:].sum(axis=2) > 0
    decided = model.predict(None, replicates=R) == 1
    turned = (later != decided[:, None]).mean(axis=1)
    for measure in ("best", "counts") if law == "gaussian" else ("counts",):
        bound = model.predict_certificate(None, replicates=R, measure=measure)
        slack = 4 * np.sqrt(bound * (1 - bound) / 200) + 0.005
        assert (turned <= bound + slack).mean() >= 0.95 - 0.02, measure
        assert (bound > 0).all() or r == 2


def test_many_features_do_not_make_replicates_useless():
    """Ten replicates of twenty features: the mean certificate was 0.996."""
    rng = np.random.default_rng(1)
    R = rng.choice([-1.0, 1.0], (500, 1, 1)) * 0.8 + 0.5 * rng.standard_normal((500, 10, D))
    bound = linear().predict_certificate(None, replicates=R)
    assert np.median(bound) < 0.01 and bound.mean() < 0.05


def test_classical_errors_are_shrunk():
    """Measurement = truth + error: 27 % of the rows certified below 0.2 had turned."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 2000)
    x = rng.normal(size=(4000, 2)) + 1.0 * y[:, None]
    std = rng.uniform(0.5, 4.0, x.shape)
    m = x + std * rng.normal(size=x.shape)
    share = {}
    for kind in ("berkson", "classical"):
        model = UncertainMarginClassifier(formulation="MM-MC", max_error=0.97, error_model=kind)
        model.fit(m, y, std=std)
        turned = (model.coef_[0] @ x.T + model.intercept_[0] > 0) != (
            model.predict(m, std=std) == 1
        )
        bound = model.predict_certificate(m, std=std, measure="gaussian")
        sure = bound < 0.2
        share[kind] = turned[sure].mean() - bound[sure].mean()
        if kind == "classical":
            assert sure.sum() > 200
            for low, high in ((0, 0.1), (0.1, 0.2), (0.2, 0.35), (0.35, 0.5)):
                rows = (bound >= low) & (bound < high)
                allowed = bound[rows].mean() + 3 * np.sqrt(0.25 / rows.sum())
                assert turned[rows].mean() <= allowed
            assert (model.predict_certificate(m, std=std) >= bound - 1e-12).all()
    assert share["berkson"] > 0.03 > share["classical"]


def test_missing_values_are_expected_from_the_others():
    rng = np.random.default_rng(2)
    z = rng.normal(size=(2000, 1))
    X = np.column_stack([z, z]) + 0.1 * rng.normal(size=(2000, 2))
    y = (z[:, 0] > 0).astype(int)
    model = UncertainLogisticClassifier().fit(X, y, std=0.1)
    hole = X.copy()
    hole[:, 1] = np.nan
    assert np.mean(model.predict(hole, std=0.1) == y) > 0.9


def test_frames_of_errors_are_matched_by_name(rng):
    known, y = uncertain_problem(rng, n=30)
    names = ["a", "b", "c"]
    X, std = (pd.DataFrame(t, columns=names) for t in (known.mean, np.sqrt(known.var)))
    model = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5)
    right = model.fit(X, y, std=std).coef_.copy()
    for other in (
        std[names[::-1]],
        std.sample(frac=1, random_state=0),
        pl.from_pandas(std[names[::-1]]),
    ):
        np.testing.assert_allclose(model.fit(X, y, std=other).coef_, right)
        np.testing.assert_allclose(
            model.predict_certificate(X, std=other), model.predict_certificate(X, std=std)
        )
    with pytest.raises(ValueError, match="columns of std are not those of X: c, mass is in only"):
        model.fit(X, y, std=std.rename(columns={"c": "mass"}))
    with pytest.raises(ValueError, match="rows of std are not those of X: their indices differ"):
        model.fit(X, y, std=std.set_index(np.arange(30) + 5))
    with pytest.raises(ValueError, match="columns of var are not those of X"):
        UncertainScaler().fit(X).transform_uncertainty(var=std.rename(columns={"c": "mass"}))


def test_spreads_in_every_form(rng):
    known, y = uncertain_problem(rng, n=30)
    X, n, d = known.mean, 30, 3
    fit = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5, tol=1e-10).fit
    std = np.array([0.1, 0.2, 0.3])
    full = fit(X, y, var=np.tile(std**2, (n, 1))).coef_.copy()
    forms = (dict(var=std**2), dict(std=std), dict(std=np.tile(std, (n, 1))))
    forms += (dict(cov=np.diag(std**2)), dict(cov=np.tile(np.diag(std**2), (n, 1, 1))))
    for given in forms:
        np.testing.assert_allclose(fit(X, y, **given).coef_, full, atol=1e-5)
    np.testing.assert_allclose(fit(X, y, std=0.2).coef_, fit(X, y, var=0.04).coef_)
    scaler = UncertainScaler().fit(X)
    np.testing.assert_allclose(scaler.transform_uncertainty(std=0.2)["std"], 0.2 / scaler.scale_)
    cov = covariances(rng, n, d)
    for bad, match in (
        (dict(std=-0.1), "std is negative in row 0"),
        (dict(std=0.1, var=0.1), "Give one of var, std and cov"),
        (dict(var=np.where(np.arange(3) == 1, np.nan, known.var)), "var is missing in row 0, feat"),
        (dict(cov=cov + np.triu(np.ones((d, d)), 1)), "cov is not symmetric in row 0"),
        (dict(cov=cov - np.eye(d)), "cov is not a covariance matrix in row 0: it has a negative"),
        (dict(cov=cov[:, :2]), "cov must be a covariance matrix of shape"),
        (dict(std=[0.1, 0.2]), "std must have the shape of X"),
    ):
        with pytest.raises(ValueError, match=match):
            fit(X, y, **bad)


def test_sets_survive_a_search(rng):
    known, y = uncertain_problem(rng, n=30)
    sets = Ellipsoid(known.mean, np.sqrt(known.var))
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(UncertainMarginClassifier(), {"C": [0.1, 1.0]}, cv=StratifiedKFold(3))
        search.fit(known.mean, y, sets=sets)
    again = UncertainMarginClassifier(C=search.best_params_["C"]).fit(known.mean, y, sets=sets)
    np.testing.assert_allclose(search.best_estimator_.coef_, again.coef_, atol=1e-6)


def test_impossible_limits_are_refused(rng):
    known, y = uncertain_problem(rng)
    model = UncertainMarginClassifier(formulation="MM-M").fit(known.mean, y)
    with pytest.raises(ValueError, match="max_error must be a probability from 0 to 1"):
        model.needs_review(known.mean, max_error=5, var=known.var)
    with pytest.raises(ValueError, match="with classical errors a measurement is not its mean"):
        UncertainMarginClassifier(error_model="classical").fit(known.mean, y, var=known.var)


def test_logistic_without_error_bars_is_logistic_regression(rng):
    known, y = uncertain_problem(rng, n=60, apart=0.4)
    weight = rng.integers(1, 4, 60)
    for kind in ("berkson", "classical"):
        ours = UncertainLogisticClassifier(C=0.7, error_model=kind).fit(known.mean, y, weight)
        theirs = LogisticRegression(C=0.7, tol=1e-10).fit(known.mean, y, weight)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4)
        np.testing.assert_allclose(
            ours.predict_proba(known.mean), theirs.predict_proba(known.mean), atol=1e-5
        )


def test_logistic_gradient_and_decisions(rng):
    known, y = uncertain_problem(rng, n=60, apart=0.4)
    model = UncertainLogisticClassifier(error_model="berkson").fit(known.mean, y, std=0.8)
    p = model.predict_proba(known.mean, std=0.8)[:, 1]
    decided = model.predict(known.mean, std=0.8, fp_cost=1.0, fn_cost=4.0) == 1
    np.testing.assert_array_equal(decided, p > 0.2)
    assert np.abs(model.predict_proba(known.mean, std=5.0)[:, 1] - 0.5).max() <= 0.5
    for moments, independent in (
        (model._known(known.mean, dict(std=0.8)), True),
        (model._known(known.mean, dict(std=0.8)), False),
        (model._known(known.mean, dict(cov=covariances(rng, 60, 3))), True),
        (model._known(known.mean, dict(lower=known.lower, upper=known.upper)), True),
    ):
        loss = _Loss(moments, y, np.ones(60), independent)
        z = np.r_[rng.normal(size=4), 0.7]
        assert check_grad(lambda z: loss(z)[0], lambda z: loss(z)[1], z) < 1e-4  # noqa: B023


def test_worthless_training_decisions_are_seen_with_their_error_bars(rng):
    X = rng.normal(size=(60, 2))
    y = np.r_[np.zeros(58, int), 1, 1]
    with pytest.warns((BelowTrivialWarning, UserWarning)):
        UncertainMarginClassifier(formulation="MM-MC", max_error=0.01, fp_cost=50.0).fit(
            X, y, std=3.0
        )


def test_certified_scorer(rng):
    known, y = uncertain_problem(rng, n=40)
    model = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5).fit(
        known.mean, y, std=0.2
    )
    guess, bound = model.predict(known.mean), model.predict_certificate(known.mean, std=0.2)
    scorer = make_certified_scorer()
    assert scorer(model, known.mean, y, std=0.2) == -certified_error(y, guess, bound)
    costs = dict(fp_cost=1.0, fn_cost=rng.uniform(1, 9, 40))
    paid = 0.0
    decided = model.predict(known.mean, std=0.2, **costs)
    bound = model.predict_certificate(known.mean, std=0.2, **costs)
    for i in range(40):
        regret = costs["fn_cost"][i] if y[i] > 0 else 1.0
        paid += regret if decided[i] != y[i] else bound[i] * regret
    assert scorer(model, known.mean, y, std=0.2, **costs) == pytest.approx(-paid / 40)
    std = np.full(known.mean.shape, 0.2)
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            UncertainMarginClassifier(formulation="MM-MC"),
            {"max_error": [0.5, 0.9]},
            scoring=scorer,
            cv=StratifiedKFold(2),
        ).fit(known.mean, y, std=std, **{n: np.broadcast_to(c, 40) for n, c in costs.items()})
    assert search.best_score_ < 0


def test_certificate_of_a_decision_at_costs():
    """The boundary of a priced decision is elsewhere, and so is its certificate."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = rng.normal(size=(400, 1)) + 2.0 * y[:, None]
    for model in (
        UncertainLogisticClassifier(error_model="berkson").fit(X, y, std=0.1),
        UncertainMarginClassifier(formulation="MM-MC").fit(X, y, std=0.1),
    ):
        costs = dict(fp_cost=1.0, fn_cost=20.0)
        grid = np.linspace(-3, 4, 4001)[:, None]
        decided = model.predict(grid, std=1e-9, **costs) == 1
        boundary = grid[decided.argmax(), 0]
        point = np.array([[boundary + 0.5]])
        truth = norm.cdf(-0.5 / 0.4)
        bound = model.predict_certificate(point, std=0.4, measure="gaussian", **costs)[0]
        assert bound == pytest.approx(truth, abs=0.01)
