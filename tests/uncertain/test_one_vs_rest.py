"""More than two classes of uncertain points."""

import numpy as np
import pytest

from stakes.uncertain import (
    UncertainLogisticClassifier,
    UncertainMarginClassifier,
    UncertainOneVsRestClassifier,
)

LEARNERS = [
    UncertainLogisticClassifier(error_model="berkson"),
    UncertainMarginClassifier(formulation="MM-MC", max_error=0.8),
]


def three_classes(rng, n=150):
    y = np.arange(n) % 3
    centre = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])
    return centre[y] + rng.normal(size=(n, 2)), np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("learner", LEARNERS, ids=["logistic", "margin"])
def test_three_classes_and_their_certificates(learner):
    rng = np.random.default_rng(0)
    X, y = three_classes(rng)
    std = rng.uniform(0.1, 1.0, X.shape)
    model = UncertainOneVsRestClassifier(learner).fit(X, y, std=std)
    label = model.predict(X, std=std)
    assert np.mean(label == y) > 0.9
    p = model.predict_proba(X, std=std)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    bound = {m: model.predict_certificate(X, std=std, measure=m) for m in ("best", "gaussian")}
    draws = X + std * rng.standard_normal((3000, *X.shape))
    other = (model.predict(draws.reshape(-1, 2)).reshape(3000, -1) != label).mean(axis=0)
    for each in bound.values():
        noise = 5 * np.sqrt(each * (1 - each) / 3000) + 3 / 3000
        assert (other <= each + noise).all()
    assert (bound["gaussian"] <= 0.1).mean() > 0.3  # not vacuous


def test_two_classes_agree_with_the_classifier(rng):
    X, y = three_classes(rng)
    two = y != "c"
    model = UncertainOneVsRestClassifier(LEARNERS[0]).fit(X[two], y[two], std=0.3)
    alone = UncertainLogisticClassifier(error_model="berkson").fit(X[two], y[two], std=0.3)
    np.testing.assert_array_equal(model.predict(X, std=0.3), alone.predict(X, std=0.3))
    ours = model.predict_certificate(X, std=0.3, measure="gaussian")
    np.testing.assert_allclose(
        ours, alone.predict_certificate(X, std=0.3, measure="gaussian"), atol=1e-4
    )


@pytest.mark.parametrize("r", [2, 3, 5, 10])
def test_bounds_from_replicates_hold_with_their_confidence(r):
    """The range of two replicates was taken for the support: 30 % of the bounds were broken."""
    rng = np.random.default_rng(r)
    X, y = three_classes(rng)
    model = UncertainOneVsRestClassifier(LEARNERS[0]).fit(X, y, std=0.1)
    truth = three_classes(rng, 1200)[0]
    R = truth[:, None] + 0.8 * rng.normal(size=(1200, r, 2))
    label = model.predict(None, replicates=R)
    later = truth[:, None] + 0.8 * rng.normal(size=(1200, 300, 2))
    later = model.predict(later.reshape(-1, 2)).reshape(1200, 300)
    changed = (later != label[:, None]).mean(axis=1)
    for measure in ("best", "counts"):
        bound = model.predict_certificate(None, replicates=R, measure=measure)
        broken = changed > bound + 4 * np.sqrt(bound * (1 - bound) / 300)
        assert broken.mean() <= 0.05
        assert (bound > 0).all()
    # by moments, from shrunken covariances: no confidence, but no false certainty either
    assert (model.predict_certificate(None, replicates=R, measure="c") > 0).all()
