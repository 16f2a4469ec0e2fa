"""Settings that all kernel learners share: forgetting, gamma, threads, probabilities."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import log_loss

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

ALL = [
    KernelPerceptronClassifier,
    KernelALMAClassifier,
    KernelROMMAClassifier,
    KernelPAClassifier,
    DUOLClassifier,
    KernelPAUMClassifier,
    KernelCPAClassifier,
    CSDUOLClassifier,
]


def stream(seed=0, n=300, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] ** 2 + X[:, 1] + 0.4 * rng.normal(size=n) > 0.8).astype(int)


@pytest.mark.parametrize("rule", ["perceptron", "pa", "duol"])
def test_an_old_example_counts_half_after_a_half_life(rule, rng):
    learner = {
        "perceptron": KernelPerceptronClassifier,
        "pa": KernelPAClassifier,
        "duol": DUOLClassifier,
    }[rule](gamma=0.5, half_life=20)
    X, y = stream()
    X, signs = X[:80], np.where(y[:80] == 1, 1.0, -1.0)
    scores = learner.decision_function_then_learn(X, y[:80], [0, 1])
    expected, S, c = naive.run_fading(rule, naive.gram(X, "rbf", 0.5), signs, 0.5 ** (1 / 20))
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(learner.support_, S)
    np.testing.assert_allclose(learner.dual_coef_[0], c, rtol=1e-6, atol=1e-9)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("learner", "limit"),
    [*((one, None) for one in ALL), (KernelPAClassifier, 60), (CSDUOLClassifier, 60)],
)
def test_forgetting_follows_a_concept_that_turns_around(learner, limit):
    X, y = stream(1, n=2300)
    y[2000:] = 1 - y[2000:]
    wrong = {}
    for half_life in (None, 100):
        model = learner(gamma=0.5, half_life=half_life, max_support_vectors=limit)
        scores = model.decision_function_then_learn(X, y, [0, 1])
        wrong[half_life] = np.mean((scores > 0)[2000:] != y[2000:])
    assert wrong[100] < wrong[None] - 0.03


def test_an_example_without_a_cost_fades_nothing():
    X, y = stream()
    cost = np.where(np.arange(300) % 3, 1.0, 0.0)
    some = CSDUOLClassifier(gamma=0.5, half_life=30).partial_fit(X, y, fp_cost=cost, fn_cost=cost)
    kept = cost > 0
    few = CSDUOLClassifier(gamma=0.5, half_life=30).partial_fit(X[kept], y[kept])
    np.testing.assert_allclose(some.dual_coef_, few.dual_coef_)


@pytest.mark.parametrize("sparsely", [False, True])
def test_gamma_scale_is_that_of_scikit_learn(sparsely):
    X, y = stream()
    X = 7.0 * np.where(X > 0.2, X, 0.0)
    given = sparse.csr_array(X) if sparsely else X
    model = DUOLClassifier(gamma="scale").fit(given, y)
    assert model._store.support.gamma == pytest.approx(1.0 / (3 * X.var()))
    first = DUOLClassifier(gamma="scale").partial_fit(given[:50], y[:50])
    assert first._store.support.gamma == pytest.approx(1.0 / (3 * X[:50].var()))
    with pytest.raises(ValueError, match="needs the variance"):
        DUOLClassifier(gamma="scale").learn_one(X[0], 1)


@pytest.mark.jit
@pytest.mark.parametrize("form", ["dense", "sparse", "bits"])
def test_threads_change_no_bit(form):
    X, y = stream(2, n=3000)
    X = (X > 0).astype(float) if form == "bits" else X
    X = sparse.csr_array(np.where(X > 1.8, X, 0.0)) if form == "sparse" else X
    one = KernelPAClassifier(gamma=0.5).fit(X[:300], y[:300])
    two = clone(one).set_params(n_jobs=2).fit(X[:300], y[:300])
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.jit
@pytest.mark.parametrize("learner", ALL)
def test_all_learners_have_calibrated_probabilities(learner):
    X, y = stream(3, n=4000)
    model = learner(gamma=0.5, max_support_vectors=200)
    before = model.predict_proba_then_learn(X[:2000], y[:2000])
    p = model.predict_proba(X[2000:])[:, 1]
    rate = y.mean()
    assert log_loss(y[:2000], before) < log_loss(y[:2000], np.full(2000, rate))
    assert log_loss(y[2000:], p) < 0.9 * log_loss(y[2000:], np.full(2000, rate))
    assert abs(p.mean() - y[2000:].mean()) < 0.06
    assert model.predict_proba_one(X[0])[1] == model.predict_proba(X[:1])[0, 1]
    few = model.predict(X[2000:], fp_cost=9.0, fn_cost=1.0).mean()
    many = model.predict(X[2000:], fp_cost=1.0, fn_cost=9.0).mean()
    assert few < rate < many
    assert model.predict_one(X[0], fp_cost=1.0, fn_cost=1e9) == 1


@pytest.mark.parametrize("learner", [KernelPerceptronClassifier, KernelROMMAClassifier])
def test_a_score_of_zero_may_be_the_positive_class(learner):
    X, y = np.array([[0.0], [1e3], [2e3], [0.0]]), [1, 0, 1, 0]  # too far apart for the kernel
    both = learner(gamma=1.0).fit(X, y)
    assert both.support_.tolist() == [0, 1, 2, 3] and both.n_mistakes_.tolist() == [2, 2]
    one = learner(gamma=1.0, zero_is_positive=True).fit(X, y)
    assert one.support_.tolist() == [1, 3]


@pytest.mark.jit
def test_prices_decide_where_c_binds():
    """At C = 0.01 the paper's rule does not see them; with the price in the box all is right."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = (X[:, 0] + 1.5 * rng.normal(size=1500) > 1.0).astype(int)
    decided = {
        (scale, price): CSDUOLClassifier(
            C=0.01, scale_C=scale, fn_cost=price, gamma=0.5, normalize_costs=False
        ).decision_function_then_learn(X, y)
        > 0
        for scale in (False, True)
        for price in (9.0, 1e6)
    }
    np.testing.assert_array_equal(decided[False, 9.0], decided[False, 1e6])
    assert decided[True, 1e6].mean() > decided[True, 9.0].mean() > decided[False, 9.0].mean()
    paid = {k: np.where(y == 1, 9.0 * ~d, d).sum() for k, d in decided.items()}
    assert paid[True, 9.0] < 0.6 * paid[False, 9.0]


def test_the_surrogate_with_the_price_in_the_box_is_consistent():
    """The sign of the best score at a point, by its loss on a grid, is that of least cost."""
    f = np.linspace(-30, 30, 60001)
    for theta in (0.2, 1.0, 9.0):
        for p in (0.05, 0.15, 0.3, 0.45, 0.55, 0.7, 0.9):
            positive, negative = np.maximum(theta - f, 0.0), np.maximum(1.0 + f, 0.0)
            paper = p * positive + (1 - p) * negative
            scaled = p * theta * positive + (1 - p) * negative
            assert (f[paper.argmin()] > 0) == (p > 0.5)  # whatever theta is
            assert (f[scaled.argmin()] > 0) == (p * theta > 1 - p)
