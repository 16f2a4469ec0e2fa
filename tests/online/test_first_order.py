"""Perceptron and passive-aggressive learners against plain references and scikit-learn."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Perceptron, SGDClassifier

from naive import online as naive
from stakes.online import PAClassifier, PerceptronClassifier


def stream(rng, n=60, d=6):
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return X, y, rng.lognormal(0, 1, n), rng.lognormal(1, 1, n)


@pytest.mark.parametrize("cost_rule", ["class", "stake", "regret"])
@pytest.mark.parametrize("rule", ["perceptron", "PA", "PA-I", "PA-II"])
def test_loops_equal_the_naive_references(rng, rule, cost_rule):
    X, y, c_neg, c_pos = stream(rng)
    model = PerceptronClassifier() if rule == "perceptron" else PAClassifier(variant=rule, C=0.3)
    model.set_params(cost_rule=cost_rule)
    mu = naive.first_order(X, y, naive.weights(y, c_pos, c_neg, cost_rule), rule, 0.3)
    for data in (X, sparse.csr_matrix(X)):
        model.fit(data, y, fp_cost=c_neg, fn_cost=c_pos)
        np.testing.assert_allclose(model._mu, mu, rtol=1e-9, atol=1e-9)


def test_at_equal_costs_it_is_scikit_learns_perceptron(rng):
    X, y, _, _ = stream(rng)
    peer = Perceptron(shuffle=False, max_iter=1, tol=None).fit(X, y)
    ours = PerceptronClassifier().fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-12)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-12)


@pytest.mark.parametrize(("variant", "rate"), [("PA-I", "pa1"), ("PA-II", "pa2")])
def test_without_intercept_it_is_scikit_learns_passive_aggressive(rng, variant, rate):
    X, y, _, _ = stream(rng)
    peer = SGDClassifier(
        loss="hinge", penalty=None, learning_rate=rate, eta0=0.2, shuffle=False, max_iter=1,
        tol=None, fit_intercept=False,
    ).fit(X, y)  # fmt: skip
    ours = PAClassifier(variant=variant, C=0.2, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-12)


def test_a_row_of_zeros_is_no_example_for_passive_aggressive_steps():
    model = PAClassifier(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    before = model.coef_
    model.learn_one(np.zeros(1), 0)
    np.testing.assert_array_equal(model.coef_, before)
