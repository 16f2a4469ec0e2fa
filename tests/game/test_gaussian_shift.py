"""The game of Chapter 6: its table, its divergences, exact against genetic, the duopoly."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from stakes.game import GaussianShiftGame, kl_divergence, thesis_divergence
from stakes.game._genetic import genetic
from stakes.game._search import line_maxima
from stakes.reproduce._printed import printed as printed_numbers


def synthetic(alpha, beta, **options):
    return GaussianShiftGame(
        [1.0], [2.0], [10.0], [2.0], divergence_price=alpha, boundary_price=beta, **options
    )


@pytest.mark.parametrize(
    ("alpha", "beta", "u", "w", "gain", "follower"),
    [
        (0.0, 0.0, 9.0, 10.0, 0.5, 0.0),
        (0.0, 0.1, 9.0, 5.5, 0.9878, 0.0),
        (0.03, 0.1, 7.8368, 5.9463, 0.4652, 0.0858),  # printed as alpha = 0.01
        (0.05, 0.0, 0.3943, 5.6971, 0.0138, 1.9371),
        (0.05, 0.01, 0.5069, 5.7069, 0.0147, 1.9320),
        (0.1, 0.0, 0.1749, 5.5875, 0.0129, 1.9453),
        (0.1, 0.01, 0.2179, 5.5869, 0.0133, 1.9437),
        (0.1, 0.1, 0.3752, 5.5556, 0.0148, 1.9368),
    ],
)
def test_table_6_2(alpha, beta, u, w, gain, follower):
    found = synthetic(alpha, beta, divergence="thesis").solve()
    assert found.mean_shift[0] == pytest.approx(u, abs=6e-4)
    assert found.boundary[0] == pytest.approx(w, abs=6e-4)
    assert found.leader_payoff == pytest.approx(gain, abs=6e-5)
    assert found.follower_payoff == pytest.approx(follower, abs=1.1e-4)


def test_row_001_0_of_table_6_2_fits_no_alpha():
    """J_L is FNR minus alpha times the divergence u^2 / 4, all printed."""
    row = printed_numbers("games")["6.2"]["alpha = 0.01, beta = 0"]
    divergence = row["u"] ** 2 / 4
    payoffs = [row["FNR"] - alpha * divergence for alpha in (0.01, 0.03)]
    assert payoffs == pytest.approx([0.0188, 0.0154], abs=6e-5)
    assert min(abs(payoff - row["J_L"]) for payoff in payoffs) > 4e-4  # printed to four digits


@pytest.mark.parametrize(
    ("alpha", "beta", "printed", "best"),
    [
        (0.03, 0.01, (1.1598, 0.0175), (8.8558, 0.3886)),
        (0.05, 0.1, (1.652, 0.0217), (7.5017, 0.1716)),
    ],
)
def test_printed_points_that_are_only_local(alpha, beta, printed, best):
    (first, second) = synthetic(alpha, beta, divergence="thesis").solve().local[0]
    assert first == pytest.approx(best, abs=2e-4)
    assert second == pytest.approx(printed, abs=2e-3)


def test_all_local_equilibria_are_listed(rng):
    """As many as a dense grid of moves has peaks, at the same places."""
    alpha, beta = rng.uniform(0.02, 0.06), rng.uniform(0.0, 0.1)
    game = synthetic(alpha, beta, divergence="thesis")
    u = np.linspace(0.0, 9.0, 9001)
    gains = game._rules.gains(u[:, None], np.zeros((9001, 1)))[:, 0]
    padded = np.concatenate([[-np.inf], gains, [-np.inf]])
    peaks = u[(padded[1:-1] > padded[:-2]) & (padded[1:-1] >= padded[2:])]
    found = sorted(at for at, _ in game.solve().local[0])
    np.testing.assert_allclose(found, peaks, atol=1e-3)


def test_an_indifferent_follower_takes_the_farthest_boundary():
    game = synthetic(0.0, 0.0)
    every = [game.payoffs(9.0, boundary=[w]).follower_payoff for w in (5.5, 7.0, 10.0)]
    np.testing.assert_allclose(every, 0.0, atol=1e-12)
    assert game.reply(9.0)[0] == pytest.approx(10.0)


def test_printed_alpha_of_one_hundredth_does_not_fit():
    found = synthetic(0.01, 0.1, divergence="thesis").solve()
    assert found.mean_shift[0] == pytest.approx(8.4705, abs=1e-3)  # 7.8368 is printed


def test_table_6_1_and_the_right_divergence():
    table = {(2, 2): 0.25, (1, 5): 0.6163, (1, 10): 1.2094, (2, 10): 1.4594}
    for (mean, variance), printed in table.items():
        assert thesis_divergence(1.0, 2.0, mean, variance) == pytest.approx(printed, abs=5e-5)
        p, q = norm(1.0, np.sqrt(2.0)), norm(mean, np.sqrt(variance))
        right, _ = quad(lambda x, p=p, q=q: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), -20, 22)
        sd = np.sqrt(2.0), np.sqrt(variance)
        assert kl_divergence(1.0, sd[0], mean, sd[1]) == pytest.approx(right, abs=1e-8)
    assert thesis_divergence(0.0, 1.0, 0.0, 0.9) < 0  # so it is no divergence


def test_boundary_is_the_best_reply(rng):
    game = synthetic(0.05, rng.uniform(0, 0.2))
    u = rng.uniform(0, 9)
    w = np.linspace(5.5, 10, 20_001)
    payoff = (
        2 * norm.cdf(w, 1 + u, 2) - 2 * norm.cdf(w, 10, 2) - game.boundary_price * (w - 5.5) ** 2
    )
    assert game.payoffs(u).follower_payoff >= payoff.max() - 1e-12
    assert game.reply(u)[0] == pytest.approx(w[payoff.argmax()], abs=1e-2)


def random_game(q, moves):
    rng = np.random.default_rng(q)
    means = rng.normal(0.0, 3.0, q), rng.normal(3.0, 3.0, q)
    sds = rng.uniform(0.5, 3.0, (2, q))
    return GaussianShiftGame(
        means[0],
        sds[0],
        means[1],
        sds[1],
        divergence_price=0.05,
        boundary_price=0.02,
        move_deviations=moves,
    )


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("q", [1, 2, 5, 20])
def test_genetic_reaches_the_exact_value(q, moves):
    game = random_game(q, moves)
    exact = game.solve()
    for seed in range(3):
        found = game.solve("genetic", random_state=seed)
        assert found.leader_payoff == pytest.approx(exact.leader_payoff, abs=1e-7)
        assert (np.diff(found.trace) >= 0).all()
        assert found.trace[-1] == pytest.approx(found.leader_payoff)
        np.testing.assert_allclose(found.error_trace[-1], [found.fnr, found.fpr])
    again = game.solve("genetic", random_state=2)
    np.testing.assert_array_equal(again.mean_shift, found.mean_shift)


def test_no_random_move_beats_the_exact_one(rng):
    game = random_game(3, True)
    best = game.solve().leader_payoff
    lower, upper = game._strategies()
    moves = rng.uniform(lower, upper, (2000, 3, 2))
    moves[:500, :, 0] = upper[:, 0]
    gains = game._rules.gains(moves[..., 0], moves[..., 1]).mean(axis=1)
    assert gains.max() <= best + 1e-9
    u, s = moves[0].T
    assert game.payoffs(game.mirror * u, s).leader_payoff == pytest.approx(gains[0])


def test_as_printed_the_algorithm_stops_too_early():
    game = synthetic(0.03, 0.01, divergence="thesis")
    short = [game.solve("algorithm 7", random_state=k, population=20) for k in range(10)]
    best = game.solve().leader_payoff
    assert min(len(found.trace) for found in short) < 10
    assert min(found.leader_payoff for found in short) < best - 1e-3
    many = random_game(20, True)
    assert (
        many.solve("algorithm 7", random_state=0).leader_payoff < many.solve().leader_payoff - 0.1
    )


def test_attributes_are_separate_and_mirrored():
    one = synthetic(0.1, 0.1).solve()
    both = GaussianShiftGame(
        [1.0, -1.0], [2.0, 2.0], [10.0, -10.0], [2.0, 2.0], divergence_price=0.1, boundary_price=0.1
    )
    found = both.solve()
    assert found.leader_payoff == pytest.approx(one.leader_payoff)
    np.testing.assert_allclose(found.mean_shift, [one.mean_shift[0], -one.mean_shift[0]])
    np.testing.assert_allclose(found.boundary, [one.boundary[0], -one.boundary[0]])
    np.testing.assert_allclose(both.reply(found.mean_shift), found.boundary, atol=1e-6)


def test_duopoly_of_section_6_3_3():
    """L produces (K - c)/2, F a quarter; the Nash equilibrium has a third each."""
    K, c = 10.0, 1.0

    def leader(u):
        v = (K - u - c) / 2
        return (K - u - v) * u - c * u

    (u, value), *_ = line_maxima(leader, 0.0, K)
    assert u == pytest.approx((K - c) / 2, abs=1e-6)
    assert value == pytest.approx((K - c) ** 2 / 8)
    found = genetic(lambda U: leader(U[:, :, 0]), [[0.0]], [[K]], random_state=0)
    assert found.best[0, 0] == pytest.approx((K - c) / 2, abs=1e-3)
    third = (K - c) / 3  # neither gains by leaving it alone
    others = np.linspace(0, K, 1001)
    assert ((K - others - third) * others - c * others).max() <= third**2 + 1e-9


def test_gain_of_later_months_is_bounded_inside_the_strategies():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(1, 2, (400, 1)), rng.normal(10, 2, (400, 1))])
    y = np.repeat([1, 0], 400)
    game = GaussianShiftGame.from_data(X, y, divergence_price=0.1, boundary_price=0.1)
    bound = game.solve().leader_payoff
    for u in np.linspace(0, 8, 9):
        assert game.gain_of(X[:400] + u) <= bound + 1e-9
    assert game.solve().error_rate == pytest.approx(0.5 * (game.solve().fnr + game.solve().fpr))


def test_bad_input_ends_in_a_sentence():
    with pytest.raises(ValueError, match="divergence must be one of"):
        GaussianShiftGame([1.0], [1.0], [2.0], [1.0], divergence="l2")
    with pytest.raises(ValueError, match="one number per attribute"):
        GaussianShiftGame([1.0], [1.0, 2.0], [2.0], [1.0])
    with pytest.raises(ValueError, match="Deviations must be positive"):
        GaussianShiftGame([1.0], [0.0], [2.0], [1.0])
    with pytest.raises(ValueError, match="method must be"):
        synthetic(0.1, 0.1).solve("annealing")
