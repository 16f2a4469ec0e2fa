"""Theorems 4 to 6 on finished runs."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from naive.online_kernel import gram
from stakes.online_kernel import CSDUOLClassifier, DUOLClassifier
from stakes.online_kernel._bounds_jit import dual_ascent


def stream(rng, n=150):
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.normal(size=n) > 1.2).astype(int)
    return X, y


def test_best_in_hindsight_is_the_optimum(rng):
    X, y = stream(rng, 25)
    y, K = np.where(y == 1, 1.0, -1.0), gram(X, "rbf", 0.5)
    theta, C, Q = rng.uniform(0.5, 3, 25), rng.uniform(0.2, 3, 25), K * np.outer(y, y)
    _, primal, gap = dual_ascent(K, y, theta, C, 2000, 1e-10)
    box = minimize(
        lambda g: 0.5 * g @ Q @ g - g @ theta,
        np.ones(25),
        jac=lambda g: Q @ g - theta,
        bounds=[(0, high) for high in C],
        method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10},
    )
    assert primal == pytest.approx(-box.fun, rel=1e-6) and 0 <= gap <= 1e-9 * primal


@pytest.mark.parametrize("rho", [0.0, 0.4])
def test_promises_are_kept(rng, rho):
    X, y = stream(rng)
    for learner in (
        CSDUOLClassifier(fn_cost=5.0, gamma=0.5, rho=rho),
        CSDUOLClassifier(cost_rule="balanced", class_ratio="oracle", gamma=0.5, rho=rho),
        DUOLClassifier(gamma=0.5, rho=rho),
    ):
        learner.fit(X, y)
        report = learner.bound_report(X, y)
        assert report.applies, report.doubts
        assert report.mistakes <= report.mistakes_bound
        assert report.cost <= report.mistakes
        # the dual value reached lies below the optimum, and covers the promised gains
        assert learner.dual_objective_ <= report.optimum
        assert 2 * learner.dual_objective_ >= report.mistakes
        if learner.get_params().get("cost_rule") == "balanced":
            said = 2 * learner.n_mistakes_ / [(y == 0).sum(), (y == 1).sum()]
            assert report.balanced == pytest.approx(1 - said.sum() / 4)
            assert report.balanced >= report.balanced_bound


def test_theorem_3_lacks_a_square_and_theorem_2_means_theta():
    """The least gain of a double update, over a grid: f = 0, unit kernels, cosine -rho."""
    rho, step = 0.5, np.linspace(0, 8, 801)[:, None]

    def gain(gamma_a, d_b, theta_a, theta_b):
        return gamma_a * theta_a + d_b * theta_b - (gamma_a**2 + d_b**2) / 2 + rho * gamma_a * d_b

    for theta_a in (0.5, 3.0):  # theta_b - y_b f(x_b) = 0: the weak update of Theorem 3
        best = gain(step, step.T, theta_a, 0.0).max()
        assert best == pytest.approx(theta_a**2 / (2 * (1 - rho**2)), rel=1e-4)
        assert (best < theta_a / (2 * (1 - rho**2))) == (theta_a < 1)  # as printed: no bound
    bound = 3.0**2 / 2 + (1.0 + rho * 3.0) * step - step**2 / 2
    np.testing.assert_allclose(gain(3.0, step, 3.0, 1.0), bound)  # gamma_a = theta_a
    assert (gain(1.0, step, 3.0, 1.0) < bound).all()  # gamma_a = 1, as printed


def test_counts_by_hand():
    X, y = np.array([[0.0], [0.1], [3.0]]), np.array([1, 0, 1])
    learner = CSDUOLClassifier(fn_cost=2.0, gamma=1.0).fit(X, y)
    report = learner.bound_report(X, y)
    # a positive at f = 0, then a negative that is called positive; the third is called negative
    assert report.mistakes == 2.0**2 + 1 + (4.0 if learner.n_mistakes_[1] == 2 else 0.0)
    assert report.n_strong + report.n_weak <= learner.n_mistakes_.sum()
    assert "bound <=" in str(report)


@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")  # a toy problem
def test_what_is_not_covered_is_said():
    X, y = stream(np.random.default_rng(0))
    steep = CSDUOLClassifier(fn_cost=19.0, scale_C=False, gamma=0.5).fit(X, y)
    assert "weight, 10, is smaller than the margin theta, 19" in str(steep.bound_report(X, y))
    assert CSDUOLClassifier(fn_cost=19.0, gamma=0.5).fit(X, y).bound_report(X, y).applies
    timid = CSDUOLClassifier(fn_cost=19.0, C=0.5, gamma=0.5).fit(X, y).bound_report(X, y)
    assert any("is smaller than the margin" in doubt for doubt in timid.doubts)
    apart = DUOLClassifier(rho=1.0, gamma=0.5).fit(X, y).bound_report(X, y)
    assert any("rho = 1" in doubt for doubt in apart.doubts)
    fading = DUOLClassifier(half_life=50, gamma=0.5).fit(X, y).bound_report(X, y)
    assert any("forgotten" in doubt for doubt in fading.doubts)
    small = CSDUOLClassifier(gamma=0.5, max_support_vectors=5).fit(X, y).bound_report(X, y)
    assert any("removed" in doubt for doubt in small.doubts)
    poly = DUOLClassifier(kernel="poly").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="raise max_sweeps"):
        report = poly.bound_report(X, y, max_sweeps=1, tol=1e-12)
    assert any("exceeds one" in doubt for doubt in report.doubts)
    with pytest.raises(ValueError, match="all 150 of them"):
        poly.bound_report(X[:10], y[:10])


@pytest.mark.jit
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale_C", [True, False])
@pytest.mark.parametrize("ratio", [1.0, 8.0, "oracle", None])
@pytest.mark.parametrize("positive_weight", [0.2, 0.5, 0.9])
def test_the_bound_on_the_weighted_sum_holds_for_any_class_ratio(scale_C, ratio, positive_weight):
    """Theorem 5 needs theta^2 >= eta_p T_n / (eta_n T_p), which a class ratio may violate."""
    rng = np.random.default_rng(0)
    for positives in (10, 150):
        X = rng.normal(size=(300, 2))
        y = np.zeros(300, dtype=int)
        y[rng.permutation(300)[:positives]] = 1  # pure noise: the sum is about one half
        learner = CSDUOLClassifier(
            cost_rule="balanced",
            class_ratio=ratio,
            positive_weight=positive_weight,
            scale_C=scale_C,
            C=1.0,
            gamma=0.5,
        ).fit(X, y)
        report = learner.bound_report(X, y, max_sweeps=20)
        assert report.applies or not scale_C
        if report.applies:
            assert report.balanced_bound <= report.balanced
            assert report.cost <= report.cost_bound


def test_the_weighted_sum_is_bounded_only_where_it_is_the_aim():
    X, y = stream(np.random.default_rng(1))
    run = CSDUOLClassifier(fn_cost=3.0, class_ratio=1.0, gamma=0.5).fit(X, y)
    assert run.bound_report(X, y).balanced is None


def test_bounds_of_another_run_are_refused():
    X, y = stream(np.random.default_rng(2))
    weight = np.where(y == 1, 2.0, 1.0)
    run = CSDUOLClassifier(gamma=0.5).fit(X, y, fn_cost=4.0, sample_weight=weight)
    report = run.bound_report(X, y, fn_cost=4.0, sample_weight=weight)
    assert report.applies and report.mistakes <= report.mistakes_bound
    with pytest.raises(ValueError, match="not in classes"):
        run.bound_report(X, np.where(y == 1, 1, -1), fn_cost=4.0, sample_weight=weight)
    for wrong in (dict(fn_cost=4.0), dict(fn_cost=5.0, sample_weight=weight)):
        with pytest.raises(ValueError, match="of the run, in the same order"):
            run.bound_report(X, y, **wrong)
    with pytest.raises(ValueError, match="of the run, in the same order"):
        run.bound_report(X, 1 - y, fn_cost=4.0, sample_weight=weight)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_strong_set_of_theorem_4_is_that_of_the_vector_that_algorithm_1_takes():
    """Theorem 4 asks for any vector that fits; Algorithm 1 takes the one in largest conflict.

    A vector b that conflicts most but is classified well, next to a misclassified one that
    conflicts less: by the theorem a strong update, by the algorithm a weak one.
    """
    rng, told_apart = np.random.default_rng(0), 0
    for _ in range(200):
        X = rng.normal(size=(14, 2))
        y = rng.integers(0, 2, 14)
        if len(set(y[:13])) < 2:
            continue
        run = DUOLClassifier(gamma=0.5, C=1e6).partial_fit(X[:13], y[:13], [0, 1])
        store, sign = run._store, 1.0 if y[13] else -1.0
        f = store.signs * run.decision_function(X[run.support_])
        conflict = (
            store.signs * sign * gram(np.vstack([X[run.support_], X[13:]]), "rbf", 0.5)[-1, :-1]
        )
        mistake = sign * run.decision_function(X[13:])[0] <= 0
        exists = mistake and bool(np.any((f <= 0) & (conflict <= 0)))
        before = run.bound_report(X[:13], y[:13], max_sweeps=1).n_strong
        run.partial_fit(X[13:], y[13:])
        strong = run.bound_report(X, y, max_sweeps=1).n_strong - before
        assert strong <= exists
        told_apart += exists and not strong
    assert told_apart > 0


def test_rho_of_one_is_in_theorem_4_and_divides_by_zero():
    rho, theta = np.array([0.9, 0.99, 0.999]), 1.0
    gain = (theta * rho) ** 2 / (1 - rho**2)  # of a weak update, as printed; rho may be one there
    assert (np.diff(gain) > 0).all() and gain[-1] > 400
    X, y = stream(np.random.default_rng(3))
    run = DUOLClassifier(gamma=0.5, rho=1.0).fit(X, y)
    assert "rho = 1" in str(run.bound_report(X, y))
