"""The penalty on absolute weights: where it cuts, what it leaves, and that nothing else changes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import log_loss

from stakes.online import (
    AROWClassifier,
    CWCVaRClassifier,
    PAClassifier,
    PerceptronClassifier,
    ProbitClassifier,
)

LEARNERS = [
    ProbitClassifier(),
    ProbitClassifier(covariance="full"),
    ProbitClassifier(half_life=300),
    AROWClassifier(half_life=None),
    CWCVaRClassifier(),
    PAClassifier(),
    PerceptronClassifier(calibration=None),
]


def stream(n=1500, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.5] = 0.0
    y = (X[:, 0] - X[:, 1] + rng.normal(size=n) > 0).astype(int)
    return X, y, rng.integers(0, 4, n).astype(float)  # some cost nothing


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_batches_rows_and_sparse_rows_are_cut_alike(learner):
    X, y, cost = stream()
    learner = learner.set_params(l1=0.001)
    whole = type(learner)(**learner.get_params()).partial_fit(X, y, fn_cost=cost, fp_cost=cost)
    parts, single = (type(learner)(**learner.get_params()) for _ in "ab")
    for at in range(0, len(y), 187):
        now = slice(at, at + 187)
        parts.partial_fit(X[now], y[now], [0, 1], fn_cost=cost[now], fp_cost=cost[now])
    for x, label, c in zip(X, y, cost, strict=True):
        single.learn_one(x, int(label), classes=[0, 1], fn_cost=c, fp_cost=c)
    assert_array_equal(parts.coef_, whole.coef_)
    assert_array_equal(single.coef_, whole.coef_)
    assert single.half_life_ == whole.half_life_
    table = sparse.csr_array(X)
    rows = type(learner)(**learner.get_params())
    rows.partial_fit(table, y, fn_cost=cost, fp_cost=cost)
    assert_allclose(rows.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    assert_array_equal(rows.coef_ == 0, whole.coef_ == 0)


def test_a_cut_is_the_minimum_of_its_formula():
    """`fit` ends with one: minimise on a grid, coordinate by coordinate."""
    X, y, _ = stream(n=200)
    plain = ProbitClassifier().fit(X, y)
    found = ProbitClassifier(l1=0.002).fit(X, y)
    grid = np.linspace(-2, 2, 400_001)
    for mu, variance, w in zip(plain.coef_[0], plain.covariance_, found.coef_[0], strict=True):
        cost = (grid - mu) ** 2 / (2 * variance) + 200 * 0.002 * np.abs(grid)
        assert_allclose(w, grid[cost.argmin()], atol=1e-5)
    assert_array_equal(found.covariance_, plain.covariance_)
    assert_array_equal(found.intercept_, plain.intercept_)
    vector = PAClassifier(l1=0.0005).fit(X, y).coef_, PAClassifier().fit(X, y).coef_
    shrunk = np.sign(vector[1]) * np.maximum(np.abs(vector[1]) - 200 * 0.0005, 0)
    assert_allclose(vector[0], shrunk, rtol=1e-12)


@pytest.mark.parametrize("learner", [ProbitClassifier, AROWClassifier, CWCVaRClassifier])
def test_words_that_say_nothing_get_no_weight(learner):
    rng = np.random.default_rng(5)
    n, d, useful = 6000, 2000, 20
    X = sparse.random_array((n, d), density=0.01, rng=rng, format="csr")
    X.data[:] = 1.0
    X = sparse.csr_array(sparse.hstack([rng.random((n, useful)) < 0.3, X]), dtype=float)
    y = X[:, :useful] @ np.where(np.arange(useful) % 2, 1.5, -1.5) + rng.logistic(size=n) > 0
    loss, zeros = {}, {}
    for l1 in (0.0, 0.004):
        model = learner(l1=l1, half_life=None).fit(X[:4000], y[:4000])
        loss[l1] = log_loss(y[4000:], model.predict_proba(X[4000:]))
        zeros[l1] = (model.coef_[0] == 0)[useful:].mean(), (model.coef_[0] == 0)[:useful].mean()
    assert zeros[0.0] == (0.0, 0.0)
    assert zeros[0.004][0] > 0.6 and zeros[0.004][1] == 0.0
    assert loss[0.004] < loss[0.0]


def test_the_currency_does_not_matter_and_free_examples_do_not_count():
    X, y, cost = stream()
    a = ProbitClassifier(l1=0.001).fit(X, y, fn_cost=cost, fp_cost=cost)
    b = ProbitClassifier(l1=0.001).fit(X, y, fn_cost=8 * cost, fp_cost=8 * cost)
    paid = cost > 0
    c = ProbitClassifier(l1=0.001).fit(X[paid], y[paid], fn_cost=cost[paid], fp_cost=cost[paid])
    assert_allclose(a.coef_, b.coef_, rtol=1e-12)
    assert_array_equal(a.coef_, c.coef_)
    with pytest.raises(ValueError, match="l1"):
        ProbitClassifier(l1=-1).fit(X, y)
