import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from naive.uncertain import newton_rows
from stakes.uncertain import (
    Box,
    Ellipsoid,
    Intersection,
    MeanIntervalEllipsoid,
    UncertainMarginClassifier,
    _geometry,
)
from stakes.uncertain._geometry import geometry_of
from stakes.uncertain._geometry_jit import Scales, axes_rows, free_sums, moved_rows
from stakes.uncertain._interior import solve_interior
from stakes.uncertain._problem import MarginProblem
from stakes.uncertain._solve import solve_margin
from uncertain.problems import covariances, uncertain_problem


def problems(rng, n=40, d=4, kappa=1.0, C=1.0, apart=0.5):
    known, y = uncertain_problem(rng, n, d, apart)
    axes = kappa * rng.uniform(0.1, 0.6, (n, d))
    box = Box(known.lower, known.upper)
    union = MeanIntervalEllipsoid(known.mean_lower, known.mean_upper, axes)
    sets = [
        box,
        Ellipsoid(known.mean, 0 * axes),
        Ellipsoid(known.mean, axes),
        Ellipsoid(known.mean, kappa * np.linalg.cholesky(covariances(rng, n, d))),
        union,
        Intersection(Ellipsoid(known.mean, axes), box),
        Intersection(union, box),
    ]
    return [MarginProblem(each, y, np.full(n, C)) for each in sets]


def test_the_fast_method_agrees_with_the_cone_programme(rng):
    for problem in problems(rng):
        fast = solve_margin(problem, "interior", tol=1e-9)
        exact = solve_margin(problem, "conic", tol=1e-8)
        assert fast.gap <= 1e-9 and exact.gap <= 1e-8
        assert fast.objective == pytest.approx(exact.objective, rel=1e-7)
        np.testing.assert_allclose(fast.coef, exact.coef, atol=2e-4)
        assert fast.n_iter <= 30


def test_products_against_the_stored_matrix(rng):
    for problem in problems(rng, n=9, d=3):
        g = geometry_of(problem)
        z = rng.normal(size=g.size)
        z[4:] = np.abs(z[:3]) + 0.1 if g.R is not None else z[4:]
        smooth = 0.05
        margins = g.move_to(z, smooth)
        step = 1e-6
        J = np.column_stack(
            [
                (g.move_to(z + step * e, smooth) - g.move_to(z - step * e, smooth)) / (2 * step)
                for e in np.eye(g.size)
            ]
        )
        np.testing.assert_allclose(g.move_to(z, smooth), margins)
        v, theta, alpha = rng.normal(size=9), rng.uniform(1, 2, 9), rng.uniform(1, 2, 9)
        np.testing.assert_allclose(g.times(z), J @ z, atol=1e-6)
        np.testing.assert_allclose(g.transposed(v), J.T @ v, atol=1e-6)
        K, drift = g.assemble(theta, alpha)
        bent = np.zeros((3, 3))
        for j in range(3):
            up, down = z.copy(), z.copy()
            up[j] += 1e-5
            down[j] -= 1e-5
            g.move_to(up, smooth)
            high = g.transposed(alpha)[:3]
            g.move_to(down, smooth)
            bent[j] = (high - g.transposed(alpha)[:3]) / 2e-5
        flat = J.T @ (theta[:, None] * J)
        np.testing.assert_allclose((K - flat)[:3, :3], -bent, atol=1e-4)
        np.testing.assert_allclose((K - flat)[3:], 0, atol=1e-5)
        np.testing.assert_allclose(drift, -bent @ z[:3], atol=1e-4)


@pytest.mark.parametrize("n", [1, 7])
def test_rows_of_the_newton_system(rng, n):
    M, E, D2 = rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), rng.random((n, 3))
    free = (rng.random((n, 3)) < 0.6).astype(np.uint8)
    signed, bend, weight, lag = rng.normal(size=(4, n))
    P, Q = np.zeros((n, 4)), np.zeros((n, 4))
    moved_rows(M, E, free, signed, bend, P, Q)
    for ours, naive in zip((P, Q), newton_rows(M, E, free, signed, bend), strict=True):
        np.testing.assert_allclose(ours, naive, atol=1e-14)
    out = np.zeros(3)
    free_sums(weight, E, free, out)
    np.testing.assert_allclose(out, weight @ (free * E), atol=1e-14)
    # whole ellipsoids: the move is -y D2 w / s, here with scales of its own
    w, over = rng.normal(size=3), rng.random(n)
    stiff, drift = np.zeros(3), np.zeros(3)
    pair = signed * over + bend * over, signed * over - bend * over
    axes_rows(M, D2, w, Scales(signed, *pair, weight, lag), P, Q, stiff, drift)
    moves = -over[:, None] * D2 * w
    everywhere = np.ones((n, 3))
    naive = newton_rows(M, moves, everywhere, signed, -bend)
    np.testing.assert_allclose(P, naive[0], atol=1e-14)
    np.testing.assert_allclose(Q, naive[1], atol=1e-14)
    np.testing.assert_allclose([stiff, drift], [weight @ D2, lag @ D2], atol=1e-14)


