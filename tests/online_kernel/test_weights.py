"""sample_weight of the kernel streams: a factor on the costs of the example."""

import numpy as np
import pytest
from sklearn.base import clone

from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    KernelCPAClassifier,
    KernelPAUMClassifier,
)

LEARNERS = [
    CSDUOLClassifier(gamma=0.5, fn_cost=3.0),
    CSDUOLClassifier(gamma=0.5, cost_rule="balanced"),
    KernelPAUMClassifier(gamma=0.5),
    KernelCPAClassifier(gamma=0.5, normalize_costs=False),
    AnomalyDetector(gamma=0.5),
]


@pytest.fixture
def stream(rng):
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.normal(size=150) > 1.2).astype(int)
    return X, y, rng.uniform(0.5, 3.0, 150)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_weight_multiplies_the_costs(learner, stream):
    X, y, weight = stream
    costs = dict(fp_cost=weight * learner.fp_cost, fn_cost=weight * learner.fn_cost)
    want = clone(learner).decision_function_then_learn(X, y, **costs)
    weighted = clone(learner)
    scores = weighted.decision_function_then_learn(X, y, sample_weight=weight)
    np.testing.assert_array_equal(scores, want)
    fitted = clone(learner).fit(X, y, weight)
    np.testing.assert_array_equal(fitted.dual_coef_, weighted.dual_coef_)
    ones = clone(learner)
    for x, label, w in zip(X, y, weight, strict=True):
        ones.learn_one(x, label, sample_weight=w)
    np.testing.assert_array_equal(ones.dual_coef_, weighted.dual_coef_)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_weight_zero_is_as_if_it_were_not_there(learner, stream):
    X, y, weight = stream
    weight = np.where(np.arange(150) % 4 == 1, 0.0, weight)
    left = weight > 0
    one, other = clone(learner), clone(learner)
    one.partial_fit(X, y, sample_weight=weight)
    other.partial_fit(X[left], y[left], sample_weight=weight[left])
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_bad_weights(stream):
    X, y, _ = stream
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        CSDUOLClassifier().fit(X, y, sample_weight=-np.ones(150))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        CSDUOLClassifier().learn_one(X[0], 1, sample_weight=-1.0)
