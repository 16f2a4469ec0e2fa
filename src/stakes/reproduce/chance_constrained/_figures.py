"""Figures 1 and 2 of the chance-constrained paper, plotted from a stored run.

python -m stakes.reproduce.chance_constrained._figures chance-constrained.json target.svg
"""

from matplotlib.figure import Figure

from stakes.reproduce._drawing import draw_stored

STYLES = {
    "MM-M": ("black", ":"),
    "MM-S": ("black", "--"),
    "MM-MC": ("tab:gray", "-"),
    "MM-SM": ("tab:blue", "--"),
    "MM-SM-I": ("tab:blue", "-"),
    "MM-SMV": ("tab:red", "--"),
    "MM-SMV-I": ("tab:red", "-"),
    "MM-SBM-I": ("tab:green", "-"),
    "MM-SBMV-I": ("tab:orange", "-"),
}


def draw(result):
    """Figure 1, then one panel of Figure 2 per synthetic family with separated classes."""
    one, two = [t for t in result["tables"] if t["title"].startswith("Figure")][:2]
    panels = {"Figure 1: b_norm": _curves(one, lambda column: column.split()[1])}
    for family in dict.fromkeys(cell["column"].split(",")[0] for cell in two["cells"]):
        chosen = [c for c in two["cells"] if c["column"].startswith(f"{family},")]
        curves = _curves({"cells": chosen}, lambda column: column.split(", ")[1])
        panels[f"Figure 2: margin, {family}"] = curves
    rows = -(-len(panels) // 3)
    figure = Figure(figsize=(9.6, 2.6 * rows), layout="constrained")
    axes = figure.subplots(rows, 3, squeeze=False).ravel()
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    for axis, (title, curves) in zip(axes, panels.items(), strict=False):
        for name, curve in curves.items():
            color, line = STYLES[name]
            axis.plot(*zip(*curve, strict=True), label=name, color=color, linestyle=line)
        axis.set_title(title, fontsize=8)
        axis.set_xlabel("epsilon", fontsize=7)
        axis.tick_params(labelsize=7)
    for axis in axes[:2]:
        axis.legend(fontsize=5)
    return figure


def _curves(table, epsilon_of):
    curves = {}
    for cell in table["cells"]:
        if cell["row"] in STYLES:
            point = float(epsilon_of(cell["column"])), cell["ours"]
            curves.setdefault(cell["row"], []).append(point)
    return curves


if __name__ == "__main__":
    draw_stored(draw)
