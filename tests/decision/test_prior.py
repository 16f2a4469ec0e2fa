"""Class shares that changed: Elkan's formula, Saerens' estimate, and the wrapper."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from naive import decision as naive
from stakes.decision import BayesDecisionClassifier, estimate_prior, shift_prior


def two_gaussians(rng, n, share):
    """A problem whose log-odds are linear: log(share / (1 - share)) + 2x."""
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 1)) + np.where(y == 1, 1.0, -1.0)[:, None], y


def truth(X, share):
    odds = share / (1 - share) * np.exp(2 * X[:, 0])
    return odds / (1 + odds)


def test_shift_is_elkans_theorem(rng):
    p, old, new = rng.random(50), *rng.uniform(0.01, 0.99, 2)
    shifted = shift_prior(np.column_stack([1 - p, p]), old, new)
    np.testing.assert_allclose(shifted[:, 1], naive.elkan(p, old, new), rtol=1e-12)
    np.testing.assert_allclose(shifted.sum(axis=1), 1.0)
    np.testing.assert_allclose(shift_prior(shifted, new, old)[:, 1], p, rtol=1e-9)


def test_shift_many_classes_and_edges(rng):
    p = rng.dirichlet(np.ones(4), 20)
    same = shift_prior(p, [0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(same, p)
    np.testing.assert_array_equal(shift_prior([[0.0, 1.0]], 0.5, 0.0), [[1.0, 0.0]])
    with pytest.raises(ValueError, match="prior must have one share for each of the 4 classes"):
        shift_prior(p, np.full(4, 0.25), 0.3)
    with pytest.raises(ValueError, match="training_prior must be positive and sum to one"):
        shift_prior([[0.5, 0.5]], 0.0, 0.5)
    with pytest.raises(ValueError, match="prior must be not negative and sum to one"):
        shift_prior([[0.5, 0.5]], 0.5, [0.5, 0.6])


def test_probabilities_of_one_class_alone_are_refused():
    for call in (lambda p: shift_prior(p, 0.5, 0.1), lambda p: estimate_prior(p, 0.5)):
        with pytest.raises(ValueError, match=r"Got shape \(2,\) instead; .*column_stack"):
            call([0.2, 0.7])


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_shares_may_be_numbers_of_numpy(priced, kind):
    X, y, *_ = priced
    model = BayesDecisionClassifier(LogisticRegression(), prior=kind(0.25)).fit(X, y)
    assert model.prior_.tolist() == [1 - kind(0.25), kind(0.25)]


def test_estimate_maximises_the_likelihood(rng):
    X, y = two_gaussians(rng, 4000, 0.1)
    said = truth(X, 0.5)
    said = np.column_stack([1 - said, said])
    ours = estimate_prior(said, 0.5)
    peer = minimize_scalar(
        lambda q: -naive.prior_log_likelihood(said, q / 0.5),
        bounds=(1e-6, 1 - 1e-6),
        method="bounded",
    )
    assert ours[1] == pytest.approx(peer.x, abs=2e-4)
    assert ours[1] == pytest.approx(y.mean(), abs=0.02)
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations"):
        estimate_prior(said, 0.5, max_iter=2)


def test_model_of_weighted_data_is_corrected():
    rng = np.random.default_rng(0)
    X, y = two_gaussians(rng, 40_000, 0.05)
    true = truth(X, 0.05)
    balanced = LogisticRegression(class_weight="balanced", C=1e6)
    raw = BayesDecisionClassifier(balanced).fit(X, y).predict_proba(X)[:, 1]
    mended = BayesDecisionClassifier(balanced, training_prior=0.5).fit(X, y)
    assert mended.prior_[1] == pytest.approx(y.mean())
    assert np.abs(mended.predict_proba(X)[:, 1] - true).mean() < 0.01
    assert np.abs(raw - true).mean() > 0.1


def test_prior_from_the_weights_that_the_model_saw():
    rng = np.random.default_rng(1)
    X, y = two_gaussians(rng, 40_000, 0.05)
    weight = np.where(y == 1, 19.0, 1.0)
    model = BayesDecisionClassifier(LogisticRegression(C=1e6), prior=0.05)
    model.fit(X, y, sample_weight=weight)
    assert model.training_prior_[1] == pytest.approx(0.5, abs=0.02)
    assert np.abs(model.predict_proba(X)[:, 1] - truth(X, 0.05)).mean() < 0.01
    calibrated = BayesDecisionClassifier(
        LogisticRegression(class_weight="balanced"), calibration="sigmoid", prior=0.2
    ).fit(X, y)
    assert np.abs(calibrated.predict_proba(X)[:, 1] - truth(X, 0.2)).mean() < 0.02


def test_what_cannot_be_known_is_asked_for(priced):
    X, y, *_ = priced
    fitted = FrozenEstimator(LogisticRegression().fit(X, y))
    with pytest.raises(ValueError, match=r"frozen estimator .* are unknown: give training_prior"):
        BayesDecisionClassifier(fitted, prior=0.1).fit(X, y)
    model = BayesDecisionClassifier(fitted, prior=0.1, training_prior=0.5).fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() < fitted.predict_proba(X)[:, 1].mean()
    with pytest.raises(ValueError, match="training_prior must be None; give only prior"):
        BayesDecisionClassifier(
            LogisticRegression(), calibration="sigmoid", training_prior=0.5
        ).fit(X, y)
