"""Groups of targets, and what the two halves around the median do."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from stakes.qmean import QuadraticMeanRegressor
from stakes.qmean._regressor import target_groups


def test_groups_are_halves_around_the_median(rng):
    y = rng.normal(size=101)
    group, cuts = target_groups(y, np.ones(101), 2)
    assert cuts == [np.median(y)]
    np.testing.assert_array_equal(group, y > np.median(y))
    even = rng.normal(size=100)
    assert target_groups(even, np.ones(100), 2)[0].sum() == 50


def test_equal_targets_stay_together():
    y = np.array([0.0] * 8 + [1.0, 2.0])
    group, cuts = target_groups(y, np.ones(10), 2)
    assert cuts == [0.0] and group.tolist() == [0] * 8 + [1, 1]
    top = np.array([0.0, 1.0] + [2.0] * 8)
    assert target_groups(top, np.ones(10), 2)[0].tolist() == [0, 0] + [1] * 8
    assert target_groups(np.ones(5), np.ones(5), 2)[0].tolist() == [0] * 5


def test_weights_are_copies(rng):
    y, times = rng.normal(size=40), rng.integers(1, 4, 40)
    copied, cuts = target_groups(np.repeat(y, times), np.ones(times.sum()), 3)
    weighted, same_cuts = target_groups(y, times.astype(float), 3)
    np.testing.assert_array_equal(cuts, same_cuts)
    np.testing.assert_array_equal(np.repeat(weighted, times), copied)
    assert len(cuts) == 2


def test_one_group_is_ridge(rng):
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=80) + 5.0
    ours = QuadraticMeanRegressor(n_groups=1, alpha=0.01, tol=1e-10).fit(X, y)
    ridge = Ridge(alpha=2 * 0.01 * 80).fit(X, y)  # ours halves the square and takes the mean
    np.testing.assert_allclose(ours.coef_, ridge.coef_, atol=1e-8)
    assert ours.intercept_ == pytest.approx(ridge.intercept_, abs=1e-8)


def test_the_worse_half_counts_more():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = np.exp(X[:, 0] + 0.5 * rng.normal(size=600))
    plain = QuadraticMeanRegressor(n_groups=1).fit(X, y)
    quadratic = QuadraticMeanRegressor().fit(X, y)
    minimax = QuadraticMeanRegressor(p=np.inf).fit(X, y)
    upper = y > np.median(y)
    errors = [np.mean((m.predict(X) - y)[upper] ** 2) for m in (plain, quadratic, minimax)]
    assert errors[0] > errors[1] >= errors[2]
    weights = quadratic.group_weights_
    losses = quadratic.group_losses_
    assert weights[1] / weights[0] == pytest.approx(losses[1] / losses[0])


@pytest.mark.parametrize("loss", ["squared", "epsilon_insensitive", "quantile"])
def test_sparse_shift_and_permutation(loss, rng):
    X = rng.normal(size=(90, 4))
    X[rng.random(X.shape) < 0.5] = 0.0
    y = np.exp(X[:, 0]) + 0.2 * rng.normal(size=90)
    model = QuadraticMeanRegressor(loss=loss, alpha=0.01, tol=1e-8)
    coef, intercept = model.fit(X, y).coef_, model.intercept_
    np.testing.assert_allclose(model.fit(sparse.csr_matrix(X), y).coef_, coef, atol=1e-7)
    order = rng.permutation(90)
    np.testing.assert_allclose(model.fit(X[order], y[order]).coef_, coef, atol=1e-6)
    shifted = model.fit(X, y + 100.0)  # the intercept is free: a shift is only a shift
    np.testing.assert_allclose(shifted.coef_, coef, atol=1e-5)
    assert shifted.intercept_ == pytest.approx(intercept + 100.0, abs=1e-5)


def test_quantile_is_the_quantile(rng):
    y = rng.exponential(size=999)
    X = np.zeros((999, 1))
    model = QuadraticMeanRegressor(loss="quantile", quantile=0.8, n_groups=1).fit(X, y)
    assert (y <= model.intercept_).mean() == pytest.approx(0.8, abs=2e-3)


def test_text_is_no_target():
    with pytest.raises(ValueError, match="y contains text, and QuadraticMeanRegressor predicts"):
        QuadraticMeanRegressor().fit(np.eye(3), ["yes", "no", "yes"])
