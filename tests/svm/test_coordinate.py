"""Dual coordinate descent for the linear SVM: its loop, its certificate, its free bias."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from naive import svm as naive
from stakes.svm import LinearCostSensitiveSVC, _linear, weighted_equivalent
from stakes.svm import _coordinate as module
from stakes.svm._certificate import best_bias
from stakes.svm._coordinate import solve_coordinate
from stakes.svm._coordinate_jit import Box, descend


def problem(rng, n=40, d=30):
    X = rng.normal(size=(n, d)) + 2.0
    X[rng.random((n, d)) < 0.4] = 0.0
    y = np.where(X[:, 0] - X[:, 1] + rng.normal(size=n) > 0.3, 1.0, -1.0)
    c = rng.uniform(1.0, 4.0, n)
    weight = np.where(y > 0, c, 2 * c - 1)
    return X, y, weight, np.where(y > 0, 1.0, 1 / (2 * c - 1))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_pass_is_one_best_value_after_the_other(rng, form):
    X, y, weight, margin = problem(rng)
    lower, upper = np.minimum(y * weight, 0.0), np.maximum(y * weight, 0.0)
    mean = X.mean(axis=0)
    beta = np.where(rng.random(40) < 0.5, y * weight * rng.random(40), lower)
    c, offset, order = 1.7, -0.4, rng.permutation(40)
    want = naive.coordinate_pass(X, y * margin, lower, upper, beta, c, offset, order)
    w = X.T @ beta
    state, nothing = np.array([beta.sum(), mean @ w, offset]), np.array([-np.inf, np.inf])
    rows, box = module._rows_of(form(X)), Box(y * margin, lower, upper, c)
    np.testing.assert_allclose(rows.norms, np.sum((X - mean) ** 2, axis=1))
    left, least, most = descend(rows, box, beta, w, state, order, nothing)
    np.testing.assert_allclose(beta, want, atol=1e-10)
    np.testing.assert_allclose(w, X.T @ want, atol=1e-9)
    np.testing.assert_allclose(state[:2], [want.sum(), mean @ w], atol=1e-9)
    assert left == 40
    assert least < 0 < most


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_primal_and_dual_agree_with_a_conic_solver(rng, form):
    X, y, weight, margin = problem(rng)
    K = X @ X.T
    value, Kb, b = naive.primal(K, y, weight, margin)
    best, _ = naive.dual(K, y, weight, margin)
    found = solve_coordinate(form(X), y, weight, margin, tol=1e-7, max_iter=5000, random_state=0)
    assert found.primal == pytest.approx(value, rel=1e-6)
    assert found.dual == pytest.approx(best, rel=1e-6)
    assert 0 <= found.gap + 1e-12 <= 1e-7 + 1e-12
    assert abs(found.beta.sum()) <= 1e-9 * np.abs(found.beta).sum()
    assert (found.beta * y >= 0).all()
    assert (found.beta * y <= weight).all()
    np.testing.assert_allclose(X @ found.w + found.b, Kb + b, atol=1e-2)


def test_the_bias_is_the_best_one(rng):
    X, y, weight, margin = problem(rng)
    scores = X @ rng.normal(size=30)
    found = best_bias(scores, y, weight, y * margin)
    slack = [
        weight @ np.maximum(0.0, margin - y * (scores + b))
        for b in [found, *np.linspace(-20, 20, 4001)]
    ]
    assert slack[0] <= min(slack) + 1e-9


def test_rows_that_cannot_move_are_left_out(rng, monkeypatch):
    X, y, weight, margin = problem(rng, n=80)
    left = []
    plain = module.descend

    def spy(*arguments):
        out = plain(*arguments)
        left.append(out[0])
        return out

    monkeypatch.setattr(module, "descend", spy)
    found = solve_coordinate(X, y, weight, margin, tol=1e-5, max_iter=5000, random_state=0)
    assert min(left) < 80
    assert found.gap <= 1e-5


def test_stopping_early_warns(rng):
    with pytest.warns(ConvergenceWarning, match="after 3 passes with a relative duality gap"):
        solve_coordinate(*problem(rng), tol=1e-9, max_iter=3)


@pytest.mark.parametrize("n", [2, 3])
def test_few_examples_and_a_constant_column(n):
    X = np.column_stack([np.arange(n, dtype=float), np.ones(n)])
    y = np.where(np.arange(n) > 0, 1.0, -1.0)
    found = solve_coordinate(X, y, np.full(n, 10.0), np.ones(n), tol=1e-9, random_state=0)
    np.testing.assert_allclose((X @ found.w + found.b)[:2], [-1, 1], atol=1e-6)


def test_rows_without_features_and_equal_rows():
    """Nothing to learn from: the bias decides for the class that costs more."""
    y, weight = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, 1.0, 1.0, 5.0])
    for X in (np.zeros((4, 3)), np.ones((4, 3)), sparse.csr_array((4, 3))):
        found = solve_coordinate(X, y, weight, np.ones(4), random_state=0)
        assert found.b == pytest.approx(-1.0)
        assert found.gap <= 1e-6


def test_wide_rows_go_by_coordinates(rng, monkeypatch):
    X, y, _, _ = problem(rng)
    options = dict(fn_cost=3.0, random_state=0)
    narrow = LinearCostSensitiveSVC(**options).fit(X, y)
    monkeypatch.setattr(_linear, "WIDE", 2)
    wide = LinearCostSensitiveSVC(max_iter=5000, **options).fit(X, y)
    asked = LinearCostSensitiveSVC(solver="coordinate", max_iter=5000, **options).fit(X, y)
    assert wide.objective_ == pytest.approx(narrow.objective_, rel=2e-6)
    assert max(wide.duality_gap_, narrow.duality_gap_) <= 1e-6
    assert wide.n_iter_ > narrow.n_iter_
    np.testing.assert_array_equal(wide.coef_, asked.coef_)


def test_liblinear_comes_near_only_as_its_bias_is_freed(rng):
    """LinearSVC has a price on the bias, under which the reduction to a weighted SVM fails."""
    X, y, _, _ = problem(rng)
    kappa, fn_cost = 0.25, 6.0
    ours = LinearCostSensitiveSVC(
        C=0.1,
        kappa=kappa,
        slope="paper",
        fn_cost=fn_cost,
        solver="coordinate",
        max_iter=5000,
        random_state=0,
    ).fit(X, y)
    same = weighted_equivalent(0.1, fn_cost, kappa)
    weights = {-1: same["negative_weight"], 1: same["positive_weight"]}
    away = []
    for scaling in (1.0, 10.0, 100.0):
        plain = LinearSVC(
            C=same["C"],
            loss="hinge",
            class_weight=weights,
            intercept_scaling=scaling,
            tol=1e-8,
            max_iter=1_000_000,
            random_state=0,
        ).fit(X, y)
        through = same["scale"] * plain.decision_function(X) + same["shift"]
        away.append(np.abs(through - ours.decision_function(X)).max())
    assert away[0] > 5 * away[1] > 0
    assert away[2] < 0.01
