"""Stackelberg games whose payoffs are functions, against formulas and the Gaussian game."""

import numpy as np
import pytest

from stakes.game import GaussianShiftGame, InfiniteGame


@pytest.mark.parametrize(("demand", "cost"), [(12.0, 2.0), (7.0, 0.5)])
def test_two_firms(demand, cost):
    """Stackelberg's duopoly: the leader makes (a - c) / 2, the follower half of that."""

    def profit(mine, other):
        return mine[0] * (demand - mine[0] - other[0] - cost)

    bounds = [(0.0, demand)]
    game = InfiniteGame(profit, lambda u, w: profit(w, u), bounds, bounds)
    found = game.solve()
    assert found.leader_action[0] == pytest.approx((demand - cost) / 2, abs=1e-4)
    assert found.follower_action[0] == pytest.approx((demand - cost) / 4, abs=1e-4)
    assert found.leader_payoff == pytest.approx((demand - cost) ** 2 / 8, abs=1e-6)
    assert game.regret(found, n=50) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_the_gaussian_game_of_chapter_6():
    game = GaussianShiftGame([1.0], [2.0], [10.0], [2.0], divergence_price=0.1, boundary_price=0.1)
    exact = game.solve()
    same = InfiniteGame(
        lambda u, w: game.payoffs(u, 0.0, w).leader_payoff,
        lambda u, w: game.payoffs(u, 0.0, w).follower_payoff,
        [(0.0, 9.0)],
        [(5.5, 10.0)],  # from the boundary without an adversary to the other mean
    )
    reply = same.reply(exact.mean_shift)
    np.testing.assert_allclose(reply, exact.boundary, atol=1e-4)
    assert same._gain(exact.mean_shift) == pytest.approx(exact.leader_payoff, abs=1e-7)


def test_ties_go_against_the_leader_unless_asked():
    """The follower does not care; the leader gets w, or minus its distance to 0.3."""

    def game(ties):
        return InfiniteGame(
            lambda u, w: float(w[0]) - (u[0] - 0.3) ** 2,
            lambda u, w: np.cos(4 * np.pi * w[0]),  # best replies 0, 0.5 and 1
            [(0.0, 1.0)],
            [(0.0, 1.0)],
            ties=ties,
        )

    worst, best = game("worst").solve(), game("best").solve()
    assert worst.follower_action[0] == pytest.approx(0.0, abs=1e-5)
    assert best.follower_action[0] == pytest.approx(1.0, abs=1e-5)
    assert worst.leader_action[0] == pytest.approx(0.3, abs=1e-4)


def test_actions_of_several_numbers():
    target = np.array([0.2, -0.4])
    game = InfiniteGame(
        lambda u, w: -float(((u - target) ** 2).sum() + 0.5 * (w**2).sum()),
        lambda u, w: -float(((w - 0.5 * u) ** 2).sum()),
        [(-1, 1)] * 2,
        [(-1, 1)] * 2,
    )
    np.testing.assert_allclose(game.reply([0.4, 0.2]), [0.2, 0.1], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(leader_bounds=[0, 1]), "leader_bounds must be a list"),
        (dict(follower_bounds=[(1, 0)]), "the lower bound first"),
        (dict(ties="any"), "ties must be"),
    ],
)
def test_what_makes_no_game(change, words):
    given = dict(leader_bounds=[(0, 1)], follower_bounds=[(0, 1)]) | change
    with pytest.raises(ValueError, match=words):
        InfiniteGame(lambda u, w: 0.0, lambda u, w: 0.0, **given)


def test_payoffs_must_be_finite():
    game = InfiniteGame(lambda u, w: 0.0, lambda u, w: np.inf, [(0, 1)], [(0, 1)])
    with pytest.raises(ValueError, match="payoffs must be finite"):
        game.solve()
