"""sample_weight of the kernel streams: a factor on the costs, or how much an example counts."""

import numpy as np
import pytest
from sklearn.base import clone

from naive import online_kernel as naive
from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    DUOLClassifier,
    KernelALMAClassifier,
    KernelCPAClassifier,
    KernelPAClassifier,
    KernelPAUMClassifier,
    KernelPerceptronClassifier,
    KernelROMMAClassifier,
)

LEARNERS = [
    CSDUOLClassifier(gamma=0.5, fn_cost=3.0),
    CSDUOLClassifier(gamma=0.5, cost_rule="balanced"),
    KernelPAUMClassifier(gamma=0.5),
    KernelCPAClassifier(gamma=0.5, normalize_costs=False),
    AnomalyDetector(gamma=0.5),
]
PLAIN = {
    "perceptron": KernelPerceptronClassifier(gamma=0.5),
    "alma": KernelALMAClassifier(gamma=0.5),
    "romma": KernelROMMAClassifier(gamma=0.5),
    "pa": KernelPAClassifier(gamma=0.5, C=0.7),
    "duol": DUOLClassifier(gamma=0.5, C=0.7),
}


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


@pytest.mark.parametrize("rule", PLAIN)
def test_learners_without_costs_take_weights_as_well(rule, stream):
    X, y, weight = (part[:50] for part in stream)
    theta = weight / (np.cumsum(weight) / np.arange(1, 51))
    box = dict(C=0.7 * theta if rule == "duol" else 0.7) if rule in ("pa", "duol") else {}
    margin = np.sqrt(theta) if rule == "pa" else theta
    K = naive.gram(X, "rbf", 0.5)
    scores, S, coefficients = naive.run(rule, K, np.where(y > 0, 1.0, -1.0), margin, **box)
    weighted = clone(PLAIN[rule])
    found = weighted.decision_function_then_learn(X, y, sample_weight=weight)
    np.testing.assert_allclose(found, scores, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(weighted.support_, S)
    np.testing.assert_allclose(weighted.dual_coef_[0], coefficients, rtol=1e-6, atol=1e-8)
    ones, batch = clone(PLAIN[rule]), clone(PLAIN[rule]).partial_fit(X, y, sample_weight=weight)
    for x, label, w in zip(X, y, weight, strict=True):
        ones.learn_one(x, label, sample_weight=w)
    np.testing.assert_array_equal(ones.dual_coef_, batch.dual_coef_)
    np.testing.assert_array_equal(ones.predict_proba(X), batch.predict_proba(X))


@pytest.mark.parametrize("rule", PLAIN)
def test_only_ratios_of_weights_matter(rule, stream):
    X, y, weight = (part[:50] for part in stream)
    plain = clone(PLAIN[rule]).fit(X, y)
    equal = clone(PLAIN[rule]).fit(X, y, np.full(50, 3.0))
    np.testing.assert_array_equal(equal.dual_coef_, plain.dual_coef_)
    one = clone(PLAIN[rule]).fit(X, y, weight)
    other = clone(PLAIN[rule]).fit(X, y, 1024.0 * weight)  # a power of two: the same bits
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    assert not np.array_equal(one.decision_function(X), plain.decision_function(X))


def test_equal_costs_and_weights_are_weights_alone(stream):
    """CSDUOL with one cost is DUOL, CPA is PA-I, whatever the weights."""
    X, y, weight = (part[:50] for part in stream)
    for priced, plain in (
        (CSDUOLClassifier(), DUOLClassifier()),
        (KernelCPAClassifier(), KernelPAClassifier()),
    ):
        one, other = priced.fit(X, y, weight), plain.fit(X, y, weight)
        np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)


@pytest.mark.parametrize("learner", [*LEARNERS, *PLAIN.values()], ids=repr)
def test_weight_zero_is_as_if_it_were_not_there(learner, stream):
    X, y, weight = (part[:60] for part in stream)
    weight = np.where(np.arange(60) % 4 == 1, 0.0, weight)
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
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        KernelPAClassifier().partial_fit(X, y, sample_weight=-np.ones(150))
    with pytest.raises(ValueError, match=r"sample_weight must not be negative"):
        KernelPAClassifier().learn_one(X[0], 1, sample_weight=np.nan)
