"""Table 7.1 of the thesis: rounds of the game on two normal classes in the plane."""

import numpy as np

from stakes.game import StackelbergClassifier
from stakes.game._equilibrium import minimax, pure
from stakes.game._zero_sum import ZeroSumGame
from stakes.reproduce._result import Cell, Claim, Table

# iteration: move, weights of the features, payoff
TABLE_7_1 = {
    1: (1.1729, -0.5356, -0.2710, 0.3715, 0.0493),
    2: (1.2219, -0.6505, -0.2700, 0.3814, 0.0508),
    3: (1.2825, -0.8065, -0.2682, 0.3943, 0.0750),
    4: (1.3533, -1.0221, -0.2646, 0.4104, 0.0852),
    5: (1.4251, -1.3221, -0.2569, 0.4278, 0.1142),
    6: (1.4595, -1.7262, -0.2412, 0.4356, 0.1608),
    7: (1.4096, -2.2063, -0.2265, 0.4142, 0.2294),
    8: (1.4143, -2.4282, -0.2287, 0.3744, 0.2696),
}
COLUMNS = ("move 1", "move 2", "w1", "w2", "mean loss of the positives")


def synthetic(n=500, seed=0):
    """Equally many points around (1, 4), positive, and (4, 1)."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal([1.0, 4.0], 1.0, (n, 2)), rng.normal([4.0, 1.0], 1.0, (n, 2))])
    return X, np.repeat([1.0, -1.0], n)


def table_7_1():
    """Rounds of exact best replies beside the printed ones, and the equilibrium."""
    X, y = synthetic()
    game = ZeroSumGame(X, y, np.ones(len(y)), np.ones((1, 2)), np.ones(1), "hinge", 0.5)
    moves = np.zeros((1, 2))
    W = game.best_classifier(moves, 1e-6, 500).W
    cells = _row("initial", moves, W, game)
    gaps = []
    for k, printed in TABLE_7_1.items():
        moves = game.best_moves(W)
        W = game.best_classifier(moves, 1e-6, 500, start=W).W
        cells += _row(f"round {k}", moves, W, game, printed)
        gaps.append(pure(game, moves, W, 1e-4, 500).exploitability)
    found = minimax(game, 1e-4, 500)
    cells += _row("equilibrium", found.moves[0], found.W, game)
    angles = [_angle(TABLE_7_1[k][:2], TABLE_7_1[k - 1][2:4]) for k in range(2, 9)]
    note = (
        "lambda = 1/2, C = 1/n, prices as printed; the number of points is not printed, here 500 "
        "of each class. The best move is opposite to the weights; the printed ones are "
        f"{min(angles):.0f} to {max(angles):.0f} degrees away from the weights of the round "
        f"before. Exploitability after round 1 {gaps[0]:.1e}, after round 8 {gaps[-1]:.1e}, of the "
        f"equilibrium {found.exploitability:.1e}."
    )
    grows = all(TABLE_7_1[k][4] > TABLE_7_1[k - 1][4] for k in range(2, 9))
    reached = found.moves[0, 0]
    claim = Claim(
        "The adversary's payoff grows for eight rounds until a Nash equilibrium (Table 7.1).",
        "not reproduced",
        f"with exact best replies the move is settled after a few rounds: ({reached[0]:.3f}, "
        f"{reached[1]:.3f}) at the equilibrium, where the printed one is (1.414, -2.428)"
        + ("; the printed payoffs do grow" if grows else ""),
    )
    return [Table("Table 7.1", cells, note)], [claim]


def concavity():
    """Eq. 7.9 is not concave for large weights."""
    X = np.vstack([np.zeros((9, 1)), np.full((11, 1), 16.0 / 3.0)])
    w, ease = np.array([3.0]), np.array([48.0 / 9.0])
    shift = -np.linspace(0.0, 9.0, 4001)
    payoff = np.logaddexp(0.0, -(X[:, 0][:, None] + shift) * w).mean(axis=0) - shift**2 / ease
    peaks = int(np.sum((payoff[1:-1] > payoff[:-2]) & (payoff[1:-1] > payoff[2:])))
    claim = Claim(
        "The adversary's problem, Eq. 7.9, is concave.",
        "not reproduced" if peaks > 1 else "reproduced",
        f"for w = 3, a price of {1 / ease[0]:.4f} and two groups of points it has {peaks} local "
        "maxima; it is concave only while s^2 = sum w_j^2/p_j is at most 8 (logistic)",
    )
    return [], [claim]


def played(loss, alpha=0.5, price=1.0):
    """Algorithm 8 as a learner; it need not end in an equilibrium."""
    return StackelbergClassifier(
        loss=loss, alpha=alpha, movement_price=price, solver="play", tol=10.0
    )


def _row(name, moves, W, game, printed=(None,) * 5):
    ours = (*moves[0], *W[:2], game.positive_loss(moves, W))
    return [
        Cell(name, column, float(value), paper=paper)
        for column, value, paper in zip(COLUMNS, ours, printed, strict=True)
    ]


def _angle(move, w):
    """Degrees between a move and the direction against the weights."""
    move, w = np.array(move), np.array(w)
    cosine = -(move @ w) / np.linalg.norm(move) / np.linalg.norm(w)
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
