"""Figures 5.1 to 5.5 of the thesis.

python -m stakes.reproduce.qmlearn._figures docs/reproductions/figures
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import skew

from stakes.reproduce._drawing import draw_into
from stakes.reproduce.qmlearn._boundaries import LIGHT_ALPHA, PANELS, learned, sample
from stakes.reproduce.qmlearn._data import load_numbers

SKEWED = ("Analcat", "Cal", "Elevators", "Meta")
SHOWN = 200  # points of each class in Figures 5.2 and 5.3
NEGATIVES = 10  # for each positive, in the panels of imbalanced classes


def targets(data=None):
    """Figure 5.1: dependent variables that are skewed.

    Parameters
    ----------
    data : path, default=None
        Folder with the public data sets; None: `STAKES_DATA`.
    """
    figure = Figure(figsize=(9.6, 2.6), layout="constrained")
    for axis, name in zip(figure.subplots(1, len(SKEWED)), SKEWED, strict=True):
        _, y = load_numbers(name, data)
        axis.hist(y, bins=40, color="#1f4e79")
        axis.set(title=f"{name}, skewness {skew(y):.2f}", xlabel="target", ylabel="examples")
    return figure


def boundaries(data=None):
    """Figures 5.2 and 5.3: boundaries of the arithmetic and the quadratic mean."""
    figure = Figure(figsize=(8.0, 7.4), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    for row, (title, (plain, mean, ratios)) in zip(axes, PANELS.items(), strict=True):
        for axis, negatives in zip(row, ratios, strict=True):
            X, y = sample(negatives)
            for label, color, marker in ((0, "0.65", "."), (1, "#b3542e", "x")):
                axis.plot(*X[y == label][:SHOWN].T, marker, color=color, markersize=3)
            for column, color in ((plain, "black"), (mean, "#1f4e79")):
                w, b = _line(learned(column, X, y, LIGHT_ALPHA))
                across = np.array([-3.0, 9.0])
                axis.plot(across, -(w[0] * across + b) / w[1], color=color, label=column)
            axis.set(title=f"{title}, 1:{negatives}", xlim=(-3, 9), ylim=(-3, 9))
            axis.legend()
    return figure


def risks(data=None):
    """Figures 5.4 and 5.5: both empirical risks against sensitivity and specificity."""
    sensitivity, specificity = np.meshgrid(*2 * [np.linspace(0.0, 1.0, 101)])
    figure = Figure(figsize=(8.0, 6.8), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    for row, (risk, name) in zip(
        axes, ((arithmetic_risk, "Figure 5.4"), (quadratic_risk, "Figure 5.5")), strict=True
    ):
        for axis, negatives in zip(row, (1, NEGATIVES), strict=True):
            height = risk(sensitivity, specificity, negatives)
            lines = axis.contour(sensitivity, specificity, height, np.linspace(0.05, 0.95, 10))
            axis.clabel(lines, fontsize=6)
            axis.set(title=f"{name}, 1:{negatives}", xlabel="sensitivity", ylabel="specificity")
    return figure


def arithmetic_risk(sensitivity, specificity, negatives):
    """Share of mistakes, Eq. 5.2 with the 0/1 loss, with `negatives` for each positive.

    Examples
    --------
    >>> arithmetic_risk(0.0, 1.0, 9)
    0.1
    """
    return (1.0 - sensitivity + negatives * (1.0 - specificity)) / (1.0 + negatives)


def quadratic_risk(sensitivity, specificity, negatives):
    """Quadratic mean of both error rates, Eq. 5.3 with the 0/1 loss, whatever the class sizes.

    Examples
    --------
    >>> round(float(quadratic_risk(0.0, 1.0, 9)), 4)
    0.7071
    """
    return np.hypot(1.0 - sensitivity, 1.0 - specificity) / np.sqrt(2.0)


def _line(model):
    return model.coef_[0], model.intercept_[0]


PLOTS = {
    "qmlearn_targets.svg": targets,
    "qmlearn_boundaries.svg": boundaries,
    "qmlearn_risks.svg": risks,
}

if __name__ == "__main__":
    draw_into(PLOTS)
