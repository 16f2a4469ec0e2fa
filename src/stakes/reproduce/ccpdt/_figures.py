"""Figures 3.1 to 3.5 of the thesis, from its formulas.

python -m stakes.reproduce.ccpdt._figures ccpdt_criteria.svg
"""

import sys

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from scipy.special import entr

from stakes.reproduce._drawing import STYLE, save

NEGATIVES = 10.0  # for each positive, in the panels of imbalanced classes
# (fpr, tpr) of Figure 3.5: A and B on a parallel to the diagonal, B and C on a line through zero
POINTS = {"A": (0.1, 0.4), "B": (0.3, 0.6), "C": (0.2, 0.4)}


def entropy(p):
    """Entropy of a share in bits."""
    return (entr(p) + entr(1.0 - p)) / np.log(2.0)


def confidence_gain(p, q):
    """Eq. 3.7, without its constants: the gain by the confidence of each of two equal branches."""
    return 1.0 - 0.5 * (entropy(p) + entropy(q))


def entropy_after(tpr, fpr, negatives=1.0):
    """Entropy of both branches, weighted by their shares (Eq. 3.15).

    `negatives` are those for each positive; one gives the entropy of the class confidence
    proportions for any data (Eq. 3.16).
    """
    found = 0.0
    for true, false in ((tpr, negatives * fpr), (1.0 - tpr, negatives * (1.0 - fpr))):
        mass = np.asarray(true + false, dtype=np.float64)
        share = np.divide(true, mass, out=np.zeros_like(mass), where=mass > 0)
        found = found + mass / (1.0 + negatives) * entropy(share)
    return found


def information_gain(tpr, fpr, negatives=1.0):
    """Entropy before the split less that after it."""
    return entropy(1.0 / (1.0 + negatives)) - entropy_after(tpr, fpr, negatives)


def hellinger(tpr, fpr):
    """Eq. 3.17."""
    return np.hypot(np.sqrt(tpr) - np.sqrt(fpr), np.sqrt(1.0 - tpr) - np.sqrt(1.0 - fpr))


def draw():
    """Ten panels: what each criterion sees of a split, with equal classes and one in eleven."""
    rate = np.linspace(0.0, 1.0, 41)
    fpr, tpr = np.meshgrid(rate, rate)
    rates = ("false positive rate", "true positive rate")
    few = f"one positive for {NEGATIVES:g} negatives"
    panels = (
        ("3.1: gain by two confidences", confidence_gain(fpr, tpr), ("Conf(X)", "Conf(not X)")),
        ("3.2 (a): gain, equal classes", information_gain(tpr, fpr), rates),
        (f"3.2 (b): gain, {few}", information_gain(tpr, fpr, NEGATIVES), rates),
        ("3.3 (a): CCP gain, equal classes", information_gain(tpr, fpr), rates),
        (f"3.3 (b): CCP gain, {few}", information_gain(tpr, fpr), rates),
        ("3.4 (a): entropy after, equal classes", entropy_after(tpr, fpr), rates),
        (f"3.4 (b): entropy after, {few}", entropy_after(tpr, fpr, NEGATIVES), rates),
        ("3.4 (c): CCP entropy after, any classes", entropy_after(tpr, fpr), rates),
        ("3.5: Hellinger distance", hellinger(tpr, fpr), rates),
        ("3.5: CCP gain", information_gain(tpr, fpr), rates),
    )
    figure = Figure(figsize=(14.0, 6.0), layout="constrained")
    for axis, (title, values, names) in zip(figure.subplots(2, 5).flat, panels, strict=True):
        drawn = axis.contour(rate, rate, values, levels=9, linewidths=0.8)
        axis.clabel(drawn, fontsize=5, fmt="%.2g")
        if title.startswith("3.5"):
            _draw_points(axis)
        axis.set_title(title, fontsize=7)
        axis.set_xlabel(names[0], fontsize=7)
        axis.set_ylabel(names[1], fontsize=7)
        axis.tick_params(labelsize=6)
    return figure


def _draw_points(axis):
    """The three points of Figure 3.5 and the four lines that they are on."""
    for name, point in POINTS.items():
        axis.plot(*point, "ko", markersize=3)
        axis.annotate(name, point, textcoords="offset points", xytext=(4, -6), fontsize=7)
    for name in "AB":  # lines 1 and 2, of equal CCP
        x, y = POINTS[name]
        axis.axline((0.0, 0.0), (x, y), color="grey", linewidth=0.6, linestyle="--")
    for name in "AC":  # lines 3 and 4, parallel to the diagonal
        axis.axline(POINTS[name], slope=1.0, color="grey", linewidth=0.6)
    axis.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))


if __name__ == "__main__":
    with matplotlib.rc_context(STYLE):
        save(draw(), sys.argv[1])
