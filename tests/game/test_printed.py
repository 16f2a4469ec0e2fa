"""Formulas of the thesis's chapters on games that cannot be meant as printed."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm

from stakes.game import GaussianShiftGame, kl_divergence


def test_section_6_3_1_maximises_over_the_other_players_action():
    """The reaction of L is printed as the best v; with Eq. 6.2 that is always v = 0."""
    K, c = 12.0, 3.0
    grid = np.linspace(0.0, 9.0, 901)

    def profit(own, other):
        return (K - own - other) * own - c * own

    for u in (1.0, 3.0, 5.0):
        assert grid[profit(u, grid).argmax()] == 0.0  # as printed, whatever u is
    # meant: over the own action, which gives the Nash equilibrium (K - c) / 3 of the example
    u = v = 0.0
    for _ in range(60):
        u = grid[profit(grid, v).argmax()]
        v = grid[profit(grid, u).argmax()]
    assert u == pytest.approx((K - c) / 3, abs=0.02)
    assert v == pytest.approx((K - c) / 3, abs=0.02)


def test_the_printed_range_of_moves_can_be_empty():
    """mu1 <= u <= mu2 - mu1 excludes standing still; it must be 0 <= u."""
    mu1, mu2 = 10.0, 15.0
    assert mu1 > mu2 - mu1  # as printed, no move exists
    game = GaussianShiftGame([mu1], [2.0], [mu2], [2.0], divergence_price=0.05, boundary_price=0.01)
    shift = game.solve().local[0][0][0]
    assert 0.0 <= shift <= mu2 - mu1


def printed_divergence(m1, v1, m2, v2):
    """Eq. 6.4 in one dimension: 1/2 before the logarithm only."""
    return 0.5 * np.log(v2 / v1) + v1 / v2 + (m2 - m1) ** 2 / v2 - 1.0


def true_divergence(m1, v1, m2, v2):
    p, q = norm(m1, np.sqrt(v1)), norm(m2, np.sqrt(v2))
    return quad(lambda x: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), m1 - 40, m1 + 40)[0]


def test_the_half_of_equation_6_4_belongs_to_all_terms():
    for case in ((1.0, 2.0, 2.0, 2.0), (1.0, 2.0, 1.0, 5.0)):
        m1, v1, m2, v2 = case
        ours = kl_divergence(m1, np.sqrt(v1), m2, np.sqrt(v2))
        assert ours == pytest.approx(true_divergence(*case), rel=1e-6)
        assert abs(printed_divergence(*case) - true_divergence(*case)) > 0.1
    # the first row of Table 6.1 has the half
    assert true_divergence(1.0, 2.0, 2.0, 2.0) == pytest.approx(0.25)


def test_equations_6_5_and_6_7_swap_the_arguments():
    """From the moved to the original distribution, and the other way round."""
    same = (1.0, 2.0), (3.0, 2.0)
    other = (1.0, 2.0), (3.0, 5.0)
    assert kl_divergence(*same[1], *same[0]) == pytest.approx(kl_divergence(*same[0], *same[1]))
    assert abs(kl_divergence(*other[1], *other[0]) - kl_divergence(*other[0], *other[1])) > 0.5


def test_lines_1_and_3_of_equation_6_6_have_different_best_boundaries():
    """Line 3 is twice the rates of line 1, less two, so the price of moving weighs half as much."""
    mu1, mu2, sigma, u, beta = 1.0, 10.0, 2.0, 3.0, 0.05
    w = np.linspace(mu1, mu2, 9001)
    tpr, fpr = norm.cdf(w, mu1 + u, sigma), norm.cdf(w, mu2, sigma)
    moved = beta * (w - (mu1 + mu2) / 2) ** 2
    first, third = tpr + (1.0 - fpr) - moved, 2.0 * tpr - 2.0 * fpr - moved
    np.testing.assert_allclose(third, 2.0 * (first + moved) - 2.0 - moved)
    assert w[third.argmax()] - w[first.argmax()] > 0.1


def logistic(X, y, w, move, rows):
    return np.logaddexp(0.0, -y * ((X + np.outer(rows, move)) @ w)).sum()


def test_equation_7_9_moves_all_rows_and_the_text_only_positives():
    rng = np.random.default_rng(0)
    P = rng.normal(1.0, 1.0, (100, 2))
    X = np.vstack([P, -P])
    y = np.repeat([1.0, -1.0], 100)
    w = np.array([1.0, 1.0])

    def best(rows):
        price = 100.0
        return minimize(lambda a: price * a @ a - logistic(X, y, w, a, rows), np.zeros(2)).x

    positives, everything = best(y > 0), best(np.ones(200))
    assert positives @ w < -0.1  # towards the negatives
    assert abs(everything @ w) < 1e-4  # what one class gains, the other loses


def test_equation_7_10_needs_equal_constants():
    """Its minimum over w is the learner's problem (7.7) only if C = C'."""
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(50, 2)), np.array([0.5, -0.3])
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    rows, move, ridge = y > 0, np.array([-0.2, 0.0]), 0.1

    def slope(C):
        steps = np.eye(2) * 1e-6

        def value(at):
            return ridge * at @ at + C * logistic(X, y, at, move, rows)

        return np.array([(value(w + s) - value(w - s)) / 2e-6 for s in steps])

    learner = slope(1.0)
    np.testing.assert_allclose(slope(1.0), learner)
    direction = learner / np.linalg.norm(learner)
    assert direction @ slope(0.2) < 0.5 * np.linalg.norm(learner)
