"""Finite games: the thesis's examples and small games with known answers."""

import numpy as np
import pytest

from stakes.game import Decision, FiniteGame, matching_pennies, spammer_game
from stakes.game._nash import extreme_equilibria


def test_the_spammer_game_of_section_2_3_3():
    game = spammer_game()
    found = game.rollback()
    assert found.path == ("status quo", "status quo")
    assert found.payoffs == (3, 4)
    # Figure 2.1 b cuts two leaves, Figure 2.1 c the upper branch
    assert found.pruned == [("attack", "status quo"), ("status quo", "retrain"), ("attack",)]
    assert found.tied == []
    assert found.plans["data miner"] == {("attack",): "retrain", ("status quo",): "status quo"}
    names = [tuple(plan.values()) for plan in game.plans("data miner")]
    assert sorted(names) == sorted((a, b) for a in ACTIONS for b in ACTIONS)
    assert len(game.plans("spammer")) == 2


ACTIONS = ("retrain", "status quo")


def test_rollback_is_a_nash_equilibrium_but_not_the_only_one():
    game = spammer_game()
    plans, payoffs = game.normal_form()
    assert payoffs.shape == (2, 2, 4)
    pure = [found for found in game.nash() if found.pure]
    outcomes = {
        tuple(
            tuple(own[int(s.argmax())].values()) for own, s in zip(plans, e.strategies, strict=True)
        )
        for e in pure
    }
    assert (("status quo",), ("retrain", "status quo")) in outcomes
    for found in game.nash():
        x, y = found.strategies
        assert (payoffs[0] @ y).max() <= x @ payoffs[0] @ y + 1e-9
        assert (x @ payoffs[1]).max() <= x @ payoffs[1] @ y + 1e-9


def test_matching_pennies_has_one_mixed_equilibrium():
    game = matching_pennies()
    (found,) = game.nash()
    np.testing.assert_allclose(found.strategies, [[0.5, 0.5], [0.5, 0.5]])
    assert found.payoffs == pytest.approx((0.0, 0.0))
    assert not found.pure
    _, payoffs = game.normal_form()
    np.testing.assert_array_equal(payoffs.sum(axis=0), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="hidden moves"):
        game.rollback()


def test_equilibria_of_random_games(rng):
    """Each one found is an equilibrium, and their number is odd, as in almost all games."""
    A, B = rng.normal(size=(2, 3, 4))
    found = extreme_equilibria(A, B)
    assert len(found) % 2 == 1
    for nash in found:
        x, y = nash.strategies
        assert (A @ y).max() <= x @ A @ y + 1e-9
        assert (x @ B).max() <= x @ B @ y + 1e-9


def test_a_degenerate_game_is_listed_by_its_corners():
    found = extreme_equilibria(np.ones((2, 2)), np.ones((2, 2)))
    corners = [(int(x.argmax()), int(y.argmax())) for x, y in (nash.strategies for nash in found)]
    assert sorted(corners) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert all(nash.pure and nash.payoffs == (1.0, 1.0) for nash in found)


def test_three_players_and_ties():
    last = Decision("c", {"l": (0, 0, 1), "r": (1, 1, 1)})
    game = FiniteGame(
        Decision("a", {"in": Decision("b", {"go": last, "no": (2, 1, 0)}), "out": (1, 0, 0)}), "abc"
    )
    found = game.rollback()
    assert found.tied == [("in", "go")]
    assert found.path == ("in", "no")
    # what the three choose first, and what they get; worked out by hand, move by move
    chosen = {tuple(int(s.argmax()) for s in nash.strategies): nash.payoffs for nash in game.nash()}
    assert chosen == {
        (0, 0, 1): (1.0, 1.0, 1.0),
        (0, 1, 0): (2.0, 1.0, 0.0),
        (0, 1, 1): (2.0, 1.0, 0.0),
        (1, 0, 0): (1.0, 0.0, 0.0),
        (1, 0, 1): (1.0, 0.0, 0.0),
    }
    assert all(nash.pure for nash in game.nash())


def test_drawing_shows_what_was_cut():
    ax = spammer_game().draw()
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(ax.lines) == 6
    # the two leaves, the attack branch and the kept leaf behind it
    assert len(dashed) == 4
    assert any(text.get_text() == "3, 4" for text in ax.texts)
    assert "[cut]" not in str(matching_pennies())


def test_bad_trees_end_in_a_sentence():
    with pytest.raises(ValueError, match="is not in players"):
        FiniteGame(Decision("c", {"x": (1, 2)}), ("a", "b"))
    with pytest.raises(ValueError, match="must end in 2 payoffs"):
        FiniteGame(Decision("a", {"x": (1, 2, 3)}), ("a", "b"))
    with pytest.raises(ValueError, match="has no action"):
        FiniteGame(Decision("a", {}), ("a", "b"))
    both = {"x": Decision("b", {"y": (1, 2)}, "s"), "z": Decision("a", {"y": (1, 2)}, "s")}
    with pytest.raises(ValueError, match="belongs to two players"):
        FiniteGame(Decision("a", both), ("a", "b"))
    with pytest.raises(ValueError, match="too large"):
        extreme_equilibria(np.ones((12, 12)), np.ones((12, 12)))


@pytest.mark.parametrize("seed", range(5))
def test_commitment_beats_every_mixture_of_a_grid(seed):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(2, 3, 3)).round(1)
    game = FiniteGame.from_matrices(A, B, ["leader", "follower"], list("abc"), list("xyz"))
    found = game.commitment()
    x, reply = found.strategies
    assert x.sum() == pytest.approx(1.0)
    assert x @ B @ reply == pytest.approx((x @ B).max(), abs=1e-7)  # a best reply
    grid = [(i, j, 40 - i - j) for i in range(41) for j in range(41 - i)]
    for mixture in np.array(grid) / 40.0:
        payoff = mixture @ B
        best = np.flatnonzero(payoff >= payoff.max() - 1e-12)
        assert (mixture @ A)[best].max() <= found.payoffs[0] + 1e-7
    # never worse than any Nash equilibrium
    assert found.payoffs[0] >= max(nash.payoffs[0] for nash in game.nash()) - 1e-7
    other = FiniteGame.from_matrices(B.T, A.T, ["follower", "leader"], list("xyz"), list("abc"))
    assert other.commitment("leader").payoffs[1] == pytest.approx(found.payoffs[0])
    with pytest.raises(ValueError, match="not one of the players"):
        game.commitment("nobody")