def test_no_dual_bound_is_above_the_optimum(rng):
    for problem in problems(rng, n=15, d=3):
        best = solve_margin(problem, "conic", tol=1e-8).objective
        for _ in range(20):
            alpha = rng.uniform(-0.2, 1.2, 15)
            move = problem.sets.offsets(rng.normal(size=(15, 3)), np.ones(15))[0]
            assert problem.dual(alpha, move if np.ndim(move) else None) <= best * (1 + 1e-7)
            w = rng.normal(size=3)
            assert problem.primal(w, rng.normal()) >= best * (1 - 1e-7)


def test_hostile_grid_leaves_nothing_uncertified():
    used = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for C in (1e-3, 0.1, 1.0, 1e3):
            for kappa in (0.0, 0.3, 3.0, 10.0, 100.0):
                for problem in problems(np.random.default_rng(3), 24, 12, kappa, C, apart=0.1):
                    solution = solve_margin(problem)
                    assert solution.gap <= 1e-6
                    used.add(solution.solver)
    assert "interior" in used


def test_zero_weights_are_certified():
    # sets so large that no direction separates them: w = 0 is the optimum, not a failure
    rng = np.random.default_rng(0)
    known, y = uncertain_problem(rng, 30, 4)
    problem = MarginProblem(Ellipsoid(known.mean, np.full((30, 4), 50.0)), y, np.ones(30))
    solution = solve_margin(problem)
    assert solution.gap <= 1e-6
    assert solution.objective == pytest.approx(30.0, rel=1e-6)


def test_a_box_inside_its_ellipsoid_is_a_box(rng):
    known, y = uncertain_problem(rng)
    box = Box(known.lower, known.upper)
    cut = Intersection(Ellipsoid(known.mean, np.full(known.mean.shape, 1e3)), box)
    simple = MarginProblem(cut, y, np.ones(len(y))).simplified().sets
    assert simple.axes is None
    w = rng.normal(size=3)
    np.testing.assert_allclose(simple.support(w), box.support(w))
    half = Intersection(
        Ellipsoid(known.mean, np.where(y[:, None] > 0, 1e3, 0.2) + 0 * box.center), box
    )
    part = MarginProblem(half, y, np.ones(len(y))).simplified().sets
    np.testing.assert_allclose(part.support(w), half.support(w))
    assert not part.axes[y > 0].any()


def test_an_open_certificate_warns():
    rng = np.random.default_rng(0)
    problem = problems(rng)[2]
    with pytest.warns(ConvergenceWarning, match="relative duality gap is .* above tol"):
        solution = solve_margin(problem, "interior", max_iter=2)
    assert solution.gap > 1e-6
    assert solve_margin(problem, "auto", max_iter=2).solver == "conic"


def test_points_give_the_support_vector_machine(rng):
    X = rng.normal(size=(80, 3))
    y = (X @ [1.0, -1.0, 0.5] + 0.5 * rng.normal(size=80) > 0).astype(int)
    ours = UncertainMarginClassifier(formulation="MM-M", C=2.0, tol=1e-9).fit(X, y)
    peer = SVC(kernel="linear", C=2.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    assert ours.solver_ == "interior"


def test_iterations_do_not_grow_with_the_examples():
    rng = np.random.default_rng(0)
    few, many = (solve_interior(problems(rng, n, 5)[2], tol=1e-6)[-1] for n in (100, 5000))
    assert many <= few + 12


@pytest.mark.parametrize("kind", ["ellipsoid", "union", "cut", "cut union", "box"])
def test_many_features_are_solved_by_rows(kind, monkeypatch):
    """The Newton system of the rows has the solution of the matrix."""
    rng = np.random.default_rng(0)
    n, d = 24, 130
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = rng.normal(size=(n, d)) + 1.5 / np.sqrt(d) * y[:, None]
    axes = 0.4 * rng.uniform(0.2, 1.8, (n, d))
    ellipsoid, box = Ellipsoid(X, axes), Box(X - 0.9 * axes, X + 1.1 * axes)
    union = MeanIntervalEllipsoid(X - 0.05 * axes, X + 0.04 * axes, axes)
    sets = {
        "ellipsoid": ellipsoid,
        "union": union,
        "cut": Intersection(ellipsoid, box),
        "cut union": Intersection(union, box),
        "box": Box(X - 0.1 * axes, X + 0.1 * axes),
    }[kind]
    problem = MarginProblem(sets, y, np.ones(n))
    by_rows = solve_margin(problem, "interior", tol=1e-6)
    monkeypatch.setattr(_geometry, "WIDE", 10**9)
    by_matrix = solve_margin(problem, "interior", tol=1e-6)
    assert max(by_rows.gap, by_matrix.gap) <= 1e-6
    assert by_rows.objective == pytest.approx(by_matrix.objective, rel=2e-6)
    np.testing.assert_allclose(by_rows.coef, by_matrix.coef, atol=2e-3)
