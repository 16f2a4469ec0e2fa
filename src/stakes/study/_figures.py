"""Figures of the study: savings, ranks over the data sets, and the diagram of the guide."""

import matplotlib
from matplotlib.figure import Figure

from stakes.compare import RECOMMENDED, CriticalDifferenceDisplay, critical_difference
from stakes.study._record import ranks
from stakes.study._rules import RULES
from stakes.study._verdict import short_list

STYLE = {"svg.hashsalt": "stakes", "font.size": 9}


def draw_savings(record):
    """Savings of the short list, a panel per data set, the recommendation highlighted.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = [name for name in short_list(record) if not name.startswith("always")]
    names = sorted(names, key=lambda name: (name != RECOMMENDED, name), reverse=True)
    n = len(record["sets"])
    figure = Figure(figsize=(2.6 + 1.5 * n, 0.9 + 0.24 * len(names)), layout="constrained")
    axes = figure.subplots(1, n, sharey=True, squeeze=False)
    for ax, one in zip(axes[0], record["sets"], strict=True):
        facts = {f["learner"]: f for f in one["learners"]}
        for place, name in enumerate(names):
            if name in facts:
                # clipped: how far below the best constant policy does not matter
                value = max(facts[name]["savings"], -0.1)
                colour = "tab:blue" if name == RECOMMENDED else "0.6"
                ax.barh(place, value, color="tab:red" if value < 0 else colour)
        best = max(f["savings"] for f in one["learners"])
        ax.axvline(best, color="0.2", linewidth=0.8, linestyle=":")
        ax.set(title=one["name"], xlim=(-0.1, max(best * 1.08, 0.05)))
        ax.set_yticks(range(len(names)), names)
        ax.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("savings; dotted: best of all; red: costs more than the best constant policy")
    return figure


def draw_rank_diagram(record):
    """The critical-difference diagram of the short list.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names, test = ranks(record, short_list(record))
    figure = Figure(figsize=(11, 1 + 0.22 * len(names)), layout="constrained")
    difference = critical_difference(len(names), len(record["sets"]))
    CriticalDifferenceDisplay(names, test.ranks, difference).plot(figure.subplots())
    return figure


def draw_guide(record):
    """The questions of the advice, and the learner to use if the answer is yes.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = Figure(figsize=(9.5, 0.85 * len(RULES)), layout="constrained")
    ax = figure.subplots()
    ax.set(xlim=(0, 10), ylim=(-len(RULES) + 0.4, 0.6))
    ax.axis("off")
    for place, rule in enumerate(RULES):
        last = place == len(RULES) - 1
        asked = dict(boxstyle="round,pad=0.5", facecolor="white", edgecolor="0.4")
        used = dict(boxstyle="round,pad=0.5", facecolor="#dbe9f6", edgecolor="tab:blue")
        ax.text(2.4, -place, rule.question, ha="center", va="center", bbox=asked)
        ax.text(7.9, -place, rule.learner(record), ha="center", va="center", bbox=used)
        arrow = dict(arrowstyle="->", color="0.4")
        ax.annotate("", (6.1, -place), (4.75, -place), arrowprops=arrow)
        if not last:
            ax.annotate("", (2.4, -place - 0.7), (2.4, -place - 0.3), arrowprops=arrow)
            ax.text(5.4, -place + 0.08, "yes", ha="center", color="0.4")
            ax.text(2.5, -place - 0.5, "no", va="center", color="0.4")
    return figure


def save(figure, path):
    """Write a figure as SVG, deterministically."""
    with matplotlib.rc_context(STYLE):
        figure.savefig(path, format="svg", metadata={"Date": None})
