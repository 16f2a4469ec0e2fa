"""Statements of the CS-SVM paper that can be checked: duals, margins, conditions, tables."""

import cvxpy as cp
import numpy as np
import pytest

from naive import svm as naive
from stakes.reproduce._printed import printed
from stakes.reproduce.cs_svm._claims import two_point_boundaries
from stakes.svm import CostSensitiveSVC, LinearCostSensitiveSVC, solve_dual


def problem(rng, n=30):
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.6 * rng.normal(size=n) > 0.2, 1.0, -1.0)
    return y, naive.kernel(X, "rbf") + 1e-6 * np.eye(n)


def hinge_conjugate(v, a, b):
    """Conjugate of u -> max(b - a u, 0), on a fine grid of u."""
    u = np.linspace(-50, 50, 400_001)
    return np.max(u * v - np.maximum(b - a * u, 0.0))


def test_the_conjugate_of_the_hinge():
    """Appendix A: v b / a for v in [-a, 0], and infinite elsewhere."""
    for a, b in [(1.0, 1.0), (4.0, 4.0), (3.0, 1.0)]:
        for v in (-a, -0.5 * a, -0.1 * a, 0.0):
            assert hinge_conjugate(v, a, b) == pytest.approx(v * b / a, abs=1e-3)
        assert hinge_conjugate(0.5 * a, a, b) > 20 * a  # grows with the grid


def test_the_fenchel_dual_has_the_value_of_the_primal(rng):
    """Eqs. 60 and 63: the same optimum, g = beta, and z = f without the bias."""
    y, K = problem(rng)
    C, C1, kappa = 0.7, 5.0, 0.4
    weight = C * np.where(y > 0, C1, 1 / kappa)
    margin = np.where(y > 0, 1.0, kappa)
    value, scores, b = naive.primal(K, y, weight, margin)
    g, inverse = cp.Variable(len(y)), np.linalg.inv(K)
    z = K @ g
    cheap = y < 0
    dual = cp.Problem(
        cp.Maximize(
            -0.5 * cp.quad_form(g, cp.psd_wrap(K)) + y @ g - (1 - kappa) * cp.norm1(g[cheap])
        ),
        [cp.sum(g) == 0, cp.multiply(y, g) >= 0, cp.multiply(y, g) <= weight],
    )
    naive.solve(dual)
    assert dual.value == pytest.approx(value, rel=1e-6)
    found = solve_dual(K, y, weight, margin, tol=1e-8)
    np.testing.assert_allclose(g.value, found.beta, atol=1e-3)
    np.testing.assert_allclose(z.value, scores, atol=1e-3)
    np.testing.assert_allclose(z.value + b, found.margins, atol=1e-3)
    # Omega*(g) = 1/2 z' K^-1 z, and the equality of Eq. 75
    z = K @ found.beta
    assert 0.5 * z @ inverse @ z == pytest.approx(0.5 * found.beta @ K @ found.beta, rel=1e-4)
    assert abs(np.ones(len(y)) @ inverse @ z) < 1e-5
    # Eq. 63's constraint on the l1 norms is the same equality
    assert found.beta[~cheap].sum() == pytest.approx(-found.beta[cheap].sum())


def test_equation_61_lacks_a_minus_sign(rng):
    """The conjugate is finite at -y g only; as printed, at y g, the dual is minus infinity."""
    y, K = problem(rng)
    found = solve_dual(K, y, np.ones(len(y)), np.ones(len(y)), tol=1e-8)
    used = np.flatnonzero(np.abs(found.beta) > 1e-6)
    right = sum(hinge_conjugate(-y[i] * found.beta[i], 1.0, 1.0) for i in used[:5])
    assert right == pytest.approx(-np.abs(found.beta[used[:5]]).sum(), abs=1e-3)
    wrong = sum(hinge_conjugate(y[i] * found.beta[i], 1.0, 1.0) for i in used[:5])
    assert wrong > 5 * abs(right)  # as large as the grid allows


@pytest.mark.parametrize("per_example", [False, True])
def test_more_expensive_false_alarms_move_the_boundary_towards_the_negatives(per_example):
    """With kappa = 1/(2 C_-1 - 1) expensive negatives keep a smaller margin (Eqs. 46 and 66)."""
    X, y = np.array([[-1.0], [1.0]]), np.array([0, 1])
    paper = dict(kappa="paper", slope="paper", normalize_costs=False, calibration=None)
    cuts = []
    for fp_cost in (1.0, 2.0, 5.0):
        model = CostSensitiveSVC(C=50.0, kernel="linear", fn_cost=20.0, tol=1e-6, **paper)
        prices = dict(fp_cost=np.full(2, fp_cost)) if per_example else dict(fp_cost=fp_cost)
        left, right = model.fit(X, y, **prices).decision_function(X)
        cuts.append(-1 - 2 * left / (right - left))
    assert cuts[0] == pytest.approx(0.0, abs=1e-3)
    assert cuts[0] > cuts[1] > cuts[2]  # ever more of the line is called positive


def test_the_margin_needs_a_large_penalty():
    """On separable data the ratio of the margins is 1/kappa for a large C, not whatever C is."""
    X, y = np.array([[-1.0], [-0.5], [0.5], [1.0]]), np.array([0, 0, 1, 1])
    ratios = []
    for C in (1e-3, 100.0):
        scores = (
            LinearCostSensitiveSVC(C=C, kappa=0.25, fn_cost=9.0, calibration=None)
            .fit(X, y)
            .decision_function(X)
        )
        ratios.append(scores[2] / -scores[1])
    assert ratios[1] == pytest.approx(4.0, rel=1e-2)
    assert abs(ratios[0] - 4.0) > 1.0


def test_equation_44_is_not_necessary():
    """For equal costs e = b = 2, d = a = 1 has the symmetry of Eq. 25 although d < e."""
    e = b = 2.0
    d = a = 1.0

    def risk(eta):
        sign = np.where(eta >= 0.5, 1.0, -1.0)
        return eta * np.maximum(e - d * sign, 0) + (1 - eta) * np.maximum(b + a * sign, 0)

    epsilon = np.linspace(0.01, 0.49, 25)
    np.testing.assert_allclose(risk(0.5 - epsilon), risk(0.5 + epsilon))
    assert d < e and a < b


def test_the_boundary_that_biased_penalties_cannot_reach():
    biased, asymmetric = two_point_boundaries()
    assert len(biased) == 9 and np.abs(biased).max() < 1e-3
    assert asymmetric == pytest.approx(-0.6, abs=1e-3)


def test_slips_in_the_printed_tables():
    """Ranks of Table 8, Isolet in Tables 5 and 6, and which tables have 18 experiments."""
    tables = printed("cs_svm")
    assert tables["5"]["Isolet"] == tables["6"]["Isolet"]
    # ranked seventh, above Res-DIPOL with 14,045
    assert tables["8"]["ED-BP-SVM"]["income"] == 14008.0 < 14045.0
    # Section 8.6 cites Tables 3 and 4 for "17 out of 18 IDL experiments"
    assert len(tables["3"]) + len(tables["4"]) == 16
    assert len(tables["5"]) + len(tables["6"]) == 18
