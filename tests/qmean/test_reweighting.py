"""Reweighting arrives where the direct solver does; boosters get the right slopes."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, recall_score

from stakes.qmean import (
    QuadraticMeanClassifier,
    QuadraticMeanObjective,
    QuadraticMeanReweighting,
)


def skewed(rng, n=300):
    X = rng.normal(size=(n, 4))
    y = (X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=n) > 1.8).astype(int)
    return X, y


@pytest.mark.parametrize("p", [1.5, 2.0, 8.0, np.inf])
def test_fixed_point_is_the_direct_optimum(p):
    X, y = skewed(np.random.default_rng(0))
    alpha, tol = 0.01, 1e-13 if np.isfinite(p) else 1e-9  # coefficients err as the root of the gap
    direct = QuadraticMeanClassifier(alpha=alpha, p=p, regularize_intercept=False, tol=1e-9)
    direct.fit(X, y)
    C = 1 / (2 * alpha * len(y))
    inner = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    driven = QuadraticMeanReweighting(inner, p=p, tol=tol).fit(X, y)
    assert driven.duality_gap_ <= tol and driven.n_iter_ <= 25
    np.testing.assert_allclose(driven.estimator_.coef_, direct.coef_, atol=1e-6)
    np.testing.assert_allclose(driven.estimator_.intercept_, direct.intercept_, atol=1e-6)
    np.testing.assert_allclose(driven.class_losses_, direct.class_losses_, atol=1e-6)
    np.testing.assert_allclose(driven.class_weights_, direct.class_weights_, atol=1e-6)
    np.testing.assert_allclose(driven.predict_proba(X), direct.predict_proba(X), atol=1e-5)


def test_three_classes_and_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=300), [0.0, 1.5])
    weight = rng.uniform(0.5, 2, 300)
    direct = QuadraticMeanClassifier(alpha=0.02, regularize_intercept=False, tol=1e-9)
    C = 1 / (2 * 0.02 * weight.sum())
    inner = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    driven = QuadraticMeanReweighting(inner, tol=1e-13).fit(X, y, sample_weight=weight)
    direct.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(driven.estimator_.coef_, direct.coef_, atol=1e-6)


def test_weights_that_do_not_converge_warn(rng):
    X, y = skewed(rng)
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 fits"):
        QuadraticMeanReweighting(LogisticRegression(), tol=1e-12, max_iter=2).fit(X, y)


def test_drives_histogram_boosting():
    X, y = skewed(np.random.default_rng(0), 1500)
    plain = HistGradientBoostingClassifier(max_iter=15, random_state=0).fit(X, y)
    driven = QuadraticMeanReweighting(plain, tol=0.02).fit(X, y)
    assert recall_score(y, driven.predict(X)) > recall_score(y, plain.predict(X))
    ratio = driven.class_losses_[1] / driven.class_losses_[0]
    assert driven.class_weights_[1] / driven.class_weights_[0] == pytest.approx(ratio, rel=0.3)


@pytest.mark.parametrize("p", [1.0, 2.0, 5.0])
def test_objective_slopes_are_differences(p, rng):
    objective, n = QuadraticMeanObjective(p=p), 12
    y, weight = np.arange(n) % 4 // 3, rng.uniform(0.5, 2, n)
    f = rng.normal(size=n)
    slope, curvature = objective(y, f, weight)
    differences = approx_fprime(f, lambda f: objective.value(y, f, weight), 1e-7)
    np.testing.assert_allclose(slope, n * differences, atol=1e-5)
    assert (curvature > 0).all()
    y3, F = np.arange(n) % 3, rng.normal(size=(n, 3))
    differences = approx_fprime(
        F.ravel(), lambda F: objective.value(y3, F.reshape(n, 3)), 1e-7
    ).reshape(n, 3)
    slope, curvature = objective(y3, F)
    np.testing.assert_allclose(slope, n * differences, atol=1e-5)
    assert curvature.shape == (n, 3) and (curvature > 0).all()


def test_lightgbm_boosts_the_quadratic_mean():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = skewed(np.random.default_rng(0), 1500)
    objective = QuadraticMeanObjective()
    settings = dict(n_estimators=30, num_leaves=7, verbose=-1, n_jobs=1)
    ours = lightgbm.LGBMClassifier(objective=objective, **settings).fit(X, y)
    usual = lightgbm.LGBMClassifier(**settings).fit(X, y)
    raw = ours.predict(X, raw_score=True)
    start = objective.value(y, np.zeros(1500))
    assert objective.value(y, raw) < 0.5 * start
    assert objective.value(y, raw) < objective.value(y, usual.predict(X, raw_score=True))
    assert recall_score(y, raw > 0) > recall_score(y, usual.predict(X)) + 0.05
    probability = objective.probability(raw, y, raw)
    assert probability.mean() == pytest.approx(y.mean(), rel=0.25)
    assert average_precision_score(y, probability) == average_precision_score(y, raw)
    native = lightgbm.train(
        {"objective": objective, "num_leaves": 7, "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(X, y),
        30,
    )
    np.testing.assert_allclose(native.predict(X), raw)


def test_xgboost_boosts_the_quadratic_mean():
    xgboost = pytest.importorskip("xgboost")
    X, y = skewed(np.random.default_rng(0), 800)
    objective = QuadraticMeanObjective()
    booster = xgboost.train(
        {"max_depth": 3, "nthread": 1, "base_score": 0.0},
        xgboost.DMatrix(X, y),
        20,
        obj=objective,
    )
    raw = booster.predict(xgboost.DMatrix(X), output_margin=True)
    assert objective.value(y, raw) < 0.6 * objective.value(y, np.zeros(800))


def test_objective_refuses_missing_classes():
    with pytest.raises(ValueError, match=r"must be 0 \.\. 1, each present"):
        QuadraticMeanObjective()(np.zeros(3), np.zeros(3))


def test_a_learner_without_scores_is_refused_in_a_sentence(rng):
    X, y = skewed(rng)
    with pytest.raises(ValueError, match=r"'estimator' parameter.*'decision_function'"):
        QuadraticMeanReweighting(RandomForestClassifier(5)).fit(X, y)
