"""What the quadratic mean promises: skew does not matter, equal losses are balance."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import make_classification
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from naive import qmean as naive
from stakes.qmean import KernelQuadraticMeanClassifier, QuadraticMeanClassifier
from stakes.qmean._losses import Logistic
from stakes.qmean._problem import QuadraticMeanProblem

LOSSES = ["logistic", "hinge", "huber"]


def skewed(seed=0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=n) > 2.0).astype(int)
    return X, y, rng


@pytest.mark.parametrize("loss", LOSSES)
def test_ten_copies_of_the_negatives_change_nothing(loss):
    X, y, _ = skewed()
    rows = np.concatenate([np.flatnonzero(y == 1), np.tile(np.flatnonzero(y == 0), 10)])
    plain = QuadraticMeanClassifier(loss=loss, alpha=0.01, tol=1e-8).fit(X, y)
    copied = QuadraticMeanClassifier(loss=loss, alpha=0.01, tol=1e-8).fit(X[rows], y[rows])
    np.testing.assert_allclose(copied.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(copied.intercept_, plain.intercept_, atol=1e-6)
    usual = LogisticRegression().fit(X, y), LogisticRegression().fit(X[rows], y[rows])
    assert np.abs(usual[0].intercept_ - usual[1].intercept_) > 0.5


def test_equal_class_losses_are_the_balanced_learner():
    """Mirrored classes of unequal size have equal losses: then the mean is the balanced one."""
    rng = np.random.default_rng(1)
    P = rng.normal(0.6, 1.0, size=(60, 3))
    X = np.vstack([P, np.tile(-P, (3, 1))])
    y = np.repeat([1, 0], [60, 180])
    model = QuadraticMeanClassifier(
        alpha=0.01, regularize_intercept=False, fit_intercept=False, tol=1e-10
    ).fit(X, y)
    assert model.class_losses_[0] == pytest.approx(model.class_losses_[1])
    C = 1 / (2 * 0.01 * len(y))  # sklearn: |w|^2 / 2 + C * sum of the losses; balanced: n / 2 n_g
    balanced = LogisticRegression(
        C=C, class_weight="balanced", fit_intercept=False, tol=1e-10, max_iter=1000
    ).fit(X, y)
    np.testing.assert_allclose(model.coef_, balanced.coef_, atol=1e-6)


def test_power_one_is_the_balanced_learner_always():
    X, y, _ = skewed()
    model = QuadraticMeanClassifier(alpha=0.01, p=1.0, regularize_intercept=False).fit(X, y)
    balanced = LogisticRegression(
        C=1 / (2 * 0.01 * len(y)), class_weight="balanced", tol=1e-10, max_iter=1000
    ).fit(X, y)
    np.testing.assert_allclose(model.coef_, balanced.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, balanced.intercept_, atol=1e-5)


def test_the_optimum_is_a_weighted_fit_with_weights_as_the_class_losses():
    X, y, _ = skewed()
    model = QuadraticMeanClassifier(alpha=0.01, regularize_intercept=False, tol=1e-10).fit(X, y)
    m, u = model.class_losses_, model.class_weights_
    assert u[1] / u[0] == pytest.approx(m[1] / m[0])
    weight = (u / np.bincount(y))[y]
    weighted = LogisticRegression(C=1 / (2 * 0.01), tol=1e-12, max_iter=1000).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, weighted.coef_, atol=1e-5)


def test_minimax_makes_class_losses_equal():
    X, y, _ = skewed()
    model = QuadraticMeanClassifier(p=np.inf).fit(X, y)
    assert model.class_losses_[0] == pytest.approx(model.class_losses_[1], rel=1e-6)
    # the weights are those at which the weighted fit has equal losses, not all on one class
    assert model.class_weights_.sum() == pytest.approx(1.0) and model.class_weights_.min() > 0.1
    assert 0.0 < model.predict_proba(X)[:, 1].min() and model.predict_proba(X)[:, 1].max() < 1.0
    quadratic = QuadraticMeanClassifier().fit(X, y)
    assert model.class_losses_.max() < quadratic.class_losses_.max()


def test_objective_by_loops_and_its_gradient(rng):
    X, y = rng.normal(size=(30, 3)), rng.choice([-1.0, 1.0], 30)
    y[:2] = -1, 1
    group = (y > 0).astype(int)
    problem = QuadraticMeanProblem(X, y, np.ones(30), group, Logistic(), np.full(2, 0.5), alpha=0.3)
    W = rng.normal(size=4)
    expected = naive.logistic_objective(W[:3], W[3], X, y, 0.3)
    assert problem.value(W) == pytest.approx(expected, rel=1e-12)
    error = check_grad(problem.value, lambda w: problem.value_and_gradient(w)[1], W)
    assert error < 1e-6


def test_costs_count_inside_each_class():
    X, y, rng = skewed()
    fn = rng.lognormal(size=len(y))
    plain = QuadraticMeanClassifier().fit(X, y)
    priced = QuadraticMeanClassifier().fit(X, y, fn_cost=fn)
    weighted = QuadraticMeanClassifier().fit(X, y, sample_weight=np.where(y == 1, fn, 1.0))
    np.testing.assert_allclose(priced.coef_, weighted.coef_, atol=1e-9)
    assert np.abs(priced.coef_ - plain.coef_).max() > 1e-3
    # a price that is the same for the whole class is a matter of the share
    level = QuadraticMeanClassifier(fn_cost=20.0).fit(X, y)
    np.testing.assert_allclose(level.coef_, plain.coef_, atol=1e-9)
    shared = QuadraticMeanClassifier(fn_cost=20.0, class_share="cost").fit(X, y)
    assert shared.predict(X).sum() > plain.predict(X).sum()
    assert shared.class_losses_[1] < plain.class_losses_[1]


def test_probabilities_are_those_of_the_training_frequencies():
    X, y = make_classification(
        6000, 8, n_informative=5, weights=[0.93], class_sep=0.7, random_state=0
    )
    half = np.arange(6000) % 2 == 0
    ours = QuadraticMeanClassifier(alpha=1e-5).fit(X[half], y[half]).predict_proba(X[~half])
    usual = LogisticRegression(C=1e3).fit(X[half], y[half]).predict_proba(X[~half])
    assert ours[:, 1].mean() == pytest.approx(y[~half].mean(), rel=0.15)
    assert log_loss(y[~half], ours) < 1.05 * log_loss(y[~half], usual)
    assert not hasattr(QuadraticMeanClassifier(loss="hinge"), "predict_proba")


def test_several_classes_have_probabilities_and_no_costs(rng):
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [0.0, 1.5])
    model = QuadraticMeanClassifier().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).mean(axis=0), np.bincount(y) / 300, atol=0.05)
    assert model.coef_.shape == (3, 3) and model.class_losses_.shape == (3,)
    assert model.score(X, y) > 0.7
    for call in (
        lambda: model.fit(X, y, fp_cost=2.0),
        lambda: model.predict(X, fn_cost=2.0),
        lambda: model.score(X, y, fn_cost=2.0),
        lambda: QuadraticMeanClassifier(fn_cost=2.0).fit(X, y),
    ):
        with pytest.raises(ValueError, match="for two classes only"):
            call()


def test_a_class_without_stakes_is_refused():
    X, y, _ = skewed()
    with pytest.raises(ValueError, match="class 1 has no example of positive weight and cost"):
        QuadraticMeanClassifier().fit(X, y, fn_cost=0.0)


def test_select_from_model():
    X, y, _ = skewed()
    selector = SelectFromModel(QuadraticMeanClassifier(), max_features=2, threshold=-np.inf)
    assert selector.fit(X, y).get_support().tolist() == [True, True, False, False]


@pytest.mark.parametrize("loss", LOSSES)
def test_linear_kernel_is_the_linear_learner(loss):
    X, y, _ = skewed(n=120)
    settings = dict(loss=loss, alpha=0.05, tol=1e-8)
    linear = QuadraticMeanClassifier(**settings).fit(X, y)
    kernel = KernelQuadraticMeanClassifier(kernel="linear", **settings).fit(X, y)
    np.testing.assert_allclose(kernel.decision_function(X), linear.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(kernel.dual_coef_ @ X, linear.coef_, atol=1e-6)
    assert kernel.objective_ == pytest.approx(linear.objective_, rel=1e-8)
    # four features are spanned by twenty landmarks: Nystroem loses nothing
    few = KernelQuadraticMeanClassifier(
        kernel="linear", n_components=20, random_state=0, **settings
    ).fit(X, y)
    np.testing.assert_allclose(few.decision_function(X), linear.decision_function(X), atol=1e-6)


def test_kernel_learns_what_no_line_can(rng):
    X = rng.uniform(-1, 1, size=(500, 2))
    y = (np.hypot(*X.T) < 0.35).astype(int)
    kernel = KernelQuadraticMeanClassifier(n_components=100, random_state=0).fit(X, y)
    assert kernel.landmarks_.shape == (100, 2)
    linear = QuadraticMeanClassifier().fit(X, y)
    assert kernel.class_losses_.max() < 0.25 < linear.class_losses_.max()
    own = KernelQuadraticMeanClassifier(kernel=lambda A, B: A @ B.T, n_components=30)
    assert own.fit(X[:60], y[:60]).duality_gap_ < 1e-6


def test_a_callable_kernel_must_return_a_matrix():
    model = KernelQuadraticMeanClassifier(kernel=lambda A, B: A @ B[0])
    with pytest.raises(ValueError, match=r"kernel must return a matrix of shape \(4, 4\)"):
        model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
