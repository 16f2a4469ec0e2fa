"""Figures 7.4 to 7.6 of the thesis: scores of moved digits, moved digits, weights as images."""

import numpy as np
from matplotlib.figure import Figure

from stakes.reproduce.games._usps import PAIRS, first_move, load_pair, models

SHOWN = ((3, 8), (7, 9), (4, 1), (2, 6))  # the pairs of Figure 7.5


def logits(data=None, pair=PAIRS[0], setting="cheap moves"):
    """Figure 7.4: scores of the test images by the initial weights, as the positives are moved.

    Parameters
    ----------
    data : path, default=None
        Directory with `usps.npz`; None: `STAKES_DATA`.
    pair : tuple of two int, default=(2, 6)
        The digits; the first is positive.
    setting : {"thesis", "cheap moves"}, default="cheap moves"
        Penalty and price.

    Returns
    -------
    matplotlib.figure.Figure
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
    """Figure 7.5: test images that the initial weights miss once they are moved.

    Parameters
    ----------
    data, setting
        As in :func:`logits`.

    Returns
    -------
    matplotlib.figure.Figure
    """
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
    """Figure 7.6: both weight vectors as images of 16 x 16 pixels.

    Parameters
    ----------
    data, pair, setting
        As in :func:`logits`.

    Returns
    -------
    matplotlib.figure.Figure
    """
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
