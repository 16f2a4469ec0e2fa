"""The adversary's best move: global, exact, along the priced direction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from naive import game as naive
from stakes.game import _drop, best_response
from stakes.game._drop_jit import gathered, shifted_logistic

LOSSES = ("logistic", "hinge")


def problem(rng, n=40, d=4):
    price = rng.uniform(0.02, 2.0, d)
    return rng.normal(size=d) * rng.choice([0.3, 1.0, 4.0]), rng.normal(), price


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("loss", LOSSES)
def test_beats_random_and_gradient_moves(rng, loss, kind):
    w, b, price = problem(rng)
    price[0] = np.inf
    X = rng.normal(size=(40, 4)) * (rng.random((40, 4)) < 0.6)
    v = rng.dirichlet(np.ones(40))
    given = sparse.csr_matrix(X) if kind == "csr" else X
    found = best_response(w, b, given, loss, price, v)
    assert found.payoff == pytest.approx(naive.payoff(found.shift, w, b, X, loss, price, v))
    assert found.payoff == pytest.approx(found.loss - found.paid)
    assert found.shift[0] == 0.0
    scale = np.abs(found.shift).max() + 1.0
    moves = rng.normal(size=(10_000, 4)) * scale * rng.choice([0.1, 1.0, 3.0], (10_000, 1))
    moves[:, 0] = 0.0
    f = (X @ w + b)[:, None] + (moves @ w)[None]
    losses = np.logaddexp(0.0, -f) if loss == "logistic" else np.maximum(0.0, 1.0 - f)
    assert (v @ losses - moves[:, 1:] ** 2 @ price[1:]).max() <= found.payoff + 1e-12
    args = (w, b, X, loss, price, v)
    for start in moves[:20]:
        rival = minimize(
            lambda a: -naive.payoff(a, *args),
            start,
            jac=lambda a: -naive.payoff_gradient(a, *args),
            method="L-BFGS-B",
        )
        assert -rival.fun <= found.payoff + 1e-10
    assert found.gain == pytest.approx(found.payoff - naive.payoff(np.zeros(4), *args))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 30),
    log_s2=st.floats(-3, 4),
    spread=st.sampled_from([0.0, 0.1, 1.0, 5.0, 30.0]),
    loss=st.sampled_from(LOSSES),
)
def test_drop_is_the_global_maximum(seed, n, log_s2, spread, loss):
    rng = np.random.default_rng(seed)
    f, v, s2 = spread * rng.normal(size=n), rng.dirichlet(np.ones(n)), 10.0**log_s2
    u, value = _drop.DROPS[loss](f, v, s2)
    grid = np.linspace(0.0, 0.51 * s2, 4001)[:, None]
    losses = np.logaddexp(0.0, grid - f) if loss == "logistic" else np.maximum(0.0, 1.0 - f + grid)
    values = losses @ v - grid[:, 0] ** 2 / s2
    assert values.max() <= value + 1e-10 * (1.0 + abs(value))
    at_u = np.logaddexp(0.0, u - f) if loss == "logistic" else np.maximum(0.0, 1.0 - f + u)
    assert at_u @ v - u * u / s2 == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_compiled_loss_of_shifted_scores(rng):
    f, v = 3.0 * rng.normal(size=30), rng.dirichlet(np.ones(30))
    for u in (0.0, 0.7, 5.0):
        ours, theirs = shifted_logistic(f, v, u), naive.shifted_logistic(f, v, u)
        np.testing.assert_allclose(ours[:2], theirs[:2], rtol=1e-7)
        assert ours[2] == pytest.approx(theirs[2], abs=1e-6)


def test_two_groups_make_the_problem_non_concave():
    """The thesis calls Eq. 7.9 concave; here it has two local maxima, and the farther one wins."""
    f, v, s2 = np.array([0.0] * 9 + [16.0] * 11), np.full(20, 0.05), 48.0
    u, value = _drop.logistic_drop(f, v, s2)
    grid = np.linspace(0.0, 26.0, 10_001)
    G = np.logaddexp(0.0, grid[:, None] - f) @ v - grid**2 / s2
    peaks = np.flatnonzero((G[1:-1] > G[:-2]) & (G[1:-1] > G[2:])) + 1
    assert len(peaks) == 2
    assert u == pytest.approx(grid[peaks[1]], abs=0.01)
    assert value >= G.max()


@pytest.mark.jit  # millions of losses
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("spread", [0.0, 0.5, 2.0, 40.0])
def test_many_scores_give_the_same_answer(rng, monkeypatch, loss, spread):
    """Cells of scores may not change the answer, also where two drops are almost as good."""
    f, v = spread * rng.normal(size=2000), rng.dirichlet(np.ones(2000))
    f[:900] += 6.0
    v[::7] = 0.0
    for s2 in (0.3, 9.0, 48.0, 400.0):
        exact = _drop.DROPS[loss](f, v, s2)
        with monkeypatch.context() as patch:
            patch.setattr(_drop, "_CELLS", 100)
            found = _drop.DROPS[loss](f, v, s2)
        assert found[1] == pytest.approx(exact[1], rel=1e-11)
        assert found[0] == pytest.approx(exact[0], rel=1e-5)


@pytest.mark.jit  # millions of losses
def test_a_near_tie_is_decided_by_all_scores(monkeypatch):
    """Two groups of scores: cells hide which of two drops is better, all scores show it."""
    rng = np.random.default_rng(0)
    # the last group lies about the nearer drop, where cells lower the loss most
    parts = [rng.normal(size=850), 16.0 + 3.0 * rng.random(1000), rng.uniform(9.5, 12.0, 150)]
    spread = np.concatenate(parts)
    v = np.full(2000, 1 / 2000)

    low, high = 40.0, 60.0
    for _ in range(25):  # to the price at which both drops are equally good
        middle = 0.5 * (low + high)
        near = _drop.logistic_drop(spread, v, middle)[0] < 15.0
        low, high = (middle, high) if near else (low, middle)
    for s2 in low * (1.0 + np.linspace(-2e-4, 2e-4, 21)):
        exact = _drop.logistic_drop(spread, v, s2)
        with monkeypatch.context() as patch:
            patch.setattr(_drop, "_CELLS", 12)
            found = _drop.logistic_drop(spread, v, s2)
        assert found[1] == pytest.approx(exact[1], rel=1e-11)
        assert found[0] == pytest.approx(exact[0], rel=1e-6)


def test_cells_of_scores(rng):
    f, v = rng.normal(size=300), rng.random(300)
    cell, weight, total, low, width = gathered(f, v, 20)
    assert (low, width) == (f.min(), pytest.approx(np.ptp(f) / 19))
    edges = low + width * np.arange(21)
    np.testing.assert_array_equal(cell, np.digitize(f, edges) - 1)
    np.testing.assert_allclose(weight, np.histogram(f, edges, weights=v)[0])
    np.testing.assert_allclose(total, np.histogram(f, edges, weights=v * f)[0])
    assert gathered(np.ones(5), np.ones(5), 4)[1].tolist() == [5.0, 0.0, 0.0, 0.0]


def test_edge_cases():
    X = np.ones((3, 2))
    still = best_response([1.0, 2.0], 0.0, X, movement_price=np.inf)
    assert still.shift.tolist() == [0.0, 0.0]
    assert still.gain == 0.0
    assert best_response([0.0, 0.0], 1.0, X).shift.tolist() == [0.0, 0.0]
    assert best_response([1.0, 2.0], 0.0, X[:0]).payoff == 0.0
    masked = best_response([1.0, 2.0], 0.0, X, "hinge", movable=[True, False])
    assert masked.shift[1] == 0.0


def test_bad_input_ends_in_a_sentence():
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match="a free move is unbounded"):
        best_response([1.0, 2.0], 0.0, X, movement_price=0.0)
    with pytest.raises(ValueError, match="one value for each of the 2 features"):
        best_response([1.0, 2.0], 0.0, X, movement_price=[1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="must be a mask"):
        best_response([1.0, 2.0], 0.0, X, movable=[0, 1])
    with pytest.raises(ValueError, match="one column for each"):
        best_response([1.0, 2.0, 3.0], 0.0, X)
    with pytest.raises(ValueError, match="loss must be one of"):
        best_response([1.0, 2.0], 0.0, X, loss="squared")
