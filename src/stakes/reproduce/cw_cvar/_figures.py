"""Figures 1 to 3 of the CW-CVaR paper, plotted from a stored run.

python -m stakes.reproduce.cw_cvar._figures cw-cvar.json cw_cvar_figures.svg
"""

import textwrap

from matplotlib.figure import Figure

from stakes.reproduce._drawing import draw_stored
from stakes.reproduce._printed import printed

PAPER = {
    "Figure 1": "paper: falls with epsilon at every cost",
    "Not in": "so expensive examples move the weights less",
    "Figure 2": "paper: near one at high cost",
    "Figure 3(a)": "crosses: end points of the paper's curves, scaled to our CW",
    "Figure 3(b)": "crosses: end points of the paper's curves, scaled to our CW",
    "Figure 3(c)": "paper: CW-robust makes the fewest mistakes",
}


def draw(result):
    """One panel per figure: our curves, with the paper's statement in the title.

    The paper prints no numbers for its curves except the end points of Figure 3 (a) and (b), in
    Table II; they are marked, scaled so that its CW ends where ours does.
    """
    tables = [t for t in result["tables"] if _words(t["title"]) and "out of" not in t["title"]]
    columns = 2 if len(tables) < 5 else 3
    rows = -(-len(tables) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.4 * rows), layout="constrained")
    for k, table in enumerate(tables):
        axis = figure.add_subplot(rows, columns, k + 1)
        curves = _curves(table)
        for n, (name, curve) in enumerate(curves.items()):
            axis.plot(*zip(*curve, strict=True), label=name, color=f"C{n}", linewidth=1.2)
        _mark_end_points(axis, table["title"], curves)
        title = textwrap.fill(table["title"], 60)
        axis.set_title(f"{title}\n{_words(table['title'])}", fontsize=7)
        axis.set_xlabel(
            "% read" if "during the stream" in table["title"] else "epsilon", fontsize=7
        )
        axis.tick_params(labelsize=6)
        axis.legend(fontsize=5)
    return figure


def _words(title):
    if title.startswith("Figure 3(a), German, denying"):
        return "not in the paper, where denying is free"
    return next((words for start, words in PAPER.items() if title.startswith(start)), None)


def _curves(table):
    curves = {}
    for cell in table["cells"]:
        place = cell["column"].removeprefix("epsilon = ").removesuffix("% read")
        curves.setdefault(cell["row"], []).append((float(place), cell["ours"]))
    return curves


def _mark_end_points(axis, title, curves):
    name = title.split(", ", 1)[-1].removesuffix(": cost during the stream")
    name = name.removesuffix(", raw costs")
    costs = [row["online"] for row in printed("cw_cvar").get(f"II, {name}", {}).values()]
    for k, cost in enumerate(costs[1:], start=1):
        unit = curves["CW"][-1][1] / costs[0]
        axis.scatter([100], [cost * unit], marker="x", color=f"C{k}", s=18)


if __name__ == "__main__":
    draw_stored(draw)
