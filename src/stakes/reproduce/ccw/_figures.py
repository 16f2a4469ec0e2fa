"""Figure 4.2 of the thesis, plotted from a stored run.

python -m stakes.reproduce.ccw._figures ccw.json ccw_gain.svg
"""

from matplotlib.figure import Figure

from stakes.reproduce._drawing import draw_stored
from stakes.reproduce.ccw._runs import METRICS


def draw(result):
    """One panel per distance: gain of CCW_MI over MI on each set, with 1 and 11 neighbours."""
    tables = [t for t in result["tables"] if t["title"].startswith("Figure 4.2")]
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    axes = figure.subplots(1, len(METRICS), sharey=True)
    for axis, word in zip(axes, METRICS.values(), strict=True):
        for table, marker in zip(tables, "ox", strict=True):
            cells = [c for c in table["cells"] if c["column"] == word]
            label = table["title"].split(", ")[-1]
            axis.plot([c["row"] for c in cells], [c["ours"] for c in cells], marker, label=label)
        axis.axhline(0.0, color="black", linewidth=0.8)
        axis.set_title(word, fontsize=9)
        axis.tick_params(labelsize=7)
        axis.tick_params(axis="x", rotation=90)
    axes[0].set_ylabel("AUC-PR of CCW_MI minus MI", fontsize=8)
    axes[0].legend(fontsize=7)
    return figure


if __name__ == "__main__":
    draw_stored(draw)
