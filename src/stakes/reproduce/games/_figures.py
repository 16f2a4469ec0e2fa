"""Figures 6.2 to 6.5 and 7.3 of the thesis, plotted from a stored run; others from the data.

python -m stakes.reproduce.games._figures docs/reproductions/games.json docs/figures
"""

import json
import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from stakes.game import spammer_game
from stakes.reproduce._drawing import STYLE, save
from stakes.reproduce._printed import printed
from stakes.reproduce.games._data import load_pair
from stakes.reproduce.games._moves import PAIRS, first_move, models, synthetic_game

PLAIN, HELD, OTHER = "#b3542e", "#1f4e79", "0.55"
SHORTS = ("SVM", "LogReg")
CHEAP_EASE = 12.0  # one over the price of a move in Figure 7.1, where it must be seen
SHOWN = ((3, 8), (7, 9), (4, 1), (2, 6))  # the pairs of Figure 7.5


def search(result):
    """Figures 6.2 and 6.3: the best payoff of each generation, and its error rates."""
    tables = _tables(result, "Figure 6.2") + _tables(result, "Figure 6.3")
    figure, axes = _panels(len(tables))
    for axis, table in zip(axes, tables, strict=True):
        columns = _columns(table)
        for color, (column, rows) in zip((HELD, PLAIN, "#5a8f3d"), columns.items(), strict=False):
            exact = rows.pop("exact", None)
            if exact is not None:
                axis.axhline(exact, color=color, linestyle=":", linewidth=1.0)
            steps = [int(row.split()[1]) for row in rows]
            axis.plot(steps, list(rows.values()), ".-", color=color, label=column, markersize=3)
        axis.set(title=table["title"], xlabel="generation (dotted: exact)")
        axis.legend()
    return figure


def months(result):
    """Figures 6.4 and 6.5: gains of later periods and the bound, means and deviations of words."""
    gains, drifts = _tables(result, "Figure 6.4"), _tables(result, "Figure 6.5")
    figure, axes = _panels(3, len(gains))
    for row, (gain, drift) in enumerate(zip(gains, drifts, strict=True)):
        bars, means, sds = axes[3 * row : 3 * row + 3]
        rows = _columns(gain)["J_L"]
        bound, still = rows["equilibrium, exact"], rows["no move"]
        later = {_short(name): value for name, value in rows.items() if "equi" not in name}
        later.pop("no move")
        bars.bar(list(later), list(later.values()), color=PLAIN)
        bars.axhline(bound, color=HELD, label=f"bound {bound:.3f}")
        bars.axhline(still, color=OTHER, linestyle="--", label=f"no move {still:.3f}")
        bars.set_title(gain["title"])
        bars.legend()
        for column, values in _columns(drift).items():
            axis, word = (means if column.endswith("mean") else sds), column.split(":")[0]
            axis.plot([_short(name) for name in values], list(values.values()), ".-", label=word)
        for axis, what in ((means, "means"), (sds, "deviations")):
            axis.set_title(f"{drift['title']}, {what}")
            axis.legend()
    return figure


def errors(result):
    """Figure 7.3: errors of plain and equilibrium classifiers by period, with 95 % intervals."""
    tables = [t for t in _tables(result, "Table 7.2") if "minus" not in t["title"]]
    figure, axes = _panels(2, len(tables))
    panels = iter(axes)
    for table in tables:
        for short in SHORTS:
            axis = next(panels)
            for name, color, style in (
                (short, PLAIN, "-"),
                (f"{short}eq", HELD, "-"),
                (f"{short} tuned", PLAIN, "--"),
                (f"{short}eq tuned", HELD, "--"),
                (f"{short} tuned, all words", PLAIN, ":"),
                (f"{short}eq tuned, all words", HELD, ":"),
                ("always 'no spam'", OTHER, "-"),
            ):
                cells = [cell for cell in table["cells"] if cell["row"] == name]
                periods = [_short(cell["column"].split(" (")[0]) for cell in cells]
                values = [cell["ours"] for cell in cells]
                half = [1.96 * cell["ours_sd"] for cell in cells]
                look = dict(color=color, linestyle=style, capsize=2, label=name)
                if cells:
                    axis.errorbar(periods, values, half, **look)
            axis.set(title=f"{table['title']}, {short}", ylabel="error", ylim=(0, None))
            axis.legend()
    return figure


