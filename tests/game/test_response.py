"""The adversary's best move: global, exact, along the priced direction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from naive import game as naive
from stakes.game import _drop, best_response
from stakes.game._drop_jit import shifted_logistic

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


def test_gathered_scores_give_the_same_answer(monkeypatch):
    rng = np.random.default_rng(0)
    f, v = 2.0 * rng.normal(size=5000), rng.dirichlet(np.ones(5000))
    exact = _drop.logistic_drop(f, v, 9.0)
    monkeypatch.setattr(_drop, "_CELLS", 500)
    np.testing.assert_allclose(_drop.logistic_drop(f, v, 9.0), exact, rtol=1e-6)


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
