"""Both solvers against a conic solver, and their certificates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVR

import stakes.svm._dual as dual_module
from naive import svm as naive
from stakes.svm._dual import solve_dual
from stakes.svm._dual_jit import LANES, add_rows, gather, smo
from stakes.svm._gram import Gram
from stakes.svm._interior import solve_linear


def problem(rng, n=40, d=3, separable=False):
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.4, 1.0, -1.0)
    if separable:
        X[:, 0] += 2.0 * y
    else:
        y[rng.random(n) < 0.15] *= -1
    return X, y


def formulations(rng, y):
    """Penalty and margin per example of CI, BP, CS, and both example-dependent forms."""
    n, P = len(y), y > 0
    c = rng.uniform(1.0, 4.0, n)
    return {
        "CI": (np.full(n, 1.0), np.ones(n)),
        "BP": (np.where(P, 5.0, 1.0), np.ones(n)),
        "CS": (np.where(P, 5.0, 1 / 0.25), np.where(P, 1.0, 0.25)),
        "ED-BP": (c, np.ones(n)),
        "ED-CS": (np.where(P, c, 2 * c - 1), np.where(P, 1.0, 1 / (2 * c - 1))),
    }


@pytest.mark.parametrize("separable", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_primal_and_dual_agree_with_a_conic_solver(rng, kernel, separable):
    X, y = problem(rng, separable=separable)
    K = naive.kernel(X, kernel)
    np.testing.assert_allclose(Gram(X, kernel, gamma=0.5).full(), K, atol=1e-12)
    for name, (weight, margin) in formulations(rng, y).items():
        found = solve_dual(Gram(X, kernel, gamma=0.5), y, weight, margin, tol=1e-8)
        value, Kb, b = naive.primal(K, y, weight, margin)
        best, _ = naive.dual(K, y, weight, margin)
        assert found.primal == pytest.approx(value, rel=1e-6), name
        assert found.dual == pytest.approx(best, rel=1e-6), name
        assert found.kkt_residual <= 1e-8
        assert abs(found.gap) <= 1e-6
        if ((found.beta * y > 1e-6) & (found.beta * y < weight - 1e-6)).any():
            np.testing.assert_allclose(found.margins, Kb + b, atol=2e-4)
        if kernel == "linear":
            linear = solve_linear(X, y, weight, margin, tol=1e-8)
            assert linear.primal == pytest.approx(value, rel=1e-6), name
            assert linear.dual == pytest.approx(best, rel=1e-6), name
            assert 0 <= linear.gap + 1e-12 <= 1e-8 + 1e-12


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_blocks_give_what_the_whole_matrix_gives(rng, kernel, monkeypatch):
    X, y = problem(rng, n=40 if kernel == "poly" else 100)
    weight, margin = formulations(rng, y)["ED-CS"]
    gram = Gram(X, kernel, gamma=0.5, coef0=1.0)
    np.testing.assert_allclose(gram.full(), naive.kernel(X, kernel), rtol=1e-10)
    whole = solve_dual(gram, y, weight, margin, tol=1e-7)
    monkeypatch.setattr(dual_module, "SMALL", 10)
    monkeypatch.setattr(dual_module, "BLOCK", 16)
    monkeypatch.setattr(dual_module, "WARM", 10)
    blocks = solve_dual(gram, y, weight, margin, tol=1e-7, cache_mib=0)  # rows fall out of the pool
    assert blocks.kkt_residual <= 1e-7
    assert blocks.primal == pytest.approx(whole.primal, rel=1e-6)
    assert blocks.dual == pytest.approx(whole.dual, rel=1e-6)


def test_oracle_with_one_margin_per_example(rng):
    """An epsilon-SVR with far targets and an equally wide tube is an SVM with margins p_i."""
    X, y = problem(rng, n=60)
    weight, margin = formulations(rng, y)["ED-CS"]
    far = 100.0
    oracle = SVR(kernel="rbf", gamma=0.5, epsilon=far, C=1.0, tol=1e-8)
    oracle.fit(X, y * (margin + far), sample_weight=weight)
    found = solve_dual(Gram(X, "rbf", gamma=0.5), y, weight, margin, tol=1e-8)
    np.testing.assert_allclose(found.margins, oracle.predict(X), atol=1e-4)


def test_sparse_rows_give_what_dense_rows_give(rng):
    X, y = problem(rng)
    X[np.abs(X) < 0.5] = 0.0
    weight, margin = formulations(rng, y)["ED-CS"]
    for kernel in ("linear", "rbf", "poly"):
        np.testing.assert_allclose(
            Gram(sparse.csr_array(X), kernel, gamma=0.5, coef0=1.0).full(),
            Gram(X, kernel, gamma=0.5, coef0=1.0).full(),
            rtol=1e-10,
        )
    dense, thin = (solve_linear(A, y, weight, margin) for A in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(dense.w, thin.w, atol=1e-8)


def test_stopping_early_warns(rng):
    X, y = problem(rng)
    with pytest.warns(ConvergenceWarning, match="KKT residual of"):
        solve_dual(Gram(X, "rbf"), y, np.ones(40), np.ones(40), max_iter=2)
    with pytest.warns(ConvergenceWarning, match="relative duality gap of"):
        solve_linear(X, y, np.ones(40), np.ones(40), max_iter=2)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    scale=st.floats(1e-3, 1e3),
    least=st.floats(0.05, 1.0),
)
def test_the_dual_bounds_the_primal_and_is_feasible(seed, scale, least):
    """For any penalties and margins: weak duality, the box, the equality, and homogeneity."""
    rng = np.random.default_rng(seed)
    X, y = problem(rng, n=16)
    if len(np.unique(y)) < 2:
        return
    weight, margin = scale * rng.uniform(0.1, 5.0, 16), rng.uniform(least, 1.0, 16)
    found = solve_dual(Gram(X, "rbf", gamma=0.5), y, weight, margin, tol=1e-7)
    assert found.dual <= found.primal * (1 + 1e-9)
    assert abs(found.beta.sum()) <= 1e-9 * np.abs(found.beta).sum()
    assert (found.beta * y >= 0).all()
    assert (found.beta * y <= weight * (1 + 1e-12)).all()
    # margins and penalties times two: the solution times two
    twice = solve_dual(Gram(X, "rbf", gamma=0.5), y, 2 * weight, 2 * margin, tol=1e-7)
    assert twice.dual == pytest.approx(4 * found.dual, rel=1e-5)


def test_pooled_rows(rng):
    """The two loops over the pool are sums and cuts of the kernel matrix."""
    A, owner = rng.normal(size=(30, 4)).astype(np.float32), rng.permutation(30)[:9]
    K = np.tril(A @ A.T) + np.tril(A @ A.T, -1).T  # symmetric to the last bit
    pool, slots = K[owner], rng.permutation(9)[:5]
    change, F = rng.normal(size=5) * [1, 0, 1, 1, 0], rng.normal(size=30)
    want = F + change @ pool[slots].astype(np.float64)
    add_rows(F, pool, slots, change)
    np.testing.assert_allclose(F, want, rtol=1e-12)
    block = owner[slots]
    np.testing.assert_array_equal(gather(pool, slots, block), K[np.ix_(block, block)])


def test_a_pool_never_replaces_rows_of_the_block_that_it_is_asked_for(rng):
    gram = Gram(rng.normal(size=(60, 3)))
    pool = dual_module.Pool(gram, 0, 16)  # 32 slots
    K, block = gram.full(), np.arange(12)
    for size in [12, 12, 9, 3, 7, 1, 12, 5, 2] * 5:
        fresh = rng.permutation(np.setdiff1d(np.arange(60), block))[:size]
        block = np.concatenate([block[-(16 - size) :], fresh])[-16:]
        slots = pool.slots(block)
        np.testing.assert_allclose(pool.rows[slots], K[block], atol=1e-12)


def test_rows_that_cannot_move_are_left_out_and_taken_up_again(rng, monkeypatch):
    """Shrinking on a noisy problem with few free rows ends where no shrinking ends."""
    X, y = problem(rng, n=150)
    weight = np.full(150, 0.05)
    monkeypatch.setattr(dual_module, "SMALL", 10)
    monkeypatch.setattr(dual_module, "BLOCK", 16)
    monkeypatch.setattr(dual_module, "WARM", 10)
    narrowed = []
    narrow = dual_module.Pool.narrow
    monkeypatch.setattr(
        dual_module.Pool, "narrow", lambda *a: narrowed.append(len(a[1])) or narrow(*a)
    )
    gram = Gram(X, "rbf", gamma=0.5)
    found = solve_dual(gram, y, weight, np.ones(150), tol=1e-4)
    assert narrowed
    assert found.kkt_residual <= 1e-4
    monkeypatch.setattr(dual_module, "SMALL", 200)
    whole = solve_dual(gram, y, weight, np.ones(150), tol=1e-7)
    assert found.primal == pytest.approx(whole.primal, rel=1e-4)


@pytest.mark.parametrize("n", [2, 3])
def test_few_examples_and_a_constant_column(n):
    X = np.column_stack([np.arange(n, dtype=float), np.ones(n)])
    y = np.where(np.arange(n) > 0, 1.0, -1.0)
    found = solve_dual(Gram(X, "linear"), y, np.full(n, 10.0), np.ones(n), tol=1e-8)
    linear = solve_linear(X, y, np.full(n, 10.0), np.ones(n))
    np.testing.assert_allclose(found.margins, X @ linear.w + linear.b, atol=1e-4)
    np.testing.assert_allclose(found.margins[:2], [-1, 1], atol=1e-6)


def test_examples_that_repeat(rng):
    X, y = problem(rng, n=20)
    once = solve_dual(Gram(X, "rbf"), y, np.full(20, 2.0), np.ones(20), tol=1e-8)
    twice = solve_dual(
        Gram(np.vstack([X, X]), "rbf"), np.tile(y, 2), np.ones(40), np.ones(40), tol=1e-8
    )
    assert once.primal == pytest.approx(twice.primal, rel=1e-7)


@pytest.mark.parametrize("n", [2, LANES - 1, LANES, LANES + 1, 3 * LANES + 5])
@pytest.mark.parametrize("seed", range(5))
def test_pairwise_steps_are_those_of_the_naive_version(n, seed):
    """Steps, multipliers and gradient; the rows of the matrix are stored in any order."""
    rng = np.random.default_rng(seed)
    X, y = problem(rng, n)
    y[:2] = -1, 1
    weight = rng.uniform(0.1, 2.0, n)
    if seed == 0:
        X, weight = np.round(X), np.ones(n)  # ties and equal rows
    K = naive.kernel(X, "rbf")
    target = y * (np.ones(n) if seed == 0 else rng.uniform(0.5, 1.5, n))
    lower, upper = np.minimum(y * weight, 0.0), np.maximum(y * weight, 0.0)
    at = rng.permutation(n)
    stored = np.empty_like(K)
    stored[at] = K
    for most in (0, 1, 7, 10_000):
        beta, F = np.zeros(n), -target
        steps, left = smo(stored, at, F, beta, lower, upper, 1e-6, most)
        want, made = naive.smo(K, target, np.zeros(n), lower, upper, 1e-6, most)
        np.testing.assert_allclose(F, K @ beta - target, atol=1e-9)
        if seed and most <= 7:  # among ties, and after many steps, rounding decides
            assert steps == made
            np.testing.assert_allclose(beta, want, atol=1e-7)
    objective = [0.5 * b @ K @ b - target @ b for b in (beta, want)]
    assert objective[0] == pytest.approx(objective[1], abs=1e-5)
    assert left <= 1e-6


def test_the_warm_start_is_balanced(monkeypatch):
    """The multipliers that it starts from return the scores that they were made from."""
    X, y = problem(np.random.default_rng(0), n=3000, d=10)
    start = {}
    for corrections in (1, 6):
        monkeypatch.setattr(dual_module, "CORRECTIONS", corrections)
        gram, upper = Gram(X, "rbf", gamma=0.1), np.maximum(y, 0.0)
        beta, pool = np.zeros(3000), dual_module.Pool(gram, 200, 384)
        _, near = dual_module._warm_start(pool, y, beta, upper - 1.0, upper)
        F = gram.times(beta) - y
        start[corrections] = np.ptp(F[near]), abs(beta.sum())
        assert len(near) == 900
    assert start[6][0] < 0.5 * start[1][0]
    assert start[6][1] < 0.05 * start[1][1]


@pytest.mark.jit
@pytest.mark.filterwarnings("error")
def test_float32_rows_whose_rounding_hinders_the_descent():
    """A linear kernel has few free rows and large sums of bounded ones."""
    X, y = make_classification(
        10_000, 20, n_informative=10, n_redundant=4, flip_y=0.1, class_sep=0.8, random_state=0
    )
    y = np.where(y > 0, 1.0, -1.0)
    weight, margin = np.where(y > 0, 12.0, 3.0), np.where(y > 0, 1.0, 0.5)
    gram = Gram(X / X.std(axis=0), "linear")
    found = solve_dual(gram, y, weight, margin, max_iter=2_000_000)
    assert found.kkt_residual <= 1e-3


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 8])
def test_whole_powers(rng, degree):
    X = rng.normal(size=(20, 3))
    K = Gram(X, "poly", gamma=0.5, coef0=1.0, degree=degree).full()
    np.testing.assert_allclose(K, (0.5 * X @ X.T + 1.0) ** degree, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_some_entries_of_a_product(rng, kernel):
    gram, c, rows = Gram(rng.normal(size=(30, 3)), kernel), rng.normal(size=30), [3, 1, 17]
    np.testing.assert_allclose(gram.times(c, rows), (gram.full() @ c)[rows], rtol=1e-10)
