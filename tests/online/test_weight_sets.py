"""Section V: a VaR constraint is an ellipsoid of weights, a CVaR constraint a polytope."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm

from stakes.online import ellipsoid_of_var, polytope_of_cvar
from stakes.risk import conditional_value_at_risk


def gaussian(rng, d=3):
    A = rng.normal(size=(d, d))
    return rng.normal(size=d), A @ A.T / d


@pytest.mark.parametrize("eta", [0.5, 0.8, 0.99])
def test_var_constraint_and_ellipsoid_agree(rng, eta):
    mu, Sigma = gaussian(rng)
    mu *= 3 / np.sqrt(mu @ np.linalg.solve(Sigma, mu))  # so that some x is decided with certainty
    ellipsoid = ellipsoid_of_var(mu, Sigma, eta)
    agreed = set()
    for x in np.vstack([rng.normal(size=(50, 3)), np.linalg.solve(Sigma, mu)]):
        for y in (-1, 1):
            w, margin = ellipsoid.worst(x, y)
            right = norm.cdf(y * mu @ x / np.sqrt(x @ Sigma @ x))  # P(y w'x >= 0)
            assert (margin >= 0) == (right >= eta)
            assert ellipsoid.holds(w) or eta == 0.5
            agreed.add(margin >= 0)
    assert agreed == {True, False}


def test_no_weights_of_the_ellipsoid_are_worse_than_its_worst(rng):
    mu, Sigma = gaussian(rng)
    ellipsoid = ellipsoid_of_var(mu, Sigma, 0.9)
    x = rng.normal(size=3)
    u = rng.normal(size=(2000, 3))
    inside = mu + (u / np.linalg.norm(u, axis=1, keepdims=True)) @ ellipsoid.Q.T
    worst = ellipsoid.worst(x)[1]
    assert (inside @ x >= worst - 1e-9).all()
    assert (inside @ x).min() < worst + 0.1 * abs(worst - mu @ x)
    assert not ellipsoid.holds(mu + 3 * (ellipsoid.worst(x)[0] - mu))


def test_variances_are_a_diagonal_covariance():
    a = ellipsoid_of_var([1.0, 2.0], [4.0, 9.0], 0.9)
    b = ellipsoid_of_var([1.0, 2.0], np.diag([4.0, 9.0]), 0.9)
    assert a.worst([1.0, -2.0])[1] == pytest.approx(b.worst([1.0, -2.0])[1])


@pytest.mark.parametrize("tail", [0.03, 0.2, 0.55, 1.0])
def test_cvar_of_the_margin_is_the_worst_of_the_polytope(rng, tail):
    mu, Sigma = gaussian(rng)
    W = rng.multivariate_normal(mu, Sigma, size=40)
    polytope = polytope_of_cvar(W, tail)
    for x in rng.normal(size=(20, 3)):
        w, margin = polytope.worst(x, -1)
        cvar = conditional_value_at_risk(-W @ x, tail, side="lower")
        assert margin == pytest.approx(cvar, abs=1e-10)
        assert -w @ x == pytest.approx(margin)
    assert polytope.holds(w)
    assert polytope.holds(W.mean(axis=0))
    if tail < 1:
        assert not polytope.holds(W.mean(axis=0) + 100.0)


def test_the_worst_of_the_polytope_is_a_linear_programme(rng):
    W, x = rng.normal(size=(12, 2)), rng.normal(size=2)
    p = rng.dirichlet(np.ones(12))
    polytope = polytope_of_cvar(W, 0.3, p)
    found = linprog(W @ x, A_eq=np.ones((1, 12)), b_eq=[1.0], bounds=[(0, q / 0.3) for q in p])
    assert polytope.worst(x)[1] == pytest.approx(found.fun, abs=1e-9)
    # without sum lambda = 1, as the proof of Theorem 2 prints it, the margin can fall further
    assert np.minimum(W @ x, 0) @ p / 0.3 < found.fun - 1e-6


def test_the_bound_of_theorem_2_belongs_to_each_lambda(rng):
    """With the printed bound on their sum the worst draw alone counts, and in part only."""
    W, x, p = rng.normal(size=(12, 2)), rng.normal(size=2), np.full(12, 1 / 12)
    cvar = conditional_value_at_risk(W @ x, 0.3, side="lower")
    each = linprog(W @ x, A_eq=np.ones((1, 12)), b_eq=[1.0], bounds=[(0, q / 0.3) for q in p])
    assert each.fun == pytest.approx(cvar, abs=1e-9)
    printed = linprog(W @ x, A_ub=np.ones((12, 12)), b_ub=p / 0.3)
    assert printed.fun == pytest.approx(min(0.0, (W @ x).min()) / 12 / 0.3, abs=1e-9)
    assert abs(printed.fun - cvar) > 0.1


def test_the_q_of_theorem_1_serves_one_example_only(rng):
    """Phi^-1(eta) Sigma x, for the x it was made of, is right up to the root; for others not."""
    mu, Sigma = gaussian(rng)
    x, z = rng.normal(size=(2, 3))
    Q = norm.ppf(0.9) * Sigma @ x
    assert abs(Q @ x) == pytest.approx(norm.ppf(0.9) * x @ Sigma @ x)
    right = mu @ z - ellipsoid_of_var(mu, Sigma, 0.9).worst(z)[1]
    assert right == pytest.approx(norm.ppf(0.9) * np.sqrt(z @ Sigma @ z))
    assert abs(abs(Q @ z) - right**2 / norm.ppf(0.9)) > 1e-3


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="eta must be in"):
        ellipsoid_of_var([1.0], [1.0], 0.3)
    with pytest.raises(ValueError, match="tail must be in"):
        polytope_of_cvar([[1.0]], 0.0)
    with pytest.raises(ValueError, match="sum to one"):
        polytope_of_cvar([[1.0], [2.0]], 0.5, [0.5, 0.1])
