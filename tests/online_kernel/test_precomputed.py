"""kernel="precomputed": the learner of the kernel whose Gram matrix is given."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score

from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    DUOLClassifier,
    KernelPAUMClassifier,
    KernelROMMAClassifier,
)

LEARNERS = [
    KernelROMMAClassifier(),
    KernelPAUMClassifier(fn_cost=3.0),
    DUOLClassifier(),
    CSDUOLClassifier(fn_cost=3.0, max_support_vectors=20),
    AnomalyDetector(fn_cost=3.0),
]


@pytest.fixture
def stream():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=300) > 0.7).astype(int)
    K = rbf_kernel(X, gamma=0.4)
    return X, (K + K.T) / 2, y  # the same bits above and below the diagonal


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("passes", [{}, dict(n_passes=2, shuffle=True, random_state=1)])
def test_it_is_the_kernel(learner, passes, stream):
    X, K, y = stream
    rbf = clone(learner).set_params(kernel="rbf", gamma=0.4, **passes).fit(X, y)
    given = clone(learner).set_params(kernel="precomputed", **passes).fit(K, y)
    np.testing.assert_array_equal(given.support_, rbf.support_)
    np.testing.assert_allclose(given.dual_coef_, rbf.dual_coef_, rtol=1e-6, atol=1e-9)
    new = np.random.default_rng(1).normal(size=(7, 3))
    np.testing.assert_allclose(
        given.decision_function(rbf_kernel(new, X, gamma=0.4)), rbf.decision_function(new)
    )
    assert given.support_vectors_.shape == (len(given.support_), 0)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_in_parts_and_one_by_one(learner, stream):
    _, K, y = stream
    whole, parts, ones = (clone(learner).set_params(kernel="precomputed") for _ in range(3))
    scores = whole.decision_function_then_learn(K, y)
    in_parts = [
        parts.decision_function_then_learn(K[rows], y[rows], classes=[0, 1])
        for rows in (slice(0, 1), slice(1, 100), slice(100, 300))
    ]
    np.testing.assert_array_equal(scores, np.concatenate(in_parts))
    for row, label in zip(K, y, strict=True):
        ones.learn_one(row, label)
    for other in (parts, ones):
        np.testing.assert_array_equal(other.dual_coef_, whole.dual_coef_)
        np.testing.assert_array_equal(other.decision_function(K), whole.decision_function(K))
    assert ones.predict_one(K[5]) == whole.predict(K[5:6])[0]


def test_bounds_and_cross_validation(stream):
    X, K, y = stream
    rbf, given = DUOLClassifier(gamma=0.4), DUOLClassifier(kernel="precomputed")
    assert given.fit(K, y).bound_report(K, y).optimum == pytest.approx(
        rbf.fit(X, y).bound_report(X, y).optimum, rel=1e-6
    )
    np.testing.assert_array_equal(cross_val_score(given, K, y), cross_val_score(rbf, X, y))


def test_wrong_shapes(stream):
    _, K, y = stream
    model = DUOLClassifier(kernel="precomputed")
    with pytest.raises(ValueError, match="square Gram matrix"):
        model.fit(K[:, :9], y)
    model.fit(K, y)
    with pytest.raises(ValueError, match=r"has 300 examples\. Got 301 instead"):
        model.partial_fit(K[:1], y[:1])
    named = DUOLClassifier(kernel="precomputed").learn_one({"a": 1.0, "b": 0.2}, 1)
    with pytest.raises(ValueError, match="must have the 2 columns"):
        named.learn_one({"c": 1.0}, 0)
