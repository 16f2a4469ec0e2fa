"""The compiled learners against an expansion recomputed from scratch at every step."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel

from naive import online_kernel as naive
from stakes.online_kernel import (
    CSDUOLClassifier,
    DUOLClassifier,
    KernelALMAClassifier,
    KernelCPAClassifier,
    KernelPAClassifier,
    KernelPAUMClassifier,
    KernelPerceptronClassifier,
    KernelROMMAClassifier,
)

KERNELS = {"rbf": 0.4, "linear": 1.0, "poly": 0.2}
PRICED = dict(fp_cost=1.0, fn_cost=4.0)
LEARNERS = {
    "perceptron": (KernelPerceptronClassifier, {}, "perceptron", {}),
    "alma": (KernelALMAClassifier, {}, "alma", {}),
    "romma": (KernelROMMAClassifier, {}, "romma", {}),
    "pa": (KernelPAClassifier, {"C": 0.7}, "pa", {"C": 0.7}),
    "paum": (
        KernelPAUMClassifier,
        {"learning_rate": 0.5, "radius": 0.8, **PRICED},
        "paum",
        {"eta": 0.5, "radius": 0.8},
    ),
    "cpa": (KernelCPAClassifier, {"C": 1.5, **PRICED}, "pa", {"C": 1.5}),
    "duol": (DUOLClassifier, {"C": 0.8}, "duol", {"C": 0.8}),
    "duol, rho": (DUOLClassifier, {"rho": 0.3}, "duol", {"rho": 0.3}),
    "csduol": (CSDUOLClassifier, {"C": 0.6, **PRICED}, "duol", {"C": 0.6}),
    "csduol, paper": (
        CSDUOLClassifier,
        {"C": 3.0, "scale_C": False, **PRICED},
        "duol",
        {"C": 3.0},
    ),
}


def stream(rng, n=70, d=3):
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] ** 2 + X[:, 1] + 0.6 * rng.normal(size=n) > 0.8, 1.0, -1.0)
    return X, y


def thetas(name, y):
    if name not in ("paum", "cpa", "csduol", "csduol, paper"):
        return np.ones(len(y))
    theta = np.where(y > 0, 4.0, 1.0)
    return np.sqrt(theta) if name == "cpa" else theta


def boxes(name, y, numbers):
    """The largest weights: C theta for CSDUOL, C for all others."""
    if name != "csduol":
        return numbers
    return numbers | {"C": numbers["C"] * thetas(name, y)}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", LEARNERS)
def test_scores_support_and_coefficients(name, kernel, rng):
    X, y = stream(rng)
    learner, arguments, rule, numbers = LEARNERS[name]
    learner = learner(kernel=kernel, gamma=KERNELS[kernel], coef0=1.0, **arguments)
    scores = learner.decision_function_then_learn(X, y, classes=[-1, 1])
    K = naive.gram(X, kernel, KERNELS[kernel])
    expected, S, coefficients = naive.run(rule, K, y, thetas(name, y), **boxes(name, y, numbers))
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(learner.support_, S)
    np.testing.assert_allclose(learner.dual_coef_[0], coefficients, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(learner.support_vectors_, X[S])


@pytest.mark.parametrize("name", LEARNERS)
def test_callable_kernel_is_the_named_one(name, rng):
    X, y = stream(rng, n=60)
    learner, arguments, _, _ = LEARNERS[name]
    named = learner(kernel="poly", degree=2, gamma=0.3, coef0=1.0, **arguments)
    given = learner(kernel=lambda A, B: polynomial_kernel(A, B, 2, 0.3, 1.0), **arguments)
    a, b = named.fit(X, y), given.fit(X, y)
    np.testing.assert_array_equal(a.support_, b.support_)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-8)


def test_wrong_shape_from_a_callable_is_reported():
    with pytest.raises(ValueError, match="one row per example"):
        KernelPAClassifier(kernel=lambda A, B: np.ones(3)).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name", LEARNERS)
def test_one_example_and_equal_examples(name):
    learner, arguments, rule, numbers = LEARNERS[name]
    X, y = np.ones((6, 2)), np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    K = naive.gram(X, "rbf")
    one = learner(gamma=1.0, **arguments).partial_fit(X[:1], y[:1], classes=[-1, 1])
    assert one.n_seen_ == 1 and one.support_.tolist() == [0]
    if rule in ("romma", "duol"):  # singular steps: the two roads may choose other optima
        return
    scores = learner(gamma=1.0, **arguments).decision_function_then_learn(X, y)
    expected, _, _ = naive.run(rule, K, y, thetas(name, y), **boxes(name, y, numbers))
    np.testing.assert_allclose(scores, expected, atol=1e-9)