def tree():
    """Figure 2.1: the spammer game."""
    figure = Figure(figsize=(6.4, 3.2))
    spammer_game().draw(figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    return figure


def states(data=None):
    """Figure 7.1: the first classifier, the best move against it, and the answer."""
    X, y, game = synthetic_game(ease=CHEAP_EASE)
    still = np.zeros((1, 2))
    first = game.best_classifier(still, 1e-6, 500).W
    moves = game.best_moves(first)
    answer = game.best_classifier(moves, 1e-6, 500).W
    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    for axis, (title, move, W) in zip(
        axes,
        (("before the game", still, first), ("they move", moves, first), ("answer", moves, answer)),
        strict=True,
    ):
        moved = X + np.outer(y > 0, move[0])
        missed = float(np.mean(moved[y > 0] @ W[:2] + W[2] <= 0))
        for sign, color, marker in ((-1, "0.65", "."), (1, PLAIN, "x")):
            axis.plot(*moved[y == sign][:200].T, marker, color=color, markersize=3)
        across = np.array([-2.0, 8.0])
        axis.plot(across, -(W[0] * across + W[2]) / W[1], color=HELD)
        axis.set(title=f"{title}: {missed:.1%} missed", xlim=(-2, 8), ylim=(-2, 8))
    return figure


def rounds(data=None):
    """Figure 7.2: false negatives and moves by round, ours (Table 7.1) and the printed moves."""
    X, y, game = synthetic_game()
    moves, played = np.zeros((1, 2)), []
    W = game.best_classifier(moves, 1e-6, 500).W
    theirs = np.array([list(numbers.values())[:2] for numbers in printed("games")["7.1"].values()])
    for _ in theirs:
        moves = game.best_moves(W)
        missed = [float(np.mean((X[y > 0] + move) @ W[:2] + W[2] <= 0)) for move in (moves[0], 0.0)]
        W = game.best_classifier(moves, 1e-6, 500, start=W).W
        played.append((*moves[0], *missed))
    played, steps = np.array(played), np.arange(1, len(theirs) + 1)
    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(steps, played[:, 2], ".-", color=PLAIN, label="after the move")
    left.plot(steps, played[:, 3], ".-", color=OTHER, label="without it")
    left.set(title="Figure 7.2a: false negative rate", xlabel="round", ylim=(0, None))
    for feature, style in ((0, "-"), (1, "--")):
        right.plot(steps, played[:, feature], style, color=HELD, label=f"move {feature + 1}")
        printed_move = theirs[:, feature]
        right.plot(steps, printed_move, style, color=PLAIN, label=f"move {feature + 1}, printed")
    right.set(title="Figure 7.2b: moves", xlabel="round")
    left.legend()
    right.legend()
    return figure


def logits(data=None, pair=PAIRS[0], setting="cheap moves"):
    """Figure 7.4: scores of the test images by the initial weights, before and after moves.

    Parameters
    ----------
    data : path, default=None
        Folder with `usps.npz`; None: `STAKES_DATA`.
    pair : tuple of two int, default=(2, 6)
        The digits; the first is positive.
    setting : {"thesis", "cheap moves"}, default="cheap moves"
        Penalty and movement price.
    """
    X, y, X_test, y_test = load_pair(pair, 0, data)
    initial, held = models(X, y, setting)
    first = first_move(initial, X[y == 1], setting)
    moves = {"initial state": 0.0 * first, "first move": first, "equilibrium move": held.shift_}
    figure = Figure(figsize=(9.0, 3.0), layout="constrained")
    order = np.argsort(-y_test, kind="stable")
    n_positive = int(y_test.sum())
    for axis, (name, move) in zip(figure.subplots(1, 3, sharey=True), moves.items(), strict=True):
        scores = initial.decision_function(X_test + np.outer(y_test, move))[order]
        missed = float(np.mean(scores[:n_positive] < 0))
        axis.plot(scores[:n_positive], ".", color="#b3542e", markersize=2)
        axis.plot(np.arange(n_positive, len(scores)), scores[n_positive:], ".", color="0.6", ms=2)
        axis.axhline(0.0, color="black", linewidth=0.8)
        axis.set(
            title=f"{name}: {missed:.1%} missed", xlabel=f"images of {pair[0]}, then {pair[1]}"
        )
    figure.axes[0].set_ylabel("score by the initial weights")
    return figure


def moved_digits(data=None, setting="cheap moves"):
    """Figure 7.5: test images that the initial weights misclassify once they are moved."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    axes = figure.subplots(2, len(SHOWN), squeeze=False)
    for pair, (above, below) in zip(SHOWN, axes.T, strict=True):
        X, y, X_test, y_test = load_pair(pair, 0, data)
        initial, held = models(X, y, setting)
        positive = X_test[y_test == 1]
        caught = initial.decision_function(positive) > 0
        after = initial.decision_function(positive + held.shift_)
        row = int(np.argmin(np.where(caught, after, np.inf)))
        seen = pair[0] if after[row] > 0 else pair[1]
        titles = f"{pair[0]}, seen as {pair[0]}", f"moved, seen as {seen}"
        pictures = positive[row], positive[row] + held.shift_
        for axis, image, title in zip((above, below), pictures, titles, strict=True):
            axis.imshow(image.reshape(16, 16), cmap="gray")
            axis.set(title=title, xticks=[], yticks=[])
    return figure


def weight_images(data=None, pair=PAIRS[0], setting="cheap moves"):
    """Figure 7.6: both weight vectors as images of 16 x 16 pixels."""
    X, y, _, _ = load_pair(pair, 0, data)
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, model, title in zip(
        axes, models(X, y, setting), ("initial", "at equilibrium"), strict=True
    ):
        image = axis.imshow(model.coef_[0].reshape(16, 16), cmap="gray")
        axis.set(title=f"{pair[0]} against {pair[1]}, {title}", xticks=[], yticks=[])
        figure.colorbar(image, ax=axis)
    return figure


def _tables(result, start):
    return [table for table in result["tables"] if table["title"].startswith(start)]


def _columns(table):
    """The values of each column by row."""
    columns = {}
    for cell in table["cells"]:
        columns.setdefault(cell["column"], {})[cell["row"]] = cell["ours"]
    return columns


def _panels(across, down=1):
    figure = Figure(figsize=(4.4 * across, 3.2 * down), layout="constrained")
    return figure, figure.subplots(down, across, squeeze=False).ravel()


def _short(period):
    return period.removeprefix("month ").removeprefix("week ")


PLOTS = {"games_states.svg": states, "games_rounds.svg": rounds}

if __name__ == "__main__":
    source, folder = map(Path, sys.argv[1:])
    stored = json.loads(source.read_text())
    with matplotlib.rc_context(STYLE | {"font.size": 7}):
        for name, drawn in {
            "search": search(stored),
            "months": months(stored),
            "errors": errors(stored),
            "tree": tree(),
            "usps_logits": logits(),
            "usps_moved": moved_digits(),
            "usps_weights": weight_images(),
        }.items():
            save(drawn, folder / f"games_{name}.svg")
