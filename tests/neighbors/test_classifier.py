"""Neighbours with class confidence, against all distances and against scikit-learn's."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.metrics import average_precision_score
from sklearn.neighbors import KNeighborsClassifier

from naive import neighbors as naive
from stakes._core.sklearn_private import InvalidParameterError
from stakes.neighbors import ConfidenceNeighborsClassifier, MixtureConfidence


def problem(rng, n=120):
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n) > 1.0


@pytest.mark.parametrize("weights", ["none", "inverse", "additive"])
@pytest.mark.parametrize("metric", ["l1", "l2", "linf"])
def test_probabilities_are_those_of_all_distances(weights, metric, rng):
    X, y = problem(rng)
    new = np.vstack([rng.normal(size=(20, 3)), X[:5]])
    source = MixtureConfidence(max_components=1)
    model = ConfidenceNeighborsClassifier(
        n_neighbors=7,
        weights=weights,
        metric=metric,
        confidence_model=source,
        calibration=None,
        scale="none",
        confidence_folds=None,
    )
    model.fit(X, y)
    confidence = np.exp(source.log_confidence(X, y.astype(int)))
    expected = naive.probability(X, y, confidence, new, 7, weights, metric, 1.0)
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], expected, rtol=1e-9, atol=1e-30)


@pytest.mark.parametrize(("weights", "theirs"), [("none", "uniform"), ("inverse", "distance")])
def test_without_confidence_it_is_scikit_learns(weights, theirs, rng):
    X, y = problem(rng)
    new = rng.normal(size=(30, 3))
    ours = ConfidenceNeighborsClassifier(
        n_neighbors=5,
        weights=weights,
        confidence_model=None,
        smoothing=0.0,
        calibration=None,
        scale="none",
    )
    peer = KNeighborsClassifier(5, weights=theirs).fit(X, y)
    np.testing.assert_allclose(ours.fit(X, y).predict_proba(new), peer.predict_proba(new))


def test_one_component_is_the_normal_density(rng):
    X, y = problem(rng)
    log_p = MixtureConfidence(max_components=1).log_confidence(X, y.astype(int))
    for side in (False, True):
        Z = X[y == side]
        floor = 1e-3 * np.diag(X.var(axis=0))  # of each column in its own units
        density = multivariate_normal(Z.mean(axis=0), np.cov(Z.T, bias=True) + floor)
        np.testing.assert_allclose(log_p[y == side], density.logpdf(Z))


def test_the_number_of_components_is_found(rng):
    X = np.concatenate([rng.normal(-6, 1, 80), rng.normal(6, 1, 80)])[:, None]
    for max_rows in (5000, 100):
        (mixture,) = MixtureConfidence(max_rows=max_rows).fit(X, np.ones(160)).mixtures_
        assert mixture.n_components == 2


def test_confidence_lifts_the_rare_class():
    """With one neighbour, precision over recall is better than that of the bare votes."""
    gains = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = rng.random(1500) < 0.06
        X = rng.normal(size=(1500, 2)) + 1.5 * y[:, None]
        train, test = slice(0, 750), slice(750, None)
        scores = [
            ConfidenceNeighborsClassifier(
                n_neighbors=1, weights="none", confidence_model=confidence, calibration=None
            )
            .fit(X[train], y[train])
            .predict_proba(X[test])[:, 1]
            for confidence in ("mixture", None)
        ]
        gains.append(np.subtract(*(average_precision_score(y[test], s) for s in scores)))
    assert np.mean(gains) > 2 * np.std(gains, ddof=1) / np.sqrt(len(gains))


def test_costs_weigh_the_votes():
    X, y = np.zeros((5, 1)) + np.arange(5)[:, None] * 1e-3, np.array([0, 0, 0, 1, 1])
    settings = dict(weights="none", confidence_model=None, smoothing=0.0, calibration=None)
    model = ConfidenceNeighborsClassifier(n_neighbors=5, **settings).fit(X, y, fn_cost=3.0)
    assert model.predict(X).all()
    assert model.decision_function(X)[0] == pytest.approx((6 - 3) / 9)
    assert not ConfidenceNeighborsClassifier(n_neighbors=5, **settings).fit(X, y).predict(X).any()


def test_own_confidence_and_bad_settings():
    class Even:
        def log_confidence(self, X, index):
            return np.zeros(len(X))

    X, y = np.arange(6.0)[:, None], np.arange(6) % 2
    own, none = (
        ConfidenceNeighborsClassifier(n_neighbors=3, confidence_model=c).fit(X, y).predict_proba(X)
        for c in (Even(), None)
    )
    np.testing.assert_array_equal(own, none)
    with pytest.raises(InvalidParameterError, match="max_components"):
        MixtureConfidence(max_components=0).fit(X, y)
    with pytest.raises(ValueError, match="nothing to learn"):
        ConfidenceNeighborsClassifier(fp_cost=0.0, fn_cost=0.0).fit(X, y)
